/**
 * Series on a time axis, with the limits that rules set. Where points are missing the line breaks: no data is not zero.
 * Dragging, or Shift with the arrow keys and Enter, shows a part of the time.
 */
import { formatCountOf } from '../../format/counts.ts'
import { useElementSize } from '@mantine/hooks'
import { ticks } from 'd3-array'
import { line } from 'd3-shape'
import { useId, useMemo } from 'react'
import { formatInstant, formatTick } from '../../format/dates.ts'
import { formatTickValue, formatValue } from '../../format/values.ts'
import { type TimeScale, timeScale } from '../scales.ts'
import { type Breach, BreachArea } from './breach.tsx'
import { Legend } from './legend.tsx'
import { type Limit, LimitHandles, LimitTexts, type ValueScale } from './limits.tsx'
import css from './series-chart.module.css'
import {
  type ChartSeries,
  type Gap,
  listGaps,
  findNearestRow,
  type PointAt,
  type Row,
  listRows,
  listStretches,
  chooseValueRange,
} from './series-shape.ts'
import { TimeCursor } from './time-cursor.tsx'
import { findMax, findMin } from '../extremes.ts'

const HEIGHT = 168
const TOP = 12
const AXIS = 22
const LEFT = 56
const RIGHT = 12
const LEAST_WIDTH = 280
const TICK_WIDTH = 110
const VALUE_TICKS = 4

export interface SeriesChartProps {
  label: string
  series: readonly ChartSeries[]
  /** Beside those that matter: grey, and one entry of the legend. */
  others?: readonly ChartSeries[]
  from: Date
  to: Date
  /** How far apart points are where none is missing. */
  stepMs: number
  limits?: readonly Limit[]
  breach?: Breach | undefined
  /** Where the reader points, which charts over the same time share. */
  at?: Date | undefined
  onAt?: (at: Date | undefined) => void
  onZoom?: ((from: Date, to: Date) => void) | undefined
}

export function SeriesChart(props: SeriesChartProps) {
  const { label, series, from, to, stepMs, breach, at, onAt, onZoom } = props
  const { limits = NONE, others = NO_SERIES } = props
  const { ref, width: measured } = useElementSize<HTMLDivElement>()
  const width = Math.max(measured, LEAST_WIDTH)
  const rows = useMemo(() => listRows(series), [series])
  const x = useMemo(() => timeScale([from, to], [LEFT, width - RIGHT]), [from, to, width])
  const y = useMemo(() => valueScale([...series, ...others], limits), [series, others, limits])
  const near = at && findNearestRow(rows, at.getTime())
  const gaps = useMemo(() => gapsIn(rows, { from, to, stepMs }), [rows, from, to, stepMs])
  return (
    <figure className={css['chart']}>
      <div ref={ref} className={css['plot']} style={{ height: HEIGHT + AXIS }}>
        <svg width={width} height={HEIGHT + AXIS} role="img" aria-label={summaryOf(label, series)}>
          <Axes x={x} y={y} width={width} spanMs={to.getTime() - from.getTime()} />
          <Lines {...{ series, others, stepMs, x, y, gaps, near, breach }} />
          <LimitLines limits={limits} x={x} y={y} />
        </svg>
        <TimeCursor
          label={`${label} over time`}
          {...{ from, to, stepMs, onZoom, x, left: LEFT, height: HEIGHT, at }}
          times={rows.map((row) => row.at)}
          textOf={(row) => textAt(series, rows[row])}
          onAt={onAt}
        />
        <LimitTexts limits={limits} y={y} left={LEFT} right={RIGHT} />
        <LimitHandles {...{ label, limits, y }} left={LEFT} right={x.right} />
      </div>
      <figcaption className={css['note']}>
        <Legend {...{ series, others }} row={near ?? rows.at(-1)} isNewest={!near} />
        <GapWords gaps={gaps} window={{ from, to }} />
      </figcaption>
    </figure>
  )
}

const NONE: readonly Limit[] = []
const NO_SERIES: readonly ChartSeries[] = []

interface ShownSpan {
  from: Date
  to: Date
  stepMs: number
}

function gapsIn(rows: readonly Row[], { from, to, stepMs }: ShownSpan): Gap[] {
  const times = rows.map((row) => row.at)
  return listGaps(times, { from: from.getTime(), to: to.getTime(), stepMs })
}

function valueScale(series: readonly ChartSeries[], limits: readonly Limit[]): ValueScale {
  const values = series.flatMap(({ points }) => points.map(({ value }) => value))
  const [low, high] = chooseValueRange(
    values,
    limits.map(({ value }) => value),
  )
  return {
    low,
    high,
    placeOf: (value) => HEIGHT - ((HEIGHT - TOP) * (value - low)) / (high - low),
    valueAt: (place) => low + ((HEIGHT - place) * (high - low)) / (HEIGHT - TOP),
    ticks: ticks(low, high, VALUE_TICKS),
    isShown: (value) => value >= low && value <= high,
  }
}

interface Scales {
  x: TimeScale
  y: ValueScale
}

