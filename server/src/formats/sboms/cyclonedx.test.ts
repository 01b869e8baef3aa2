import { describe, expect, it } from 'vitest'
import type { LinkedSbom } from './model.ts'
import { parseSboms } from './parse.ts'
import { findPathsToRoot } from './paths.ts'

function read(text: string): LinkedSbom {
  const [sbom] = parseSboms([Buffer.from(text)])
  if (!sbom) throw new Error('no SBOM')
  return sbom
}

function readJson(members: object, specVersion = '1.6'): LinkedSbom {
  return read(JSON.stringify({ bomFormat: 'CycloneDX', specVersion, ...members }))
}

function readXml(inside: string, specVersion = '1.6'): LinkedSbom {
  return read(`<bom xmlns="http://cyclonedx.org/schema/bom/${specVersion}">${inside}</bom>`)
}

function pathsOf(sbom: LinkedSbom): Record<string, string[][]> {
  const nodes = new Map(sbom.nodes.map((node) => [node.node, node]))
  return Object.fromEntries(sbom.nodes.map((node) => [node.label, findPathsToRoot(node, nodes)]))
}

const COMPONENT_JSON = {
  type: 'library',
  'bom-ref': 'zlib-1',
  supplier: { name: 'zlib.net' },
  group: 'net.zlib',
  name: 'zlib',
  version: '1.3.1',
  scope: 'optional',
  hashes: [{ alg: 'MD5', content: '0123456789abcdef0123456789abcdef' }],
  licenses: [{ license: { id: 'Zlib' } }, { license: { name: 'ours' } }],
  cpe: 'cpe:2.3:a:zlib:zlib:1.3.1:*:*:*:*:*:*:*',
  purl: 'pkg:generic/zlib@1.3.1',
  pedigree: { ancestors: [{ type: 'library', name: 'not-a-component' }] },
  externalReferences: [
    { type: 'distribution', url: 'https://zlib.net/zlib.tar.gz' },
    { type: 'vcs', url: 'https://github.com/madler/zlib' },
    { type: 'website', url: 'https://zlib.net' },
    { type: 'chat', url: 'https://chat.example' },
  ],
}
const COMPONENT_XML = `<component type="library" bom-ref="zlib-1">
  <supplier><name>zlib.net</name></supplier><group>net.zlib</group><name> zlib </name><version>1.3.1</version>
  <scope>optional</scope><hashes><hash alg="MD5">0123456789abcdef0123456789abcdef</hash></hashes>
  <licenses><license><id>Zlib</id></license><license><name><![CDATA[ours]]></name></license></licenses>
  <cpe>cpe:2.3:a:zlib:zlib:1.3.1:*:*:*:*:*:*:*</cpe><purl>pkg:generic/zlib@1.3.1</purl>
  <pedigree><ancestors><component type="library"><name>not-a-component</name></component></ancestors></pedigree>
  <externalReferences><reference type="distribution"><url>https://zlib.net/zlib.tar.gz</url></reference>
  <reference type="vcs"><url>https://github.com/madler/zlib</url></reference>
  <reference type="website"><url>https://zlib.net</url></reference>
  <reference type="chat"><url>https://chat.example</url></reference></externalReferences>
</component>`

