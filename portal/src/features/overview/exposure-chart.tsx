/** Devices by worst severity over days; releases and roll-outs as marks under the same axis. */
import { useElementSize } from '@mantine/hooks'
import { area, curveMonotoneX, line, stack } from 'd3-shape'
import { Fragment, useMemo, useState } from 'react'
import { countScale, timeScale, type TimeScale } from '../../components/scales.ts'
import { formatCount } from '../../format/counts.ts'
import { formatDate } from '../../format/dates.ts'
import css from './exposure-chart.module.css'
import { LAYERS, rowsOf, type Row } from './exposure-rows.ts'
import type { Exposure } from './queries.ts'

const HEIGHT = 232
const LEFT = 44
const RIGHT = 12
const TOP = 10
const LANE = 24
const AXIS = 24

export function ExposureChart({ exposure, days }: { exposure: Exposure; days: number }) {
  const { ref, width } = useElementSize<HTMLDivElement>()
  const rows = useMemo(() => rowsOf(exposure), [exposure])
  const [near, setNear] = useState<Row>()
  const drawn = useMemo(
    () => draw(rows, { width: Math.max(width, 320), days }),
    [rows, width, days],
  )
  const { x, y, areas, edges } = drawn
  const height = HEIGHT + AXIS
  return (
    <div ref={ref} className={css['chart']}>
      <svg
        width="100%"
        height={height}
        role="img"
        aria-label={summaryOf(rows)}
        onMouseLeave={() => setNear(undefined)}
        onMouseMove={({ nativeEvent: { offsetX } }) => setNear(nearestRow(rows, x.timeAt(offsetX)))}
      >
        <Hatch />
        {y.ticks.map((tick) => (
          <g key={tick} transform={`translate(0 ${y.placeOf(tick)})`} className={css['tick']}>
            <line x1={LEFT} x2={x.right} />
            <text x={LEFT - 8} dy="4" textAnchor="end">
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
      <Lanes exposure={exposure} x={x} />
      {near && <Tip row={near} left={x.placeOf(near.at)} width={width} />}
    </div>
  )
}

function draw(rows: readonly Row[], { width, days }: { width: number; days: number }) {
  const now = new Date()
  const x = timeScale([new Date(now.getTime() - days * 86_400_000), now], [LEFT, width - RIGHT])
  const y = countScale(Math.max(...rows.map(({ total }) => total)), [HEIGHT, TOP])
  const series = stack<Row, string>()
    .keys(LAYERS.map(({ id }) => id))
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

function Tip({ row, left, width }: { row: Row; left: number; width: number }) {
  const isRight = left > width / 2
  return (
    <div
      className={css['tip']}
      style={isRight ? { right: width - left + 10 } : { left: left + 10 }}
    >
      <strong>{formatDate(row.at)}</strong>
      {LAYERS.map(({ id, name }) => (
        <span key={id}>
          {name} <b>{formatCount(row.counts[id] ?? 0)}</b>
        </span>
      ))}
    </div>
  )
}

/** Releases as points and roll-outs as bars, each in a line of their own. */
function Lanes({ exposure: { releases, rollouts }, x }: { exposure: Exposure; x: TimeScale }) {
  const within = (at: Date) => Math.min(Math.max(x.placeOf(at), LEFT), x.right)
  return (
    <div className={css['lanes']}>
      <div className={css['lane']} style={{ height: LANE }}>
        <span>Releases</span>
        {placed(releases, (at) => within(new Date(at)), x.right).map(({ release, left, label }) => (
          <Fragment key={release.firmwareVersionId}>
            <i
              className={css['release']}
              style={{ left }}
              title={`${release.firmwareName} ${release.version}, ${formatDate(release.at)}`}
            />
            {label !== undefined && (
              <code className={css['name']} style={label}>
                {release.firmwareName} {release.version}
              </code>
            )}
          </Fragment>
        ))}
      </div>
      <div className={css['lane']} style={{ height: LANE }}>
        <span>Roll-outs</span>
        {rollouts.map(({ deploymentId, cohortName, startedAt, endedAt, firmwareVersionName }) => {
          const left = within(new Date(startedAt))
          const right = within(endedAt === null ? new Date() : new Date(endedAt))
          return (
            <i
              key={deploymentId}
              className={`${css['rollout']} ${endedAt === null ? css['open'] : ''}`}
              style={{ left, width: Math.max(6, right - left) }}
              title={`${firmwareVersionName ?? ''} to ${cohortName}, from ${formatDate(startedAt)}`}
            />
          )
        })}
      </div>
    </div>
  )
}

/** Room that the name of a release takes, in pixels. */
const NAME_ROOM = 120

type Release = Exposure['releases'][number]

/** Names stand right of their point, at the right edge left of it, and not where the next point or name is in the way. */
function placed(releases: readonly Release[], place: (at: string) => number, right: number) {
  let free = LEFT
  return releases.map((release, index) => {
    const left = place(release.at)
    const next = releases[index + 1]
    const fitsRight = left + NAME_ROOM < Math.min(right, next ? place(next.at) : right)
    const fitsLeft = left - NAME_ROOM > free
    free = fitsRight ? left + NAME_ROOM : left
    if (fitsRight) return { release, left, label: { left: left + 9 } }
    return {
      release,
      left,
      label: fitsLeft && !next ? { right: `calc(100% - ${left - 9}px)` } : undefined,
    }
  })
}

function summaryOf(rows: readonly Row[]): string {
  const [first, last] = [rows[0], rows.at(-1)]
  if (!first || !last) return 'No data yet'
  const text = (row: Row) =>
    LAYERS.map(({ id, name }) => `${name} ${row.counts[id] ?? 0}`).join(', ')
  return `Devices by worst severity. ${formatDate(first.at)}: ${text(first)}. ${formatDate(last.at)}: ${text(last)}.`
}
