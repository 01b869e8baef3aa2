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
const DAY_SECONDS = 86_400

/** Without a step, all of it is one. */
export function readWindow(input: { from: string; to: string; stepSeconds?: number }): Window {
  const from = readTime('from', input.from)
  const to = readTime('to', input.to)
  const seconds = (to.getTime() - from.getTime()) / 1_000
  if (seconds <= 0) throw invalid('`to` has to be later than `from`.', '/to')
  if (seconds > MOST_DAYS * DAY_SECONDS)
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

/** RFC 3339 knows leap seconds, JavaScript does not. */
export function readTime(name: string, text: string): Date {
  const time = new Date(text)
  if (Number.isNaN(time.getTime()))
    throw invalid(`${name} is no time this service can compare with.`, `/${name}`)
  return time
}
