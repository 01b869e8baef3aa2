/** Small SBOMs in all formats: CycloneDX in JSON and XML, SPDX 2 in JSON and tag-value, SPDX 3. */
import fc from 'fast-check'
import { oddTexts } from './mutations.ts'

const NAMES = ['busybox', 'zlib', 'openssl', '@scope/pkg', 'lib:z', 'linux-yocto', 'a'] as const
const names = fc.oneof(
  { arbitrary: fc.constantFrom<string>(...NAMES), weight: 6 },
  { arbitrary: oddTexts, weight: 1 },
)
const VERSIONS = ['1.0', '1:2.3-4+b1', 'v5.15.0-rc1', '2_11', '20240101', ''] as const
const versions = fc.oneof(
  { arbitrary: fc.constantFrom<string>(...VERSIONS), weight: 6 },
  { arbitrary: oddTexts, weight: 1 },
)
const purls = fc
  .tuple(fc.constantFrom('npm', 'deb/debian', 'generic', 'yocto', 'github/a', ''), names, versions)
  .map(([type, name, version]) => `pkg:${type}/${name}@${version}`)
const cpes = fc
  .tuple(names, versions)
  .map(([name, version]) => `cpe:2.3:a:acme:${name}:${version}:*:*:*:*:*:*:*`)
const refs = fc.constantFrom('r0', 'r1', 'r2', 'r3', 'urn:cdx:a/1#b', '', '#', 'r1 ')
const licenses = fc.constantFrom('MIT', 'GPL-2.0-only WITH x', 'LicenseRef-1', 'NOASSERTION', '')

/** A record of which any member may be missing. */
export function some(members: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<object> {
  return fc.record(members, { requiredKeys: [], noNullPrototype: true })
}

const few = (of: fc.Arbitrary<unknown>, most = 3) => fc.array(of, { maxLength: most })

const cdxComponents: fc.Arbitrary<object> = fc.letrec((tie) => ({
  component: some({
    type: fc.constantFrom('library', 'application', 'file', 'firmware', 'operating-system'),
    'bom-ref': refs,
    name: names,
    version: versions,
    group: names,
    purl: purls,
    cpe: cpes,
    scope: fc.constantFrom('required', 'optional', 'excluded'),
    licenses: few(
      fc.oneof(
        some({ license: some({ id: licenses, name: names }) }),
        some({ expression: licenses }),
      ),
    ),
    hashes: few(
      some({ alg: fc.constantFrom('SHA-256', 'MD5'), content: fc.constant('ab'.repeat(32)) }),
    ),
    supplier: some({ name: names }),
    externalReferences: few(some({ type: fc.constantFrom('vcs', 'website'), url: fc.webUrl() })),
    properties: few(some({ name: names, value: versions })),
    pedigree: some({ patches: few(some({ type: fc.constant('backport') })) }),
    components: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      fc.constant([]),
      few(tie('component'), 2),
    ),
  }),
})).component

export const cycloneDx = fc.record(
  {
    bomFormat: fc.constant('CycloneDX'),
    specVersion: fc.constantFrom('1.2', '1.4', '1.6', '1.7', '2.0', '1'),
    serialNumber: fc.constant('urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79'),
    version: fc.integer({ min: 0, max: 3 }),
    metadata: some({
      component: cdxComponents,
      timestamp: versions,
      tools: fc.oneof(few(some({ name: names })), some({ components: few(cdxComponents, 1) })),
    }),
    components: few(cdxComponents, 4),
    dependencies: few(some({ ref: refs, dependsOn: few(refs), provides: few(refs) }), 4),
    vulnerabilities: few(
      some({
        id: fc.constantFrom('CVE-2021-44228', 'GHSA-x', ''),
        analysis: some({
          state: fc.constantFrom('not_affected', 'exploitable', 'resolved', 'in_triage', 'x'),
          justification: fc.constantFrom('code_not_present', 'y'),
          response: few(fc.constantFrom('update', 'z')),
          detail: names,
        }),
        affects: few(
          some({ ref: refs, versions: few(some({ version: versions, range: versions })) }),
        ),
      }),
      2,
    ),
  },
  { requiredKeys: ['bomFormat', 'specVersion'], noNullPrototype: true },
)

