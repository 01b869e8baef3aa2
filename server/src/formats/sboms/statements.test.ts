import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import type { SbomStatement } from './model.ts'
import { parseSboms } from './parse.ts'

function statementsOf(document: object | string) {
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  const [sbom] = parseSboms([Buffer.from(text)])
  const nameOf = (node: number) => sbom?.components[node]?.packageName
  return {
    warnings: sbom?.warnings ?? [],
    statements: (sbom?.statements ?? []).map((one) => ({ ...one, names: one.nodes.map(nameOf) })),
  }
}

const BOM = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
  version: 1,
  metadata: { component: { type: 'firmware', 'bom-ref': 'root', name: 'image', version: '1' } },
  components: ['a', 'b'].map((name) => ({ type: 'library', 'bom-ref': name, name, version: '2' })),
}
const withAnalysis = (affects: object[], analysis: object = { state: 'not_affected' }) => ({
  ...BOM,
  vulnerabilities: [{ id: 'CVE-2024-0001', analysis, affects }],
})

it.each`
  affects                                                                        | names         | isWhole  | because
  ${[{ ref: 'a' }]}                                                              | ${['a']}      | ${false} | ${'it names a component'}
  ${[{ ref: 'b' }, { ref: 'a' }]}                                                | ${['a', 'b']} | ${false} | ${'it names two'}
  ${[{ ref: 'root' }]}                                                           | ${[]}         | ${true}  | ${'it names what the document describes'}
  ${[{ ref: 'urn:cdx:3e671687-395b-41f5-a30f-a58921a69b79/1#a' }]}               | ${['a']}      | ${false} | ${'the BOM-Link leads here'}
  ${[{ ref: 'urn:cdx:00000000-395b-41f5-a30f-a58921a69b79/1#a' }]}               | ${[]}         | ${false} | ${'the BOM-Link leads elsewhere'}
  ${[{ ref: 'a', versions: [{ version: '2' }] }]}                                | ${['a']}      | ${false} | ${'the version is meant'}
  ${[{ ref: 'a', versions: [{ range: 'vers:npm/>=3', status: 'unaffected' }] }]} | ${[]}         | ${false} | ${'another version is meant'}
`('is about $names, as $because', ({ affects, names, isWhole }) => {
  const { statements } = statementsOf(withAnalysis(affects as object[]))

  expect(statements).toMatchObject([{ names: names as string[], isWhole: isWhole as boolean }])
})

it('names nothing by an id that two components share, and says so', () => {
  const other = { type: 'library', 'bom-ref': 'a', name: 'other', version: '2' }
  const again = { ...BOM.components[1] }
  const merged = { ...BOM, components: [...BOM.components, other, again] }
  const vulnerabilities = ['a', 'b'].map((ref) => ({
    id: `CVE-2024-000${ref === 'a' ? 1 : 2}`,
    analysis: { state: 'not_affected' },
    affects: [{ ref }],
  }))

  const { statements, warnings } = statementsOf({ ...merged, vulnerabilities })

  expect(statements).toMatchObject([{ names: [] }, { names: ['b'] }])
  expect(warnings.join(' ')).toContain('names a component by an id that several share: "a"')
})

it('keeps the vulnerability as it stands in the document', () => {
  const document = withAnalysis([{ ref: 'a' }], { state: 'exploitable', response: ['update'] })

  const [statement] = statementsOf(document).statements

  expect(statement).toMatchObject({
    format: 'CycloneDx',
    original: document.vulnerabilities[0],
    statement: { vulnerability: 'CVE-2024-0001', assessment: 'Exploitable', responses: ['update'] },
  })
})

it('warns of an analysis nobody can read, and takes the rest', () => {
  const { statements, warnings } = statementsOf({
    ...BOM,
    vulnerabilities: [
      { id: 'CVE-2024-0001', analysis: { state: 'perhaps' }, affects: [{ ref: 'a' }] },
      { id: 'CVE-2024-0002', analysis: { state: 'resolved' }, affects: [{ ref: 'a' }] },
      { id: 'CVE-2024-0003' },
    ],
  })

  expect(statements.map(({ statement }) => statement.vulnerability)).toEqual(['CVE-2024-0002'])
  expect(warnings).toEqual([expect.stringContaining('VEX statement that cannot be read') as string])
})

it('reads the analyses of CycloneDX XML', () => {
  const { statements } = statementsOf(`<?xml version="1.0"?>
    <bom xmlns="http://cyclonedx.org/schema/bom/1.6" version="1">
      <components><component type="library" bom-ref="a"><name>a</name><version>2</version></component></components>
      <vulnerabilities><vulnerability bom-ref="v">
        <id>CVE-2024-0001</id>
        <analysis>
          <state>not_affected</state><justification>code_not_reachable</justification>
          <responses><response>will_not_fix</response><response>update</response></responses>
          <detail>Never called.</detail>
        </analysis>
        <affects><target><ref>a</ref></target></affects>
      </vulnerability></vulnerabilities>
    </bom>`)

  expect(statements).toMatchObject([
    {
      names: ['a'],
      statement: {
        assessment: 'NotAffected',
        justification: 'code_not_reachable',
        responses: ['will_not_fix', 'update'],
        detail: 'Never called.',
      },
    },
  ])
})

describeWithSharedData('real documents', (folder) => {
  const read = (path: string) => {
    const [sbom] = parseSboms([readFileSync(join(folder, 'sbom', path))])
    const nameOf = (node: number) => sbom?.components[node]?.packageName
    return (sbom?.statements ?? []).map((one) => ({ ...one, names: one.nodes.map(nameOf) }))
  }

  it('has what Yocto says about the vulnerabilities of its recipes', () => {
    const statements = read(
      'firmware/yocto-core-image-minimal-qemux86-64/core-image-minimal-qemux86-64.rootfs.spdx.json.gz',
    )

    const by = Map.groupBy(statements, ({ statement }) => statement.assessment)
    expect(by.get('NotAffected')?.length).toBe(63)
    expect(by.get('Resolved')?.length).toBe(9)
    expect(statements.every(({ nodes }) => nodes.length === 1)).toBe(true)
    expect(statements.find(({ names }) => names.includes('busybox-hwclock'))).toMatchObject({
      format: 'Spdx3',
      statement: { assessment: 'Resolved', statedAt: expect.stringMatching(/^20/) as string },
    })
  })

  it('reads the justifications of SPDX 3 in the spelling of OpenVEX', () => {
    const statements = read('spdx3/carabiner-dev__spdx3/testdata__roundtrip__profiles.json')

    expect(statements.map(({ statement }: SbomStatement) => statement)).toMatchObject([
      {
        assessment: 'NotAffected',
        justification: 'vulnerable_code_not_present',
        detail: 'the affected module is not shipped',
      },
    ])
  })

  it('has every analysis of CycloneDX documents, in JSON and XML', () => {
    const json = read('cyclonedx-json/intel__cve-bin-tool/TRIAGE.json')
    const xml = read(
      'cyclonedx-xml/CycloneDX__specification/tools__src__test__resources__1.6__valid-vulnerability-1.6.xml',
    )

    expect(json.length).toBe(13)
    expect(xml).toMatchObject([{ statement: { assessment: 'NotAffected' } }])
  })
})
