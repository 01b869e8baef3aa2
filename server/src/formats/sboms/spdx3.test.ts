import { describe, expect, it } from 'vitest'
import type { LinkedSbom } from './model.ts'
import { parseSboms } from './parse.ts'
import { findPathsToRoot } from './paths.ts'

const CONTEXT = 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld'
const CREATION = {
  type: 'CreationInfo',
  '@id': '_:info',
  specVersion: '3.0.1',
  created: '2026-01-01T00:00:00Z',
  createdBy: ['urn:acme'],
}
const DOCUMENT = { type: 'SpdxDocument', spdxId: 'urn:document', rootElement: ['urn:root'] }

function textOf(elements: object[], context: unknown = CONTEXT): string {
  return JSON.stringify({ '@context': context, '@graph': [CREATION, ...elements] })
}

function read(...texts: string[]): LinkedSbom[] {
  return parseSboms(texts.map((text) => Buffer.from(text)))
}

function readGraph(elements: object[], context?: unknown): LinkedSbom {
  const [sbom] = read(textOf(elements, context))
  if (!sbom) throw new Error('no SBOM')
  return sbom
}

function pathsOf(sbom: LinkedSbom | undefined): Record<string, string[][]> {
  const nodes = new Map(sbom?.nodes.map((node) => [node.node, node]))
  return Object.fromEntries(
    [...nodes.values()].map((node) => [node.label, findPathsToRoot(node, nodes)]),
  )
}

function packageNamed(name: string, members: object = {}) {
  return { type: 'software_Package', spdxId: `urn:${name}`, name, ...members }
}

function related(
  from: string,
  relationshipType: string,
  to: string | string[],
  members: object = {},
) {
  const targets = Array.isArray(to) ? to.map((one) => `urn:${one}`) : `urn:${to}`
  return {
    type: 'Relationship',
    spdxId: `urn:${from}/${relationshipType}`,
    from: `urn:${from}`,
    relationshipType,
    to: targets,
    ...members,
  }
}

