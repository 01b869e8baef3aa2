/** What a chart of series draws, as numbers: rows, gaps, the range of values. */
import { bisectCenter, extent, median, nice } from 'd3-array'

export interface SeriesPoint {
  time: string
  value: number
}

export interface ChartSeries {
  name: string
  points: readonly SeriesPoint[]
}

export interface PointAt {
  /** Milliseconds since 1970. */
  at: number
  value: number
}

/** All series at one instant; undefined where one has no point. */
export interface Row {
  at: number
  values: readonly (number | undefined)[]
}

/** Milliseconds since 1970; `to` may be the end of the chart. */
export interface Gap {
  from: number
  to: number
}

/** More steps without a point than one may be late. */
const BREAK = 3

export function listRows(series: readonly ChartSeries[]): Row[] {
  const byTime = new Map<number, (number | undefined)[]>()
  for (const [index, { points }] of series.entries())
    for (const { time, value } of points) {
      const at = Date.parse(time)
      const values = byTime.get(at) ?? series.map(() => undefined)
      values[index] = value
      byTime.set(at, values)
    }
  return [...byTime].map(([at, values]) => ({ at, values })).toSorted((a, b) => a.at - b.at)
}

/** How far apart points stand as a rule: a device may report more seldom than the steps of the chart. */
function usualMs(times: readonly number[], stepMs: number): number {
  const apart = times.slice(1).map((at, index) => at - (times[index] ?? at))
  return Math.max(stepMs, median(apart) ?? stepMs)
}

/** Where points are missing between two points. */
function gapsBetween(times: readonly number[], stepMs: number): Gap[] {
  const least = BREAK * usualMs(times, stepMs)
  return times.slice(1).flatMap((to, index) => {
    const from = times[index] ?? to
    return to - from >= least ? [{ from, to }] : []
  })
}

/** Between points, and before the first and after the last one of what the chart shows. */
export function listGaps(
  times: readonly number[],
  { from, to, stepMs }: { from: number; to: number; stepMs: number },
): Gap[] {
  const [first, last] = [times[0], times.at(-1)]
  if (first === undefined || last === undefined) return [{ from, to }]
  const least = BREAK * usualMs(times, stepMs)
  return [
    ...(first - from >= least ? [{ from, to: first }] : []),
    ...gapsBetween(times, stepMs),
    ...(to - last >= least ? [{ from: last, to }] : []),
  ]
}

/** Stretches of points that a line joins. One point alone is a stretch too. */
export function listStretches(points: readonly PointAt[], stepMs: number): PointAt[][] {
  const begins = new Set(
    gapsBetween(
      points.map(({ at }) => at),
      stepMs,
    ).map(({ to }) => to),
  )
  const stretches: PointAt[][] = []
  for (const point of points)
    if (stretches.length === 0 || begins.has(point.at)) stretches.push([point])
    else stretches.at(-1)?.push(point)
  return stretches
}

/** A limit is worth that much more height than the values themselves have. */
const ROOM = 4
/** Values that hardly change would fill the height; half of their size is taken for their span at least. */
const LEAST_SPAN = 0.5

/** Round numbers that hold all values, and those limits that leave enough height for the values. */
export function chooseValueRange(
  values: readonly number[],
  limits: readonly number[],
): [number, number] {
  const [least, most] = extent(values)
  if (least === undefined || most === undefined) return rounded(extent([0, 1, ...limits]))
  const size = Math.max(Math.abs(least), Math.abs(most))
  const span = Math.max(most - least, LEAST_SPAN * size)
  const near = limits.filter(
    (limit) => span === 0 || Math.max(most, limit) - Math.min(least, limit) <= ROOM * span,
  )
  return rounded(extent([least, most, ...near]))
}

function rounded([low = 0, high = 1]: [number, number] | [undefined, undefined]): [number, number] {
  if (low === high) return [low - 1, high + 1]
  return nice(low, high, 4)
}

export function findNearestRow(rows: readonly Row[], at: number): Row | undefined {
  return rows[
    bisectCenter(
      rows.map((row) => row.at),
      at,
    )
  ]
}

/** Each value against the one a step before, in percent; none where that is missing or 0. */
export function listChanges(points: readonly SeriesPoint[], stepMs: number): SeriesPoint[] {
  const known = new Map(points.map(({ time, value }) => [Date.parse(time), value]))
  return points.flatMap(({ time, value }) => {
    const before = known.get(Date.parse(time) - stepMs)
    if (before === undefined || before === 0) return []
    return [{ time, value: ((value - before) / Math.abs(before)) * 100 }]
  })
}
