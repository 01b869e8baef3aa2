import { describe, expect, it } from 'vitest'
import type { LinkedSbom } from './model.ts'
import { parseSboms } from './parse.ts'
import { findPathsToRoot } from './paths.ts'

function read(...texts: string[]): LinkedSbom[] {
  return parseSboms(texts.map((text) => Buffer.from(text)))
}

function readOne(text: string): LinkedSbom {
  const [sbom] = read(text)
  if (!sbom) throw new Error('no SBOM')
  return sbom
}

const HEADER = {
  spdxVersion: 'SPDX-2.3',
  dataLicense: 'CC0-1.0',
  SPDXID: 'SPDXRef-DOCUMENT',
  name: 'test',
  documentNamespace: 'https://example.com/test',
  creationInfo: { created: '2026-01-01T00:00:00Z', creators: ['Tool: test'] },
}
const HEADER_LINES = `SPDXVersion: SPDX-2.3
DataLicense: CC0-1.0
SPDXID: SPDXRef-DOCUMENT
DocumentName: test
DocumentNamespace: https://example.com/test
Creator: Tool: test
Created: 2026-01-01T00:00:00Z
`

function packageNamed(name: string, members: object = {}) {
  return { SPDXID: `SPDXRef-${name}`, name, downloadLocation: 'NONE', ...members }
}

function readJson(members: object): LinkedSbom {
  return readOne(JSON.stringify({ ...HEADER, ...members }))
}

function pathsOf(sbom: LinkedSbom): Record<string, string[][]> {
  const nodes = new Map(sbom.nodes.map((node) => [node.node, node]))
  return Object.fromEntries(sbom.nodes.map((node) => [node.label, findPathsToRoot(node, nodes)]))
}

