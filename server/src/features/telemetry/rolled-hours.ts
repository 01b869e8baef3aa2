/** Which part of a query the sums of hours can answer. */
import { HOUR_MS, startOfHour } from '../../formats/instants.ts'
import type { Window } from './window.ts'

export interface Span {
  from: Date
  to: Date
}

/** The hours that are rolled up and lie in one window each; undefined: there are none. */
export function wholeHours(window: Window, rolled: Span): Span | undefined {
  const { stepSeconds, windows } = window
  const isAligned = (stepSeconds * 1_000) % HOUR_MS === 0 && window.from.getTime() % HOUR_MS === 0
  if (windows > 1 && !isAligned) return undefined
  const first = Math.ceil(window.from.getTime() / HOUR_MS) * HOUR_MS
  const from = Math.max(first, rolled.from.getTime())
  const to = Math.min(startOfHour(window.to).getTime(), rolled.to.getTime())
  return from < to ? { from: new Date(from), to: new Date(to) } : undefined
}