describe('CycloneDX', () => {
  it.each`
    syntax    | sbom
    ${'JSON'} | ${readJson({ components: [COMPONENT_JSON] })}
    ${'XML'}  | ${readXml(`<components>${COMPONENT_XML}</components>`)}
  `('gives what a component declares, from $syntax', ({ sbom }: { sbom: LinkedSbom }) => {
    expect(sbom.warnings).toEqual([])
    expect(sbom.components).toEqual([
      {
        node: 0,
        ref: 'zlib-1',
        vendor: 'zlib.net',
        packageName: 'zlib',
        version: '1.3.1',
        purl: 'pkg:generic/zlib@1.3.1',
        cpes: ['cpe:2.3:a:zlib:zlib:1.3.1:*:*:*:*:*:*:*'],
        licenses: ['Zlib', 'ours'],
        hashes: [{ algorithm: 'MD5', value: '0123456789abcdef0123456789abcdef' }],
        supplier: 'zlib.net',
        downloadLocation: 'https://zlib.net/zlib.tar.gz',
        addresses: ['https://github.com/madler/zlib', 'https://zlib.net'],
        scope: 'optional',
        builtFrom: undefined,
      },
    ])
  })

  it.each`
    declared                                                                                             | vendor
    ${{ supplier: { name: 'S' }, manufacturer: { name: 'M' }, publisher: 'P', group: 'G', author: 'A' }} | ${'S'}
    ${{ manufacturer: { name: 'M' }, publisher: 'P', group: 'G' }}                                       | ${'M'}
    ${{ publisher: 'P', group: 'G' }}                                                                    | ${'P'}
    ${{ supplier: {}, group: 'G' }}                                                                      | ${'G'}
    ${{ author: 'A' }}                                                                                   | ${undefined}
  `(
    'takes $vendor as the vendor of $declared',
    ({ declared, vendor }: { declared: object; vendor: string | undefined }) => {
      const { components } = readJson({ components: [{ type: 'library', name: 'x', ...declared }] })

      expect(components[0]?.vendor).toBe(vendor)
    },
  )

  const NESTED_JSON = {
    metadata: {
      component: {
        type: 'firmware',
        'bom-ref': 'root',
        name: 'product',
        components: [{ type: 'file', name: 'part' }],
      },
      tools: { components: [{ type: 'application', name: 'tool' }] },
    },
    components: [
      {
        type: 'library',
        'bom-ref': 'a',
        name: 'a',
        components: [
          { type: 'library', name: 'a1', components: [{ type: 'library', name: 'a2' }] },
        ],
      },
      { type: 'library', 'bom-ref': 'b', name: 'b', version: '2' },
      { type: 'library', 'bom-ref': 'c', name: 'c' },
    ],
    services: [{ 'bom-ref': 's', name: 'service' }],
    dependencies: [
      { ref: 'root', dependsOn: ['a', 's'] },
      { ref: 's', dependsOn: ['b'] },
    ],
  }
  const NESTED_XML = `<metadata><component type="firmware" bom-ref="root"><name>product</name>
      <components><component type="file"><name>part</name></component></components></component>
      <tools><components><component type="application"><name>tool</name></component></components></tools></metadata>
    <components>
      <component type="library" bom-ref="a"><name>a</name><components><component type="library"><name>a1</name>
        <components><component type="library"><name>a2</name></component></components></component></components></component>
      <component type="library" bom-ref="b"><name>b</name><version>2</version></component>
      <component type="library" bom-ref="c"><name>c</name></component>
    </components>
    <services><service bom-ref="s"><name>service</name></service></services>
    <dependencies><dependency ref="root"><dependency ref="a"/><dependency ref="s"><dependency ref="b"/></dependency></dependency></dependencies>`

  it.each`
    syntax    | sbom
    ${'JSON'} | ${readJson(NESTED_JSON)}
    ${'XML'}  | ${readXml(NESTED_XML)}
  `(
    'finds components at any depth, and paths through nesting and services, in $syntax',
    ({ sbom }: { sbom: LinkedSbom }) => {
      expect(sbom.warnings).toEqual([])
      expect(pathsOf(sbom)).toEqual({
        product: [['product']],
        part: [['part', 'product']],
        a: [['a', 'product']],
        a1: [['a1', 'a', 'product']],
        a2: [['a2', 'a1', 'a', 'product']],
        'b@2': [['b@2', 'product']],
        c: [],
      })
    },
  )

  it('invents no root where the document names none', () => {
    const sbom = readJson({
      components: [
        { type: 'library', 'bom-ref': 'a', name: 'a' },
        { type: 'library', 'bom-ref': 'b', name: 'b' },
      ],
      dependencies: [{ ref: 'a', dependsOn: ['b'] }],
    })

    expect(pathsOf(sbom)).toEqual({ a: [], b: [] })
    expect(sbom.nodes[1]).toMatchObject({ parents: [0], next: undefined, distance: undefined })
  })

  it('takes the best text there is as the name of a component without one', () => {
    const { components, warnings } = readJson({
      components: [
        { type: 'library', purl: 'pkg:generic/x@1' },
        { type: 'library', 'bom-ref': 'the-ref' },
        { type: 'library' },
        { type: 'library', name: 5 },
      ],
    })

    expect(components.map(({ packageName }) => packageName)).toEqual([
      'pkg:generic/x@1',
      'the-ref',
      '/components/2',
      '/components/3',
    ])
    expect(warnings).toEqual([
      'Component without name: /components/0 and 3 more.',
      'Property of the wrong type, ignored: /components/3 ("name").',
    ])
  })

  it('ignores XML of other namespaces, and attributes', () => {
    const sbom = readXml(
      `<components xmlns:v="urn:other"><component type="library" x="1" v:y="2"><name>a</name><v:name>b</v:name>
       <v:any><name>c</name></v:any></component></components><v:more xmlns:v="urn:other"/>`,
    )

    expect(sbom.components.map(({ packageName }) => packageName)).toEqual(['a'])
    expect(sbom.warnings).toEqual([])
  })

  it('resolves BOM-Links to other documents', () => {
    const id = '3e671687-395b-41f5-a30f-a58921a69b79'
    const image = JSON.stringify({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      metadata: { component: { type: 'firmware', 'bom-ref': 'image', name: 'image' } },
      dependencies: [{ ref: 'image', dependsOn: [`urn:cdx:${id}/2#lib%2Fa`] }],
    })
    const library = JSON.stringify({
      bomFormat: 'CycloneDX',
      specVersion: '1.6',
      serialNumber: `urn:uuid:${id}`,
      version: 2,
      components: [{ type: 'library', 'bom-ref': 'lib/a', name: 'a' }],
    })

    const [alone] = parseSboms([Buffer.from(image)])
    const [, linked] = parseSboms([Buffer.from(image), Buffer.from(library)])

    expect(alone).toMatchObject({ hasUnresolvedReferences: true, hasExternalReferences: true })
    expect(linked).toMatchObject({
      hasUnresolvedReferences: false,
      components: [{ packageName: 'a' }],
    })
    expect(linked && pathsOf(linked)).toEqual({ a: [['a', 'image']], image: [['image']] })
  })
})

