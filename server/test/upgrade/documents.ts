/** SBOMs, advisories and VEX of a maker and of software that do not exist. */

export interface Part {
  name: string
  version: string
  purl?: string
  cpe?: string
  licence?: string
}

const npm = (name: string, version: string): Part => ({
  name,
  version,
  purl: `pkg:npm/${name}@${version}`,
  licence: 'MIT',
})
const debian = (name: string, version: string): Part => ({
  name,
  version,
  purl: `pkg:deb/debian/${name}@${version}?arch=arm64&distro=debian-12`,
  licence: 'GPL-2.0-only',
})

export const TIDE = (version: string) => npm('tide-parser', version)
export const SEABIRD: Part = {
  name: 'seabird',
  version: '4.2.0',
  purl: 'pkg:pypi/seabird@4.2.0',
  licence: 'BSD-3-Clause',
}
export const BEACOND: Part = {
  name: 'beacond',
  version: '2.1.0',
  cpe: 'cpe:2.3:a:lumenworks:beacond:2.1.0:*:*:*:*:*:*:*',
}
export const OPENFOG = debian('openfog', '1.2-3')
/** Nothing identifies it until an override does. */
export const VENDORED: Part = { name: 'vendored-beacon', version: 'r1187' }

const PRODUCT_PURL = 'pkg:generic/beacon'

/** CycloneDX 1.6 with a nested component, a graph and an analysis. */
export function cycloneDx(version: string, parts: readonly Part[]): string {
  const components = parts.map((part, index) => ({
    type: 'library',
    'bom-ref': `part-${index}`,
    name: part.name,
    version: part.version,
    ...(part.purl !== undefined && { purl: part.purl }),
    ...(part.cpe !== undefined && { cpe: part.cpe }),
    ...(part.licence !== undefined && { licenses: [{ license: { id: part.licence } }] }),
  }))
  const refs = components.map((component) => component['bom-ref'])
  return JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:3f8a6b52-0d0f-4c7e-9a51-${Buffer.from(version).toString('hex').padStart(12, '0')}`,
    version: 1,
    metadata: {
      timestamp: '2026-03-01T08:00:00Z',
      component: {
        type: 'firmware',
        'bom-ref': 'product',
        name: 'beacon',
        version,
        purl: `${PRODUCT_PURL}@${version}`,
      },
    },
    components,
    dependencies: [
      { ref: 'product', dependsOn: refs.slice(0, 2) },
      { ref: refs[0], dependsOn: refs.slice(2) },
    ],
    vulnerabilities: [
      {
        id: 'CVE-2026-90005',
        analysis: {
          state: 'not_affected',
          justification: 'code_not_reachable',
          detail: 'The decoder is not built.',
        },
        affects: [{ ref: refs[0] }],
      },
    ],
  })
}

/** SPDX 2.3. */
export function spdx(version: string, parts: readonly Part[]): string {
  const packages = parts.map((part, index) => ({
    SPDXID: `SPDXRef-part-${index}`,
    name: part.name,
    versionInfo: part.version,
    downloadLocation: 'NOASSERTION',
    licenseDeclared: part.licence ?? 'NOASSERTION',
    externalRefs: [
      ...(part.purl === undefined
        ? []
        : [
            {
              referenceCategory: 'PACKAGE-MANAGER',
              referenceType: 'purl',
              referenceLocator: part.purl,
            },
          ]),
      ...(part.cpe === undefined
        ? []
        : [
            {
              referenceCategory: 'SECURITY',
              referenceType: 'cpe23Type',
              referenceLocator: part.cpe,
            },
          ]),
    ],
  }))
  const root = { SPDXID: 'SPDXRef-root', name: 'beacon', downloadLocation: 'NOASSERTION' }
  return JSON.stringify({
    spdxVersion: 'SPDX-2.3',
    dataLicense: 'CC0-1.0',
    SPDXID: 'SPDXRef-DOCUMENT',
    name: `beacon-${version}`,
    documentNamespace: `https://lighthouses.example/spdx/beacon-${version}`,
    creationInfo: { created: '2026-03-01T08:00:00Z', creators: ['Tool: yardstick-1.0'] },
    packages: [{ ...root, versionInfo: version }, ...packages],
    relationships: [
      {
        spdxElementId: 'SPDXRef-DOCUMENT',
        relationshipType: 'DESCRIBES',
        relatedSpdxElement: 'SPDXRef-root',
      },
      ...packages.map(({ SPDXID }) => ({
        spdxElementId: 'SPDXRef-root',
        relationshipType: 'DEPENDS_ON',
        relatedSpdxElement: SPDXID,
      })),
    ],
  })
}