describe('SPDX 2', () => {
  const asJson = JSON.stringify({
    ...HEADER,
    documentDescribes: ['SPDXRef-zlib'],
    packages: [
      packageNamed('zlib', {
        versionInfo: '1.3.1',
        supplier: 'Organization: Zlib (zlib@example.com)',
        originator: 'Person: Jean',
        downloadLocation: 'https://zlib.net',
        homepage: 'https://zlib.net/about',
        licenseConcluded: 'NOASSERTION',
        licenseDeclared: 'Zlib',
        checksums: [{ algorithm: 'SHA1', checksumValue: 'abc' }],
        externalRefs: [
          { referenceType: 'cpe22Type', referenceLocator: 'cpe:/a:zlib:zlib:1.3.1' },
          {
            referenceType: 'http://spdx.org/rdf/references/cpe23Type',
            referenceLocator: 'cpe:2.3:a:zlib:zlib:1.3.1:*:*:*:*:*:*:*',
          },
          { referenceType: 'purl', referenceLocator: 'pkg:generic/zlib@1.3.1' },
          { referenceType: 'website', referenceLocator: 'https://zlib.net' },
        ],
      }),
    ],
  })
  const asTagValue = `${HEADER_LINES}
# a comment
PackageName: zlib
SPDXID: SPDXRef-zlib
PackageVersion: 1.3.1
PackageSupplier: Organization: Zlib (zlib@example.com)
PackageOriginator: Person: Jean
PackageDownloadLocation: https://zlib.net
PackageHomePage: https://zlib.net/about
PackageLicenseConcluded: NOASSERTION
PackageLicenseDeclared: <text>Zlib</text>
PackageChecksum: SHA1: abc
PackageComment: <text>
PackageName: not a package
Relationship: SPDXRef-zlib CONTAINS SPDXRef-zlib
</text>
ExternalRef: SECURITY cpe22Type cpe:/a:zlib:zlib:1.3.1
ExternalRef: SECURITY http://spdx.org/rdf/references/cpe23Type cpe:2.3:a:zlib:zlib:1.3.1:*:*:*:*:*:*:*
ExternalRef: PACKAGE-MANAGER purl pkg:generic/zlib@1.3.1
ExternalRef: OTHER website https://zlib.net
Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-zlib
`

  it.each`
    form                                     | text
    ${'JSON'}                                | ${asJson}
    ${'tag-value'}                           | ${asTagValue}
    ${'tag-value with lines as on Windows'}  | ${asTagValue.replaceAll('\n', '\r\n')}
    ${'tag-value with lines as on old Macs'} | ${asTagValue.replaceAll('\n', '\r')}
  `('gives what a package declares, from $form', ({ text }: { text: string }) => {
    const { components, warnings, nodes } = readOne(text)

    expect(warnings).toEqual([])
    expect(nodes).toEqual([
      { node: 0, label: 'zlib@1.3.1', parents: [], next: undefined, distance: 0 },
    ])
    expect(components).toEqual([
      {
        node: 0,
        ref: 'SPDXRef-zlib',
        vendor: 'Zlib',
        packageName: 'zlib',
        version: '1.3.1',
        purl: 'pkg:generic/zlib@1.3.1',
        cpes: ['cpe:/a:zlib:zlib:1.3.1', 'cpe:2.3:a:zlib:zlib:1.3.1:*:*:*:*:*:*:*'],
        licenses: ['Zlib'],
        hashes: [{ algorithm: 'SHA1', value: 'abc' }],
        supplier: 'Organization: Zlib (zlib@example.com)',
        downloadLocation: 'https://zlib.net',
        addresses: ['https://zlib.net/about'],
        scope: undefined,
        builtFrom: undefined,
      },
    ])
  })

  it.each`
    supplier                                   | originator        | vendor
    ${'Organization: OpenEmbedded ()'}         | ${undefined}      | ${'OpenEmbedded'}
    ${'Person: Jane Doe (jane@example.com)'}   | ${undefined}      | ${'Jane Doe'}
    ${'Organization: Example (Europe)'}        | ${undefined}      | ${'Example (Europe)'}
    ${'Example Ltd.'}                          | ${undefined}      | ${'Example Ltd.'}
    ${'NOASSERTION'}                           | ${'Person: Jean'} | ${'Jean'}
    ${undefined}                               | ${'NONE'}         | ${undefined}
    ${'Organization: NOASSERTION'}             | ${undefined}      | ${undefined}
    ${`Organization: ${'('.repeat(50_000)}@)`} | ${undefined}      | ${undefined}
  `(
    'takes $vendor as the vendor of $supplier',
    ({
      supplier,
      originator,
      vendor,
    }: Partial<Record<'supplier' | 'originator' | 'vendor', string>>) => {
      const { components } = readJson({ packages: [packageNamed('x', { supplier, originator })] })

      expect(components[0]?.vendor).toBe(vendor)
    },
  )

  it.each`
    relationship                    | paths
    ${'a DEPENDS_ON b'}             | ${[['b', 'a']]}
    ${'b DEPENDENCY_OF a'}          | ${[['b', 'a']]}
    ${'a CONTAINS b'}               | ${[['b', 'a']]}
    ${'b CONTAINED_BY a'}           | ${[['b', 'a']]}
    ${'a STATIC_LINK b'}            | ${[['b', 'a']]}
    ${'a DYNAMIC_LINK b'}           | ${[['b', 'a']]}
    ${'a HAS_PREREQUISITE b'}       | ${[['b', 'a']]}
    ${'b PREREQUISITE_FOR a'}       | ${[['b', 'a']]}
    ${'b RUNTIME_DEPENDENCY_OF a'}  | ${[['b', 'a']]}
    ${'b PROVIDED_DEPENDENCY_OF a'} | ${[['b', 'a']]}
    ${'a GENERATED_FROM b'}         | ${[['b', 'a']]}
    ${'b GENERATES a'}              | ${[['b', 'a']]}
    ${'b PACKAGE_OF a'}             | ${[['b', 'a']]}
    ${'b BUILD_TOOL_OF a'}          | ${[['b', 'a']]}
    ${'DOCUMENT DESCRIBES b'}       | ${[['b']]}
    ${'b DESCRIBED_BY DOCUMENT'}    | ${[['b']]}
    ${'DOCUMENT CONTAINS b'}        | ${[['b']]}
    ${'a OTHER b'}                  | ${[]}
    ${'a ANCESTOR_OF b'}            | ${[]}
  `(
    'leads along $relationship',
    ({ relationship, paths }: { relationship: string; paths: string[][] }) => {
      const [from = '', type, to = ''] = relationship.split(' ')
      const { documentNamespace } = HEADER
      const sbom = readJson({
        documentNamespace,
        documentDescribes: ['SPDXRef-a'],
        packages: [packageNamed('a'), packageNamed('b')],
        relationships: [
          {
            spdxElementId: `SPDXRef-${from}`,
            relationshipType: type,
            relatedSpdxElement: `SPDXRef-${to}`,
          },
        ],
      })

      expect(pathsOf(sbom)['b']).toEqual(paths)
      expect(sbom.warnings).toEqual([])
    },
  )

  it.each`
    type                        | scope
    ${'DEPENDENCY_OF'}          | ${undefined}
    ${'OPTIONAL_DEPENDENCY_OF'} | ${'optional'}
    ${'OPTIONAL_COMPONENT_OF'}  | ${'optional'}
    ${'BUILD_DEPENDENCY_OF'}    | ${'build'}
    ${'BUILD_TOOL_OF'}          | ${'build'}
    ${'DEV_DEPENDENCY_OF'}      | ${'dev'}
    ${'DEV_TOOL_OF'}            | ${'dev'}
    ${'TEST_DEPENDENCY_OF'}     | ${'test'}
    ${'TEST_TOOL_OF'}           | ${'test'}
    ${'TEST_OF'}                | ${'test'}
    ${'TEST_CASE_OF'}           | ${'test'}
  `(
    'gives what only $type leads to the scope $scope, and what that needs too',
    ({ type, scope }: { type: string; scope: string | undefined }) => {
      const { components } = readJson({
        documentDescribes: ['SPDXRef-a'],
        packages: [packageNamed('a'), packageNamed('b'), packageNamed('c'), packageNamed('d')],
        relationships: [
          { spdxElementId: 'SPDXRef-b', relationshipType: type, relatedSpdxElement: 'SPDXRef-a' },
          {
            spdxElementId: 'SPDXRef-b',
            relationshipType: 'DEPENDS_ON',
            relatedSpdxElement: 'SPDXRef-c',
          },
          {
            spdxElementId: 'SPDXRef-b',
            relationshipType: 'DEPENDS_ON',
            relatedSpdxElement: 'SPDXRef-d',
          },
          {
            spdxElementId: 'SPDXRef-a',
            relationshipType: 'DEPENDS_ON',
            relatedSpdxElement: 'SPDXRef-d',
          },
        ],
      })

      expect(components.map((one) => one.scope)).toEqual([undefined, scope, scope, undefined])
    },
  )

  it.each`
    name                | purl                          | scope
    ${'zlib-native'}    | ${undefined}                  | ${'build'}
    ${'gcc-cross-arm'}  | ${undefined}                  | ${'build'}
    ${'nativesdk-qemu'} | ${undefined}                  | ${'build'}
    ${'zlib-native'}    | ${'pkg:generic/zlib@1'}       | ${'build'}
    ${'react-native'}   | ${'pkg:npm/react-native@0.7'} | ${undefined}
    ${'native-lib'}     | ${undefined}                  | ${undefined}
    ${'cross-env'}      | ${undefined}                  | ${undefined}
  `(
    'gives $name of $purl the scope $scope',
    ({ name, purl, scope }: { name: string; purl?: string; scope?: string }) => {
      const externalRefs =
        purl === undefined ? [] : [{ referenceType: 'purl', referenceLocator: purl }]
      const { components } = readJson({ packages: [packageNamed(name, { externalRefs })] })

      expect(components[0]?.scope).toBe(scope)
    },
  )

  it('counts NOASSERTION and NONE as not declared', () => {
    const { components, hasUnresolvedReferences } = readJson({
      packages: [packageNamed('a', { versionInfo: 'NOASSERTION', licenseConcluded: 'NONE' })],
      relationships: [
        { spdxElementId: 'SPDXRef-a', relationshipType: 'DEPENDS_ON', relatedSpdxElement: 'NONE' },
      ],
    })

    expect(components[0]).toMatchObject({
      version: undefined,
      licenses: [],
      downloadLocation: undefined,
    })
    expect(hasUnresolvedReferences).toBe(false)
  })

  it('takes the only package of a document that describes nothing as its root', () => {
    expect(pathsOf(readJson({ packages: [packageNamed('a')] }))).toEqual({ a: [['a']] })
    expect(pathsOf(readJson({ packages: [packageNamed('a'), packageNamed('b')] }))).toEqual({
      a: [],
      b: [],
    })
  })

  it('leads from a package through its files to the packages whose files they are made of', () => {
    const build = `${HEADER_LINES.replace('/test', '/build')}
ExternalDocumentRef: DocumentRef-sources https://example.com/sources SHA1: abc
Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-firmware
PackageName: firmware
SPDXID: SPDXRef-firmware
PackageDownloadLocation: NONE

FileName: ./firmware.elf
SPDXID: SPDXRef-firmware.elf
Relationship: SPDXRef-firmware.elf STATIC_LINK SPDXRef-libapp.a

PackageName: app
SPDXID: SPDXRef-app
PackageDownloadLocation: NONE

FileName: ./libapp.a
SPDXID: SPDXRef-libapp.a
Relationship: SPDXRef-libapp.a GENERATED_FROM DocumentRef-sources:SPDXRef-main.c
`
    const sources = `${HEADER_LINES.replace('/test', '/sources')}
PackageName: app-sources
SPDXID: SPDXRef-app-sources
PackageDownloadLocation: NONE

FileName: ./main.c
SPDXID: SPDXRef-main.c
`

    const [alone] = read(build)
    const [linkedBuild, linkedSources] = read(build, sources)

    expect(alone).toMatchObject({ hasUnresolvedReferences: true, hasExternalReferences: true })
    expect(alone?.warnings).toEqual([
      'Reference to an element that no SBOM given here declares: "SPDXRef-main.c".',
    ])
    expect(linkedBuild).toMatchObject({ hasUnresolvedReferences: false, warnings: [] })
    expect(linkedBuild && pathsOf(linkedBuild)).toEqual({
      firmware: [['firmware']],
      app: [['app', 'firmware']],
    })
    // Told from the file: the sources' document describes its only package, and firmware and app are made of its file.
    expect(linkedSources && pathsOf(linkedSources)['app-sources']).toEqual([
      ['app-sources'],
      ['app-sources', 'firmware'],
      ['app-sources', 'app', 'firmware'],
    ])
    expect(linkedSources?.components).toHaveLength(1)
  })

  it('takes the identifiers of the recipe a package is generated from, if one alone has some', () => {
    const cpe = (name: string) => [
      { referenceType: 'cpe23Type', referenceLocator: `cpe:2.3:a:${name}:${name}:1:*:*:*:*:*:*:*` },
    ]
    const generatedFrom = (from: string, to: string) => ({
      spdxElementId: `SPDXRef-${from}`,
      relationshipType: 'GENERATED_FROM',
      relatedSpdxElement: `SPDXRef-${to}`,
    })
    const { components } = readJson({
      packages: [
        packageNamed('libssl'),
        packageNamed('openssl', { versionInfo: '3', externalRefs: cpe('openssl') }),
        packageNamed('both'),
        packageNamed('zlib', { externalRefs: cpe('zlib') }),
        packageNamed('bare'),
      ],
      relationships: [
        generatedFrom('libssl', 'openssl'),
        generatedFrom('libssl', 'bare'),
        generatedFrom('both', 'openssl'),
        generatedFrom('both', 'zlib'),
        generatedFrom('zlib', 'bare'),
      ],
    })

    expect(components.map(({ builtFrom }) => builtFrom?.packageName)).toEqual([
      'openssl',
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    expect(components[0]?.builtFrom).toEqual({
      vendor: undefined,
      packageName: 'openssl',
      version: '3',
      purl: undefined,
      cpes: ['cpe:2.3:a:openssl:openssl:1:*:*:*:*:*:*:*'],
    })
  })
})

describe('a fault of SPDX 2', () => {
  it.each`
    members                                                                                                                                                            | warning
    ${{ dataLicense: 'MIT' }}                                                                                                                                          | ${'The dataLicense is not CC0-1.0: "MIT".'}
    ${{ documentNamespace: undefined }}                                                                                                                                | ${'The document has no documentNamespace.'}
    ${{ name: undefined }}                                                                                                                                             | ${'The document has no name.'}
    ${{ creationInfo: undefined }}                                                                                                                                     | ${'The document has no creationInfo.'}
    ${{ creationInfo: { creators: 'x' } }}                                                                                                                             | ${'The value of creators is not a list of texts: /creationInfo/creators.'}
    ${{ creationInfo: {} }}                                                                                                                                            | ${'The creationInfo has no date "created".'}
    ${{ packages: [null] }}                                                                                                                                            | ${'Package that is null, left out: /packages/0.'}
    ${{ packages: [{ SPDXID: 'SPDXRef-x', downloadLocation: 'NONE' }] }}                                                                                               | ${'Package without name: /packages/0.'}
    ${{ packages: [{ SPDXID: 'SPDXRef-x', name: 'x' }] }}                                                                                                              | ${'Package without downloadLocation: /packages/0.'}
    ${{ packages: [{ name: 'x', downloadLocation: 'NONE' }] }}                                                                                                         | ${'Package without SPDXID: /packages/0.'}
    ${{ packages: [packageNamed('x', { SPDXID: 'x' })] }}                                                                                                              | ${'SPDXID of a wrong form: "x".'}
    ${{ packages: [packageNamed('x', { filesAnalyzed: 'true' })] }}                                                                                                    | ${'Property of the wrong type, ignored: /packages/0 ("filesAnalyzed").'}
    ${{ packages: [packageNamed('x', { checksums: [{}] })] }}                                                                                                          | ${'Checksum without algorithm or checksumValue: /packages/0.'}
    ${{ packages: [packageNamed('x', { externalRefs: [1] })] }}                                                                                                        | ${'External reference without referenceType or referenceLocator: /packages/0.'}
    ${{ packages: [packageNamed('x'), packageNamed('x')] }}                                                                                                            | ${'Several elements share an id; references mean the first: "SPDXRef-x".'}
    ${{ relationships: [{}] }}                                                                                                                                         | ${'Relationship without spdxElementId, relationshipType or relatedSpdxElement: /relationships/0.'}
    ${{ relationships: [{ spdxElementId: 'SPDXRef-a', relationshipType: 'LIKES', relatedSpdxElement: 'SPDXRef-b' }] }}                                                 | ${'Unknown relationship type: "LIKES".'}
    ${{ relationships: [{ spdxElementId: 'SPDXRef-a', relationshipType: 'CONTAINS', relatedSpdxElement: 'SPDXRef-a' }] }}                                              | ${'Relationship of an element to itself: "SPDXRef-a".'}
    ${{ relationships: [{ spdxElementId: 'SPDXRef-a', relationshipType: 'CONTAINS', relatedSpdxElement: 'SPDXRef-b' }] }}                                              | ${'Relationship with an element that is not declared: "SPDXRef-a" and 1 more.'}
    ${{ packages: [packageNamed('x')], relationships: [{ spdxElementId: 'SPDXRef-x', relationshipType: 'CONTAINS', relatedSpdxElement: 'DocumentRef-y:SPDXRef-z' }] }} | ${'Reference to a document that externalDocumentRefs does not name: "DocumentRef-y:SPDXRef-z".'}
  `('is told: $warning', ({ members, warning }: { members: object; warning: string }) => {
    expect(readJson(members).warnings).toContain(warning)
  })

  it.each`
    lines                                          | warning
    ${'no tag here'}                               | ${'Line that is not of the form "Tag: value", passed over: line 8 ("no tag here").'}
    ${'Relationship: SPDXRef-a CONTAINS'}          | ${'Relationship of a wrong form: line 8.'}
    ${'PackageName: x\nPackageChecksum: abc'}      | ${'PackageChecksum of a wrong form: line 9.'}
    ${'PackageName: x\nExternalRef: SECURITY cpe'} | ${'ExternalRef of a wrong form: line 9.'}
    ${'FileName: x\nLicense:\n\nFileName: y'}      | ${'File without SPDXID: line 8 and 1 more.'}
    ${'Comment: <text>a\nb\n</text>\nx'}           | ${'Line that is not of the form "Tag: value", passed over: line 11 ("x").'}
  `('of tag-value is told: $warning', ({ lines, warning }: Record<'lines' | 'warning', string>) => {
    expect(readOne(`${HEADER_LINES}${lines}`).warnings).toContain(warning)
  })

  it.each`
    members                | message
    ${{ packages: {} }}    | ${'The value at /packages is not a list.'}
    ${{ packages: ['x'] }} | ${'The package at /packages/0 is not an object.'}
  `(
    'of structure fails: $message',
    ({ members, message }: { members: object; message: string }) => {
      expect(() => readJson(members)).toThrow(message)
    },
  )
})