function Axes({ x, y, width, spanMs }: Scales & { width: number; spanMs: number }) {
  return (
    <>
      {y.ticks.map((tick) => (
        <g key={tick} transform={`translate(0 ${y.placeOf(tick)})`} className={css['tick']}>
          <line x1={LEFT} x2={x.right} />
          <text x={LEFT - 8} dy="4" textAnchor="end">
            {formatTickValue(tick)}
          </text>
        </g>
      ))}
      {x
        .ticks(Math.max(2, Math.floor(width / TICK_WIDTH)))
        .filter((at) => x.placeOf(at) < x.right - 16)
        .map((at) => (
          <text
            key={at.getTime()}
            x={x.placeOf(at)}
            y={HEIGHT + 16}
            textAnchor="middle"
            className={css['time']}
          >
            {formatTick(at, spanMs)}
          </text>
        ))}
    </>
  )
}

interface LinesProps extends Scales {
  series: readonly ChartSeries[]
  others: readonly ChartSeries[]
  stepMs: number
  gaps: readonly Gap[]
  near: Row | undefined
  breach: Breach | undefined
}

function Lines({ series, others, stepMs, x, y, gaps, near, breach }: LinesProps) {
  const id = useId().replaceAll(/\W/g, '')
  const drawn = useMemo(
    () => series.map(({ points }) => shapesOf(points, { x, y, stepMs })),
    [series, x, y, stepMs],
  )
  const grey = useMemo(
    () => others.map(({ points }) => shapesOf(points, { x, y, stepMs }).path),
    [others, x, y, stepMs],
  )
  const placeOf = (at: number) => x.placeOf(new Date(at))
  return (
    <>
      <clipPath id={id}>
        <rect x={LEFT} y={0} width={x.right - LEFT} height={HEIGHT + 1} />
      </clipPath>
      <g clipPath={`url(#${id})`}>
        {gaps.map((gap) => (
          <rect
            key={gap.from}
            className={css['gap']}
            x={placeOf(gap.from)}
            y={TOP}
            width={Math.max(placeOf(gap.to) - placeOf(gap.from), 1)}
            height={HEIGHT - TOP}
          />
        ))}
        {breach && (
          <BreachArea
            {...{ breach, series, stepMs }}
            placeOfTime={placeOf}
            placeOfValue={y.placeOf}
            top={TOP}
            bottom={HEIGHT}
          />
        )}
        {grey.map((path, index) => (
          <path key={index} className={css['other']} d={path} />
        ))}
        {drawn.map(({ path, alone }, index) => (
          <g key={index} className={css[`series${index}`]}>
            <path d={path} />
            {alone.map((point) => (
              <circle key={point.at} cx={placeOf(point.at)} cy={y.placeOf(point.value)} r="2" />
            ))}
            {near?.values[index] !== undefined && (
              <circle cx={placeOf(near.at)} cy={y.placeOf(near.values[index])} r="3.5" />
            )}
          </g>
        ))}
      </g>
    </>
  )
}

/** Points that stand alone are dots: a line needs two. */
function shapesOf(
  points: ChartSeries['points'],
  { x, y, stepMs }: Scales & { stepMs: number },
): { path: string; alone: PointAt[] } {
  const shape = line<PointAt>()
    .x(({ at }) => x.placeOf(new Date(at)))
    .y(({ value }) => y.placeOf(value))
  const known = points.map(({ time, value }) => ({ at: Date.parse(time), value }))
  const stretches = listStretches(known, stepMs)
  return {
    path: stretches.map((stretch) => (stretch.length > 1 ? shape(stretch) : '')).join(''),
    alone: stretches.flatMap((stretch) => (stretch.length === 1 ? stretch : [])),
  }
}

function LimitLines({ limits, x, y }: Scales & { limits: readonly Limit[] }) {
  return limits
    .filter(({ value }) => y.isShown(value))
    .map(({ id, value }) => (
      <line
        key={id}
        className={css['limit']}
        x1={LEFT}
        x2={x.right}
        y1={y.placeOf(value)}
        y2={y.placeOf(value)}
      />
    ))
}

const MOST_GAPS = 3

/** What the hatched stretches mean. */
function GapWords({ gaps, window }: { gaps: readonly Gap[]; window: { from: Date; to: Date } }) {
  if (gaps.length === 0) return null
  const more = gaps.length - MOST_GAPS
  const words = gaps.slice(0, MOST_GAPS).map((gap) => gapText(gap, window))
  return (
    <p>
      No data {words.join('; ')}
      {more > 0 && `; and ${formatCountOf(more, 'more time')}`}.
    </p>
  )
}

function gapText(gap: Gap, { from, to }: { from: Date; to: Date }): string {
  const ms = to.getTime() - from.getTime()
  const [begin, end] = [formatInstant(gap.from, ms), formatInstant(gap.to, ms)]
  if (gap.from <= from.getTime()) return `before ${end}`
  if (gap.to >= to.getTime()) return `since ${begin}`
  return `from ${begin} to ${end}`
}

function textAt(series: readonly ChartSeries[], row: Row | undefined): string {
  if (!row) return 'no point'
  const values = series.map(({ name }, index) => {
    const value = row.values[index]
    return `${name} ${value === undefined ? 'no data' : formatValue(value)}`
  })
  return `${formatInstant(row.at)}: ${values.join(', ')}`
}

function summaryOf(label: string, series: readonly ChartSeries[]): string {
  const parts = series.map(({ name, points }) => {
    const values = points.map(({ value }) => value)
    if (values.length === 0) return `${name}: no points`
    const [least, most] = [findMin(values), findMax(values)]
    return `${name}: ${formatCountOf(values.length, 'point')}, least ${formatValue(least)}, most ${formatValue(most)}, newest ${formatValue(values.at(-1) ?? 0)}`
  })
  return `${label}. ${parts.join('; ')}`
}
