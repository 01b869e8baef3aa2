/** Means of updated devices and of those that wait, around the update of each. Where values are missing the line breaks. */
import type { ComparisonResult } from '@plimsoll/api-client'
import { useElementSize } from '@mantine/hooks'
import { ticks } from 'd3-array'
import { line } from 'd3-shape'
import { formatTickValue, formatValue } from '../../format/values.ts'
import { findMax, findMin } from '../../components/extremes.ts'
import css from './comparison.module.css'
import { formatDuration } from './words.ts'

type Point = ComparisonResult['series'][number]

const HEIGHT = 140
const TOP = 10
const AXIS = 20
const LEFT = 52
const RIGHT = 12
const LEAST_WIDTH = 260
const GROUPS = [
  ['updated', 'updated devices'],
  ['waiting', 'waiting devices'],
] as const

interface ComparisonChartProps {
  label: string
  series: readonly Point[]
}

export function ComparisonChart({ label, series }: ComparisonChartProps) {
  const { ref, width: measured } = useElementSize<HTMLDivElement>()
  const width = Math.max(measured, LEAST_WIDTH)
  return (
    <figure className={css['chart']}>
      <div ref={ref}>
        <svg
          width={width}
          height={HEIGHT + AXIS}
          role="img"
          aria-label={`${label}: means of updated and of waiting devices around the update; the table has the values`}
        >
          <Drawing series={series} width={width} />
        </svg>
      </div>
      <figcaption className={css['legend']}>
        {GROUPS.map(([group, name]) => (
          <span key={group} className={css[group]}>
            <svg width="18" height="8" aria-hidden="true">
              <path d="M0 4H18" />
            </svg>
            {name}
          </span>
        ))}
      </figcaption>
      <details>
        <summary>As a table</summary>
        <Table label={label} series={series} />
      </details>
    </figure>
  )
}

function Drawing({ series, width }: { series: readonly Point[]; width: number }) {
  const values = series.flatMap(({ updated, waiting }) => [updated, waiting]).filter(isKnown)
  const [low, high] = rangeOf(values)
  const farthest = findMax(
    series.map(({ seconds }) => Math.abs(seconds)),
    1,
  )
  const x = (seconds: number) =>
    LEFT + ((seconds + farthest) / (2 * farthest)) * (width - LEFT - RIGHT)
  const y = (value: number) => HEIGHT - ((HEIGHT - TOP) * (value - low)) / (high - low)
  const path = (group: 'updated' | 'waiting') =>
    line<Point>()
      .defined((point) => isKnown(point[group]))
      .x(({ seconds }) => x(seconds))
      .y((point) => y(point[group] ?? 0))([...series]) ?? ''
  return (
    <>
      {ticks(low, high, 4).map((tick) => (
        <g key={tick} transform={`translate(0 ${y(tick)})`}>
          <line className={css['grid']} x1={LEFT} x2={width - RIGHT} />
          <text x={LEFT - 8} dy="4" textAnchor="end">
            {formatTickValue(tick)}
          </text>
        </g>
      ))}
      <line className={css['moment']} x1={x(0)} x2={x(0)} y1={TOP} y2={HEIGHT} />
      <text x={x(-farthest)} y={HEIGHT + 15}>
        {sayWhen(-farthest)}
      </text>
      <text x={x(0)} y={HEIGHT + 15} textAnchor="middle">
        update
      </text>
      <text x={x(farthest)} y={HEIGHT + 15} textAnchor="end">
        {sayWhen(farthest)}
      </text>
      {GROUPS.map(([group]) => (
        <g key={group} className={css[group]}>
          <path d={path(group)} />
          {series
            .filter((point) => isAlone(series, point, group))
            .map((point) => (
              <circle key={point.seconds} cx={x(point.seconds)} cy={y(point[group] ?? 0)} r="2" />
            ))}
        </g>
      ))}
    </>
  )
}

const isKnown = (value: number | null): value is number => value !== null

/** A line needs two points. */
function isAlone(series: readonly Point[], point: Point, group: 'updated' | 'waiting'): boolean {
  const index = series.indexOf(point)
  const isThere = (at: number) => isKnown(series[at]?.[group] ?? null)
  return isThere(index) && !isThere(index - 1) && !isThere(index + 1)
}

/** Never without height, and from zero on where all is near it. */
function rangeOf(values: readonly number[]): [number, number] {
  const [least, most] = [findMin(values), findMax(values)]
  if (values.length === 0) return [0, 1]
  const margin = (most - least) / 10 || Math.abs(most) / 10 || 1
  const low = least >= 0 && least < (most - least) * 2 ? 0 : least - margin
  return [low, most + margin]
}

const sayWhen = (seconds: number) =>
  `${formatDuration(Math.abs(seconds))} ${seconds < 0 ? 'before' : 'after'}`

function Table({ label, series }: ComparisonChartProps) {
  return (
    <div className={css['table']} tabIndex={0} role="region" aria-label={`${label} as a table`}>
      <table>
        <thead>
          <tr>
            <th scope="col">Begins</th>
            <th scope="col">Updated</th>
            <th scope="col">Waiting</th>
          </tr>
        </thead>
        <tbody>
          {series.map(({ seconds, updated, waiting }) => (
            <tr key={seconds}>
              <th scope="row">{seconds === 0 ? 'at the update' : sayWhen(seconds)}</th>
              {[updated, waiting].map((value, index) => (
                <td key={index}>{isKnown(value) ? formatValue(value) : 'no data'}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
