/** One series over time. Where points are missing the line breaks: no data is not zero. */
import { useElementSize } from '@mantine/hooks'
import { extent, nice, ticks } from 'd3-array'
import { line } from 'd3-shape'
import { useMemo, useState } from 'react'
import { timeScale } from '../../components/scales.ts'
import { formatDateTime } from '../../format/dates.ts'
import css from './devices.module.css'
import type { Points } from './queries.ts'

const HEIGHT = 180
const LEFT = 56
const RIGHT = 12
const TOP = 8
const AXIS = 22
const BREAK = 3

export interface LineChartProps {
  label: string
  points: Points
  from: Date
  to: Date
  /** How far apart points are where none is missing. */
  stepMs: number
}

interface Point {
  at: Date
  value: number
}

export function LineChart({ label, points, from, to, stepMs }: LineChartProps) {
  const { ref, width } = useElementSize<HTMLDivElement>()
  const [near, setNear] = useState<Point>()
  const rows = useMemo(
    () => points.map(({ time, value }) => ({ at: new Date(time), value })),
    [points],
  )
  const { x, y, path } = useMemo(
    () => draw(rows, { width: Math.max(width, 320), from, to, stepMs }),
    [rows, width, from, to, stepMs],
  )
  return (
    <div ref={ref} className={css['chart']}>
      <svg
        width="100%"
        height={HEIGHT + AXIS}
        role="img"
        aria-label={summaryOf(label, rows)}
        onMouseLeave={() => setNear(undefined)}
        onMouseMove={({ nativeEvent: { offsetX } }) => setNear(nearest(rows, x.timeAt(offsetX)))}
      >
        {y.ticks.map((tick) => (
          <g key={tick} transform={`translate(0 ${y.placeOf(tick)})`}>
            <line x1={LEFT} x2={x.right} />
            <text x={LEFT - 8} dy="4" textAnchor="end">
              {tick}
            </text>
          </g>
        ))}
        {x.ticks(Math.max(2, Math.floor(width / 160))).map((at) => (
          <text key={at.getTime()} x={x.placeOf(at)} y={HEIGHT + 16} textAnchor="middle">
            {formatDateTime(at)}
          </text>
        ))}
        <path d={path} />
        {near && <circle cx={x.placeOf(near.at)} cy={y.placeOf(near.value)} r="3.5" />}
      </svg>
      <p className={css['note']} role="status">
        {near
          ? `${formatDateTime(near.at)}: ${near.value}`
          : `newest: ${rows.at(-1)?.value ?? 'none'}`}
      </p>
    </div>
  )
}

interface Frame {
  width: number
  from: Date
  to: Date
  stepMs: number
}

function draw(rows: readonly Point[], { width, from, to, stepMs }: Frame) {
  const x = timeScale([from, to], [LEFT, width - RIGHT])
  const y = valueScale(rows.map(({ value }) => value))
  const shape = line<Point | undefined>()
    .defined((row) => row !== undefined)
    .x((row) => (row ? x.placeOf(row.at) : 0))
    .y((row) => (row ? y.placeOf(row.value) : 0))
  return { x, y, path: shape(withGaps(rows, stepMs)) ?? '' }
}

/** `undefined` stands where at least two points are missing. */
export function withGaps(rows: readonly Point[], stepMs: number): (Point | undefined)[] {
  return rows.flatMap((row, index) => {
    const before = rows[index - 1]
    const isAfterGap = before && row.at.getTime() - before.at.getTime() >= BREAK * stepMs
    return isAfterGap ? [undefined, row] : [row]
  })
}

function valueScale(values: readonly number[]) {
  const [least = 0, most = 1] = extent(values)
  const [low, high] = least === most ? [least - 1, most + 1] : nice(least, most, 4)
  return {
    placeOf: (value: number) => HEIGHT - ((HEIGHT - TOP) * (value - low)) / (high - low),
    ticks: ticks(low, high, 4),
  }
}

function nearest(rows: readonly Point[], at: Date): Point | undefined {
  const away = (row: Point) => Math.abs(row.at.getTime() - at.getTime())
  let best = rows[0]
  for (const row of rows) if (best && away(row) < away(best)) best = row
  return best
}

function summaryOf(label: string, rows: readonly Point[]): string {
  const [least, most] = extent(rows, ({ value }) => value)
  return `${label}: ${rows.length} points, least ${least}, most ${most}, newest ${rows.at(-1)?.value}`
}
