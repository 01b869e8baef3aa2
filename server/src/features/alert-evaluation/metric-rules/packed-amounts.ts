import { SECOND_MS } from '../../../formats/instants.ts'
import type { MetricPoints, PointAggregate } from '../../../formats/metric-points/packed-points.ts'
import { type Amount, SUM_UNIT } from './evaluator.ts'
import type { TimeSlices } from './time-slices.ts'

/** The points of a packed hour by slice, counted from 1; points of no slice are left out. null: there is none. */
export function sumPackedPoints(
  { times, sums, aggregates }: MetricPoints,
  { bounds }: TimeSlices,
): Map<number | null, Amount> {
  const amounts = new Map<number | null, Amount>()
  let slice = 0
  // Points are ordered by time.
  for (let at = 0; at < times.length; at++) {
    const time = times[at] ?? 0
    while (slice < bounds.length && time >= (bounds[slice] ?? Infinity)) slice += 1
    if (slice === 0 || slice === bounds.length) continue
    const sum = sums[at] ?? 0
    const amount = amounts.get(slice) ?? emptyAmount()
    amounts.set(slice, amount)
    addTo(amount, time, { sum, ...(aggregates.get(at) ?? { count: 1, min: sum, max: sum }) })
  }
  return amounts.size > 0 ? amounts : new Map([[null, emptyAmount()]])
}

function addTo(
  amount: Amount,
  time: number,
  { sum, count, min, max }: PointAggregate & { sum: number },
): void {
  amount.sum += sum / SUM_UNIT
  amount.count += count
  amount.min = Math.min(amount.min, min)
  amount.max = Math.max(amount.max, max)
  const last = sum / count
  const lastat = time / SECOND_MS
  // The largest of several values at one instant counts.
  amount.last = lastat > amount.lastat ? last : Math.max(amount.last, last)
  amount.lastat = lastat
}

function emptyAmount(): Amount {
  return { sum: 0, count: 0, min: Infinity, max: -Infinity, lastat: -Infinity, last: -Infinity }
}
