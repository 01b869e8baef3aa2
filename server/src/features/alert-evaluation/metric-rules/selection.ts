/** What many metric rules ask for alike, each once. */
import type { Aggregation } from '../../telemetry/index.ts'
import type { MetricCondition } from '../../alert-rules/index.ts'
import type { DueRule } from '../evaluation.ts'
import type { Span } from './time-slices.ts'

export type MetricRule = Extract<DueRule, { condition: MetricCondition }>

/** What of a rule its judgement depends on. */
export type JudgedRule = Pick<MetricRule, 'type' | 'condition' | 'windowStart' | 'windowEnd'> & {
  /** The one that lasts: series without a value may stay in it. */
  incidentId: string | null
}

interface Selection {
  metric: string
  labels: string
  cohortId: string | null
  byDevice: boolean
}

interface Measure {
  selection: number
  span: number
  /** The window before, where the change against it is asked for. */
  baseSpan: number | null
  aggregation: Aggregation
}

export interface Asked {
  spans: readonly Span[]
  selections: readonly Selection[]
  measures: readonly Measure[]
  /** The measure of each rule. */
  entries: readonly number[]
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

export function askedBy(rules: readonly JudgedRule[]): Asked {
  const spans = new Distinct<Span>()
  const selections = new Distinct<Selection>()
  const measures = new Distinct<Measure>()
  const entries = rules.map((rule) => {
    const [span, before] = spansOf(rule)
    return measures.place({
      selection: selections.place(selectionOf(rule.condition)),
      span: spans.place(span),
      baseSpan: before ? spans.place(before) : null,
      aggregation: rule.condition.aggregation,
    })
  })
  return { spans: spans.values, selections: selections.values, measures: measures.values, entries }
}

function selectionOf(condition: MetricCondition): Selection {
  const { metric, labels, deploymentCohortId: cohortId, groupBy } = condition
  const named = Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1))
  const labelsText = JSON.stringify(Object.fromEntries(named))
  return { metric, labels: labelsText, cohortId, byDevice: groupBy === 'Device' }
}

/** The window, and where the change in percent is asked for the one before it: as long, and ending where this begins. */
function spansOf({ type, windowStart, windowEnd }: JudgedRule): [Span, Span?] {
  const span = { from: windowStart.getTime(), to: windowEnd.getTime() }
  if (type === 'MetricFixedThreshold') return [span]
  return [span, { from: span.from - (span.to - span.from), to: span.from }]
}

/** How far a rule looks back from the end of its window. */
export function lookBackMs(rule: JudgedRule): number {
  const spans = spansOf(rule).flatMap((span) => span ?? [])
  return Math.max(...spans.map(({ to }) => to)) - Math.min(...spans.map(({ from }) => from))
}
