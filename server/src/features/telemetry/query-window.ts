/** The time a metric is asked for: its windows, and how the values of a window become one. */
import { formatCountOf } from '../../formats/counts.ts'
import { DAY_MS, HOUR_MS, parseInstant, SECOND_MS, startOfHour } from '../../formats/instants.ts'
import { invalid } from '../../platform/errors.ts'

export const AGGREGATIONS = ['Average', 'Minimum', 'Maximum', 'Sum', 'Count', 'Last'] as const
export type Aggregation = (typeof AGGREGATIONS)[number]

/** Half-open: `to` is not part of it. */
export interface Span {
  from: Date
  to: Date
}

export interface QueryWindow extends Span {
  stepSeconds: number
  /** How many steps there are. The last one may be shorter. */
  windows: number
}

const MOST_WINDOWS = 10_000
/** Each day is a partition, and PostgreSQL plans a statement over all of them. */
const MOST_DAYS = 400

/** Without `stepSeconds` there is one window. */
export function parseQueryWindow(input: {
  from: string
  to: string
  stepSeconds?: number
}): QueryWindow {
  const from = parseInstant(input.from, '/from')
  const to = parseInstant(input.to, '/to')
  const lengthMs = to.getTime() - from.getTime()
  const seconds = lengthMs / SECOND_MS
  if (lengthMs <= 0) throw invalid('`to` must be later than `from`.', '/to')
  if (lengthMs > MOST_DAYS * DAY_MS)
    throw invalid(
      `The time is longer than ${MOST_DAYS} days. Ask for shorter times one after the other.`,
      '/from',
    )
  const stepSeconds = input.stepSeconds ?? Math.max(1, Math.ceil(seconds))
  const windows = Math.ceil(seconds / stepSeconds)
  if (windows > MOST_WINDOWS)
    throw invalid(
      `These are ${formatCountOf(windows, 'step')}; at most ${MOST_WINDOWS} are allowed. Ask for a longer step or a shorter time.`,
      '/stepSeconds',
    )
  return { from, to, stepSeconds, windows }
}

/** The hours of the window whose sums can stand for their points, as each lies in one step. undefined: no such hours. */
export function findWholeHours(window: QueryWindow): Span | undefined {
  const { stepSeconds, windows } = window
  const isAligned =
    (stepSeconds * SECOND_MS) % HOUR_MS === 0 && window.from.getTime() % HOUR_MS === 0
  if (windows > 1 && !isAligned) return undefined
  const from = new Date(Math.ceil(window.from.getTime() / HOUR_MS) * HOUR_MS)
  const to = startOfHour(window.to)
  return from < to ? { from, to } : undefined
}
