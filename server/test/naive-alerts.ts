/** A simple evaluation of metric rules in memory, one rule, series and point after the other, to compare the real one with. */
import type { MetricCondition, Operator } from '../src/features/alert-rules/conditions/condition.ts'
import { parseDuration } from '../src/features/alert-rules/duration.ts'
import type { GivenPoint, GivenRule } from './given-alerts.ts'

export type NaiveRule = Extract<GivenRule, { condition: MetricCondition }>

export interface NaiveFleet {
  /** Cohorts by device. */
  devices: Map<string, string | null>
  points: GivenPoint[]
}

export interface NaiveEvaluation {
  scheduledAt: string
  evaluatedAt: string
  windowStart: string
  windowEnd: string
  status: 'Ok' | 'Firing' | 'NoData' | 'Failed'
  seriesCount: number
  valueCount: number
  firingCount: number
  lowest: number | null
  highest: number | null
}

export interface NaiveSeries {
  series: string
  since: string
  until: string | null
  value: number | null
}

export interface NaiveIncident {
  beganAt: string
  endedAt: string | null
  endedCause: string | null
  series: NaiveSeries[]
}

export interface NaiveState {
  nextEvaluationAt: string
  evaluatedUntil: string | null
  /** When the open incident began. */
  openSince: string | null
  evaluations: NaiveEvaluation[]
  incidents: NaiveIncident[]
}

const iso = (milliseconds: number) => new Date(milliseconds).toISOString()

export function naiveStart({ evaluationFrequency }: NaiveRule, at: Date): NaiveState {
  const step = parseDuration(evaluationFrequency) * 1_000
  return {
    nextEvaluationAt: iso(Math.floor(at.getTime() / step) * step + step),
    evaluatedUntil: null,
    openSince: null,
    evaluations: [],
    incidents: [],
  }
}

/** Replaces an infinite value by the largest finite one. */
function bounded(value: number): number {
  return Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE)
}

// A power of two, so that no precision is lost: the sum may be larger than the result.
const UNIT = 2 ** 64

interface Span {
  from: number
  to: number
}

function within(points: readonly GivenPoint[], { from, to }: Span): GivenPoint[] {
  return points.filter(({ time }) => time.getTime() >= from && time.getTime() < to)
}

function aggregate(points: readonly GivenPoint[], { aggregation }: MetricCondition): number | null {
  if (points.length === 0) return null
  const sum = points.reduce((whole, point) => whole + point.sum / UNIT, 0)
  const count = points.reduce((whole, point) => whole + (point.count ?? 1), 0)
  switch (aggregation) {
    case 'Average':
      return bounded((sum / count) * UNIT)
    case 'Minimum':
      return Math.min(...points.map((point) => point.min ?? point.sum))
    case 'Maximum':
      return Math.max(...points.map((point) => point.max ?? point.sum))
    case 'Sum':
      return bounded(sum * UNIT)
    case 'Count':
      return count
    case 'Last': {
      const newest = Math.max(...points.map(({ time }) => time.getTime()))
      const last = points.filter(({ time }) => time.getTime() === newest)
      return Math.max(...last.map((point) => point.sum / (point.count ?? 1)))
    }
  }
}

const COMPARE: Record<Operator, (value: number, threshold: number) => boolean> = {
  GreaterThan: (value, threshold) => value > threshold,
  GreaterThanOrEqual: (value, threshold) => value >= threshold,
  LessThan: (value, threshold) => value < threshold,
  LessThanOrEqual: (value, threshold) => value <= threshold,
}

/** The points that a rule reads, by device, or all under ''. */
export function naiveGroups(
  { condition }: NaiveRule,
  { devices, points }: NaiveFleet,
): Map<string, GivenPoint[]> {
  const { metric, labels, deploymentCohortId, groupBy } = condition
  const looked = points.filter(
    (point) =>
      point.metric === metric &&
      devices.has(point.deviceId) &&
      (deploymentCohortId === null || devices.get(point.deviceId) === deploymentCohortId) &&
      Object.entries(labels).every(([name, value]) => point.labels[name] === value),
  )
  return groupBy === 'None'
    ? new Map([['', looked]])
    : Map.groupBy(looked, ({ deviceId }) => deviceId)
}

/** The value of one series in the window with this end; null: it has none. */
export function naiveValue(
  { type, condition }: NaiveRule,
  points: readonly GivenPoint[],
  windowEnd: number,
): number | null {
  const length = parseDuration(condition.window) * 1_000
  const windowStart = windowEnd - length
  const now = aggregate(within(points, { from: windowStart, to: windowEnd }), condition)
  if (now === null || type === 'MetricFixedThreshold') return now === null ? null : bounded(now)
  const baseSpan = { from: windowStart - length, to: windowStart }
  const before = aggregate(within(points, baseSpan), condition)
  return before === null || before === 0 ? null : bounded(((now - before) / Math.abs(before)) * 100)
}