const spdxIds = fc.constantFrom(
  'SPDXRef-DOCUMENT',
  'SPDXRef-a',
  'SPDXRef-b',
  'DocumentRef-x:SPDXRef-a',
  'NONE',
)
const relations = fc.constantFrom(
  'DESCRIBES',
  'CONTAINS',
  'DEPENDS_ON',
  'GENERATED_FROM',
  'BUILD_DEPENDENCY_OF',
  'AMENDS',
  'odd',
)

const spdx2Packages = some({
  SPDXID: spdxIds,
  name: names,
  versionInfo: versions,
  downloadLocation: fc.constantFrom(
    'NOASSERTION',
    'git+https://example.com/a.git@v1',
    'https://x/a-1.tgz',
  ),
  licenseConcluded: licenses,
  licenseDeclared: licenses,
  supplier: fc.constantFrom('Organization: Acme (a@b)', 'NOASSERTION', 'x'),
  sourceInfo: names,
  checksums: few(some({ algorithm: fc.constant('SHA256'), checksumValue: fc.constant('00') })),
  externalRefs: few(
    fc.oneof(
      some({
        referenceType: fc.constant('purl'),
        referenceLocator: purls,
        referenceCategory: names,
      }),
      some({ referenceType: fc.constant('cpe23Type'), referenceLocator: cpes }),
    ),
  ),
  primaryPackagePurpose: fc.constantFrom('LIBRARY', 'FILE', 'SOURCE'),
  hasFiles: few(spdxIds),
})

export const spdx2 = fc.record(
  {
    spdxVersion: fc.constantFrom('SPDX-2.2', 'SPDX-2.3', 'SPDX-2.9', 'SPDX-1'),
    SPDXID: fc.constant('SPDXRef-DOCUMENT'),
    dataLicense: fc.constant('CC0-1.0'),
    name: names,
    documentNamespace: fc.constantFrom('https://example.com/a', 'https://example.com/a#', ''),
    creationInfo: some({ created: versions, creators: few(names) }),
    externalDocumentRefs: few(
      some({ externalDocumentId: fc.constant('DocumentRef-x'), spdxDocument: fc.webUrl() }),
    ),
    documentDescribes: few(spdxIds),
    packages: few(spdx2Packages, 4),
    files: few(
      some({ SPDXID: spdxIds, fileName: names, fileTypes: few(fc.constant('SOURCE')) }),
      2,
    ),
    relationships: few(
      some({ spdxElementId: spdxIds, relatedSpdxElement: spdxIds, relationshipType: relations }),
      5,
    ),
  },
  { requiredKeys: ['spdxVersion', 'SPDXID'], noNullPrototype: true },
)

const spdx3Ids = fc.constantFrom('https://x/a', 'https://x/b', '_:c', 'p:d', 'https://x/doc')
const spdx3Elements = some({
  type: fc.constantFrom(
    'software_Package',
    'software_File',
    'Relationship',
    'LifecycleScopedRelationship',
    'software_Sbom',
    'Person',
    'build_Build',
    'security_VexNotAffectedVulnAssessmentRelationship',
    'security_Vulnerability',
    'simplelicensing_LicenseExpression',
    'odd_Thing',
  ),
  spdxId: spdx3Ids,
  '@id': spdx3Ids,
  name: names,
  creationInfo: fc.constant('_:ci'),
  software_packageVersion: versions,
  software_packageUrl: purls,
  software_downloadLocation: fc.webUrl(),
  software_primaryPurpose: fc.constantFrom('library', 'source', 'x'),
  externalIdentifier: few(
    some({
      type: fc.constant('ExternalIdentifier'),
      externalIdentifierType: fc.constantFrom('cpe23', 'purl', 'cve', 'x'),
      identifier: fc.oneof(cpes, purls, fc.constant('CVE-2021-44228')),
    }),
  ),
  from: spdx3Ids,
  to: fc.oneof(few(spdx3Ids), spdx3Ids),
  relationshipType: fc.constantFrom(
    'contains',
    'dependsOn',
    'hasInput',
    'ancestorOf',
    'doesNotAffect',
    'x',
  ),
  scope: fc.constantFrom('runtime', 'build', 'test'),
  rootElement: few(spdx3Ids),
  element: few(spdx3Ids),
  security_justificationType: fc.constantFrom('componentNotPresent', 'x'),
  simplelicensing_licenseExpression: licenses,
  verifiedUsing: few(some({ algorithm: fc.constant('sha256'), hashValue: fc.constant('00') })),
})

