import type { Tried } from './current-state-service.ts'
import type { DryRun } from './replay.ts'
import { durationSeconds } from '../../alert-rules/index.ts'

const SERIES_SHOWN = 100

interface Ran {
  turns: readonly Date[]
  seriesCount: number
  evaluationFrequency: string
}

export function asReplayed({ turns, seriesCount, evaluationFrequency }: Ran, run: DryRun) {
  const { evaluations, incidents, timeline, series } = run
  const turnSeconds = durationSeconds(evaluationFrequency)
  const text = (date: Date) => date.toISOString()
  const [first, last] = [turns[0], turns.at(-1)]
  return {
    from: first ? text(first) : null,
    to: last ? text(last) : null,
    seriesCount,
    evaluations: {
      count: turns.length,
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
    firingSeries: series.slice(0, SERIES_SHOWN).map(({ firingTurns, firstAt, lastAt, ...one }) => ({
      ...one,
      label: null,
      firingSeconds: firingTurns * turnSeconds,
      firstAt: text(firstAt),
      lastAt: text(lastAt),
    })),
  }
}

/** One turn, now. */
export function asTried({ at, since, outcome, status, series }: Tried) {
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
