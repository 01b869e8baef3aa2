/** Finds the series of metric rules that meet their conditions, from the sums of points by device and time slice. */
import type { MetricCondition } from '../../alert-rules/index.ts'
import type { Aggregation } from '../../telemetry/index.ts'
import type { RuleVerdict } from '../evaluation.ts'
import type { Measures, MetricRuleInput } from './measures.ts'
import type { TimeSlices } from './time-slices.ts'

/** The sums of some points. */
export interface Amount {
  /** In units of 2^64, so that the sum of finite values stays finite. */
  sum: number
  count: number
  min: number
  max: number
  /** The time of the last point, in seconds since 1970. */
  lastat: number
  last: number
}

export const SUM_UNIT = 2 ** 64

/** The name of the series that all devices form together. */
const ALL_DEVICES = ''

interface SeriesSlice {
  /** Places of the selections that the series belongs to. */
  selections: readonly number[]
  /** Counted from 1; null: the series has no point in any slice. */
  slice: number | null
  amount: Amount
}

export interface MetricEvaluator {
  /** All series of a device have to be added one after the other. */
  add: (device: string, series: SeriesSlice) => void
  /** One verdict for each rule. */
  finish: () => RuleVerdict[]
}

/** Amounts of a measure in its window and in the window before. */
interface Group {
  now: Amount | undefined
  before: Amount | undefined
}

export function createEvaluator(
  rules: readonly MetricRuleInput[],
  measures: Measures,
  slices: TimeSlices,
): MetricEvaluator {
  const plan = planReads(measures, slices)
  const verdicts = rules.map((): RuleVerdict => ({ meeting: [], kept: [], ...NO_TOTALS }))
  const rulesOf = Map.groupBy(rules.keys(), (rule) => measures.measureOfRule[rule] ?? -1)
  const together = groupMeasures(plan.together)
  let device: string | undefined
  let alone = new Map<number, Group>()
  let opened = new Set<number>()

  const evaluate = (measure: number, series: string, group: Group) => {
    const value = computeValue(measures, measure, group)
    for (const at of rulesOf.get(measure) ?? []) {
      const [rule, verdict] = [rules[at], verdicts[at]]
      if (rule && verdict) evaluateSeries(rule, verdict, { series, value })
    }
  }
  const finishDevice = () => {
    if (device === undefined) return
    for (const [measure, group] of alone) evaluate(measure, device, group)
    alone = new Map()
    opened = new Set()
  }
  /** Opens a group for each measure of the selection: a group without points is a series without a value. */
  const openGroups = (selection: number) => {
    if (opened.has(selection)) return
    opened.add(selection)
    for (const measure of plan.measuresOf[selection] ?? [])
      if (!together.has(measure)) open(alone, measure)
  }
  return {
    add(of, { selections, slice, amount }) {
      if (of !== device) {
        finishDevice()
        device = of
      }
      for (const selection of selections) {
        openGroups(selection)
        if (slice === null) continue
        for (const { measure, side } of plan.sharesOf[selection]?.[slice] ?? []) {
          const group = together.get(measure) ?? open(alone, measure)
          group[side] = combined(group[side], amount)
        }
      }
    },
    finish() {
      finishDevice()
      for (const [measure, group] of together) evaluate(measure, ALL_DEVICES, group)
      return verdicts
    },
  }
}

const NO_TOTALS = { seriesCount: 0, valueCount: 0, lowest: null, highest: null }

/** The measure, and the window of it, that a slice of a selection belongs to. */
interface Share {
  measure: number
  side: 'now' | 'before'
}

function planReads({ selections, measures }: Measures, { slicesOfSpan }: TimeSlices) {
  const measuresOf = selections.map((): number[] => [])
  const sharesOf = selections.map((): Share[][] => [])
  const together: number[] = []
  const share = (selection: number, span: number | null, one: Share) => {
    const shares = sharesOf[selection]
    if (span === null || !shares) return
    for (const slice of slicesOfSpan[span] ?? []) (shares[slice] ??= []).push(one)
  }
  for (const [measure, { selection, span, baseSpan }] of measures.entries()) {
    measuresOf[selection]?.push(measure)
    if (selections[selection]?.byDevice === false) together.push(measure)
    share(selection, span, { measure, side: 'now' })
    share(selection, baseSpan, { measure, side: 'before' })
  }
  return { measuresOf, sharesOf, together }
}

function groupMeasures(measures: readonly number[]): Map<number, Group> {
  return new Map(measures.map((measure) => [measure, { now: undefined, before: undefined }]))
}

function open(groups: Map<number, Group>, measure: number): Group {
  const known = groups.get(measure)
  if (known) return known
  const group: Group = { now: undefined, before: undefined }
  groups.set(measure, group)
  return group
}

function combined(one: Amount | undefined, other: Amount): Amount {
  if (!one) return { ...other }
  one.sum += other.sum
  one.count += other.count
  one.min = Math.min(one.min, other.min)
  one.max = Math.max(one.max, other.max)
  // The largest of several values at one instant counts.
  const isLater =
    other.lastat > one.lastat || (other.lastat === one.lastat && other.last > one.last)
  if (isLater) {
    one.lastat = other.lastat
    one.last = other.last
  }
  return one
}

/** A change in percent of 0 is undefined: such a series has no value. */
function computeValue({ measures }: Measures, at: number, { now, before }: Group): number | null {
  const measure = measures[at]
  if (!measure || !now) return null
  const value = computeAggregate(measure.aggregation, now)
  if (measure.baseSpan === null) return value
  const base = before && computeAggregate(measure.aggregation, before)
  if (base === undefined || base === 0) return null
  return bounded(((value - base) / Math.abs(base)) * 100)
}

/** Replaces an infinite value by the largest finite one, so that one device does not make the evaluation of all others fail. */
function bounded(value: number): number {
  return Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE)
}

function computeAggregate(aggregation: Aggregation, amount: Amount): number {
  const { sum, count, min, max, last } = amount
  const values: Record<Aggregation, number> = {
    Average: (sum / count) * SUM_UNIT,
    Minimum: min,
    Maximum: max,
    Sum: sum * SUM_UNIT,
    Count: count,
    Last: last,
  }
  return bounded(values[aggregation])
}

function evaluateSeries(
  { condition, incidentId }: MetricRuleInput,
  verdict: RuleVerdict,
  { series, value }: { series: string; value: number | null },
): void {
  verdict.seriesCount += 1
  if (value === null) {
    if (condition.onNoData === 'Fire') verdict.meeting.push({ series, value })
    if (condition.onNoData === 'Keep' && incidentId !== null) verdict.kept.push(series)
    return
  }
  verdict.valueCount += 1
  verdict.lowest = Math.min(verdict.lowest ?? value, value)
  verdict.highest = Math.max(verdict.highest ?? value, value)
  if (meets(condition, value)) verdict.meeting.push({ series, value })
}

function meets({ operator, threshold }: MetricCondition, value: number): boolean {
  switch (operator) {
    case 'GreaterThan':
      return value > threshold
    case 'GreaterThanOrEqual':
      return value >= threshold
    case 'LessThan':
      return value < threshold
    case 'LessThanOrEqual':
      return value <= threshold
  }
}
