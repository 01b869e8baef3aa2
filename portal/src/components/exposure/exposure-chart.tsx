/** Devices by worst severity over days; releases and roll-outs as marks under the same axis. */
import type { Exposure } from '@plimsoll/api-client'
import { useElementSize } from '@mantine/hooks'
import { useMemo, useState } from 'react'
import { chooseAnchor, type TimeScale } from '../scales.ts'
import { formatCount, formatCountOf } from '../../format/counts.ts'
import { formatDate } from '../../format/dates.ts'
import css from './exposure-chart.module.css'
import { Lanes } from './exposure-lanes.tsx'
import { findNotes } from './exposure-notes.ts'
import { ExposureNotes, NoteMarks } from './note-marks.tsx'
import {
  findDay,
  type Gap,
  listLayers,
  type PointedDay,
  type Row,
  listRows,
} from './exposure-rows.ts'
import { drawExposure, HEIGHT, type Layers, TOP } from './exposure-shape.ts'

/** Names of cohorts stand left of the axis where there is room for them. */
const LEFT = 112
const NARROW_LEFT = 44
const NARROW = 560
const AXIS = 24
const DAY = 86_400_000

export interface ExposureChartProps {
  exposure: Exposure
  days: number
  /** Devices that have the vulnerability that was asked for, not the worst of each. */
  isOfVulnerability?: boolean
}

export function ExposureChart({ exposure, days, isOfVulnerability = false }: ExposureChartProps) {
  const { ref, width } = useElementSize<HTMLDivElement>()
  const { days: counted } = exposure
  const rows = useMemo(() => listRows(counted, isOfVulnerability), [counted, isOfVulnerability])
  const layers = listLayers(isOfVulnerability)
  const [near, setNear] = useState<PointedDay>()
  const isNarrow = width < NARROW
  const left = isNarrow ? NARROW_LEFT : LEFT
  const drawn = useMemo(
    () => drawExposure(rows, layers, { width: Math.max(width, 320), left, days }),
    [rows, layers, width, left, days],
  )
  const notes = useMemo(
    () => (isOfVulnerability ? [] : findNotes(rows, exposure)),
    [rows, exposure, isOfVulnerability],
  )
  const { x, y, areas, edges, gaps } = drawn
  const height = HEIGHT + AXIS
  return (
    <div ref={ref} className={css['chart']}>
      <svg
        width="100%"
        height={height}
        role="img"
        aria-label={summaryOf(rows, layers)}
        onMouseLeave={() => setNear(undefined)}
        onMouseMove={({ nativeEvent: { offsetX } }) =>
          setNear(findDay(rows, gaps, x.timeAt(offsetX)))
        }
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
        {gaps.map((gap) => (
          <Uncounted key={gap.from.getTime()} gap={gap} x={x} left={left} />
        ))}
        {areas.map(({ id, path }) => (
          <path key={id} d={path} className={`${css['area']} ${css[id]}`} />
        ))}
        {edges.map(({ id, path }) => (
          <path key={id} d={path} className={`${css['edge']} ${css[`${id}Edge`] ?? ''}`} />
        ))}
        {x.ticks(Math.max(2, Math.floor(width / 100))).map((day) => (
          <text
            key={day.getTime()}
            x={x.placeOf(day)}
            y={HEIGHT + 16}
            textAnchor={chooseAnchor(x.placeOf(day), x.right)}
            className={css['label']}
          >
            {formatDate(day)}
          </text>
        ))}
        <NoteMarks notes={notes} placeOf={(at) => x.placeOf(at)} heightOf={y.placeOf} />
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
      <ExposureNotes notes={notes} />
      <GapWords gaps={gaps} begin={x.timeAt(left)} />
      {near && <Tip near={near} layers={layers} left={x.placeOf(near.at)} width={width} />}
    </div>
  )
}

/** Words in it need as much room as this. */
const WORDS_WIDTH = 76

interface UncountedProps {
  gap: Gap
  x: TimeScale
  left: number
}

function Uncounted({ gap: { from, to }, x, left }: UncountedProps) {
  const begin = Math.max(x.placeOf(from), left)
  const width = Math.max(1, x.placeOf(to) - begin)
  return (
    <>
      <rect className={css['gap']} x={begin} y={TOP} width={width} height={HEIGHT - TOP} />
      {width >= WORDS_WIDTH && (
        <text
          x={begin + width / 2}
          y={(TOP + HEIGHT) / 2}
          textAnchor="middle"
          className={css['label']}
        >
          not counted
        </text>
      )}
    </>
  )
}

const MOST_GAPS = 3

/** Which days the hatched stretches are. */
function GapWords({ gaps, begin }: { gaps: readonly Gap[]; begin: Date }) {
  if (gaps.length === 0) return null
  const texts = gaps.slice(0, MOST_GAPS).map((gap) => gapText(gap, begin))
  const more = gaps.length - MOST_GAPS
  return (
    <p className={css['more']}>
      Not counted {texts.join('; ')}
      {more > 0 && `; and ${formatCountOf(more, 'more time')}`}. The service did not run then, or no
      device had reported yet.
    </p>
  )
}

function gapText({ from, to }: Gap, begin: Date): string {
  if (from.getTime() <= begin.getTime()) return `before ${formatDate(to)}`
  const [first, last] = [new Date(from.getTime() + DAY), new Date(to.getTime() - DAY)]
  if (last.getTime() - first.getTime() < DAY / 2) return `on ${formatDate(first)}`
  return `from ${formatDate(first)} to ${formatDate(last)}`
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
  near: PointedDay
  layers: Layers
  left: number
  width: number
}

function Tip({ near: { at, row }, layers, left, width }: TipProps) {
  const isRight = left > width / 2
  return (
    <div
      className={css['tip']}
      style={isRight ? { right: width - left + 10 } : { left: left + 10 }}
    >
      <strong>{formatDate(at)}</strong>
      {row ? (
        layers.map(({ id, name }) => (
          <span key={id}>
            {name} <b>{formatCount(row.counts[id] ?? 0)}</b>
          </span>
        ))
      ) : (
        <span>not counted</span>
      )}
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
