import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { describeWithSharedData } from '../../../test/shared-data.ts'
import { VexError } from './model.ts'
import { assembleVex, parseVex } from './parse-vex.ts'

const openVex = (statement: object, document: object = {}) => ({
  '@context': 'https://openvex.dev/ns/v0.2.0',
  '@id': 'https://example.com/vex-1',
  author: 'Example',
  timestamp: '2024-01-02T03:04:05.123456789+02:00',
  version: 1,
  ...document,
  statements: [
    { vulnerability: { name: 'CVE-2024-1' }, products: [{ '@id': 'pkg:npm/a@1' }], ...statement },
  ],
})
const cycloneDx = (analysis: object, vulnerability: object = {}) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  serialNumber: 'urn:uuid:3e671687-395b-41f5-a30f-a58921a69b79',
  version: 2,
  metadata: { component: { type: 'firmware', 'bom-ref': 'root', name: 'gateway', version: '1.0' } },
  components: [{ type: 'library', 'bom-ref': 'a', name: 'a', version: '1', purl: 'pkg:npm/a@1' }],
  vulnerabilities: [{ id: 'CVE-2024-1', affects: [{ ref: 'a' }], ...vulnerability, analysis }],
})

it.each`
  status                   | assessment
  ${'not_affected'}        | ${'NotAffected'}
  ${'affected'}            | ${'Exploitable'}
  ${'fixed'}               | ${'Resolved'}
  ${'under_investigation'} | ${'InTriage'}
`('reads the OpenVEX status $status as $assessment', ({ status, assessment }) => {
  const [statement] = parseVex(openVex({ status: String(status) })).statements

  expect(statement?.assessment).toBe(assessment)
})

it.each`
  state                       | assessment
  ${'resolved'}               | ${'Resolved'}
  ${'resolved_with_pedigree'} | ${'Resolved'}
  ${'exploitable'}            | ${'Exploitable'}
  ${'in_triage'}              | ${'InTriage'}
  ${'false_positive'}         | ${'FalsePositive'}
  ${'not_affected'}           | ${'NotAffected'}
`('reads the CycloneDX state $state as $assessment', ({ state, assessment }) => {
  const [statement] = parseVex(cycloneDx({ state: String(state) })).statements

  expect(statement?.assessment).toBe(assessment)
})

it('takes over what an OpenVEX statement leaves to its document', () => {
  const [statement] = parseVex(openVex({ status: 'fixed' })).statements

  expect(statement?.statedAt).toBe('2024-01-02T01:04:05.123Z')
})

it('reads OpenVEX 0.0.1, whose vulnerabilities and products are texts', () => {
  const { specVersion, statements } = parseVex({
    '@context': 'https://openvex.dev/ns/v0.0.1',
    statements: [
      {
        vulnerability: 'cve-2024-1',
        products: ['pkg:oci/alpine@1'],
        subcomponents: ['pkg:apk/alpine/git@2'],
        status: 'fixed',
      },
    ],
  })

  expect(specVersion).toBe('0.0.1')
  expect(statements).toMatchObject([
    {
      vulnerability: 'CVE-2024-1',
      products: [
        { purls: ['pkg:oci/alpine@1'], subcomponents: [{ purls: ['pkg:apk/alpine/git@2'] }] },
      ],
    },
  ])
})

it('joins what OpenVEX says in three members', () => {
  const [statement] = parseVex(
    openVex({ status: 'not_affected', impact_statement: 'Not built.', status_notes: 'See #7.' }),
  ).statements

  expect(statement?.detail).toBe('Not built.\n\nSee #7.')
})

it('takes a component of a CycloneDX document that describes a product for a part of it', () => {
  const [statement] = parseVex(cycloneDx({ state: 'in_triage' })).statements

  expect(statement?.products).toMatchObject([
    { name: 'gateway', version: '1.0', subcomponents: [{ purls: ['pkg:npm/a@1'] }] },
  ])
})

it('takes the described component itself for the product whole', () => {
  const [statement] = parseVex(
    cycloneDx({ state: 'in_triage' }, { affects: [{ ref: 'root' }] }),
  ).statements

  expect(statement?.products).toMatchObject([{ name: 'gateway', subcomponents: [] }])
})

it('keeps a BOM-Link as it is, and sees the purl many tools end it with', () => {
  const ref = 'urn:cdx:f08a6ccd-4dce-4759-bd84-c626675d60a7/1#pkg:npm/b@2'
  const [statement] = parseVex(cycloneDx({ state: 'in_triage' }, { affects: [{ ref }] })).statements

  expect(statement?.products).toMatchObject([{ ref, purls: ['pkg:npm/b@2'] }])
})

