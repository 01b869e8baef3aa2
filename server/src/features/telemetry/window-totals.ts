/** Adds up values of metrics in windows of time, from points and from sums of several. */
import { HOUR_MS, SECOND_MS } from '../../formats/instants.ts'
import type { MetricPoints, PointAggregate } from '../../formats/metric-points/packed-points.ts'
import type { DaySums, SumColumn } from '../../formats/metric-points/packed-sums.ts'
import type { Aggregation, QueryWindow, Span } from './query-window.ts'

export interface WindowValue {
  deviceId: string | null
  /** The begin of the window, as a date-time. */
  time: string
  value: number
}

/**
 * The totals of a device, by window. Values are sums for the average, else what the aggregation gives; NaN: the window has no
 * points. Weights are counts for the average, and the times of values for the last one; else they have no meaning.
 */
interface Totals {
  values: Float64Array
  weights: Float64Array
}

/** The columns of packed sums that an aggregation is made of, as in `WindowTotals`; the weight is the last one to be read. */
const COLUMNS: Record<Aggregation, { value: SumColumn; weight: SumColumn }> = {
  Average: { value: 'sum', weight: 'count' },
  Minimum: { value: 'min', weight: 'min' },
  Maximum: { value: 'max', weight: 'max' },
  Sum: { value: 'sum', weight: 'sum' },
  Count: { value: 'count', weight: 'count' },
  Last: { value: 'last', weight: 'lastAt' },
}

/** Which columns of packed sums have to be read. */
export const findLastColumn = (aggregation: Aggregation): SumColumn => COLUMNS[aggregation].weight

/** Throws RangeError where values are too large or too small to be added up. Reported values are finite. */
export class WindowTotals {
  private readonly devices = new Map<string | null, Totals>()
  private readonly window: QueryWindow
  private readonly aggregation: Aggregation

  constructor(window: QueryWindow, aggregation: Aggregation) {
    this.window = window
    this.aggregation = aggregation
  }

  /** Adds the points that lie in the span. */
  addPoints(deviceId: string | null, points: MetricPoints, { from, to }: Span): void {
    const [first, end] = [from.getTime(), to.getTime()]
    const totals = this.totalsOf(deviceId)
    const { times, sums, aggregates } = points
    const isLast = this.aggregation === 'Last'
    for (let at = 0; at < times.length; at++) {
      const time = times[at] ?? 0
      if (time < first || time >= end) continue
      const sum = sums[at] ?? 0
      const aggregate = aggregates.size > 0 ? aggregates.get(at) : undefined
      const value = aggregate ? this.valueOf({ ...aggregate, sum }) : this.valueOfOne(sum)
      this.add(totals, time, value, isLast ? time : (aggregate?.count ?? 1))
    }
  }

  /** Adds a total of points from `time` on, which lie in one window. */
  addTotal(deviceId: string | null, time: number, total: { value: number; weight: number }): void {
    this.add(this.totalsOf(deviceId), time, total.value, total.weight)
  }

  /** Adds the hours that lie in the span, each of which lies in one window. false: some of them have no sums. */
  addDay(
    deviceId: string | null,
    { day, sums }: { day: Date; sums: DaySums },
    { from, to }: Span,
  ): boolean {
    const [first, end] = [from.getTime(), to.getTime()]
    const { value, weight } = COLUMNS[this.aggregation]
    for (const [at, hour] of sums.hours.entries()) {
      const time = day.getTime() + hour * HOUR_MS
      if (time < first || time >= end) continue
      if (Number.isNaN(sums.sum[at])) return false
      this.addTotal(deviceId, time, { value: sums[value][at] ?? 0, weight: sums[weight][at] ?? 0 })
    }
    return true
  }

  /** Yields the windows by device, and by time. */
  *values(): Generator<WindowValue> {
    const begin = this.window.from.getTime()
    const stepMs = this.window.stepSeconds * SECOND_MS
    // Devices share windows: writing a date-time takes longer than adding up some points.
    const times: string[] = []
    for (const [deviceId, { values, weights }] of this.devices)
      for (const [index, value] of values.entries())
        if (!Number.isNaN(value)) {
          const time = (times[index] ??= new Date(begin + index * stepMs).toISOString())
          yield { deviceId, time, value: this.result(value, weights[index] ?? 1) }
        }
  }

  /** An aggregate that a device reports counts as the points it is made of. As the last value it is their average. */
  private valueOf({ sum, count, min, max }: PointAggregate & { sum: number }): number {
    const values: Record<Aggregation, number> = {
      Average: sum,
      Minimum: min,
      Maximum: max,
      Sum: sum,
      Count: count,
      Last: sum / count,
    }
    return values[this.aggregation]
  }

  private valueOfOne(value: number): number {
    return this.aggregation === 'Count' ? 1 : value
  }

  private add({ values, weights }: Totals, time: number, value: number, weight: number): void {
    const { from, stepSeconds } = this.window
    const index = Math.floor((time - from.getTime()) / (stepSeconds * SECOND_MS))
    const known = values[index] ?? NaN
    const knownWeight = weights[index] ?? 0
    if (Number.isNaN(known)) {
      values[index] = value
      weights[index] = weight
    } else if (this.aggregation === 'Minimum') values[index] = Math.min(known, value)
    else if (this.aggregation === 'Maximum') values[index] = Math.max(known, value)
    else if (this.aggregation === 'Last') {
      if (weight < knownWeight || (weight === knownWeight && value <= known)) return
      values[index] = value
      weights[index] = weight
    } else {
      values[index] = inRange(known + value)
      weights[index] = knownWeight + weight
    }
  }

  private totalsOf(deviceId: string | null): Totals {
    const known = this.devices.get(deviceId)
    if (known) return known
    const { windows } = this.window
    const made = { values: new Float64Array(windows).fill(NaN), weights: new Float64Array(windows) }
    this.devices.set(deviceId, made)
    return made
  }

  private result(value: number, weight: number): number {
    if (this.aggregation !== 'Average') return value
    const average = value / weight
    // As in PostgreSQL, which refuses a result that has no digits left.
    if (average === 0 && value !== 0) throw new RangeError('the average is too small')
    return average
  }
}

function inRange(value: number): number {
  if (!Number.isFinite(value)) throw new RangeError('the sum is too large')
  return value
}
