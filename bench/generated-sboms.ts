/** Generates SBOMs of any size in each format, shaped like those of real tools; the same arguments give the same bytes. */
export type GeneratedFormat =
  | 'CycloneDxJson'
  | 'CycloneDxXml'
  | 'Spdx2Json'
  | 'Spdx2TagValue'
  | 'Spdx3JsonLd'

export interface Size {
  components: number
  edges: number
}

interface Item {
  id: string
  name: string
  version: string
  purl: string
  cpe: string
  license: string
  sha256: string
  supplier: string
}

const LICENSES = ['MIT', 'Apache-2.0', 'GPL-2.0-only', 'BSD-3-Clause', 'LGPL-2.1-or-later']

export function generateSbom(format: GeneratedFormat, size: Size): string {
  const items = Array.from({ length: size.components }, (_value, i) => item(i))
  return GENERATORS[format](items, edgesOf(size))
}

function item(i: number): Item {
  const name = `package-${i}`
  const version = `${i % 10}.${i % 20}.${i % 30}`
  const supplier = `Example ${i % 50} Ltd.`
  return {
    id: `package-${i}-${version}`,
    name,
    version,
    supplier,
    purl: `pkg:generic/example-${i % 50}/${name}@${version}?arch=armv7`,
    cpe: `cpe:2.3:a:example_${i % 50}:${name}:${version}:*:*:*:*:*:*:*`,
    license: LICENSES[i % LICENSES.length] ?? 'MIT',
    sha256: (i * 2654435761).toString(16).padStart(64, '0').slice(-64),
  }
}

/** A tree over all components, and further edges by a fixed rule. */
function edgesOf({ components, edges }: Size): number[][] {
  const targets: number[][] = Array.from({ length: components }, () => [])
  for (let i = 1; i < components; i++) targets[Math.floor((i - 1) / 8)]?.push(i)
  let random = 1
  for (let i = components - 1; i < edges; i++) {
    random = (random * 48271) % 2147483647
    const from = random % components
    random = (random * 48271) % 2147483647
    const to = random % components
    if (from !== to) targets[from]?.push(to)
  }
  return targets.map((list) => [...new Set(list)])
}

type Generator = (items: readonly Item[], targets: readonly number[][]) => string

const GENERATORS: Record<GeneratedFormat, Generator> = {
  CycloneDxJson: cycloneDxJson,
  CycloneDxXml: cycloneDxXml,
  Spdx2Json: spdx2Json,
  Spdx2TagValue: spdx2TagValue,
  Spdx3JsonLd: spdx3,
}

function idsOf(items: readonly Item[], numbers: readonly number[]): string[] {
  return numbers.map((number) => items[number]?.id ?? '')
}

function cycloneDxJson(items: readonly Item[], targets: readonly number[][]): string {
  const components = items.map((one) => ({
    type: 'library',
    'bom-ref': one.id,
    supplier: { name: one.supplier },
    name: one.name,
    version: one.version,
    hashes: [{ alg: 'SHA-256', content: one.sha256 }],
    licenses: [{ license: { id: one.license } }],
    cpe: one.cpe,
    purl: one.purl,
    externalReferences: [{ type: 'distribution', url: `https://example.com/${one.id}.tar.gz` }],
    properties: [{ name: 'example:recipe', value: one.name }],
  }))
  return JSON.stringify(
    {
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
      version: 1,
      metadata: { timestamp: '2026-01-01T00:00:00Z', component: components[0] },
      components: components.slice(1),
      dependencies: items.map(({ id }, i) => ({
        ref: id,
        dependsOn: idsOf(items, targets[i] ?? []),
      })),
    },
    null,
    2,
  )
}

function cycloneDxXml(items: readonly Item[], targets: readonly number[][]): string {
  const component = (one: Item) =>
    `<component type="library" bom-ref="${one.id}">
      <supplier><name>${one.supplier}</name></supplier>
      <name>${one.name}</name>
      <version>${one.version}</version>
      <hashes><hash alg="SHA-256">${one.sha256}</hash></hashes>
      <licenses><license><id>${one.license}</id></license></licenses>
      <cpe>${one.cpe}</cpe>
      <purl>${one.purl}</purl>
      <externalReferences>
        <reference type="distribution"><url>https://example.com/${one.id}.tar.gz</url></reference>
      </externalReferences>
      <properties><property name="example:recipe">${one.name}</property></properties>
    </component>`
  const [root, ...rest] = items
  const dependencies = items.map(({ id }, i) => {
    const nested = idsOf(items, targets[i] ?? []).map(
      (target) => `      <dependency ref="${target}"/>`,
    )
    return `    <dependency ref="${id}">\n${nested.join('\n')}\n    </dependency>`
  })
  return `<?xml version="1.0" encoding="UTF-8"?>
<bom xmlns="http://cyclonedx.org/schema/bom/1.6" serialNumber="urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79" version="1">
  <metadata>
    <timestamp>2026-01-01T00:00:00Z</timestamp>
    ${root ? component(root) : ''}
  </metadata>
  <components>
    ${rest.map(component).join('\n    ')}
  </components>
  <dependencies>
${dependencies.join('\n')}
  </dependencies>
</bom>
`
}