describe('SPDX 3', () => {
  it('gives what a package declares, identifiers inline and by reference', () => {
    const sbom = readGraph([
      DOCUMENT,
      packageNamed('root', {
        software_packageVersion: '1.3.1',
        software_downloadLocation: 'https://zlib.net',
        software_homePage: 'https://zlib.net/about',
        suppliedBy: 'urn:acme',
        externalIdentifier: [
          {
            type: 'ExternalIdentifier',
            externalIdentifierType: 'cpe23',
            identifier: 'cpe:2.3:a:zlib:zlib:1.3.1:*:*:*:*:*:*:*',
          },
          'urn:identifier',
          { externalIdentifierType: 'packageUrl', identifier: 'pkg:generic/zlib@1.3.1' },
        ],
        verifiedUsing: [{ type: 'Hash', algorithm: 'sha256', hashValue: 'abc' }],
      }),
      {
        type: 'ExternalIdentifier',
        spdxId: 'urn:identifier',
        externalIdentifierType: 'cpe22',
        identifier: 'cpe:/a:zlib:zlib',
      },
      { type: 'Organization', spdxId: 'urn:acme', name: 'Acme' },
      {
        type: 'simplelicensing_LicenseExpression',
        spdxId: 'urn:license',
        simplelicensing_licenseExpression: 'Zlib',
      },
      related('root', 'hasDeclaredLicense', 'license'),
      { ...related('root', 'hasConcludedLicense', ''), to: ['https://spdx.org/licenses/MIT'] },
    ])

    expect(sbom.specVersion).toBe('3.0.1')
    expect(sbom.warnings).toEqual([])
    expect(sbom.components).toEqual([
      {
        node: 0,
        ref: 'urn:root',
        vendor: 'Acme',
        packageName: 'root',
        version: '1.3.1',
        purl: 'pkg:generic/zlib@1.3.1',
        cpes: ['cpe:2.3:a:zlib:zlib:1.3.1:*:*:*:*:*:*:*', 'cpe:/a:zlib:zlib'],
        licenses: ['Zlib', 'MIT'],
        hashes: [{ algorithm: 'sha256', value: 'abc' }],
        supplier: 'Acme',
        downloadLocation: 'https://zlib.net',
        addresses: ['https://zlib.net/about'],
        scope: undefined,
        builtFrom: undefined,
      },
    ])
  })

  it('prefers software_packageUrl, and the supplier before the originator', () => {
    const [component] = readGraph([
      packageNamed('x', {
        software_packageUrl: 'pkg:generic/x@1',
        externalIdentifier: [
          { externalIdentifierType: 'packageUrl', identifier: 'pkg:generic/y@1' },
        ],
        originatedBy: [{ type: 'Person', spdxId: 'urn:jane', name: 'Jane' }],
      }),
    ]).components

    expect(component).toMatchObject({
      purl: 'pkg:generic/x@1',
      vendor: 'Jane',
      supplier: undefined,
    })
  })

  it.each`
    type                         | members                     | paths              | scope
    ${'dependsOn'}               | ${{}}                       | ${[['b', 'root']]} | ${undefined}
    ${'DEPENDS_ON'}              | ${{}}                       | ${[['b', 'root']]} | ${undefined}
    ${'dependsOn'}               | ${{ scope: 'runtime' }}     | ${[['b', 'root']]} | ${undefined}
    ${'dependsOn'}               | ${{ scope: 'build' }}       | ${[['b', 'root']]} | ${'build'}
    ${'dependsOn'}               | ${{ scope: 'development' }} | ${[['b', 'root']]} | ${'dev'}
    ${'dependsOn'}               | ${{ scope: 'test' }}        | ${[['b', 'root']]} | ${'test'}
    ${'hasStaticLink'}           | ${{ scope: 'build' }}       | ${[['b', 'root']]} | ${undefined}
    ${'hasDynamicLink'}          | ${{}}                       | ${[['b', 'root']]} | ${undefined}
    ${'contains'}                | ${{}}                       | ${[['b', 'root']]} | ${undefined}
    ${'hasPrerequisite'}         | ${{}}                       | ${[['b', 'root']]} | ${undefined}
    ${'hasProvidedDependency'}   | ${{}}                       | ${[['b', 'root']]} | ${undefined}
    ${'hasDistributionArtifact'} | ${{}}                       | ${[['b', 'root']]} | ${undefined}
    ${'hasOptionalDependency'}   | ${{}}                       | ${[['b', 'root']]} | ${'optional'}
    ${'hasOptionalComponent'}    | ${{}}                       | ${[['b', 'root']]} | ${'optional'}
    ${'usesTool'}                | ${{}}                       | ${[['b', 'root']]} | ${'build'}
    ${'hasTest'}                 | ${{}}                       | ${[['b', 'root']]} | ${'test'}
    ${'ancestorOf'}              | ${{}}                       | ${[]}              | ${undefined}
    ${'other'}                   | ${{}}                       | ${[]}              | ${undefined}
  `(
    'leads along $type $members to the scope $scope',
    ({
      type,
      members,
      paths,
      scope,
    }: {
      type: string
      members: object
      paths: string[][]
      scope: string | undefined
    }) => {
      const sbom = readGraph([
        DOCUMENT,
        packageNamed('root'),
        packageNamed('b'),
        related('root', type, ['b'], members),
      ])

      expect(pathsOf(sbom)['b']).toEqual(paths)
      expect(sbom.components[1]?.scope).toBe(scope)
      expect(sbom.warnings).toEqual([])
    },
  )

  it('contracts builds: what went in is part of what came out, though the relationships have build scope', () => {
    const scope = { scope: 'build' }
    const sbom = readGraph([
      DOCUMENT,
      packageNamed('root'),
      packageNamed('lib'),
      packageNamed('sources', {
        software_primaryPurpose: 'source',
        software_packageUrl: 'pkg:github/acme/lib@1',
      }),
      packageNamed('compiler-sources'),
      { type: 'build_Build', spdxId: 'urn:image-build' },
      { type: 'build_Build', spdxId: 'urn:lib-build' },
      { type: 'build_Build', spdxId: 'urn:compiler-build' },
      related('image-build', 'hasOutput', 'root', scope),
      related('image-build', 'hasInput', ['lib'], scope),
      related('lib-build', 'hasOutput', 'lib', scope),
      related('lib-build', 'hasInput', 'sources', scope),
      related('lib-build', 'dependsOn', 'compiler-build', scope),
      related('compiler-build', 'hasInput', 'compiler-sources', scope),
    ])

    expect(pathsOf(sbom)).toEqual({
      root: [['root']],
      lib: [['lib', 'root']],
      sources: [['sources', 'lib', 'root']],
      'compiler-sources': [['compiler-sources', 'lib', 'root']],
    })
    expect(sbom.components.map((one) => one.scope)).toEqual([
      undefined,
      undefined,
      undefined,
      'build',
    ])
    expect(sbom.components.map((one) => one.builtFrom?.purl)).toEqual([
      undefined,
      'pkg:github/acme/lib@1',
      undefined,
      undefined,
    ])
  })

  it('takes the root elements of documents and of SBOMs, also what a root file is built from', () => {
    const sbom = readGraph([
      { ...DOCUMENT, rootElement: ['urn:sbom'] },
      { type: 'software_Sbom', spdxId: 'urn:sbom', rootElement: ['urn:image.ext4'] },
      { type: 'software_File', spdxId: 'urn:image.ext4' },
      { type: 'build_Build', spdxId: 'urn:build' },
      packageNamed('rootfs'),
      packageNamed('described'),
      related('build', 'hasOutput', 'image.ext4'),
      related('build', 'hasInput', 'rootfs'),
      related('document', 'describes', 'described'),
    ])

    expect(pathsOf(sbom)).toEqual({ rootfs: [['rootfs']], described: [['described']] })
  })

  it('reads a single element without @graph', () => {
    const [sbom] = read(
      JSON.stringify({
        '@context': CONTEXT,
        type: 'software_Package',
        spdxId: 'urn:x',
        name: 'x',
        creationInfo: CREATION,
      }),
    )

    expect(sbom).toMatchObject({ specVersion: '3.0.1', components: [{ packageName: 'x' }] })
  })

  it('makes shortened ids whole, by context or namespace map, so that documents meet', () => {
    const one = textOf([
      {
        ...DOCUMENT,
        namespaceMap: [{ prefix: 'a', namespace: 'https://example.com/' }],
        rootElement: ['a:x'],
      },
      { type: 'software_Package', spdxId: 'a:x', name: 'x' },
      { ...related('', 'dependsOn', ''), from: 'a:x', to: ['a:y'] },
    ])
    const other = textOf(
      [{ type: 'software_Package', spdxId: 'b:y', name: 'y' }],
      [CONTEXT, { b: 'https://example.com/' }],
    )

    const [alone] = read(one)
    const linked = read(one, other)

    expect(alone).toMatchObject({ hasUnresolvedReferences: true, hasExternalReferences: true })
    expect(linked[0]).toMatchObject({
      hasUnresolvedReferences: false,
      components: [{ ref: 'https://example.com/x' }],
    })
    expect(pathsOf(linked[1])).toEqual({ y: [['y', 'x']], x: [['x']] })
  })

  it('takes an element that several documents repeat as one', () => {
    const app = textOf([
      DOCUMENT,
      packageNamed('root'),
      packageNamed('lib'),
      related('root', 'dependsOn', 'lib'),
    ])
    const lib = textOf([
      packageNamed('lib'),
      packageNamed('part'),
      related('lib', 'contains', 'part'),
    ])

    const linked = read(app, lib)

    expect(pathsOf(linked[1])).toMatchObject({
      lib: [['lib', 'root']],
      part: [['part', 'lib', 'root']],
    })
    expect(linked.map((sbom) => sbom.components.length)).toEqual([2, 2])
  })

  it('keeps blank nodes of different documents apart', () => {
    const text = (name: string) => textOf([{ type: 'software_Package', spdxId: '_:x', name }])

    const linked = read(text('a'), text('b'))

    expect(linked.map((sbom) => sbom.nodes.map(({ label }) => label))).toEqual([['a'], ['b']])
  })
})

