/** A bar for each day. A day that was not measured has a dash in place of a bar: that is not zero. */
import { formatCalendarDay } from '../../format/dates.ts'
import { findMax } from '../extremes.ts'
import css from './day-bars.module.css'

export interface DayBar {
  day: string
  /** null: not measured. */
  value: number | null
  /** What the value says. */
  text: string
}

interface DayBarsProps {
  /** What the bars say together. */
  label: string
  bars: readonly DayBar[]
  /** Of the highest bar; by default the largest value. */
  most?: number
  size: 'small' | 'large'
}

const STEP = 10
const HEIGHT = { small: 24, large: 90 }

export function DayBars({ label, bars, most, size }: DayBarsProps) {
  const height = HEIGHT[size]
  const highest =
    most ??
    findMax(
      bars.map(({ value }) => value ?? 0),
      1,
    )
  const width = bars.length * STEP
  return (
    <svg
      className={`${css['bars']} ${css[size]}`}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {bars.map(({ day, value, text }, at) => (
        <g key={day}>
          <title>{`${formatCalendarDay(day)}: ${text}`}</title>
          <rect className={css['ground']} x={at * STEP + 1} width={STEP - 2} height={height} />
          {value === null ? (
            <rect
              className={css['missing']}
              x={at * STEP + 2}
              y={height - 3}
              width={STEP - 4}
              height={1}
            />
          ) : (
            <Bar at={at} height={measureBar(value, highest, height)} of={height} />
          )}
        </g>
      ))}
    </svg>
  )
}

/** Whatever is above zero is seen. */
const measureBar = (value: number, highest: number, height: number) =>
  value === 0 ? 0 : Math.max(2, Math.min(1, value / highest) * (height - 2))

function Bar({ at, height, of }: { at: number; height: number; of: number }) {
  return <rect x={at * STEP + 1} y={of - height} width={STEP - 2} height={height} />
}

/** "12 crashes in 14 days, 3 of them not measured" */
export function countMissing(bars: readonly DayBar[]): number {
  return bars.filter(({ value }) => value === null).length
}