it('has all responses, and the newest time of the analysis', () => {
  const [statement] = parseVex(
    cycloneDx({
      state: 'exploitable',
      response: ['will_not_fix', 'update', 'nonsense'],
      firstIssued: '2024-01-01T00:00:00Z',
      lastUpdated: '2024-02-01T00:00:00Z',
    }),
  ).statements

  expect(statement).toMatchObject({
    responses: ['will_not_fix', 'update'],
    statedAt: '2024-02-01T00:00:00.000Z',
  })
})

it.each`
  state             | versions                                                                          | expected
  ${'exploitable'}  | ${[{ version: '1', status: 'affected' }, { version: '2', status: 'unaffected' }]} | ${['1']}
  ${'not_affected'} | ${[{ version: '1', status: 'affected' }, { version: '2', status: 'unaffected' }]} | ${['2']}
  ${'not_affected'} | ${[{ version: '1', status: 'affected' }]}                                         | ${['1']}
  ${'exploitable'}  | ${[{ range: 'vers:npm/<2' }]}                                                     | ${['vers:npm/<2']}
`('limits $state to the versions it means', ({ state, versions, expected }) => {
  const ref = 'pkg:npm/a'
  const [statement] = parseVex(
    cycloneDx({ state: String(state) }, { affects: [{ ref, versions: versions as object[] }] }),
  ).statements

  expect(statement?.products).toMatchObject([{ versions: expected as string[] }])
})

const csaf = (vulnerability: object) => ({
  document: {
    category: 'csaf_vex',
    csaf_version: '2.0',
    publisher: { category: 'vendor', name: 'Example', namespace: 'https://example.com' },
    title: 'T',
    tracking: { id: 'X-1', current_release_date: '2024-01-02T00:00:00Z' },
  },
  product_tree: {
    full_product_names: [
      {
        product_id: 'P',
        name: 'gateway 1.0',
        product_identification_helper: { purl: 'pkg:generic/gateway@1.0' },
      },
      {
        product_id: 'C',
        name: 'git',
        product_identification_helper: { purl: 'pkg:generic/git@2' },
      },
    ],
    product_groups: [{ group_id: 'G', product_ids: ['P', 'C'] }],
    relationships: [
      {
        category: 'default_component_of',
        product_reference: 'C',
        relates_to_product_reference: 'P',
        full_product_name: { product_id: 'C-in-P', name: 'git in gateway' },
      },
    ],
  },
  vulnerabilities: [{ cve: 'CVE-2024-1', ...vulnerability }],
})

it('reads CSAF flags, impacts and remediations of the products and groups they name', () => {
  const { statements } = parseVex(
    csaf({
      product_status: { known_not_affected: ['P', 'C'], known_affected: ['C-in-P'] },
      flags: [{ label: 'component_not_present', product_ids: ['P'], date: '2024-01-01T00:00:00Z' }],
      threats: [{ category: 'impact', details: 'Not built.', group_ids: ['G'] }],
      remediations: [
        { category: 'vendor_fix', details: 'Update.', product_ids: ['C-in-P'] },
        { category: 'workaround', details: 'Or wait.', product_ids: ['C-in-P'] },
      ],
    }),
  )

  expect(statements).toMatchObject([
    {
      assessment: 'NotAffected',
      justification: 'component_not_present',
      detail: 'Not built.',
      statedAt: '2024-01-01T00:00:00.000Z',
      products: [{ ref: 'P' }],
    },
    {
      assessment: 'NotAffected',
      justification: undefined,
      statedAt: '2024-01-02T00:00:00.000Z',
      products: [{ ref: 'C' }],
    },
    {
      assessment: 'Exploitable',
      detail: 'Update.\n\nOr wait.',
      responses: ['update', 'workaround_available'],
      products: [
        { purls: ['pkg:generic/gateway@1.0'], subcomponents: [{ purls: ['pkg:generic/git@2'] }] },
      ],
    },
  ])
})

it('takes a recommendation of CSAF for no statement', () => {
  expect(() => parseVex(csaf({ product_status: { recommended: ['P'] } }))).toThrow(
    'The document makes no VEX statement.',
  )
})

