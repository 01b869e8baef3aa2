/** What a rule would have done, from what its series came to at each of its turns. */
import type { EvaluationStatus } from '../../alert-rules/index.ts'
import { statusOf } from '../evaluation.ts'
import type { Verdict } from '../metric-rules/evaluator.ts'

export interface DryTurn {
  /** When the rule would have been evaluated. */
  at: Date
  verdict: Verdict
}

export interface DryRun {
  evaluations: Record<EvaluationStatus, number>
  incidents: { beganAt: Date; endedAt: Date | null; seriesCount: number }[]
  /** Neighbours that are alike, as one. `from` and `to` are turns, both part of it. */
  timeline: { from: Date; to: Date; status: EvaluationStatus; firingCount: number }[]
  /** Those that fired longest first. */
  series: FiredSeries[]
}

interface FiredSeries {
  series: string
  /** Turns at which it fired. */
  firingTurns: number
  firstAt: Date
  lastAt: Date
}

/** Turns follow each other; the rule begins as one that does not fire. */
export function replay(turns: readonly DryTurn[]): DryRun {
  const run: DryRun = {
    evaluations: { Ok: 0, Firing: 0, NoData: 0, Failed: 0 },
    incidents: [],
    timeline: [],
    series: [],
  }
  const fired = new Map<string, FiredSeries>()
  let firing = new Set<string>()
  let inIncident = new Set<string>()
  for (const { at, verdict } of turns) {
    firing = firingNow(verdict, firing)
    const { meeting, valueCount } = verdict
    const counts = { meetingCount: meeting.length, valueCount, firingCount: firing.size }
    const status = statusOf({ ...NONE, ...counts })
    run.evaluations[status] += 1
    addSpan(run.timeline, { at, status, firingCount: firing.size })
    for (const series of firing) addFired(fired, series, at)
    inIncident = addIncident(run.incidents, { at, firing, inIncident })
  }
  run.series = [...fired.values()].toSorted(
    (one, other) => other.firingTurns - one.firingTurns || (one.series < other.series ? -1 : 1),
  )
  return run
}

const NONE = { seriesCount: 0, lowest: null, highest: null }

/** Those that meet the condition, and those that did and say nothing now, where the rule keeps these. */
function firingNow({ meeting, silent }: Verdict, before: ReadonlySet<string>): Set<string> {
  const kept = silent.filter((series) => before.has(series))
  return new Set([...meeting.map(({ series }) => series), ...kept])
}

function addSpan(
  timeline: DryRun['timeline'],
  { at, status, firingCount }: { at: Date; status: EvaluationStatus; firingCount: number },
): void {
  const last = timeline.at(-1)
  if (last?.status === status && last.firingCount === firingCount) last.to = at
  else timeline.push({ from: at, to: at, status, firingCount })
}

function addFired(fired: Map<string, FiredSeries>, series: string, at: Date): void {
  const known = fired.get(series)
  if (!known) fired.set(series, { series, firingTurns: 1, firstAt: at, lastAt: at })
  else {
    known.firingTurns += 1
    known.lastAt = at
  }
}

interface IncidentTurn {
  at: Date
  firing: ReadonlySet<string>
  inIncident: Set<string>
}

/** The result: the series of the incident that lasts. */
function addIncident(
  incidents: DryRun['incidents'],
  { at, firing, inIncident }: IncidentTurn,
): Set<string> {
  const lasting = incidents.at(-1)
  const isOpen = lasting?.endedAt === null
  if (firing.size === 0) {
    if (isOpen) lasting.endedAt = at
    return new Set()
  }
  const all = new Set([...inIncident, ...firing])
  if (isOpen) lasting.seriesCount = all.size
  else incidents.push({ beganAt: at, endedAt: null, seriesCount: all.size })
  return all
}
