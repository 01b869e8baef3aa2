import { describe, expect, it } from 'vitest'
import { generateSbom } from '../../../../bench/generated-sboms.ts'
import { DEFAULT_SBOM_LIMITS } from './limits.ts'
import { parseSbom, parseSboms } from './parse.ts'
import { findPathsToRoot } from './paths.ts'

function readJson(members: object) {
  return parseSboms([
    Buffer.from(JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', ...members })),
  ])
}

describe('limits', () => {
  const nestedXml = (depth: number) =>
    `<bom xmlns="http://cyclonedx.org/schema/bom/1.6">${'<v>'.repeat(depth)}${'</v>'.repeat(depth)}</bom>`

  it.each`
    document                           | text                                                                                | message
    ${'JSON nested too deep'}          | ${`{"bomFormat": ${'['.repeat(1e6)}`}                                               | ${'The document nests more than 1000 levels deep (at byte 1013).'}
    ${'XML nested too deep'}           | ${nestedXml(1_000)}                                                                 | ${/^The document nests more than 1000 levels deep \(at byte \d+\)\.$/}
    ${'JSON with too many values'}     | ${`{"bomFormat": [${'0,'.repeat(5_000)}0]}`}                                        | ${'The document holds more than 5000 values.'}
    ${'XML with too many elements'}    | ${`<bom xmlns="http://cyclonedx.org/schema/bom/1.6">${'<v/>'.repeat(5_000)}</bom>`} | ${'The document holds more than 5000 values.'}
    ${'tag-value with too many lines'} | ${`SPDXVersion: SPDX-2.3\n${'Creator: x\n'.repeat(5_000)}`}                         | ${'The document holds more than 5000 values.'}
    ${'too many components'}           | ${`SPDXVersion: SPDX-2.3\n${'PackageName: x\n'.repeat(101)}`}                       | ${'The document declares more than 100 components.'}
  `('refuse $document', ({ text, message }: { text: string; message: string | RegExp }) => {
    const limits = { ...DEFAULT_SBOM_LIMITS, values: 5_000, components: 100 }

    expect(() => parseSbom(Buffer.from(text), limits)).toThrow(message)
  })

  it('let a document pass that is just within', () => {
    expect(parseSbom(Buffer.from(nestedXml(999))).warnings).toContain(
      'Unknown element: "v" in "bom".',
    )
  })
})

describe('a hostile document', () => {
  it('pollutes no prototype', () => {
    const [sbom] = parseSboms([
      Buffer.from(`{"bomFormat": "CycloneDX", "specVersion": "1.6", "__proto__": {"polluted": 1},
        "components": [{"type": "library", "name": "constructor", "__proto__": {"version": "9", "purl": "pkg:generic/x@1"}, "bom-ref": "__proto__"}],
        "dependencies": [{"ref": "__proto__", "dependsOn": ["toString", "hasOwnProperty"]}]}`),
    ])

    expect(sbom?.components[0]).toMatchObject({
      packageName: 'constructor',
      version: undefined,
      purl: undefined,
    })
    expect(sbom?.warnings).toContain(
      'Unknown property of a component: /components/0 ("__proto__").',
    )
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })

  it('keeps script and line breaks as text, and quotes them in messages', () => {
    const [sbom] = readJson({
      components: [{ type: '<script>\n', name: '<script>alert(1)</script>' }],
    })

    expect(sbom?.components[0]?.packageName).toBe('<script>alert(1)</script>')
    expect(sbom?.warnings[0]).toContain('("<script>\\n")')
  })

  it('has its U+0000 replaced, which no database text holds', () => {
    const [json] = readJson({ components: [{ type: 'library', name: 'a\0b' }] })
    const longComment = '# x\n'.repeat(20_000)
    const [tagValue] = parseSboms([
      Buffer.from(`SPDXVersion: SPDX-2.3\n${longComment}PackageName: a\0b`),
    ])

    expect(json?.components[0]?.packageName).toBe('a\ufffdb')
    expect(tagValue?.components[0]?.packageName).toBe('a\ufffdb')
    expect(json?.warnings).toContain(
      'The document holds U+0000 or half a surrogate pair, read as U+FFFD.',
    )
  })

  it.each`
    text                                                                                                       | pointer                 | name
    ${'{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{"name":"a"}],"components":[{"name":"b"}]}'} | ${'/components'}        | ${'b'}
    ${'{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{"name":"a","version":"1","name":"b"}]}'}    | ${'/components/0/name'} | ${'b'}
    ${'{"spdxVersion":"SPDX-2.3","packages":[{"name":"a","SPDXID":"SPDXRef-a","n\\u0061me":"b"}]}'}            | ${'/packages/0/name'}   | ${'b'}
  `(
    'tells that $pointer is there twice, of which the last counts',
    ({ text, pointer, name }: { text: string; pointer: string; name: string }) => {
      const [sbom] = parseSboms([Buffer.from(text)])

      expect(sbom?.components.map(({ packageName }) => packageName)).toEqual([name])
      expect(sbom?.warnings).toContain(
        `An object has two members of one name, of which the last counts; the first of them is: "${pointer}".`,
      )
    },
  )

  it('has halves of surrogate pairs replaced, and whole ones kept', () => {
    const [sbom] = parseSboms([
      Buffer.from(
        '{"bomFormat": "CycloneDX", "specVersion": "1.6", "components": [{"type": "library", "name": "\\ud83d\\ude00 \\ud83d"}]}',
      ),
    ])

    expect(sbom?.components[0]?.packageName).toBe('\u{1f600} \ufffd')
  })

  it('loses texts too long to be names', () => {
    const long = 'x'.repeat(10_000)

    const [sbom] = readJson({
      components: [
        { type: 'library', name: long, version: long, purl: `pkg:x/${long}`, cpe: long },
      ],
    })

    expect(sbom?.components[0]).toMatchObject({ version: undefined, purl: undefined, cpes: [] })
    expect(sbom?.components[0]?.packageName).toHaveLength(2_000)
    expect(JSON.stringify(sbom?.warnings).length).toBeLessThan(1_000)
  })

  it('with thousands of kinds of fault has 50 warnings', () => {
    const relationships = Array.from(
      { length: 5_000 },
      (_value, i) => `Relationship: SPDXRef-DOCUMENT T${i} SPDXRef-DOCUMENT`,
    )
    const many = Array.from({ length: 60 }, (_value, i) => ({
      type: 'library',
      name: `n${i}`,
      [`p${i}`]: 1,
    }))

    const [tagValue] = parseSboms([
      Buffer.from(`SPDXVersion: SPDX-2.3\n${relationships.join('\n')}`),
    ])
    const [json] = readJson({ components: many })

    expect(tagValue?.warnings).toContain('Unknown relationship type: "T0" and 4999 more.')
    expect(json?.warnings).toEqual([
      'Unknown property of a component: /components/0 ("p0") and 59 more.',
    ])
  })

  it('nested in 450 levels of components is read without recursion', () => {
    let component: object = { type: 'library', name: 'innermost' }
    for (let i = 0; i < 450; i++)
      component = { type: 'library', name: `n${i}`, components: [component] }

    const [sbom] = readJson({ metadata: { component } })

    expect(sbom?.nodes.at(-1)).toMatchObject({ label: 'innermost', distance: 450 })
  })

  it('of files that need each other in a dense web stays within its steps', () => {
    const files = 600
    const id = (i: number) => `SPDXRef-f${i}`
    const owner = (i: number) =>
      `PackageName: p${i}\nSPDXID: SPDXRef-p${i}\nFileName: f${i}\nSPDXID: ${id(i)}\n`
    const needs = Array.from({ length: files }, (_value, i) =>
      Array.from(
        { length: 100 },
        (_other, j) => `Relationship: ${id(i)} DEPENDS_ON ${id((i * 7 + j * 13) % files)}\n`,
      ).join(''),
    )
    const text = `SPDXVersion: SPDX-2.3\n${Array.from({ length: files }, (_value, i) => owner(i)).join('')}${needs.join('')}Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-p0\n`

    const [sbom] = parseSboms([Buffer.from(text)])

    expect(sbom?.warnings).toContain(
      'So many files and builds stand between components that only the shortest paths are kept.',
    )
    // Distances and a shortest path of each are there all the same.
    expect(sbom?.nodes.every(({ distance }) => distance !== undefined)).toBe(true)
    const nodes = new Map(sbom?.nodes.map((node) => [node.node, node]))
    for (const node of nodes.values())
      expect(findPathsToRoot(node, nodes)[0]?.length).toBe((node.distance ?? 0) + 1)
  })
})

describe('a large document', () => {
  it.each(['CycloneDxJson', 'CycloneDxXml', 'Spdx2Json', 'Spdx2TagValue', 'Spdx3JsonLd'] as const)(
    'of 2,000 components and 20,000 edges is the same graph in %s',
    (format) => {
      const [sbom] = parseSboms([
        Buffer.from(generateSbom(format, { components: 2_000, edges: 20_000 })),
      ])

      expect(sbom).toMatchObject({ format, warnings: [], hasUnresolvedReferences: false })
      expect(sbom?.components).toHaveLength(2_000)
      expect(sbom?.nodes.every(({ distance }) => distance !== undefined)).toBe(true)
      const [reference] = parseSboms([
        Buffer.from(generateSbom('Spdx2Json', { components: 2_000, edges: 20_000 })),
      ])
      expect(sbom?.nodes).toEqual(reference?.nodes)
    },
  )
})