export interface NaiveVerdict {
  values: Map<string, number | null>
  meeting: Set<string>
  withoutValue: Set<string>
}

function evaluate(rule: NaiveRule, fleet: NaiveFleet, windowEnd: number): NaiveVerdict {
  const { operator, threshold, onNoData } = rule.condition
  const verdict: NaiveVerdict = { values: new Map(), meeting: new Set(), withoutValue: new Set() }
  for (const [series, points] of naiveGroups(rule, fleet)) {
    const value = naiveValue(rule, points, windowEnd)
    verdict.values.set(series, value)
    if (value === null) verdict.withoutValue.add(series)
    if (value === null ? onNoData === 'Fire' : COMPARE[operator](value, threshold))
      verdict.meeting.add(series)
  }
  return verdict
}

function measured(
  { values, meeting }: NaiveVerdict,
  firingCount: number,
): Pick<
  NaiveEvaluation,
  'status' | 'seriesCount' | 'valueCount' | 'firingCount' | 'lowest' | 'highest'
> {
  const numbers = [...values.values()].filter((value) => value !== null)
  const status =
    meeting.size > 0
      ? 'Firing'
      : numbers.length === 0
        ? 'NoData'
        : firingCount > 0
          ? 'Firing'
          : 'Ok'
  return {
    status,
    seriesCount: values.size,
    valueCount: numbers.length,
    firingCount,
    lowest: numbers.length === 0 ? null : Math.min(...numbers),
    highest: numbers.length === 0 ? null : Math.max(...numbers),
  }
}

/** Begins and ends series and incidents. Returns the number of firing series. */
function recordVerdict(
  rule: NaiveRule,
  state: NaiveState,
  verdict: NaiveVerdict,
  at: string,
): number {
  const openIncident = state.incidents.find(({ endedAt }) => endedAt === null)
  for (const held of openIncident?.series ?? []) {
    const isKept = rule.condition.onNoData === 'Keep' && verdict.withoutValue.has(held.series)
    if (held.until === null && !verdict.meeting.has(held.series) && !isKept) held.until = at
  }
  const open = new Set(
    (openIncident?.series ?? []).filter(({ until }) => until === null).map(({ series }) => series),
  )
  const started = [...verdict.meeting].filter((series) => !open.has(series))
  if (started.length > 0) {
    const incident = openIncident ?? { beganAt: at, endedAt: null, endedCause: null, series: [] }
    if (!openIncident) state.incidents.push(incident)
    for (const series of started) {
      const value = verdict.values.get(series) ?? null
      incident.series.push({ series, since: at, until: null, value })
    }
  }
  return open.size + started.length
}

const NOTHING = { seriesCount: 0, valueCount: 0, firingCount: 0, lowest: null, highest: null }

/** Evaluates the rule if it is due. A failed evaluation changes no series and no incident. */
export function naiveEvaluation(
  rule: NaiveRule,
  state: NaiveState,
  { fleet, now, isFailed }: { fleet: NaiveFleet; now: Date; isFailed: (at: string) => boolean },
): void {
  if (state.nextEvaluationAt > now.toISOString()) return
  const { window, delaySeconds } = rule.condition
  const step = parseDuration(rule.evaluationFrequency) * 1_000
  const at = Math.floor(now.getTime() / step) * step
  const scheduledAt = iso(at)
  const windowEnd = at - delaySeconds * 1_000
  const taken = {
    scheduledAt,
    evaluatedAt: now.toISOString(),
    windowStart: iso(windowEnd - parseDuration(window) * 1_000),
    windowEnd: iso(windowEnd),
  }
  state.nextEvaluationAt = iso(at + step)
  if (isFailed(scheduledAt)) {
    state.evaluations.push({ ...taken, status: 'Failed', ...NOTHING })
    return
  }
  const verdict = evaluate(rule, fleet, windowEnd)
  const outcome = measured(verdict, recordVerdict(rule, state, verdict, scheduledAt))
  state.evaluations.push({ ...taken, ...outcome })
  state.evaluatedUntil = taken.windowEnd
  const openIncident = state.incidents.find(({ endedAt }) => endedAt === null)
  if (openIncident && outcome.firingCount === 0) {
    openIncident.endedAt = scheduledAt
    openIncident.endedCause = outcome.status === 'NoData' ? 'NoData' : 'Recovered'
  }
  state.openSince = openIncident?.endedAt === null ? openIncident.beganAt : null
}
