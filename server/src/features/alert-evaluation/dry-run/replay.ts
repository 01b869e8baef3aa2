/** Replays a rule: from its verdict at each instant to its evaluations, incidents and firing series. */
import type { EvaluationStatus } from '../../alert-rules/index.ts'
import { type RuleVerdict, decideStatus } from '../evaluation.ts'

export interface ReplayedEvaluation {
  at: Date
  verdict: RuleVerdict
}

export interface Replay {
  evaluations: Record<EvaluationStatus, number>
  incidents: { beganAt: Date; endedAt: Date | null; seriesCount: number }[]
  /** Equal evaluations in a row, as one. `from` and `to` are the instants of the first and the last. */
  timeline: { from: Date; to: Date; status: EvaluationStatus; firingCount: number }[]
  /** The series that fired longest first. */
  series: FiredSeries[]
}

interface FiredSeries {
  series: string
  firingEvaluations: number
  firstAt: Date
  lastAt: Date
}

/** Takes the evaluations in order. No series fires at the beginning. */
export function replay(evaluations: readonly ReplayedEvaluation[]): Replay {
  const run: Replay = {
    evaluations: { Ok: 0, Firing: 0, NoData: 0, Failed: 0 },
    incidents: [],
    timeline: [],
    series: [],
  }
  const fired = new Map<string, FiredSeries>()
  let firing = new Set<string>()
  let inIncident = new Set<string>()
  for (const { at, verdict } of evaluations) {
    firing = firingNow(verdict, firing)
    const { meeting, valueCount } = verdict
    const counts = { meetingCount: meeting.length, valueCount, firingCount: firing.size }
    const status = decideStatus({ ...NONE, ...counts })
    run.evaluations[status] += 1
    addSpan(run.timeline, { at, status, firingCount: firing.size })
    for (const series of firing) addFired(fired, series, at)
    inIncident = addIncident(run.incidents, { at, firing, inIncident })
  }
  run.series = [...fired.values()].toSorted(
    (one, other) =>
      other.firingEvaluations - one.firingEvaluations || (one.series < other.series ? -1 : 1),
  )
  return run
}

const NONE = { seriesCount: 0, lowest: null, highest: null }

/** Series that meet the condition, and firing series that the rule keeps for lack of data. */
function firingNow({ meeting, kept }: RuleVerdict, before: ReadonlySet<string>): Set<string> {
  const stillFiring = kept.filter((series) => before.has(series))
  return new Set([...meeting.map(({ series }) => series), ...stillFiring])
}

function addSpan(
  timeline: Replay['timeline'],
  { at, status, firingCount }: { at: Date; status: EvaluationStatus; firingCount: number },
): void {
  const last = timeline.at(-1)
  if (last?.status === status && last.firingCount === firingCount) last.to = at
  else timeline.push({ from: at, to: at, status, firingCount })
}

function addFired(fired: Map<string, FiredSeries>, series: string, at: Date): void {
  const known = fired.get(series)
  if (!known) fired.set(series, { series, firingEvaluations: 1, firstAt: at, lastAt: at })
  else {
    known.firingEvaluations += 1
    known.lastAt = at
  }
}

interface FiringAtInstant {
  at: Date
  firing: ReadonlySet<string>
  inIncident: Set<string>
}

/** Returns the series of the open incident. */
function addIncident(
  incidents: Replay['incidents'],
  { at, firing, inIncident }: FiringAtInstant,
): Set<string> {
  const last = incidents.at(-1)
  const isOpen = last?.endedAt === null
  if (firing.size === 0) {
    if (isOpen) last.endedAt = at
    return new Set()
  }
  const all = new Set([...inIncident, ...firing])
  if (isOpen) last.seriesCount = all.size
  else incidents.push({ beganAt: at, endedAt: null, seriesCount: all.size })
  return all
}
