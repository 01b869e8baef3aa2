/** What the end of a cycle or a statement means on a day. */

export const SUPPORT_STATES = ['Ended', 'Ending', 'NoEndPlanned', 'NotKnown'] as const
export type SupportState = (typeof SUPPORT_STATES)[number]

export interface StatedEnd {
  /** The first day without fixes, `2026-09-07`. */
  endsOn: string | null
  /** Where no day is known: whether the end has come; null: not known. */
  hasEnded: boolean | null
}

/** `Ending`: on a day that is not there yet, however far. */
export function decideState({ endsOn, hasEnded }: StatedEnd, day: string): SupportState {
  if (endsOn !== null) return endsOn <= day ? 'Ended' : 'Ending'
  if (hasEnded === null) return 'NotKnown'
  return hasEnded ? 'Ended' : 'NoEndPlanned'
}

/** The day in UTC, by which all nodes agree. */
export const formatDay = (at: Date): string => at.toISOString().slice(0, 10)
