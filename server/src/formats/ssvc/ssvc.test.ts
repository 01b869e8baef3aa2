import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CISA_TABLE, FLEET_TABLE } from './built-in-tables.ts'
import {
  ALL_CONTEXTS,
  CLASS_COUNT,
  classify,
  classifyDecisions,
  encodeContexts,
  CONTEXT_COUNT,
  decideAll,
  readClass,
} from './classes.ts'
import { type DecisionTable, type DecisionTree, readDecisionTree } from './decision-table.ts'
import { type KnownInputs, type ProductInputs, type VulnerabilityInputs } from './points.ts'

const treeOf = (...tables: DecisionTable[]): DecisionTree => {
  const read = readDecisionTree(tables)
  if (!read.ok) throw new Error(`${read.fault.path} ${read.fault.reason}`)
  return read.tree
}
const faultOf = (...tables: DecisionTable[]) => {
  const read = readDecisionTree(tables)
  return read.ok ? undefined : read.fault
}
const CISA = treeOf(CISA_TABLE)
const FLEET = treeOf(FLEET_TABLE)
const BASE: KnownInputs = {
  exploitation: 'N',
  automatable: 'N',
  technicalImpact: 'P',
  isListed: false,
  missionPrevalence: 'M',
  publicWellBeing: 'M',
  exposure: 'O',
  prevalence: 'F',
}
const decide = (tree: DecisionTree, inputs: Partial<KnownInputs>) =>
  tree.outcomes[tree.decide({ ...BASE, ...inputs })]?.name

describe('the table of CISA', () => {
  it.each([
    // Rows of CISA's guide (SSVC Guide, November 2022, table 8) and of the published table.
    ['Track', { technicalImpact: 'T', missionPrevalence: 'S' }],
    ['Track*', { technicalImpact: 'T', missionPrevalence: 'E' }],
    ['Attend', { automatable: 'Y', missionPrevalence: 'E' }],
    ['Track*', { exploitation: 'P', technicalImpact: 'T', missionPrevalence: 'S' }],
    ['Attend', { exploitation: 'P', technicalImpact: 'T', publicWellBeing: 'I' }],
    ['Track', { exploitation: 'A', publicWellBeing: 'MA' }],
    ['Attend', { exploitation: 'A', automatable: 'Y' }],
    ['Act', { exploitation: 'A', automatable: 'Y', technicalImpact: 'T', missionPrevalence: 'S' }],
    ['Act', { exploitation: 'A', technicalImpact: 'T', publicWellBeing: 'I' }],
  ])('decides %s for %o', (outcome, inputs) => {
    expect(decide(CISA, inputs)).toBe(outcome)
  })

  it('takes a vulnerability that a list names for an exploited one', () => {
    expect(decide(CISA, { automatable: 'Y' })).toBe('Track')
    expect(decide(CISA, { automatable: 'Y', isListed: true })).toBe('Attend')
  })

  it('does not look at the fleet, which the other table does', () => {
    const inputs = { exploitation: 'A', automatable: 'Y', technicalImpact: 'T' }
    expect(decide(CISA, { ...inputs, exposure: 'S' })).toBe('Attend')
    expect(decide(FLEET, { ...inputs, exposure: 'S' })).toBe('Track')
    expect(decide(FLEET, { exposure: 'O', prevalence: 'M' })).toBe('Track*')
    expect(decide(FLEET, { exposure: 'C', prevalence: 'M' })).toBe('Track')
    expect(CISA.asked).not.toContain('exposure')
    expect(FLEET.asked).toContain('exposure')
  })
})

const table = (change: Partial<DecisionTable>): DecisionTable => ({ ...CISA_TABLE, ...change })
const own = (key: string, asks: Record<string, string[]>, from = 'x_own'): DecisionTable => {
  const outcome = `${from}:${key}:1.0.0`
  const points = { ...asks, [outcome]: ['low', 'high'] }
  const rows = Object.entries(asks).reduce<Record<string, string>[]>(
    (all, [name, values]) =>
      values.flatMap((value) => all.map((row) => ({ ...row, [name]: value }))),
    [{}],
  )
  return {
    namespace: from,
    key: `DT_${key}`,
    version: '1.0.0',
    name: `Table ${key}`,
    decision_points: Object.fromEntries(
      Object.entries(points).map(([name, values]) => {
        const [namespace = '', pointKey = '', version = ''] = name.split(':')
        const named = values.map((value) => ({ key: value, name: value }))
        return [name, { namespace, key: pointKey, version, name, values: named }]
      }),
    ),
    outcome,
    mapping: rows.map((row) => ({
      ...row,
      [outcome]: Object.values(row).includes('N') ? 'low' : 'high',
    })),
  }
}