function spdx2Json(items: readonly Item[], targets: readonly number[][]): string {
  const relationships = items.flatMap(({ id }, i) =>
    idsOf(items, targets[i] ?? []).map((target) => ({
      spdxElementId: `SPDXRef-${id}`,
      relationshipType: 'DEPENDS_ON',
      relatedSpdxElement: `SPDXRef-${target}`,
    })),
  )
  return JSON.stringify(
    {
      spdxVersion: 'SPDX-2.3',
      dataLicense: 'CC0-1.0',
      SPDXID: 'SPDXRef-DOCUMENT',
      name: 'generated',
      documentNamespace: 'https://example.com/spdx/generated',
      creationInfo: { created: '2026-01-01T00:00:00Z', creators: ['Tool: generated-sboms'] },
      documentDescribes: [`SPDXRef-${items[0]?.id ?? ''}`],
      packages: items.map((one) => ({
        SPDXID: `SPDXRef-${one.id}`,
        name: one.name,
        versionInfo: one.version,
        supplier: `Organization: ${one.supplier}`,
        downloadLocation: `https://example.com/${one.id}.tar.gz`,
        filesAnalyzed: false,
        checksums: [{ algorithm: 'SHA256', checksumValue: one.sha256 }],
        licenseConcluded: 'NOASSERTION',
        licenseDeclared: one.license,
        copyrightText: 'NOASSERTION',
        externalRefs: [
          { referenceCategory: 'SECURITY', referenceType: 'cpe23Type', referenceLocator: one.cpe },
          {
            referenceCategory: 'PACKAGE-MANAGER',
            referenceType: 'purl',
            referenceLocator: one.purl,
          },
        ],
      })),
      relationships,
    },
    null,
    2,
  )
}

function spdx2TagValue(items: readonly Item[], targets: readonly number[][]): string {
  const packages = items.map((one, i) => {
    const relationships = idsOf(items, targets[i] ?? []).map(
      (target) => `Relationship: SPDXRef-${one.id} DEPENDS_ON SPDXRef-${target}\n`,
    )
    return `##### Package: ${one.name}

PackageName: ${one.name}
SPDXID: SPDXRef-${one.id}
PackageVersion: ${one.version}
PackageSupplier: Organization: ${one.supplier}
PackageDownloadLocation: https://example.com/${one.id}.tar.gz
FilesAnalyzed: false
PackageChecksum: SHA256: ${one.sha256}
PackageLicenseConcluded: NOASSERTION
PackageLicenseDeclared: ${one.license}
PackageCopyrightText: <text>Copyright
  ${one.supplier}</text>
ExternalRef: SECURITY cpe23Type ${one.cpe}
ExternalRef: PACKAGE-MANAGER purl ${one.purl}

${relationships.join('')}`
  })
  return `SPDXVersion: SPDX-2.3
DataLicense: CC0-1.0
SPDXID: SPDXRef-DOCUMENT
DocumentName: generated
DocumentNamespace: https://example.com/spdx/generated
Creator: Tool: generated-sboms
Created: 2026-01-01T00:00:00Z

Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-${items[0]?.id ?? ''}

${packages.join('\n')}`
}

function spdx3(items: readonly Item[], targets: readonly number[][]): string {
  const iri = (id: string) => `https://example.com/spdx/generated/${id}`
  const creationInfo = '_:creationInfo'
  const packages = items.map((one) => ({
    type: 'software_Package',
    spdxId: iri(one.id),
    creationInfo,
    name: one.name,
    software_packageVersion: one.version,
    software_packageUrl: one.purl,
    software_downloadLocation: `https://example.com/${one.id}.tar.gz`,
    software_primaryPurpose: 'install',
    suppliedBy: iri('supplier'),
    externalIdentifier: [
      { type: 'ExternalIdentifier', externalIdentifierType: 'cpe23', identifier: one.cpe },
    ],
    verifiedUsing: [{ type: 'Hash', algorithm: 'sha256', hashValue: one.sha256 }],
  }))
  const relationships = items.flatMap(({ id }, i) => {
    const to = idsOf(items, targets[i] ?? []).map(iri)
    if (to.length === 0) return []
    return [
      {
        type: 'LifecycleScopedRelationship',
        spdxId: iri(`relationship/${i}`),
        creationInfo,
        from: iri(id),
        relationshipType: 'dependsOn',
        to,
        scope: 'runtime',
      },
    ]
  })
  return JSON.stringify(
    {
      '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
      '@graph': [
        {
          type: 'CreationInfo',
          '@id': creationInfo,
          specVersion: '3.0.1',
          created: '2026-01-01T00:00:00Z',
          createdBy: [iri('supplier')],
        },
        { type: 'Organization', spdxId: iri('supplier'), creationInfo, name: 'Example Ltd.' },
        {
          type: 'SpdxDocument',
          spdxId: iri('document'),
          creationInfo,
          rootElement: [iri(items[0]?.id ?? '')],
        },
        ...packages,
        ...relationships,
      ],
    },
    null,
    2,
  )
}