it('tells what is wrong with statements, and reads the others', () => {
  const document = openVex({ status: 'fixed' })
  const { statements, faults } = parseVex({
    ...document,
    statements: [
      ...document.statements,
      { status: 'fixed', products: [] },
      { vulnerability: { name: 'CVE-2024-2' }, status: 'maybe' },
      7,
      {
        vulnerability: { name: 'CVE-2024-3' },
        status: 'fixed',
        products: [{}, { '@id': 'pkg:npm/a' }],
      },
    ],
  })

  expect(statements.map(({ vulnerability }) => vulnerability)).toEqual(['CVE-2024-1', 'CVE-2024-3'])
  expect(faults).toEqual([
    { pointer: '/statements/3', detail: 'is not an object' },
    { pointer: '/statements/1', detail: 'names no vulnerability' },
    { pointer: '/statements/2/status', detail: 'is not an OpenVEX status: "maybe"' },
    { pointer: '/statements/4/products/0', detail: 'names no product' },
  ])
})

it.each`
  value                                                        | message
  ${[]}                                                        | ${/A VEX document is a JSON object/}
  ${'text'}                                                    | ${/A VEX document is a JSON object/}
  ${{ spdxVersion: 'SPDX-2.3' }}                               | ${/This is not a VEX document/}
  ${{ bomFormat: 'CycloneDX', specVersion: '1.6' }}            | ${/makes no VEX statement/}
  ${{ bomFormat: 'CycloneDX', specVersion: '2.0' }}            | ${/CycloneDX 2.0 is not read/}
  ${{ bomFormat: 'CycloneDX', vulnerabilities: 'none' }}       | ${/\/vulnerabilities is not a list/}
  ${{ '@context': 'https://openvex.dev/ns', statements: [1] }} | ${/makes no VEX statement. \/statements\/0 is not an object/}
  ${{ document: { csaf_version: '3.0' } }}                     | ${/CSAF 3.0 is not read/}
`('refuses $value', ({ value, message }) => {
  expect(() => parseVex(value)).toThrow(VexError)
  expect(() => parseVex(value)).toThrow(message as RegExp)
})

const NO_STATEMENTS = /index\.json$|vex-repository\.json$|rhsa-2019_1862\.json$|csaf2\.vex$/

describeWithSharedData('the documents of the standards and of tools', (folder) => {
  const read = (path: string): unknown => JSON.parse(readFileSync(path, 'utf8'))
  const vex = readdirSync(join(folder, 'vex'), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:json|vex)$/.test(name))
    .toSorted()

  it.each(vex.filter((name) => !NO_STATEMENTS.test(name)))('reads %s and loses nothing', (name) => {
    const value = read(join(folder, 'vex', name))

    const document = parseVex(value)

    expect(document.statements.length).toBeGreaterThan(0)
    expect(document.faults).toEqual([])
    expect(assembleVex(document)).toEqual(value)
  })

  it.each(vex.filter((name) => NO_STATEMENTS.test(name)))('refuses %s', (name) => {
    expect(() => parseVex(read(join(folder, 'vex', name)))).toThrow(VexError)
  })

  it('reads all of the advisories CISA publishes', () => {
    const lines = gunzipSync(readFileSync(join(folder, 'vex/csaf/cisa-ics-advisories.jsonl.gz')))
    const texts = lines.toString('utf8').trim().split('\n')
    const documents = texts.map((line): unknown =>
      JSON.parse((JSON.parse(line) as { text: string }).text),
    )

    for (const value of documents) {
      const document = parseVex(value)
      expect(document.faults).toEqual([])
      expect(assembleVex(document)).toEqual(value)
    }
    expect(documents.length).toBe(60)
  })

  it('ends on no document of the CSAF validator in anything but a reason', () => {
    const lines = gunzipSync(readFileSync(join(folder, 'vex/csaf/validator-tests-2.0.jsonl.gz')))
    const texts = lines.toString('utf8').trim().split('\n')
    for (const line of texts) {
      const { text } = JSON.parse(line) as { text: string }
      try {
        expect(parseVex(JSON.parse(text)).statements.length).toBeGreaterThan(0)
      } catch (error) {
        expect(error).toBeInstanceOf(VexError)
      }
    }
  })

  const cyclonedx = join(folder, 'sbom/cyclonedx-json')
  const cases = readdirSync(join(cyclonedx, 'CycloneDX__bom-examples')).filter((name) =>
    /^VEX__.*vex.*json$/.test(name),
  )

  it.each(cases)('reads %s and loses nothing', (name) => {
    const value = read(join(cyclonedx, 'CycloneDX__bom-examples', name))

    const document = parseVex(value)

    expect(document.statements.length).toBeGreaterThan(0)
    expect(document.faults).toEqual([])
    expect(assembleVex(document)).toEqual(value)
  })
})

describe('a document about nothing in particular', () => {
  it('is read, its statements name no product', () => {
    const { statements } = parseVex(openVex({ status: 'affected', products: undefined }))

    expect(statements).toMatchObject([{ products: [] }])
  })
})