export const spdx3 = fc
  .tuple(few(spdx3Elements, 6), fc.constantFrom('3.0.0', '3.0.1', '3.1', 'x'))
  .map(([elements, specVersion]) => ({
    '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
    '@graph': [
      { type: 'CreationInfo', '@id': '_:ci', specVersion, created: '2026-01-01T00:00:00Z' },
      { type: 'SpdxDocument', spdxId: 'https://x/doc', rootElement: ['https://x/a'] },
      ...elements,
    ],
  }))

const TAGS = [
  'SPDXVersion: SPDX-2.3',
  'DataLicense: CC0-1.0',
  'SPDXID: SPDXRef-DOCUMENT',
  'DocumentName: x',
  'DocumentNamespace: https://example.com/a',
  'Creator: Tool: x',
  'Created: 2026-01-01T00:00:00Z',
] as const

const tagLines = fc.oneof(
  fc
    .tuple(names, versions)
    .map(([name, version]) =>
      [`PackageName: ${name}`, 'SPDXID: SPDXRef-a', `PackageVersion: ${version}`].join('\n'),
    ),
  purls.map((purl) => `ExternalRef: PACKAGE-MANAGER purl ${purl}`),
  cpes.map((cpe) => `ExternalRef: SECURITY cpe23Type ${cpe}`),
  fc
    .tuple(spdxIds, relations, spdxIds)
    .map(([from, relation, to]) => `Relationship: ${from} ${relation} ${to}`),
  names.map((name) => `FileName: ${name}\nSPDXID: SPDXRef-b\nFileType: SOURCE`),
  oddTexts.map((text) => `PackageComment: <text>${text}\n${text}</text>`),
  oddTexts.map((text) => `PackageComment: <text>${text}`),
  oddTexts,
  fc.constantFrom(
    ...TAGS,
    'PackageChecksum: SHA256: 00',
    '##',
    ':',
    'X',
    'PackageLicenseDeclared: MIT',
  ),
)

export const tagValue = fc
  .array(tagLines, { maxLength: 12 })
  .map((lines) => [...TAGS, ...lines].join('\n'))

const xmlText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** The names of entries in lists, as the XML form has them. */
const ENTRIES: Record<string, string> = {
  components: 'component',
  dependencies: 'dependency',
  dependsOn: 'dependency',
  licenses: 'license',
  hashes: 'hash',
  properties: 'property',
  externalReferences: 'reference',
  vulnerabilities: 'vulnerability',
  affects: 'target',
  tools: 'tool',
}
const ATTRIBUTES = new Set(['type', 'bom-ref', 'ref', 'alg', 'version', 'name'])

/** XML of any value in CycloneDX's shape; odd values become odd XML. */
function xmlOf(value: unknown, name = 'bom'): string {
  if (Array.isArray(value)) {
    const entry = ENTRIES[name] ?? 'entry'
    return `<${name}>${value.map((one) => xmlOf(one, entry)).join('')}</${name}>`
  }
  if (typeof value !== 'object' || value === null)
    return `<${name}>${xmlText(String(value))}</${name}>`
  const members = Object.entries(value).filter(([key]) => /^[A-Za-z][\w-]*$/.test(key))
  const isAttribute = ([key, inner]: [string, unknown]) =>
    ATTRIBUTES.has(key) &&
    typeof inner === 'string' &&
    (key !== 'name' || name === 'property') &&
    (key !== 'version' || name === 'bom')
  const attributes = members
    .filter(isAttribute)
    .map(([key, inner]) => ` ${key}="${xmlText(String(inner))}"`)
    .join('')
  const inner = members.filter((one) => !isAttribute(one)).map(([key, one]) => xmlOf(one, key))
  return `<${name}${attributes}>${inner.join('')}</${name}>`
}

const PROLOGUES = [
  '',
  '<?xml version="1.0" encoding="UTF-8"?>',
  '<?xml version="1.0" encoding="ISO-8859-1"?>',
  '<!DOCTYPE bom [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;&a;">]>',
  '<!DOCTYPE bom SYSTEM "file:///etc/passwd">',
  '<!-- c --><?pi x?>',
] as const

export const xmlDocuments = (documents: fc.Arbitrary<unknown>): fc.Arbitrary<string> =>
  fc
    .tuple(documents, fc.constantFrom(...PROLOGUES), fc.constantFrom('1.0', '1.4', '1.6', '9', 'x'))
    .map(([document, prologue, version]) =>
      `${prologue}${xmlOf(document)}`.replace(
        '<bom',
        `<bom xmlns="http://cyclonedx.org/schema/bom/${version}"`,
      ),
    )
