/** Which series of metric rules meet their conditions. */
import type { Aggregation } from '../../telemetry/index.ts'
import type { MetricCondition } from '../../alert-rules/index.ts'
import type { Asked, JudgedRule } from './selection.ts'
import type { Pieces } from './time-slices.ts'

/** What points add up to. */
interface Amount {
  /** In units of 2^64: values that are numbers may add up to what is none any more. */
  sum: number
  count: number
  min: number
  max: number
  /** Seconds since 1970. */
  lastat: number
  last: number
}

export const SUM_UNIT = 2 ** 64

/** The series that is made of all devices. */
const ALL_DEVICES = ''

export interface Verdict {
  meeting: { series: string; value: number | null }[]
  /** Those without a value, of a rule that fires and keeps them as they are. */
  silent: string[]
  seriesCount: number
  valueCount: number
  lowest: number | null
  highest: number | null
}

export interface Judge {
  /**
   * A series of a device, by the places of its selections, and what it came to in a piece; null: there is nothing in any.
   * All series of a device come one after the other.
   */
  add: (
    device: string,
    series: { selections: readonly number[]; piece: number | null; amount: Amount },
  ) => void
  /** One verdict for each rule. */
  finish: () => Verdict[]
}

interface Group {
  now: Amount | undefined
  before: Amount | undefined
}

export function createJudge(rules: readonly JudgedRule[], asked: Asked, pieces: Pieces): Judge {
  const plan = planOf(asked, pieces)
  const verdicts = rules.map((): Verdict => ({ meeting: [], silent: [], ...NO_TOTALS }))
  const rulesOf = Map.groupBy(rules.keys(), (rule) => asked.entries[rule] ?? -1)
  const together = groupsOf(plan.together)
  let device: string | undefined
  let alone = new Map<number, Group>()
  let opened = new Set<number>()

  const judge = (measure: number, series: string, group: Group) => {
    const value = valueOf(asked, measure, group)
    for (const at of rulesOf.get(measure) ?? []) {
      const [rule, verdict] = [rules[at], verdicts[at]]
      if (rule && verdict) judgeSeries(rule, verdict, { series, value })
    }
  }
  const judgeDevice = () => {
    if (device === undefined) return
    for (const [measure, group] of alone) judge(measure, device, group)
    alone = new Map()
    opened = new Set()
  }
  /** A group without points is one, too. */
  const openGroups = (selection: number) => {
    if (opened.has(selection)) return
    opened.add(selection)
    for (const measure of plan.measuresOf[selection] ?? [])
      if (!together.has(measure)) open(alone, measure)
  }
  return {
    add(of, { selections, piece, amount }) {
      if (of !== device) {
        judgeDevice()
        device = of
      }
      for (const selection of selections) {
        openGroups(selection)
        if (piece === null) continue
        for (const { measure, side } of plan.sharesOf[selection]?.[piece] ?? []) {
          const group = together.get(measure) ?? open(alone, measure)
          group[side] = combined(group[side], amount)
        }
      }
    },
    finish() {
      judgeDevice()
      for (const [measure, group] of together) judge(measure, ALL_DEVICES, group)
      return verdicts
    },
  }
}

const NO_TOTALS = { seriesCount: 0, valueCount: 0, lowest: null, highest: null }

/** What a piece of a selection is part of. */
interface Share {
  measure: number
  side: 'now' | 'before'
}

function planOf({ selections, measures }: Asked, { parts }: Pieces) {
  const measuresOf = selections.map((): number[] => [])
  const sharesOf = selections.map((): Share[][] => [])
  const together: number[] = []
  const piecesOf = Map.groupBy(parts, ({ span }) => span)
  const share = (selection: number, span: number | null, part: Share) => {
    const shares = sharesOf[selection]
    if (span === null || !shares) return
    for (const { piece } of piecesOf.get(span) ?? []) (shares[piece] ??= []).push(part)
  }
  for (const [measure, { selection, span, baseSpan }] of measures.entries()) {
    measuresOf[selection]?.push(measure)
    if (selections[selection]?.byDevice === false) together.push(measure)
    share(selection, span, { measure, side: 'now' })
    share(selection, baseSpan, { measure, side: 'before' })
  }
  return { measuresOf, sharesOf, together }
}

function groupsOf(measures: readonly number[]): Map<number, Group> {
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
  // Of several at one instant the largest.
  const isLater =
    other.lastat > one.lastat || (other.lastat === one.lastat && other.last > one.last)
  if (isLater) {
    one.lastat = other.lastat
    one.last = other.last
  }
  return one
}

/** A change in percent of nothing is no number: such a series has no value. */
function valueOf({ measures }: Asked, at: number, { now, before }: Group): number | null {
  const measure = measures[at]
  if (!measure || !now) return null
  const value = aggregateOf(measure.aggregation, now)
  if (measure.baseSpan === null) return value
  const base = before && aggregateOf(measure.aggregation, before)
  if (base === undefined || base === 0) return null
  return bounded(((value - base) / Math.abs(base)) * 100)
}

/** What is too large to be a number is as large as one can be: one device must not keep a rule from judging the others. */
function bounded(value: number): number {
  return Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE)
}

function aggregateOf(aggregation: Aggregation, amount: Amount): number {
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

function judgeSeries(
  { condition, incidentId }: JudgedRule,
  verdict: Verdict,
  { series, value }: { series: string; value: number | null },
): void {
  verdict.seriesCount += 1
  if (value === null) {
    if (condition.onNoData === 'Fire') verdict.meeting.push({ series, value })
    if (condition.onNoData === 'Keep' && incidentId !== null) verdict.silent.push(series)
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