describe('a CSAF document that unfolds without end', () => {
  const unfolding = (tree: object, vulnerability: object) => ({
    document: { category: 'csaf_vex', csaf_version: '2.0', tracking: { id: 'x' } },
    product_tree: tree,
    vulnerabilities: [{ cve: 'CVE-2024-1', ...vulnerability }],
  })
  const repeat = <Item>(count: number, item: (index: number) => Item) =>
    Array.from({ length: count }, (_, index) => item(index))

  it('is refused where groups repeat flags for all their products', () => {
    const ids = repeat(5_000, (index) => `p${index}`)
    const tree = {
      full_product_names: ids.map((id) => ({ product_id: id, name: id })),
      product_groups: [{ group_id: 'all', product_ids: ids }],
    }
    const flags = repeat(5_000, () => ({ label: 'component_not_present', group_ids: ['all'] }))
    const document = unfolding(tree, { product_status: { known_not_affected: ['p0'] }, flags })

    expect(() => parseVex(document)).toThrow(/too much of too many products/)
  })

  it('is refused where one long remark is of very many products', () => {
    const ids = repeat(2_000, (index) => `p${index}`)
    const tree = { full_product_names: ids.map((id) => ({ product_id: id, name: id })) }
    const threats = [{ category: 'impact', details: 'x'.repeat(100_000), product_ids: ids }]
    const document = unfolding(tree, { product_status: { known_not_affected: ids }, threats })

    expect(() => parseVex(document)).toThrow(/too much of too many products/)
  })

  it('has no product of very many layers', () => {
    const relationships = repeat(20_000, (index) => ({
      product_reference: 'part',
      relates_to_product_reference: index === 0 ? 'whole' : `layer-${index - 1}`,
      full_product_name: { product_id: `layer-${index}`, name: 'x' },
    }))
    const full = ['part', 'whole'].map((id) => ({ product_id: id, name: id }))
    const known_not_affected = ['layer-1', 'layer-19999']
    const document = unfolding(
      { full_product_names: full, relationships },
      { product_status: { known_not_affected } },
    )

    const { statements, faults } = parseVex(document)

    expect(statements[0]?.products.map((product) => product.subcomponents.length)).toEqual([2])
    expect(faults[0]?.detail).toContain('layer-19999')
  })
})

it.each(['0000-01-01T00:00:00Z', '+010000-01-01T00:00:00Z', '-000001-01-01T00:00:00Z'])(
  'takes %s for no time',
  (timestamp) => {
    const [statement] = parseVex(openVex({ status: 'fixed' }, { timestamp })).statements

    expect(statement?.statedAt).toBe(undefined)
  },
)

it('names nothing by a ref that two components of the document share', () => {
  const component = (name: string, version = '1') => ({
    'bom-ref': name,
    type: 'library',
    name,
    version,
  })
  const vulnerabilities = ['a', 'b'].map((ref) => ({
    id: 'CVE-2024-1',
    analysis: { state: 'not_affected' },
    affects: [{ ref }],
  }))
  const components = [component('a'), component('a', '2'), component('b'), component('b')]

  const { statements, faults } = parseVex({ bomFormat: 'CycloneDX', components, vulnerabilities })

  expect(statements.map(({ products }) => products.length)).toEqual([0, 1])
  expect(faults).toMatchObject([{ pointer: '/vulnerabilities/0/affects/0' }])
})

it('reads the checksums of products in CSAF', () => {
  const hash = 'AB'.repeat(32)
  const product_identification_helper = {
    hashes: [{ filename: 'app', file_hashes: [{ algorithm: 'sha256', value: hash }] }],
  }
  const product = { product_id: 'P', name: 'app', product_identification_helper }

  const { statements } = parseVex({
    document: { csaf_version: '2.0' },
    product_tree: { full_product_names: [product] },
    vulnerabilities: [{ cve: 'CVE-2024-1', product_status: { fixed: ['P'] } }],
  })

  expect(statements[0]?.products).toMatchObject([{ hashes: [`sha256:${'ab'.repeat(32)}`] }])
})

it('tells of entries that state nothing', () => {
  const { faults } = parseVex({
    document: { csaf_version: '2.0' },
    product_tree: { full_product_names: [{ product_id: 'P', name: 'app' }] },
    vulnerabilities: [
      { cve: 'CVE-2024-1', product_status: { fixed: ['P'] } },
      { cve: 'CVE-2024-2', product_status: { recommended: ['P'] } },
      { cve: 'CVE-2024-3' },
    ],
  })

  expect(faults.map(({ pointer }) => pointer)).toEqual(['/vulnerabilities/1', '/vulnerabilities/2'])
})
