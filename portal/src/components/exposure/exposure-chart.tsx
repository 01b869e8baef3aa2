/** Devices by worst severity over days; releases and roll-outs as marks under the same axis. */
import { useElementSize } from '@mantine/hooks'
import { area, curveMonotoneX, line, stack } from 'd3-shape'
import { useMemo, useState } from 'react'
import { countScale, timeScale } from '../scales.ts'
import { formatCount } from '../../format/counts.ts'
import { formatDate } from '../../format/dates.ts'
import css from './exposure-chart.module.css'
import { Lanes } from './exposure-lanes.tsx'
import { layersOf, rowsOf, type Row } from './exposure-rows.ts'
import type { Exposure } from '../../workspace-queries.ts'

const HEIGHT = 232
/** Names of cohorts stand left of the axis where there is room for them. */
const LEFT = 112
const NARROW_LEFT = 44
const NARROW = 560
const RIGHT = 12
const TOP = 10
const AXIS = 24

export interface ExposureChartProps {
  exposure: Exposure
  days: number
  /** Devices that have the vulnerability that was asked for, not the worst of each. */
  isOfVulnerability?: boolean
}

export function ExposureChart({ exposure, days, isOfVulnerability = false }: ExposureChartProps) {
  const { ref, width } = useElementSize<HTMLDivElement>()
  const rows = useMemo(() => rowsOf(exposure, isOfVulnerability), [exposure, isOfVulnerability])
  const layers = layersOf(isOfVulnerability)
  const [near, setNear] = useState<Row>()
  const isNarrow = width < NARROW
  const left = isNarrow ? NARROW_LEFT : LEFT
  const drawn = useMemo(
    () => draw(rows, layers, { width: Math.max(width, 320), left, days }),
    [rows, layers, width, left, days],
  )
  const { x, y, areas, edges } = drawn
  const height = HEIGHT + AXIS
  return (
    <div ref={ref} className={css['chart']}>
      <svg
        width="100%"
        height={height}
        role="img"
        aria-label={summaryOf(rows, layers)}
        onMouseLeave={() => setNear(undefined)}
        onMouseMove={({ nativeEvent: { offsetX } }) => setNear(nearestRow(rows, x.timeAt(offsetX)))}
      >
        <Hatch />
        {y.ticks.map((tick) => (
          <g key={tick} transform={`translate(0 ${y.placeOf(tick)})`} className={css['tick']}>
            <line x1={left} x2={x.right} />
            <text x={left - 8} dy="4" textAnchor="end">
              {formatCount(tick)}
            </text>
          </g>
        ))}
        {areas.map(({ id, path }) => (
          <path key={id} d={path} className={`${css['area']} ${css[id]}`} />
        ))}
        {edges.map(({ id, path }) => (
          <path key={id} d={path} className={`${css['edge']} ${css[`${id}Edge`] ?? ''}`} />
        ))}
        {x.ticks(Math.max(2, Math.floor(width / 140))).map((day) => (
          <text
            key={day.getTime()}
            x={x.placeOf(day)}
            y={HEIGHT + 16}
            textAnchor="middle"
            className={css['label']}
          >
            {formatDate(day)}
          </text>
        ))}
        {near && (
          <line
            className={css['cursor']}
            x1={x.placeOf(near.at)}
            x2={x.placeOf(near.at)}
            y1={TOP}
            y2={HEIGHT}
          />
        )}
      </svg>
      <Lanes {...{ exposure, x, left, isNarrow }} />
      {near && <Tip row={near} layers={layers} left={x.placeOf(near.at)} width={width} />}
    </div>
  )
}

type Layers = ReturnType<typeof layersOf>

function draw(
  rows: readonly Row[],
  layers: Layers,
  { width, left, days }: { width: number; left: number; days: number },
) {
  const now = new Date()
  const x = timeScale([new Date(now.getTime() - days * 86_400_000), now], [left, width - RIGHT])
  const y = countScale(Math.max(...rows.map(({ total }) => total)), [HEIGHT, TOP])
  const series = stack<Row, string>()
    .keys(layers.map(({ id }) => id))
    .value((row, id) => row.counts[id] ?? 0)(rows)
  const shape = area<(typeof series)[number][number]>()
    .x(({ data }) => x.placeOf(data.at))
    .y0(([low]) => y.placeOf(low))
    .y1(([, high]) => y.placeOf(high))
    .curve(curveMonotoneX)
  const edge = line<(typeof series)[number][number]>()
    .x(({ data }) => x.placeOf(data.at))
    .y(([, high]) => y.placeOf(high))
    .curve(curveMonotoneX)
  return {
    x,
    y,
    areas: series.map((one) => ({ id: one.key, path: shape(one) ?? '' })),
    edges: series.map((one) => ({ id: one.key, path: edge(one) ?? '' })),
  }
}

function Hatch() {
  return (
    <defs>
      <pattern
        id="hatch"
        width="6"
        height="6"
        patternUnits="userSpaceOnUse"
        patternTransform="rotate(45)"
      >
        <line x1="0" x2="0" y2="6" className={css['hatch']} />
      </pattern>
    </defs>
  )
}

interface TipProps {
  row: Row
  layers: Layers
  left: number
  width: number
}

function nearestRow(rows: readonly Row[], at: Date): Row | undefined {
  let best: Row | undefined
  for (const row of rows)
    if (
      !best ||
      Math.abs(row.at.getTime() - at.getTime()) < Math.abs(best.at.getTime() - at.getTime())
    )
      best = row
  return best
}

function Tip({ row, layers, left, width }: TipProps) {
  const isRight = left > width / 2
  return (
    <div
      className={css['tip']}
      style={isRight ? { right: width - left + 10 } : { left: left + 10 }}
    >
      <strong>{formatDate(row.at)}</strong>
      {layers.map(({ id, name }) => (
        <span key={id}>
          {name} <b>{formatCount(row.counts[id] ?? 0)}</b>
        </span>
      ))}
    </div>
  )
}

function summaryOf(rows: readonly Row[], layers: Layers): string {
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return 'No data yet'
  const text = (row: Row) =>
    layers.map(({ id, name }) => `${name} ${row.counts[id] ?? 0}`).join(', ')
  return `Devices by day. ${formatDate(first.at)}: ${text(first)}. ${formatDate(last.at)}: ${text(last)}.`
}