/** OpenVEX about a finding that the firmware has, and about one that it may get. */
export const openVex = (version: string) => ({
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': `https://lighthouses.example/vex/beacon-${version}`,
  author: 'Lighthouse Works',
  timestamp: '2026-03-02T08:00:00Z',
  version: 1,
  statements: ['CVE-2026-90003', 'CVE-2026-90099'].map((name) => ({
    vulnerability: { name },
    products: [{ '@id': `pkg:generic/beacon@${version}` }],
    status: 'not_affected',
    justification: 'vulnerable_code_not_in_execute_path',
    impact_statement: 'The lamp is not driven by it.',
  })),
})

interface Osv {
  id: string
  cveId?: string
  ecosystem: string
  name: string
  /** undefined: there is no repair. */
  fixed?: string
  modified?: string
}

const osv = ({ id, cveId, ecosystem, name, fixed, modified = '2026-02-01T00:00:00Z' }: Osv) => ({
  schema_version: '1.7.0',
  id,
  ...(cveId !== undefined && { aliases: [cveId] }),
  modified,
  published: '2026-02-01T00:00:00Z',
  summary: `${name} reads past the end of a message`,
  details: `A crafted message makes ${name} read what it was not given.`,
  severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:N/A:N' }],
  affected: [
    {
      package: { ecosystem, name },
      ranges: [
        {
          type: ecosystem === 'npm' ? 'SEMVER' : 'ECOSYSTEM',
          events: [{ introduced: '0' }, ...(fixed === undefined ? [] : [{ fixed }])],
        },
      ],
    },
  ],
  references: [{ type: 'ADVISORY', url: `https://advisories.example/${id}` }],
})

const nvd = (id: string, score: number, until: string) => ({
  cve: {
    id,
    lastModified: '2026-02-03T00:00:00.000',
    published: '2026-02-02T00:00:00.000',
    vulnStatus: 'Analyzed',
    descriptions: [{ lang: 'en', value: `A flaw of beacond (${id}). It drops its guard.` }],
    metrics: {
      cvssMetricV31: [
        {
          source: 'nvd@nist.gov',
          type: 'Primary',
          cvssData: {
            version: '3.1',
            vectorString: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
            baseScore: score,
            baseSeverity: score >= 9 ? 'CRITICAL' : 'HIGH',
          },
        },
      ],
    },
    weaknesses: [
      {
        source: 'nvd@nist.gov',
        type: 'Primary',
        description: [{ lang: 'en', value: 'CWE-125' }],
      },
    ],
    configurations: [
      {
        nodes: [
          {
            operator: 'OR',
            negate: false,
            cpeMatch: [
              {
                vulnerable: true,
                criteria: 'cpe:2.3:a:lumenworks:beacond:*:*:*:*:*:*:*:*',
                versionEndExcluding: until,
              },
            ],
          },
        ],
      },
    ],
  },
})

const cve = (id: string, title: string) => ({
  dataType: 'CVE_RECORD',
  dataVersion: '5.1',
  cveMetadata: {
    cveId: id,
    assignerOrgId: '7b0c5a1e-4a54-4f3e-8d8a-0f1f5a3c2b11',
    state: 'PUBLISHED',
    datePublished: '2026-02-02T00:00:00.000Z',
    dateUpdated: '2026-02-03T00:00:00.000Z',
  },
  containers: {
    cna: {
      providerMetadata: { orgId: '7b0c5a1e-4a54-4f3e-8d8a-0f1f5a3c2b11', shortName: 'lumen' },
      title,
      descriptions: [{ lang: 'en', value: `${title}. Its maker has told so.` }],
      affected: [
        {
          vendor: 'lumenworks',
          product: 'beacond',
          defaultStatus: 'unaffected',
          versions: [
            { version: '0', status: 'affected', lessThan: '2.4.0', versionType: 'custom' },
          ],
        },
      ],
    },
  },
})

