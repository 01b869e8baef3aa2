/** The answers of dry runs. */
import { parseDuration } from '../../alert-rules/index.ts'
import type { CurrentState } from './current-state-service.ts'
import type { Replay } from './replay.ts'

const MAX_SERIES_SHOWN = 100

interface ReplayedRule {
  instants: readonly Date[]
  seriesCount: number
  evaluationFrequency: string
}

export function replayAnswer(
  { instants, seriesCount, evaluationFrequency }: ReplayedRule,
  replayed: Replay,
) {
  const { evaluations, incidents, timeline, series } = replayed
  const secondsEach = parseDuration(evaluationFrequency)
  const text = (date: Date) => date.toISOString()
  const [first, last] = [instants[0], instants.at(-1)]
  return {
    from: first ? text(first) : null,
    to: last ? text(last) : null,
    seriesCount,
    evaluations: {
      count: instants.length,
      ok: evaluations.Ok,
      firing: evaluations.Firing,
      noData: evaluations.NoData,
      failed: evaluations.Failed,
    },
    incidents: incidents.map(({ beganAt, endedAt, seriesCount: count }) => ({
      beganAt: text(beganAt),
      endedAt: endedAt && text(endedAt),
      seriesCount: count,
    })),
    timeline: timeline.map((span) => ({ ...span, from: text(span.from), to: text(span.to) })),
    firingSeriesCount: series.length,
    firingSeries: series
      .slice(0, MAX_SERIES_SHOWN)
      .map(({ firingEvaluations, firstAt, lastAt, ...one }) => ({
        ...one,
        label: null,
        firingSeconds: firingEvaluations * secondsEach,
        firstAt: text(firstAt),
        lastAt: text(lastAt),
      })),
  }
}

/** One evaluation, now. */
export function describeCurrentState({ at, since, outcome, status, series }: CurrentState) {
  const time = at.toISOString()
  const count = (of: typeof status) => Number(status === of)
  const isFiring = outcome.firingCount > 0
  const incident = { beganAt: time, endedAt: null, seriesCount: outcome.firingCount }
  return {
    from: since.toISOString(),
    to: time,
    seriesCount: outcome.seriesCount,
    evaluations: {
      count: 1,
      ok: count('Ok'),
      firing: count('Firing'),
      noData: count('NoData'),
      failed: 0,
    },
    incidents: isFiring ? [incident] : [],
    timeline: [{ from: time, to: time, status, firingCount: outcome.firingCount }],
    firingSeriesCount: outcome.firingCount,
    firingSeries: series.map((one) => ({
      series: one.series,
      label: one.label,
      firingSeconds: 0,
      firstAt: time,
      lastAt: time,
    })),
  }
}
