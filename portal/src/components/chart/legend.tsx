import { formatCountOf } from '../../format/counts.ts'
import { formatInstant } from '../../format/dates.ts'
import { formatValue } from '../../format/values.ts'
import css from './series-chart.module.css'
import { findMax } from '../extremes.ts'
import type { ChartSeries, Row } from './series-shape.ts'

interface LegendProps {
  series: readonly ChartSeries[]
  others: readonly ChartSeries[]
  row: Row | undefined
  /** The row is the newest, not one that the reader points at. */
  isNewest: boolean
}

/** The name of each line, with its value where the reader points, else the newest. */
export function Legend({ series, others, row, isNewest }: LegendProps) {
  return (
    <div className={css['legend']}>
      <span>{row ? `${isNewest ? 'newest, ' : ''}${formatInstant(row.at)}` : 'no point'}</span>
      {series.map(({ name }, index) => {
        const value = row?.values[index]
        return (
          <span key={name} className={css[`series${index}`]}>
            <Dash />
            <bdi>{name}</bdi> <b>{value === undefined ? 'no data' : formatValue(value)}</b>
          </span>
        )
      })}
      {others.length > 0 && (
        <span>
          <Dash className={css['other']} /> {formatCountOf(others.length, 'other')}, up to{' '}
          <b>
            {formatValue(findMax(others.flatMap(({ points }) => points.map((one) => one.value))))}
          </b>
        </span>
      )}
    </div>
  )
}

function Dash({ className }: { className?: string | undefined }) {
  return (
    <svg width="18" height="8" aria-hidden="true">
      <path d="M0 4H18" className={className} />
    </svg>
  )
}

/** The line of a series, for a list beside the chart. */
export function SeriesMark({ index }: { index: number }) {
  return (
    <span className={`${css['mark']} ${css[`series${index}`]}`}>
      <Dash />
    </span>
  )
}