const kev = (released: string, ids: readonly string[]) => ({
  title: 'CISA Catalog of Known Exploited Vulnerabilities',
  catalogVersion: released.slice(0, 10).replaceAll('-', '.'),
  dateReleased: released,
  count: ids.length,
  vulnerabilities: ids.map((cveID) => ({
    cveID,
    vendorProject: 'Lumenworks',
    product: 'beacond',
    vulnerabilityName: `Lumenworks beacond, ${cveID}`,
    dateAdded: '2026-02-10',
    shortDescription: 'Somebody puts out lamps.',
    requiredAction: 'Update.',
    dueDate: '2026-03-03',
    knownRansomwareCampaignUse: 'Unknown',
  })),
})

const epss = (day: string, scores: Record<string, number>) =>
  [
    `#model_version:v2025.03.14,score_date:${day}T12:00:00Z`,
    'cve,epss,percentile',
    ...Object.entries(scores).map(([id, score]) => `${id},${score},${Math.min(0.99, score * 1.5)}`),
    '',
  ].join('\n')

const euvd = [
  {
    cveId: 'CVE-2026-90004',
    dateAdded: '2026-02-12',
    euvdId: 'EUVD-2026-90004',
    sources: ['eukev_kev'],
  },
]

const lines = (records: readonly object[]) =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('')

const TIDE_FLAW = { ecosystem: 'npm', name: 'tide-parser' }
const FIRST_OSV = [
  osv({ ...TIDE_FLAW, id: 'GHSA-9000-aaaa-0001', cveId: 'CVE-2026-90001', fixed: '1.4.0' }),
  osv({ ...TIDE_FLAW, id: 'GHSA-9000-aaaa-0005', cveId: 'CVE-2026-90005', fixed: '2.0.0' }),
  osv({ id: 'PYSEC-2026-9002', cveId: 'CVE-2026-90002', ecosystem: 'PyPI', name: 'seabird' }),
  osv({
    id: 'DEBIAN-CVE-2026-90006',
    cveId: 'CVE-2026-90006',
    ecosystem: 'Debian:12',
    name: 'openfog',
  }),
]

/** Files of advisories by their names: what is known at first. */
export const firstNews = (): Record<string, string> => ({
  'osv.jsonl': lines(FIRST_OSV),
  'nvd.json': JSON.stringify({
    resultsPerPage: 2,
    startIndex: 0,
    totalResults: 2,
    format: 'NVD_CVE',
    version: '2.0',
    timestamp: '2026-02-04T00:00:00.000',
    vulnerabilities: [nvd('CVE-2026-90003', 9.8, '2.2.0'), nvd('CVE-2026-90004', 8.8, '2.4.0')],
  }),
  'CVE-2026-90003.json': JSON.stringify(cve('CVE-2026-90003', 'beacond forgets its guard')),
  'kev.json': JSON.stringify(kev('2026-02-10T00:00:00.000Z', ['CVE-2026-90003'])),
  'epss.csv': epss('2026-02-20', { 'CVE-2026-90001': 0.02, 'CVE-2026-90003': 0.71 }),
  'euvd.json': JSON.stringify(euvd),
})

/** What becomes known later: a new flaw, other scores, one more that is exploited, and one that is repaired after all. */
export const laterNews = (): Record<string, string> => ({
  'osv.jsonl': lines([
    osv({ ...TIDE_FLAW, id: 'GHSA-9000-aaaa-0007', cveId: 'CVE-2026-90007' }),
    osv({
      id: 'PYSEC-2026-9002',
      cveId: 'CVE-2026-90002',
      ecosystem: 'PyPI',
      name: 'seabird',
      fixed: '4.1.9',
      modified: '2026-03-05T00:00:00Z',
    }),
  ]),
  'kev.json': JSON.stringify(kev('2026-03-05T00:00:00.000Z', ['CVE-2026-90003', 'CVE-2026-90001'])),
  'epss.csv': epss('2026-03-05', { 'CVE-2026-90001': 0.31, 'CVE-2026-90003': 0.68 }),
})
