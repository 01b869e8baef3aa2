import { describe, expect, it } from 'vitest'
import fc from 'fast-check'
import { parseSbom } from '../sboms/parse.ts'
import { gradeSbom, type SbomGrade } from './grade.ts'
import type { ProfileId } from './profile.ts'
import { SBOM_PROFILES } from './profiles.ts'

function grade(document: unknown, profile: ProfileId): SbomGrade {
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  const found = SBOM_PROFILES.find(({ id }) => id === profile)
  if (!found) throw new Error(profile)
  return gradeSbom(parseSbom(new TextEncoder().encode(text)), found)
}

function outcomes(graded: SbomGrade) {
  return Object.fromEntries(graded.elements.map(({ id, outcome }) => [id, outcome]))
}

const elementOf = ({ elements }: SbomGrade, wanted: string) =>
  elements.find(({ id }) => id === wanted)

const SHA512 = 'a'.repeat(128)

/** All that BSI TR-03183-2 v2.1.0 asks for, as its section 8.2 writes it. */
const COMPLETE = {
  name: 'busybox',
  version: '1.36.1',
  'bom-ref': 'busybox',
  type: 'application',
  purl: 'pkg:generic/busybox@1.36.1',
  manufacturer: { name: 'BusyBox', url: ['https://busybox.net'] },
  licenses: [{ license: { id: 'GPL-2.0-only', acknowledgement: 'concluded' } }],
  externalReferences: [
    {
      type: 'distribution',
      url: 'https://busybox.net/busybox.tar.bz2',
      hashes: [{ alg: 'SHA-512', content: SHA512 }],
    },
  ],
  properties: [
    { name: 'bsi:component:filename', value: 'busybox' },
    { name: 'bsi:component:executable', value: 'executable' },
    { name: 'bsi:component:archive', value: 'no archive' },
    { name: 'bsi:component:structured', value: 'unstructured' },
  ],
}

const BOM = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
  metadata: {
    timestamp: '2026-11-29T10:00:00Z',
    authors: [{ name: 'Build', email: 'build@example.com' }],
    tools: { components: [{ type: 'application', name: 'syft' }] },
    lifecycles: [{ phase: 'build' }],
  },
  components: [COMPLETE],
  dependencies: [{ ref: 'busybox', dependsOn: [] }],
  compositions: [{ aggregate: 'complete', dependencies: ['busybox'] }],
}

describe('a document with all that is asked for', () => {
  it('meets BSI TR-03183-2, and lacks what is asked for only where it exists', () => {
    const graded = grade(BOM, 'bsi')

    expect(graded.outcome).toBe('met')
    expect(graded.elements.filter(({ outcome }) => outcome !== 'met').map(({ id }) => id)).toEqual([
      'source-uri',
      'original-licences',
      'effective-licence',
      'source-hash',
      'security-txt',
    ])
  })

  it('meets NTIA with a supplier, and CISA with a hash of its own', () => {
    const hashes = [{ alg: 'SHA-256', content: 'a'.repeat(64) }]
    const root = { type: 'firmware', name: 'gateway', version: '1', 'bom-ref': 'root', hashes }
    const more = { manufacturer: COMPLETE.manufacturer, purl: 'pkg:generic/gateway@1' }
    const licensed = { ...root, ...more, licenses: COMPLETE.licenses }
    const bom = {
      ...BOM,
      metadata: { ...BOM.metadata, component: licensed },
      components: [{ ...COMPLETE, hashes }],
      dependencies: [{ ref: 'root', dependsOn: ['busybox'] }],
    }

    expect(grade(bom, 'ntia').outcome).toBe('met')
    expect(grade(bom, 'cisa').outcome).toBe('met')
  })

  it.each(SBOM_PROFILES.map(({ id }) => id))('is judged alike in XML by %s', (profile) => {
    const xml = `<bom xmlns="http://cyclonedx.org/schema/bom/1.6" serialNumber="${BOM.serialNumber}" version="1">
      <metadata><timestamp>2026-11-29T10:00:00Z</timestamp>
        <lifecycles><lifecycle><phase>build</phase></lifecycle></lifecycles>
        <tools><components><component type="application"><name>syft</name></component></components></tools>
        <authors><author><name>Build</name><email>build@example.com</email></author></authors></metadata>
      <components><component type="application" bom-ref="busybox">
        <manufacturer><name>BusyBox</name><url>https://busybox.net</url></manufacturer>
        <name>busybox</name><version>1.36.1</version>
        <licenses><license acknowledgement="concluded"><id>GPL-2.0-only</id></license></licenses>
        <purl>pkg:generic/busybox@1.36.1</purl>
        <externalReferences><reference type="distribution"><url>https://busybox.net/busybox.tar.bz2</url>
          <hashes><hash alg="SHA-512">${SHA512}</hash></hashes></reference></externalReferences>
        <properties><property name="bsi:component:filename">busybox</property>
          <property name="bsi:component:executable">executable</property>
          <property name="bsi:component:archive">no archive</property>
          <property name="bsi:component:structured">unstructured</property></properties>
      </component></components>
      <dependencies><dependency ref="busybox"/></dependencies>
      <compositions><composition><aggregate>complete</aggregate>
        <dependencies><dependency ref="busybox"/></dependencies></composition></compositions>
    </bom>`

    expect(grade(xml, profile)).toEqual(grade(BOM, profile))
  })
})

