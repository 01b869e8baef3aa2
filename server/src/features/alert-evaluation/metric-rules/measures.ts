/** What metric rules need from the database. A need that several rules share occurs once. */
import type { MetricCondition } from '../../alert-rules/index.ts'
import type { Aggregation } from '../../telemetry/index.ts'
import type { DueRule } from '../evaluation.ts'
import type { TimeSpan } from './time-slices.ts'
import { findMax, findMin } from '../../../formats/extremes.ts'

export type MetricRule = Extract<DueRule, { condition: MetricCondition }>

/** The part of a rule that its verdict depends on. */
export type MetricRuleInput = Pick<
  MetricRule,
  'type' | 'condition' | 'windowStart' | 'windowEnd'
> & {
  /** The open incident: series without a value may keep firing in it. */
  incidentId: string | null
}

/** Series of a metric. */
interface Selection {
  metric: string
  labels: string
  cohortId: string | null
  byDevice: boolean
}

/** One aggregate of the series of a selection. */
interface Measure {
  /** Places in `Measures.selections` and `Measures.spans`. */
  selection: number
  span: number
  /** The window before, for a change in percent. */
  baseSpan: number | null
  aggregation: Aggregation
}

export interface Measures {
  spans: readonly TimeSpan[]
  selections: readonly Selection[]
  measures: readonly Measure[]
  /** The place of the measure of each rule. */
  measureOfRule: readonly number[]
}

class Distinct<Value> {
  readonly values: Value[] = []
  private readonly places = new Map<string, number>()

  place(value: Value): number {
    const key = JSON.stringify(value)
    const known = this.places.get(key)
    if (known !== undefined) return known
    this.places.set(key, this.values.length)
    return this.values.push(value) - 1
  }
}

export function collectMeasures(rules: readonly MetricRuleInput[]): Measures {
  const spans = new Distinct<TimeSpan>()
  const selections = new Distinct<Selection>()
  const measures = new Distinct<Measure>()
  const measureOfRule = rules.map((rule) => {
    const [span, before] = listSpans(rule)
    return measures.place({
      selection: selections.place(readSelection(rule.condition)),
      span: spans.place(span),
      baseSpan: before ? spans.place(before) : null,
      aggregation: rule.condition.aggregation,
    })
  })
  return {
    spans: spans.values,
    selections: selections.values,
    measures: measures.values,
    measureOfRule,
  }
}

function readSelection(condition: MetricCondition): Selection {
  const { metric, labels, deploymentCohortId: cohortId, groupBy } = condition
  const named = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const labelsText = JSON.stringify(Object.fromEntries(named))
  return { metric, labels: labelsText, cohortId, byDevice: groupBy === 'Device' }
}

/** The window and, for a change in percent, the window before: equally long, and ending where the window begins. */
function listSpans({ type, windowStart, windowEnd }: MetricRuleInput): [TimeSpan, TimeSpan?] {
  const span = { from: windowStart.getTime(), to: windowEnd.getTime() }
  if (type === 'MetricFixedThreshold') return [span]
  return [span, { from: span.from - (span.to - span.from), to: span.from }]
}

/** The length of time a rule reads. */
export function lookBackMs(rule: MetricRuleInput): number {
  const spans = listSpans(rule).flatMap((span) => span ?? [])
  return findMax(spans.map(({ to }) => to)) - findMin(spans.map(({ from }) => from))
}
