/** When rules are evaluated, and the statuses of evaluations. Instants are the same on every node: counted from 1970 in UTC. */
export const FREQUENCIES = ['1m', '5m', '15m', '30m', '1h', '6h', '1d'] as const
export type EvaluationFrequency = (typeof FREQUENCIES)[number]

export const EVALUATION_STATUSES = ['Ok', 'Firing', 'NoData', 'Failed'] as const
export type EvaluationStatus = (typeof EVALUATION_STATUSES)[number]

/** The newest instant of the schedule that is not later than now. */
export function findScheduledBefore(now: Date, frequencySeconds: number): Date {
  const step = frequencySeconds * 1_000
  return new Date(Math.floor(now.getTime() / step) * step)
}

export function findScheduledAfter(now: Date, frequencySeconds: number): Date {
  return new Date(findScheduledBefore(now, frequencySeconds).getTime() + frequencySeconds * 1_000)
}
