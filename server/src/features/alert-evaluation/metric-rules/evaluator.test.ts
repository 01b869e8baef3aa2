import { expect, it } from 'vitest'
import type { MetricCondition } from '../../alert-rules/index.ts'
import { createEvaluator } from './evaluator.ts'
import { collectMeasures, type MetricRuleInput } from './measures.ts'
import { cutIntoSlices } from './time-slices.ts'

const condition: MetricCondition = {
  metric: 'temperature',
  labels: {},
  deploymentCohortId: null,
  aggregation: 'Last',
  groupBy: 'Device',
  operator: 'GreaterThan',
  threshold: 0,
  window: '1m',
  delaySeconds: 0,
  onNoData: 'Keep',
}
const rule: MetricRuleInput = {
  type: 'MetricFixedThreshold',
  condition,
  windowStart: new Date(0),
  windowEnd: new Date(60_000),
  incidentId: null,
}

it.each`
  one                        | other                      | last  | because
  ${{ lastat: 5, last: 1 }}  | ${{ lastat: 6, last: 0 }}  | ${0}  | ${'it is newer'}
  ${{ lastat: 5, last: 1 }}  | ${{ lastat: 5, last: 2 }}  | ${2}  | ${'of two at one instant it is the larger'}
  ${{ lastat: 5, last: -1 }} | ${{ lastat: 5, last: -2 }} | ${-1} | ${'of two at one instant it is the larger'}
`('takes $last for the last value of a device, as $because', ({ one, other, last }) => {
  const measures = collectMeasures([rule])
  const evaluator = createEvaluator([rule], measures, cutIntoSlices(measures.spans))
  const empty = { sum: 0, count: 1, min: 0, max: 0 }
  for (const newest of [one, other] as { lastat: number; last: number }[])
    evaluator.add('a', { selections: [0], slice: 1, amount: { ...empty, ...newest } })

  const [verdict] = evaluator.finish()

  expect(verdict).toMatchObject({ seriesCount: 1, lowest: last as number, highest: last as number })
})