describe('a fact that is left out', () => {
  it.each`
    left out                    | document                                                                                                   | element
    ${'version'}                | ${{ components: [{ ...COMPLETE, version: undefined }] }}                                                   | ${'component-version'}
    ${'manufacturer'}           | ${{ components: [{ ...COMPLETE, manufacturer: undefined }] }}                                              | ${'component-creator'}
    ${'a name without address'} | ${{ components: [{ ...COMPLETE, manufacturer: { name: 'x' } }] }}                                          | ${'component-creator'}
    ${'a supplier is no maker'} | ${{ components: [{ ...COMPLETE, manufacturer: undefined, supplier: COMPLETE.manufacturer }] }}             | ${'component-creator'}
    ${'kind of licence'}        | ${{ components: [{ ...COMPLETE, licenses: [{ license: { id: 'MIT' } }] }] }}                               | ${'distribution-licences'}
    ${'a licence by name'}      | ${{ components: [{ ...COMPLETE, licenses: [{ license: { name: 'x', acknowledgement: 'concluded' } }] }] }} | ${'distribution-licences'}
    ${'hash of distribution'}   | ${{ components: [{ ...COMPLETE, externalReferences: [] }] }}                                               | ${'deployable-hash'}
    ${'properties'}             | ${{ components: [{ ...COMPLETE, properties: COMPLETE.properties.slice(0, 3) }] }}                          | ${'structured'}
    ${'dependencies'}           | ${{ dependencies: [] }}                                                                                    | ${'dependencies'}
    ${'compositions'}           | ${{ compositions: [] }}                                                                                    | ${'completeness'}
    ${'unspecified aggregate'}  | ${{ compositions: [{ aggregate: 'not_specified', dependencies: ['busybox'] }] }}                           | ${'completeness'}
    ${'timestamp'}              | ${{ metadata: { ...BOM.metadata, timestamp: 'today' } }}                                                   | ${'timestamp'}
    ${'authors'}                | ${{ metadata: { ...BOM.metadata, authors: [{ name: 'Build' }] } }}                                         | ${'sbom-creator'}
    ${'vulnerabilities'}        | ${{ vulnerabilities: [{ id: 'CVE-2026-1' }] }}                                                             | ${'no-vulnerabilities'}
  `(
    'is missing by name, and nothing else is: $out',
    ({ document, element }: { document: object; element: string }) => {
      const graded = grade({ ...BOM, ...document }, 'bsi')
      const before = outcomes(grade(BOM, 'bsi'))

      expect(graded.outcome).toBe('missing')
      expect(elementOf(graded, element)?.outcome).toBe('missing')
      const changed = graded.elements.filter(
        ({ id, level, outcome }) => level === 'required' && outcome !== before[id],
      )
      expect(changed.map(({ id }) => id)).toEqual([element])
    },
  )
})

