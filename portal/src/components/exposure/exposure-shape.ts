/** The shapes of the chart of devices by day. */
import { area, curveMonotoneX, line, type SeriesPoint, stack } from 'd3-shape'
import { findMax } from '../extremes.ts'
import { countScale, timeScale } from '../scales.ts'
import { listGaps, type listLayers, listStretches, type Row } from './exposure-rows.ts'

export const HEIGHT = 232
export const TOP = 10
const RIGHT = 12
const DAY = 86_400_000

export type Layers = ReturnType<typeof listLayers>

/** Devices as areas that stand on each other, worst at the axis, with what places them. */
export function drawExposure(
  rows: readonly Row[],
  layers: Layers,
  { width, left, days }: { width: number; left: number; days: number },
) {
  const now = new Date()
  const begin = new Date(now.getTime() - days * DAY)
  const x = timeScale([begin, now], [left, width - RIGHT])
  const y = countScale(findMax(rows.map(({ total }) => total)), [HEIGHT, TOP])
  const stretches = listStretches(rows)
  const shape = area<Point>()
    .x(({ data }) => x.placeOf(data.at))
    .y0(([low]) => y.placeOf(low))
    .y1(([, high]) => y.placeOf(high))
    .curve(curveMonotoneX)
  const edge = line<Point>()
    .x(({ data }) => x.placeOf(data.at))
    .y(([, high]) => y.placeOf(high))
    .curve(curveMonotoneX)
  return {
    x,
    y,
    gaps: listGaps(rows, begin),
    areas: pathsOf(stretches, layers, shape),
    edges: pathsOf(stretches, layers, edge),
  }
}

type Point = SeriesPoint<Row>

/** A path for each layer, which breaks where days are missing. */
function pathsOf(
  stretches: readonly Row[][],
  layers: Layers,
  shape: (points: Iterable<Point>) => string | null,
): { id: string; path: string }[] {
  const stacked = stack<Row, string>()
    .keys(layers.map(({ id }) => id))
    .value((row, id) => row.counts[id] ?? 0)
  const all = stretches.flatMap((stretch) => stacked(stretch))
  return layers.map(({ id }) => ({
    id,
    path: all.flatMap((one) => (one.key === id ? [shape(one) ?? ''] : [])).join(''),
  }))
}
