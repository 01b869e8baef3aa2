import { DAY_MS, parseInstant } from '../../formats/instants.ts'
import { invalid } from '../../platform/errors.ts'

export interface Window {
  from: Date
  to: Date
  stepSeconds: number
  /** How many steps there are, the last one perhaps shorter. */
  windows: number
}

const MOST_WINDOWS = 10_000
/** Each day is a table, and a statement can hold only so many. */
const MOST_DAYS = 400

/** Without a step, all of it is one. */
export function readWindow(input: { from: string; to: string; stepSeconds?: number }): Window {
  const from = parseInstant(input.from, '/from')
  const to = parseInstant(input.to, '/to')
  const seconds = (to.getTime() - from.getTime()) / 1_000
  if (seconds <= 0) throw invalid('`to` has to be later than `from`.', '/to')
  if (seconds > (MOST_DAYS * DAY_MS) / 1_000)
    throw invalid(
      `More than ${MOST_DAYS} days: ask for shorter times one after the other.`,
      '/from',
    )
  const stepSeconds = input.stepSeconds ?? Math.max(1, Math.ceil(seconds))
  const windows = Math.ceil(seconds / stepSeconds)
  if (windows > MOST_WINDOWS)
    throw invalid(
      `These are ${windows} steps, of which there may be ${MOST_WINDOWS}: ask for a longer step or a shorter time.`,
      '/stepSeconds',
    )
  return { from, to, stepSeconds, windows }
}