describe('a fault of CycloneDX', () => {
  const component = (members: object) => ({
    components: [{ type: 'library', name: 'x', version: '1', ...members }],
  })

  it.each`
    members                                                                                                             | specVersion | warning
    ${{ extra: 1 }}                                                                                                     | ${'1.6'}    | ${'Unknown property of a BOM: / ("extra").'}
    ${{ formulation: [] }}                                                                                              | ${'1.4'}    | ${'Property that CycloneDX 1.4 does not know yet: / ("formulation", since 1.5).'}
    ${{ serialNumber: 'urn:uuid:3e671687' }}                                                                            | ${'1.6'}    | ${'The serialNumber is not of the form urn:uuid:…: "urn:uuid:3e671687".'}
    ${{ version: 0 }}                                                                                                   | ${'1.6'}    | ${'The BOM version is not a positive whole number: 0.'}
    ${{ version: { valueOf: 1 } }}                                                                                      | ${'1.6'}    | ${'The BOM version is not a positive whole number: an object.'}
    ${{ metadata: { timestamp: '2020-04-13' } }}                                                                        | ${'1.6'}    | ${'The timestamp is not a date and time: "2020-04-13".'}
    ${{ metadata: { authors: [{ email: 'nobody' }] } }}                                                                 | ${'1.6'}    | ${'Not an e-mail address: /metadata ("nobody").'}
    ${component({ type: 'foo' })}                                                                                       | ${'1.6'}    | ${'Component type unknown to CycloneDX 1.6: /components/0 ("foo").'}
    ${component({ type: 'platform' })}                                                                                  | ${'1.4'}    | ${'Component type unknown to CycloneDX 1.4: /components/0 ("platform").'}
    ${component({ type: undefined })}                                                                                   | ${'1.6'}    | ${'Component without type: /components/0.'}
    ${component({ version: undefined })}                                                                                | ${'1.3'}    | ${'Component without version: /components/0.'}
    ${component({ scope: 'foo' })}                                                                                      | ${'1.6'}    | ${'Unknown component scope: /components/0 ("foo").'}
    ${component({ colour: 'red' })}                                                                                     | ${'1.6'}    | ${'Unknown property of a component: /components/0 ("colour").'}
    ${component({ version: 1 })}                                                                                        | ${'1.6'}    | ${'Property of the wrong type, ignored: /components/0 ("version").'}
    ${component({ 'bom-ref': '' })}                                                                                     | ${'1.6'}    | ${'Empty bom-ref: /components/0.'}
    ${component({ swid: { name: 'x' } })}                                                                               | ${'1.6'}    | ${'SWID tag without tagId or name: /components/0.'}
    ${component({ versionRange: 'vers:x/1', version: undefined })}                                                      | ${'1.7'}    | ${'Component with versionRange that is not external: /components/0.'}
    ${component({ versionRange: 'vers:x/1', isExternal: true })}                                                        | ${'1.7'}    | ${'Component with both version and versionRange: /components/0.'}
    ${component({ hashes: [{ alg: 'FOO', content: 'x' }] })}                                                            | ${'1.6'}    | ${'Unknown hash algorithm: /components/0 ("FOO").'}
    ${component({ hashes: [{ alg: 'SHA-1', content: 'foo' }] })}                                                        | ${'1.6'}    | ${'Hash value that does not fit its algorithm: /components/0 ("SHA-1": "foo").'}
    ${component({ licenses: [{}] })}                                                                                    | ${'1.6'}    | ${'Licence entry that is not either a licence or an expression: /components/0.'}
    ${component({ licenses: [{ license: {} }] })}                                                                       | ${'1.6'}    | ${'Licence without id and name, or with both: /components/0.'}
    ${component({ licenses: [{ license: { id: 'Apache-2' } }] })}                                                       | ${'1.6'}    | ${'Unknown SPDX licence id: /components/0 ("Apache-2").'}
    ${component({ licenses: [{ license: { id: 'MIT', text: { encoding: 'x' } } }] })}                                   | ${'1.6'}    | ${'Unknown encoding of a licence text: /components/0 ("x").'}
    ${component({ licenses: [{ expression: 'MIT' }, { expression: 'Zlib' }] })}                                         | ${'1.6'}    | ${'Licence expression beside other licences: /components/0.'}
    ${component({ pedigree: { patches: [{ type: 'foo' }] } })}                                                          | ${'1.6'}    | ${'Unknown patch type: /components/0.'}
    ${component({ pedigree: { patches: [{ type: 'monkey', resolves: [{}] }] } })}                                       | ${'1.6'}    | ${'Unknown issue type: /components/0.'}
    ${component({ properties: [{ value: 'x' }] })}                                                                      | ${'1.6'}    | ${'Entry of "properties" without name: /components/0.'}
    ${component({ purl: 'pkg:deb/debian/@2.0.1' })}                                                                     | ${'1.6'}    | ${'Not a package URL: /components/0 ("pkg:deb/debian/@2.0.1").'}
    ${component({ cpe: 'cpe:2.3:x:a:b' })}                                                                              | ${'1.6'}    | ${'Not a CPE name: /components/0 ("cpe:2.3:x:a:b").'}
    ${{ components: [null] }}                                                                                           | ${'1.6'}    | ${'Component that is null, left out: /components/0.'}
    ${{ services: [{ data: [{ flow: 'bar' }] }] }}                                                                      | ${'1.6'}    | ${'Unknown data flow direction: /services/0.'}
    ${{ citations: [{ pointers: [] }] }}                                                                                | ${'1.7'}    | ${'Citation without attributedTo and process: /citations/0.'}
    ${{ dependencies: [{ dependsOn: [] }] }}                                                                            | ${'1.6'}    | ${'Dependency without ref, left out: /dependencies/0.'}
    ${{ dependencies: [{ ref: 'x' }] }}                                                                                 | ${'1.6'}    | ${'Dependency names a bom-ref that no element has: "x".'}
    ${{ ...component({ 'bom-ref': 'x' }), dependencies: [{ ref: 'x', dependsOn: ['x'] }] }}                             | ${'1.6'}    | ${'Dependency on itself, left out: "x".'}
    ${{ components: [{ type: 'library', name: 'a', 'bom-ref': 'x' }, { type: 'library', name: 'b', 'bom-ref': 'x' }] }} | ${'1.6'}    | ${'Several elements share an id; references mean the first: "x".'}
  `(
    'is told: $warning',
    ({
      members,
      specVersion,
      warning,
    }: {
      members: object
      specVersion: string
      warning: string
    }) => {
      expect(readJson(members, specVersion).warnings).toContain(warning)
    },
  )

  it.each`
    inside                                                                                                              | warning
    ${'<components><component type="library"/></components>'}                                                           | ${'Component without name: /bom/components/component[1].'}
    ${'<components><component type="library"><name>a</name><name>b</name></component></components>'}                    | ${'Element that may stand once only, the first counts: "name" in "component".'}
    ${'<metadata><distribution>x</distribution></metadata>'}                                                            | ${'Unknown element: "distribution" in "metadata".'}
    ${'<services><service><name>s</name><data><classification flow="x">y</classification></data></service></services>'} | ${'Unknown data flow direction: /bom/services/service[1].'}
  `('of XML is told: $warning', ({ inside, warning }: Record<'inside' | 'warning', string>) => {
    expect(readXml(inside).warnings).toContain(warning)
  })

  it.each`
    members                                   | message
    ${{ components: {} }}                     | ${'The value at /components is not a list of components.'}
    ${{ components: ['zlib'] }}               | ${'The component at /components/0 is not an object.'}
    ${component({ components: 'zlib' })}      | ${'The value at /components/0/components is not a list of components.'}
    ${{ metadata: { component: 'product' } }} | ${'The component at /metadata/component is not an object.'}
  `(
    'of structure fails: $message',
    ({ members, message }: { members: object; message: string }) => {
      expect(() => readJson(members)).toThrow(message)
    },
  )
})