describe('a fault of SPDX 3', () => {
  it.each`
    elements                                                                     | warning
    ${[]}                                                                        | ${'The document has no SpdxDocument element.'}
    ${[{ type: 'CreationInfo', specVersion: '3.0.1', createdBy: [] }]}           | ${'CreationInfo without date "created".'}
    ${[{ type: 'CreationInfo', created: 'x', createdBy: [] }]}                   | ${'CreationInfo without specVersion.'}
    ${[{ type: 'CreationInfo', specVersion: '3.0.1', created: 'x' }]}            | ${'CreationInfo without createdBy.'}
    ${[{ type: 'software_Package', name: 'x' }]}                                 | ${'Package without spdxId: "x".'}
    ${[{ type: 'software_Package', spdxId: 'urn:x' }]}                           | ${'Package without name: "urn:x".'}
    ${[packageNamed('x'), packageNamed('x')]}                                    | ${'Several elements share an id; references mean the first: "urn:x".'}
    ${[packageNamed('x', { externalIdentifiers: [] })]}                          | ${'Property "externalIdentifiers", ignored; SPDX knows "externalIdentifier": "urn:x".'}
    ${[packageNamed('x'), related('x', 'likes', 'x')]}                           | ${'Unknown relationship type: "likes".'}
    ${[packageNamed('x'), related('x', 'contains', 'x')]}                        | ${'Relationship of an element to itself: "urn:x".'}
    ${[{ type: 'Relationship', spdxId: 'urn:r', relationshipType: 'contains' }]} | ${'Relationship without from or relationshipType: "urn:r".'}
    ${[{ type: 'Tool', name: 'hammer' }]}                                        | ${'Element without spdxId: "hammer".'}
    ${[packageNamed('x'), related('x', 'contains', 'y')]}                        | ${'Reference to an element that no SBOM given here declares: "urn:y".'}
  `('is told: $warning', ({ elements, warning }: { elements: object[]; warning: string }) => {
    expect(readGraph(elements).warnings).toContain(warning)
  })

  it('does not count what is none or not asserted as missing', () => {
    const sbom = readGraph([
      packageNamed('x'),
      {
        ...related('x', 'dependsOn', ''),
        to: ['https://spdx.org/rdf/3.0.1/terms/Core/NoneElement', 'NoAssertionElement'],
      },
    ])

    expect(sbom).toMatchObject({ hasUnresolvedReferences: false })
  })

  it.each`
    document                                    | message
    ${{ '@context': CONTEXT, '@graph': {} }}    | ${'The value at /@graph is not a list.'}
    ${{ '@context': CONTEXT, '@graph': ['x'] }} | ${'The element at /@graph/0 is not an object.'}
  `(
    'of structure fails: $message',
    ({ document, message }: { document: object; message: string }) => {
      expect(() => read(JSON.stringify(document))).toThrow(message)
    },
  )
})
