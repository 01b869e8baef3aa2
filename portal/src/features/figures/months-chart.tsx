/** The first value of a figure by month, as bars; the numbers stand over them. */
import type { FigureGroup } from '@plimsoll/api-client'
import { findMax } from '../../components/extremes.ts'
import { describeValue } from './describe-value.ts'
import css from './figures-page.module.css'

const MONTH = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' })
const YEAR = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' })

const HEIGHT = 72

export function MonthsChart({ months }: { months: readonly FigureGroup[] }) {
  const values = months.map((month) => month.values[0]?.value ?? 0)
  const most = findMax(values, 1)
  return (
    <ol className={css['months']} aria-label={`${months[0]?.values[0]?.title ?? ''} by month`}>
      {months.map(({ key, values: [value] }, index) => (
        <li key={key} title={YEAR.format(new Date(key))}>
          <span>{value ? describeValue(value).replace(/ days?$/, ' d') : ''}</span>
          <svg width="100%" height={HEIGHT} aria-hidden="true">
            <rect
              width="100%"
              y={HEIGHT - barOf(values[index], most)}
              height={barOf(values[index], most)}
            />
          </svg>
          <span>{MONTH.format(new Date(key))}</span>
        </li>
      ))}
    </ol>
  )
}

/** A month with cases is never without a bar. */
const barOf = (value = 0, most: number) => Math.max(1, (value / most) * HEIGHT)
