/** On how many devices a vulnerability was active, day by day: one sees whether a fix landed. */
import type { Exposure } from '@plimsoll/api-client'
import { useElementSize } from '@mantine/hooks'
import { countScale, timeScale } from '../../components/scales.ts'
import { formatCountOf, formatCount } from '../../format/counts.ts'
import { formatDate } from '../../format/dates.ts'
import css from './devices-over-time.module.css'
import { findMax } from '../../components/extremes.ts'

const HEIGHT = 88
const LEFT = 44
const TOP = 8
const AXIS = 20
const NARROWEST = 280
const DAY_MS = 86_400_000

interface Day {
  at: Date
  devices: number
}

export function DevicesOverTime({ exposure, days }: { exposure: Exposure; days: number }) {
  const known = exposure.days.map(({ day, affected }) => ({
    at: new Date(`${day}T12:00:00Z`),
    devices: affected ?? 0,
  }))
  if (known.length < 2)
    return (
      <p className={css['none']}>
        One day is no curve yet: counts are kept once a day since {formatDate(exposure.since)}.
      </p>
    )
  return (
    <figure className={css['figure']}>
      <Curve known={known} days={days} />
      <figcaption>
        Devices with it, {days} days
        {known.length < days &&
          `; ${formatCountOf(days - known.length, 'day')} without counts left out`}
      </figcaption>
      <details>
        <summary>As a table</summary>
        <table>
          <thead>
            <tr>
              <th>Day</th>
              <th>Devices</th>
            </tr>
          </thead>
          <tbody>
            {known.toReversed().map(({ at, devices }) => (
              <tr key={at.getTime()}>
                <td>{formatDate(at)}</td>
                <td className="numbers">{formatCount(devices)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}

function Curve({ known, days }: { known: readonly Day[]; days: number }) {
  const { ref, width } = useElementSize<HTMLDivElement>()
  const room = Math.max(width, NARROWEST)
  const now = new Date()
  const x = timeScale([new Date(now.getTime() - days * DAY_MS), now], [LEFT, room])
  const most = findMax(
    known.map(({ devices }) => devices),
    1,
  )
  const y = countScale(most, [HEIGHT, TOP])
  return (
    <div ref={ref}>
      <svg width="100%" height={HEIGHT + AXIS} role="img" aria-label={textOf(known)}>
        {y.ticks.map((tick) => (
          <g key={tick} transform={`translate(0 ${y.placeOf(tick)})`}>
            <line x1={LEFT} x2={room} />
            <text x={LEFT - 8} dy="4" textAnchor="end">
              {formatCount(tick)}
            </text>
          </g>
        ))}
        {stretchesOf(known).map((stretch) => {
          const points = stretch.map(({ at, devices }) => `${x.placeOf(at)},${y.placeOf(devices)}`)
          const [first, last] = [stretch[0], stretch.at(-1)]
          return (
            <g key={points[0]}>
              <polygon
                points={`${x.placeOf(first?.at ?? now)},${HEIGHT} ${points.join(' ')} ${x.placeOf(last?.at ?? now)},${HEIGHT}`}
              />
              <polyline points={points.join(' ')} />
            </g>
          )
        })}
        {x.ticks(Math.max(2, Math.floor(room / 120))).map((tick) => (
          <text key={tick.getTime()} x={x.placeOf(tick)} y={HEIGHT + 14} textAnchor="middle">
            {formatDate(tick)}
          </text>
        ))}
      </svg>
    </div>
  )
}

/** Days one after the other: over a day without counts no line is drawn. */
function stretchesOf(known: readonly Day[]): Day[][] {
  const stretches: Day[][] = []
  let before: Day | undefined
  for (const day of known) {
    if (before && day.at.getTime() - before.at.getTime() < 1.5 * DAY_MS) stretches.at(-1)?.push(day)
    else stretches.push([day])
    before = day
  }
  return stretches
}

function textOf(known: readonly Day[]): string {
  const [first, last] = [known[0], known.at(-1)]
  if (!first || !last) return ''
  return `Devices with it: ${formatCount(first.devices)} on ${formatDate(first.at)}, ${formatCount(last.devices)} on ${formatDate(last.at)}`
}