describe('a table of one’s own', () => {
  it('may ask for what another table decides', () => {
    const tree = treeOf(
      own('URGENT', { 'x_own:EASY:1.0.0': ['low', 'high'], 'cisa:KEV:1.0.0': ['N', 'Y'] }),
      own('EASY', { 'ssvc:A:2.0.0': ['N', 'Y'] }),
    )
    expect(tree.outcomes.map(({ name }) => name)).toEqual(['low', 'high'])
    expect(tree.asked.toSorted()).toEqual(['automatable', 'listedAsExploited'])
    expect(decide(tree, { isListed: true })).toBe('high')
    expect(decide(tree, {})).toBe('low')
  })

  it.each<[string, DecisionTable[], string]>([
    [
      'a cycle',
      [
        own('A', { 'x_own:B:1.0.0': ['low', 'high'] }),
        own('B', { 'x_own:A:1.0.0': ['low', 'high'] }),
      ],
      'asks for its own outcome: Table A → Table B → Table A',
    ],
    [
      'a missing branch',
      [table({ mapping: CISA_TABLE.mapping.slice(1) })],
      'decides 35 of 36 combinations. These are missing: ssvc:E:1.1.0 N, ssvc:A:2.0.0 N, ssvc:TI:1.0.0 P, ssvc:MWI:1.0.0 L',
    ],
    [
      'a point without values',
      [own('A', { 'ssvc:HI:2.0.2': ['N'] })],
      'there are no values for ssvc:HI',
    ],
    ['a value that is missing', [own('A', { 'ssvc:E:1.1.0': ['N', 'A'] })], 'lacks the value "P"'],
    [
      'an outcome that is no point',
      [table({ outcome: 'cisa:CISA:9' })],
      'is none of the decision_points',
    ],
    [
      'two rows that disagree',
      [
        table({
          mapping: [{ ...CISA_TABLE.mapping[0], 'cisa:CISA:1.1.0': 'AC' }, ...CISA_TABLE.mapping],
        }),
      ],
      'decides a combination otherwise',
    ],
    [
      'a value that nobody knows',
      [table({ mapping: [{ ...CISA_TABLE.mapping[0], 'ssvc:E:1.1.0': 'X' }] })],
      '"X" is no value of ssvc:E:1.1.0: N, P, A',
    ],
    ['no table', [], 'names no table'],
  ])('is refused for %s', (_, tables, reason) => {
    expect(faultOf(...tables)?.reason).toContain(reason)
  })
})

const keyOrUnknown = (...keys: string[]) => fc.option(fc.constantFrom(...keys), { nil: undefined })
const vulnerability: fc.Arbitrary<VulnerabilityInputs> = fc.record({
  exploitation: keyOrUnknown('N', 'P', 'A'),
  automatable: keyOrUnknown('N', 'Y'),
  technicalImpact: keyOrUnknown('P', 'T'),
  isListed: fc.boolean(),
})
const product: fc.Arbitrary<ProductInputs> = fc.record({
  missionPrevalence: keyOrUnknown('M', 'S', 'E'),
  publicWellBeing: keyOrUnknown('M', 'MA', 'I'),
  exposure: keyOrUnknown('S', 'C', 'O'),
  prevalence: fc.constantFrom('N', 'F', 'M'),
})
const VALUES = {
  exploitation: ['N', 'P', 'A'],
  automatable: ['N', 'Y'],
  technicalImpact: ['P', 'T'],
  missionPrevalence: ['M', 'S', 'E'],
  publicWellBeing: ['M', 'MA', 'I'],
  exposure: ['S', 'C', 'O'],
}

/** Each way to fill in what is not known. */
function completions(inputs: VulnerabilityInputs & ProductInputs): KnownInputs[] {
  const open = (Object.keys(VALUES) as (keyof typeof VALUES)[]).filter((name) =>
    name === 'exposure'
      ? inputs.exposure === undefined || inputs.prevalence === 'N'
      : inputs[name] === undefined,
  )
  return open.reduce<KnownInputs[]>(
    (all, name) => all.flatMap((one) => VALUES[name].map((value) => ({ ...one, [name]: value }))),
    [inputs as KnownInputs],
  )
}

describe('classes and contexts', () => {
  it('stand for what a vulnerability is known for', () => {
    fc.assert(
      fc.property(vulnerability, (inputs) => {
        const ratedClass = classify(inputs) + (inputs.isListed ? CLASS_COUNT : 0)
        expect(readClass(ratedClass)).toEqual(inputs)
      }),
    )
  })

  it.each([
    ['CISA', CISA],
    ['the fleet', FLEET],
  ])('decide by the table of %s as the most urgent of all that may be', (_, tree) => {
    const decisions = decideAll(tree)
    fc.assert(
      fc.property(
        vulnerability,
        fc.array(product, { minLength: 1, maxLength: 3 }),
        (one, products) => {
          const ratedClass = classify(one) + (one.isListed ? CLASS_COUNT : 0)
          const contexts = products.reduce((bits, some) => bits | encodeContexts(some), 0n)
          const possible = products.flatMap((some) => completions({ ...one, ...some }))
          const worst = Math.max(...possible.map((inputs) => tree.decide(inputs)))
          expect(decisions.decide(ratedClass, contexts)).toBe(worst)
          const least = Math.min(...possible.map((inputs) => tree.decide(inputs)))
          expect(decisions.decideLeast(ratedClass, contexts)).toBe(least)
        },
      ),
    )
  })

  it('fit into a bigint of PostgreSQL', () => {
    expect(CONTEXT_COUNT).toBeLessThanOrEqual(63)
    expect(ALL_CONTEXTS).toBeLessThan(2n ** 63n)
  })

  it('read what records publish: the newest statement of each point', () => {
    const [old, newer] = ['2024-01-01T00:00:00Z', '2025-01-01T00:00:00Z']
    const none = { automatable: undefined, technicalImpact: undefined }
    const ofRecord = classifyDecisions([
      {
        source: 'a',
        exploitation: 'none',
        automatable: 'yes',
        technicalImpact: 'total',
        decidedAt: old,
      },
      { source: 'b', exploitation: 'Active', ...none, decidedAt: newer },
    ])
    expect(readClass(ofRecord)).toMatchObject({
      exploitation: 'A',
      automatable: 'Y',
      technicalImpact: 'T',
    })
    expect(classifyDecisions([])).toBe(0)
    expect(
      classifyDecisions([{ source: 'a', exploitation: 'perhaps', ...none, decidedAt: old }]),
    ).toBe(0)
  })
})
