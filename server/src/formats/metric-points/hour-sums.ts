/** Adds up the points of a series in an hour. */
import type { MetricPoints } from './packed-points.ts'

export interface HourSums {
  /** null: some value is so large or so small that only the points themselves can be added up. */
  sum: number | null
  count: number
  min: number
  max: number
  /** The newest value, of several at one instant the largest; an aggregate stands for its average. null as for `sum`. */
  last: number | null
  /** Milliseconds since 1970. */
  lastAt: number
}

/**
 * Sums of values beyond these bounds might overflow, and averages underflow, which fails the query. A point stands for 2^53
 * values at most, and an hour has far fewer points.
 */
function isPlain(value: number): boolean {
  const size = Math.abs(value)
  return size === 0 || (size >= 1e-290 && size <= 1e290)
}

/** undefined: there are no points. They are ordered by time. */
export function sumHour({ times, sums, aggregates }: MetricPoints): HourSums | undefined {
  const lastAt = times.at(-1)
  if (lastAt === undefined) return undefined
  const made = { sum: 0, count: 0, min: Infinity, max: -Infinity, last: -Infinity, lastAt }
  let plain = true
  for (let at = 0; at < times.length; at++) {
    const sum = sums[at] ?? 0
    const { count, min, max } = aggregates.get(at) ?? { count: 1, min: sum, max: sum }
    plain &&= isPlain(sum)
    made.sum += sum
    made.count += count
    made.min = Math.min(made.min, min)
    made.max = Math.max(made.max, max)
    if (times[at] === lastAt) made.last = Math.max(made.last, sum / count)
  }
  return plain ? made : { ...made, sum: null, last: null }
}