it.each`
  document                    | profile  | element
  ${{ serialNumber: 'none' }} | ${'bsi'} | ${'sbom-uri'}
  ${{ specVersion: '1.99' }}  | ${'bsi'} | ${'format'}
`('does not take $element that is none', ({ document, profile, element }: Taken) => {
  expect(elementOf(grade({ ...BOM, ...document }, profile), element)?.outcome).toBe('missing')
})

interface Taken {
  document: object
  profile: ProfileId
  element: string
}

describe('counts', () => {
  it('say how many components lack it, and name the first five', () => {
    const components = Array.from({ length: 300 }, (_unused, i) => ({
      type: 'library',
      name: `lib${i}`,
      version: '1',
      'bom-ref': `lib${i}`,
      ...(i % 7 === 0 && { supplier: { name: 'Acme' } }),
    }))

    const supplier = elementOf(grade({ ...BOM, components }, 'ntia'), 'supplier')

    expect(supplier).toMatchObject({ outcome: 'missing', total: 300, stated: 43, unknown: 0 })
    expect(supplier?.examples).toEqual(['lib1@1', 'lib2@1', 'lib3@1', 'lib4@1', 'lib5@1'])
  })

  it('add up in every document, and outcomes follow from them', () => {
    const component = fc.record(
      {
        name: fc.constantFrom('a', 'b'),
        version: fc.constantFrom('1', 'NOASSERTION', ''),
        supplier: fc.constantFrom({ name: 'Acme' }, { name: 'NOASSERTION' }, {}),
        purl: fc.constantFrom('pkg:npm/a@1', ''),
        licenses: fc.constantFrom([], [{ expression: 'MIT' }], [{ license: { name: 'unknown' } }]),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(
        fc.array(component, { maxLength: 20 }),
        fc.constantFrom('1.0', '1.3', '1.4', '1.5', '1.6', '1.7'),
        fc.constantFrom(...SBOM_PROFILES),
        (components, specVersion, { id }) => {
          const { elements, outcome } = grade({ ...BOM, components, specVersion }, id)
          for (const one of elements) {
            expect(one.stated + one.unknown).toBeLessThanOrEqual(one.total)
            if (one.outcome === 'met') expect(one.examples).toEqual([])
            if (one.outcome === 'cannotSay') expect(one.stated).toBe(0)
            if (one.outcome === 'met' && one.total > 1 && one.id !== 'licence')
              expect(one.stated).toBe(one.total)
          }
          const required = elements.filter(({ level }) => level === 'required')
          expect(outcome === 'met').toBe(required.every((one) => one.outcome === 'met'))
        },
      ),
    )
  })
})

describe('what is unknown', () => {
  const spdx = {
    spdxVersion: 'SPDX-2.3',
    SPDXID: 'SPDXRef-DOCUMENT',
    dataLicense: 'CC0-1.0',
    name: 'gateway',
    documentNamespace: 'https://example.com/gateway',
    creationInfo: {
      created: '2026-11-29T10:00:00Z',
      creators: ['Tool: syft-1.0', 'Organization: Acme (sbom@example.com)'],
    },
    packages: [
      {
        SPDXID: 'SPDXRef-a',
        name: 'a',
        versionInfo: '1',
        downloadLocation: 'NOASSERTION',
        supplier: 'NOASSERTION',
        licenseConcluded: 'NOASSERTION',
        licenseDeclared: 'NOASSERTION',
      },
    ],
    relationships: [
      {
        spdxElementId: 'SPDXRef-DOCUMENT',
        relationshipType: 'DESCRIBES',
        relatedSpdxElement: 'SPDXRef-a',
      },
    ],
  }

  it('is counted apart, and is enough only where the profile says so', () => {
    const cisa = grade(spdx, 'cisa')

    expect(elementOf(cisa, 'licence')).toMatchObject({ outcome: 'met', stated: 0, unknown: 1 })
    expect(elementOf(cisa, 'producer')).toMatchObject({
      outcome: 'missing',
      stated: 0,
      unknown: 1,
      examples: ['a@1'],
    })
    expect(elementOf(cisa, 'known-unknowns')?.outcome).toBe('met')
    expect(elementOf(grade(spdx, 'ntia'), 'known-unknowns')?.outcome).toBe('missing')
  })

  it('is said of dependencies by NOASSERTION, and of none by NONE', () => {
    const to = (relatedSpdxElement: string) => ({
      ...spdx,
      relationships: [
        ...spdx.relationships,
        { spdxElementId: 'SPDXRef-a', relationshipType: 'DEPENDS_ON', relatedSpdxElement },
      ],
    })

    const [unknown, none] = [grade(to('NOASSERTION'), 'bsi'), grade(to('NONE'), 'bsi')]

    expect([
      elementOf(unknown, 'dependencies')?.outcome,
      elementOf(none, 'dependencies')?.outcome,
    ]).toEqual(['missing', 'met'])
    expect(elementOf(unknown, 'completeness')?.outcome).toBe('met')
    expect(elementOf(grade(to('NONE'), 'ntia'), 'known-unknowns')?.outcome).toBe('met')
  })

  it('is not what a format has no place for', () => {
    const bsi = grade(spdx, 'bsi')

    expect(elementOf(bsi, 'executable')).toMatchObject({
      outcome: 'cannotSay',
      stated: 0,
      reason: 'SPDX 2.3 has no place for it.',
    })
    expect(elementOf(bsi, 'format')).toMatchObject({
      outcome: 'missing',
      reason: 'The document is SPDX 2.3.',
    })
    const old = grade({ ...BOM, specVersion: '1.2' }, 'cisa')
    expect(elementOf(old, 'known-unknowns')?.outcome).toBe('met')
    const bare = grade({ bomFormat: 'CycloneDX', specVersion: '1.0', components: [] }, 'cisa')
    expect(elementOf(bare, 'author')?.outcome).toBe('cannotSay')
    expect(elementOf(bare, 'name')).toMatchObject({ outcome: 'missing', total: 0 })
  })

  it('is read alike from tag-value', () => {
    const text = `SPDXVersion: SPDX-2.3
DataLicense: CC0-1.0
SPDXID: SPDXRef-DOCUMENT
DocumentName: gateway
DocumentNamespace: https://example.com/gateway
Creator: Tool: syft-1.0
Creator: Organization: Acme (sbom@example.com)
Created: 2026-11-29T10:00:00Z
PackageName: a
SPDXID: SPDXRef-a
PackageVersion: 1
PackageDownloadLocation: NOASSERTION
PackageSupplier: NOASSERTION
PackageLicenseConcluded: NOASSERTION
PackageLicenseDeclared: NOASSERTION
Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-a
`
    expect(grade(text, 'ntia')).toEqual(grade(spdx, 'ntia'))
    expect(grade(text, 'cisa')).toEqual(grade(spdx, 'cisa'))
  })
})

describe('SPDX 3', () => {
  const agent = {
    type: 'Organization',
    spdxId: 'urn:x:acme',
    name: 'Acme',
    creationInfo: '_:info',
    externalIdentifier: [
      { type: 'ExternalIdentifier', externalIdentifierType: 'email', identifier: 'a@example.com' },
    ],
  }
  const expression = (id: string, text: string) => ({
    type: 'simplelicensing_LicenseExpression',
    spdxId: id,
    simplelicensing_licenseExpression: text,
    creationInfo: '_:info',
  })
  const relation = (relationshipType: string, to: string[], more = {}) => ({
    type: 'Relationship',
    spdxId: `urn:x:${relationshipType}`,
    from: 'urn:x:busybox',
    relationshipType,
    to,
    creationInfo: '_:info',
    ...more,
  })
  const graph = [
    {
      type: 'CreationInfo',
      '@id': '_:info',
      specVersion: '3.0.1',
      created: '2026-11-29T10:00:00Z',
      createdBy: ['urn:x:acme'],
      createdUsing: ['urn:x:tool'],
    },
    agent,
    { type: 'Tool', spdxId: 'urn:x:tool', name: 'create-spdx', creationInfo: '_:info' },
    {
      type: 'SpdxDocument',
      spdxId: 'urn:x:document',
      rootElement: ['urn:x:sbom'],
      creationInfo: '_:info',
    },
    {
      type: 'software_Sbom',
      spdxId: 'urn:x:sbom',
      rootElement: ['urn:x:busybox'],
      software_sbomType: ['build'],
      creationInfo: '_:info',
    },
    {
      type: 'software_Package',
      spdxId: 'urn:x:busybox',
      name: 'busybox',
      software_packageVersion: '1.36.1',
      software_packageUrl: 'pkg:generic/busybox@1.36.1',
      originatedBy: ['urn:x:acme'],
      verifiedUsing: [{ type: 'Hash', algorithm: 'sha256', hashValue: 'a' }],
      creationInfo: '_:info',
    },
    {
      type: 'software_File',
      spdxId: 'urn:x:file',
      name: 'busybox',
      software_additionalPurpose: ['executable'],
      verifiedUsing: [{ type: 'Hash', algorithm: 'sha512', hashValue: SHA512 }],
      creationInfo: '_:info',
    },
    expression('urn:x:gpl', 'GPL-2.0-only'),
    relation('hasDistributionArtifact', ['urn:x:file'], { completeness: 'complete' }),
    relation('hasConcludedLicense', ['urn:x:gpl']),
    relation('dependsOn', ['https://spdx.org/rdf/3.0.1/terms/Core/NoneElement'], {
      completeness: 'complete',
    }),
  ]
  const document = (elements: readonly unknown[]) => ({
    '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
    '@graph': elements,
  })

  it('meets all profiles with what section 8.2 writes', () => {
    for (const profile of ['bsi', 'ntia', 'cisa'] as const) {
      const { elements } = grade(document(graph), profile)
      const lacking = elements.filter(
        ({ level, outcome }) => level === 'required' && outcome !== 'met',
      )
      expect([profile, lacking.map(({ id }) => id)]).toEqual([profile, []])
    }
  })

  it('states its source by what generates it, and its effective licence by the comment', () => {
    const source = {
      type: 'software_SoftwareArtifact',
      spdxId: 'urn:x:source',
      verifiedUsing: [{ type: 'Hash', algorithm: 'sha512', hashValue: SHA512 }],
      externalRef: [
        {
          type: 'ExternalRef',
          externalRefType: 'SourceArtifact',
          locator: ['https://busybox.net/source.tar.bz2'],
        },
      ],
      creationInfo: '_:info',
    }
    const made = { ...relation('generates', ['urn:x:busybox']), from: 'urn:x:source' }
    const effective = relation('other', ['urn:x:gpl'], { comment: 'hasEffectiveLicense' })

    const graded = grade(document([...graph, source, made, effective]), 'bsi')

    for (const id of ['source-uri', 'source-hash', 'effective-licence'])
      expect([id, elementOf(graded, id)?.outcome]).toEqual([id, 'met'])
  })

  it('lacks what its file does not state', () => {
    const without = graph.filter(({ type }) => type !== 'software_File')

    const graded = grade(document(without), 'bsi')

    for (const id of ['filename', 'deployable-hash', 'executable', 'archive', 'structured'])
      expect([id, elementOf(graded, id)?.outcome]).toEqual([id, 'missing'])
  })
})
