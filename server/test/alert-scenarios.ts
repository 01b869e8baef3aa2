/** Random fleets, alert rules, points, pauses and workers for property tests. */
import fc from 'fast-check'
import { NO_DATA_BEHAVIORS, OPERATORS } from '../src/features/alert-rules/conditions/condition.ts'
import { FAULTS } from './failing-workers.ts'

const AGGREGATIONS = ['Average', 'Minimum', 'Maximum', 'Sum', 'Count', 'Last'] as const
export const DEVICES = ['a', 'b', 'c', 'd']
export const COHORTS = 2
export const BEGIN = Date.UTC(2026, 7, 22, 10, 0, 0)
export const MINUTE = 60_000

// Sums of halves, quarters and powers of two are exact in any order of addition.
const Value = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.constantFrom(-64, -8, -1, -0.5, 0, 0.25, 1, 2, 3.5, 8, 64, 1_048_576),
  },
  { weight: 1, arbitrary: fc.constant(1.5e308) },
)
const LABELS: Record<string, string>[] = [
  {},
  { sensor: 'cpu' },
  { sensor: 'gpu' },
  { place: 'in', sensor: 'cpu' },
]
const FILTERS: Record<string, string>[] = [{}, {}, { sensor: 'cpu' }, { place: 'in' }]
const Metric = fc.constantFrom('load', 'temperature', 'temperature', 'temperature')
const workspace = fc.constantFrom(0, 0, 0, 1)
const cohort = fc.option(fc.nat({ max: COHORTS - 1 }), { freq: 2 })

const Point = fc.record({
  workspace,
  device: fc.constantFrom(...DEVICES),
  metric: Metric,
  labels: fc.constantFrom(...LABELS),
  value: Value,
  // How many values the device added up.
  count: fc.option(fc.constantFrom(1, 2, 4, 8), { freq: 2 }),
  /** How long ago; often exactly at the instants of schedules. */
  age: fc.oneof(
    fc.constantFrom(-30_000, 0, 1, 999, 30_000),
    fc.nat({ max: 3 * MINUTE }),
    fc.nat({ max: 15 }).map((minutes) => minutes * MINUTE),
    fc.nat({ max: 240 }).map((minutes) => minutes * MINUTE),
  ),
  /** Relative to the beginning of the current minute. */
  isAligned: fc.boolean(),
})

const Rule = fc.record({
  workspace,
  type: fc.constantFrom(
    'MetricFixedThreshold' as const,
    'MetricFixedThreshold' as const,
    'MetricPercentualThreshold' as const,
  ),
  evaluationFrequency: fc.constantFrom('1m', '1m', '1m', '1m', '5m', '15m', '1h', '1d'),
  metric: Metric,
  labels: fc.constantFrom(...FILTERS),
  cohort,
  aggregation: fc.constantFrom(...AGGREGATIONS),
  groupBy: fc.constantFrom('Device' as const, 'Device' as const, 'None' as const),
  operator: fc.constantFrom(...OPERATORS),
  threshold: fc.constantFrom(-100, -0.5, 0, 0.25, 1, 1, 2, 3.5, 3.5, 8, 50, 100),
  window: fc.constantFrom('1m', '1m', '2m', '2m', '5m', '7m', '15m', '1h', '1d'),
  delaySeconds: fc.constantFrom(0, 0, 30, 60, 90, 600),
  onNoData: fc.constantFrom(...NO_DATA_BEHAVIORS),
})

/** Which fault the first workers have; then workers without a fault evaluate the rules. */
const Workers = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom({ fault: 'none' as const, at: 0 }) },
  {
    weight: 3,
    arbitrary: fc.record({
      fault: fc.constantFrom(...FAULTS),
      at: fc.integer({ min: 1, max: 9 }),
    }),
  },
)

const Round = fc.record({
  points: fc.array(Point, { maxLength: 14 }),
  moves: fc.array(
    fc.record({
      workspace,
      device: fc.constantFrom(...DEVICES),
      to: fc.oneof(cohort, fc.constant('gone' as const)),
    }),
    { maxLength: 1 },
  ),
  pause: fc.oneof(
    { weight: 5, arbitrary: fc.constantFrom(1_000, 30_000, MINUTE, MINUTE, 5 * MINUTE) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(59_999, 61_000, 17 * MINUTE, 60 * MINUTE, 26 * 60 * MINUTE),
    },
  ),
  workers: Workers,
  sideBySide: fc.integer({ min: 1, max: 3 }),
  /** Whether the points of past hours are packed before the rules are evaluated. */
  isPacked: fc.boolean(),
})

export const Scenario = fc.record({
  startedAfter: fc.nat({ max: 3 * MINUTE }),
  cohorts: fc.array(cohort, { minLength: DEVICES.length, maxLength: DEVICES.length }),
  rules: fc.array(Rule, { minLength: 2, maxLength: 8, size: 'max' }),
  rounds: fc.array(Round, { minLength: 2, maxLength: 10, size: 'max' }),
})

export type GivenRuleShape = typeof Rule extends fc.Arbitrary<infer Shape> ? Shape : never
export type GivenPointShape = typeof Point extends fc.Arbitrary<infer Shape> ? Shape : never
export type RoundShape = typeof Round extends fc.Arbitrary<infer Shape> ? Shape : never
