import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  listChoices,
  formatChosen,
  listLines,
  type MetricRule,
  parseChosen,
  listRules,
  listUsualMetrics,
} from './chosen-metrics.ts'

const series = (metric: string, day: number, labels: Record<string, string> = {}) => ({
  metric,
  labels,
  seenAt: `2026-11-${String(day).padStart(2, '0')}T00:00:00.000Z`,
})
const rule = (metric: string, deploymentCohortId: string | null = null) =>
  ({ condition: { metric, deploymentCohortId } }) as MetricRule

const SERIES = [
  series('old', 1),
  series('watched', 2),
  series('new', 20, { sensor: 'cpu' }),
  series('new', 20, { sensor: 'case' }),
  series('later', 19),
]

it('shows first what rules watch, then what was heard of last', () => {
  const names = listUsualMetrics(SERIES, [rule('watched'), rule('nobody sends')]).map(
    ({ metric }) => metric,
  )

  expect(names).toEqual(['watched', 'new', 'later'])
})

it('keeps the choice in the address, whatever names and labels hold', () => {
  const labels = fc.dictionary(fc.string({ minLength: 1 }), fc.string(), { maxKeys: 3 })
  const chosen = fc.array(fc.record({ metric: fc.string({ minLength: 1 }), labels }))
  fc.assert(
    fc.property(chosen, (some) => {
      const read = parseChosen(formatChosen(some))

      expect(read.map(({ metric }) => metric)).toEqual(some.map(({ metric }) => metric))
      expect(read.map((one) => Object.entries(one.labels))).toEqual(
        some.map((one) => Object.entries(one.labels)),
      )
    }),
  )
})

it('reads an address that a person wrote', () => {
  expect(parseChosen('temperature,load?core=1,100%')).toEqual([
    { metric: 'temperature', labels: {} },
    { metric: 'load', labels: { core: '1' } },
    { metric: '100%', labels: {} },
  ])
})

it('offers each series of a metric that has several, and draws them apart', () => {
  expect(listChoices(SERIES).map(({ label }) => label)).toEqual([
    'old',
    'watched',
    'new (2 series)',
    'new sensor=cpu',
    'new sensor=case',
    'later',
  ])
  expect(listLines({ metric: 'new', labels: {} }, SERIES)).toEqual([
    { sensor: 'case' },
    { sensor: 'cpu' },
  ])
  expect(listLines({ metric: 'new', labels: { sensor: 'cpu' } }, SERIES)).toEqual([
    { sensor: 'cpu' },
  ])
})

it('takes rules of all devices, and of the cohort', () => {
  const rules = [rule('a'), rule('b', 'mine'), rule('c', 'other')]

  expect(listRules(rules, 'mine').map(({ condition }) => condition.metric)).toEqual(['a', 'b'])
  expect(listRules(rules, undefined).map(({ condition }) => condition.metric)).toEqual(['a'])
})
