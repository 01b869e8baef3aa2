/** The first value of a figure by month, as bars; the numbers stand over them. */
import type { FigureGroup } from '@plimsoll/api-client'
import { findMax } from '../../components/extremes.ts'
import { describeValue } from './describe-value.ts'
import css from './figures-page.module.css'

const MONTH = new Intl.DateTimeFormat('en', { month: 'short', timeZone: 'UTC' })
const YEAR = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' })

const HEIGHT = 72

/** From the first month with cases to the last, those without among them. */
function fillMonths(groups: readonly FigureGroup[]): Pick<FigureGroup, 'key' | 'values'>[] {
  const byKey = new Map(groups.map((group) => [group.key, group]))
  const last = groups.at(-1)?.key ?? ''
  const months: Pick<FigureGroup, 'key' | 'values'>[] = []
  for (let month = groups[0]?.key ?? last; month !== '' && month <= last; month = addMonth(month))
    months.push(byKey.get(month) ?? { key: month, values: [] })
  return months
}

const addMonth = (month: string): string => {
  const next = new Date(`${month}-01T00:00:00Z`)
  next.setUTCMonth(next.getUTCMonth() + 1)
  return next.toISOString().slice(0, 7)
}

const MOST_BARS = 28

export function MonthsChart({ groups }: { groups: readonly FigureGroup[] }) {
  const months = fillMonths(groups)
  if (months.length < 2 || months.length > MOST_BARS) return null
  const values = months.map((month) => month.values[0]?.value ?? 0)
  const most = findMax(values, 1)
  return (
    <ol className={css['months']} aria-label={`${groups[0]?.values[0]?.title ?? ''} by month`}>
      {months.map(({ key, values: [value] }, index) => (
        <li key={key} title={YEAR.format(new Date(key))}>
          <span>{value ? describeValue(value).replace(/ days?$/, ' d') : '\u00a0'}</span>
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
