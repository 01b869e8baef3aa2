import type { FigureValue } from '@plimsoll/api-client'

const NUMBERS = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

/** In days. */
const HOUR = 0.05

/** "3.5 days", "50 %", "12" */
export function describeValue({ value, unit }: Pick<FigureValue, 'value' | 'unit'>): string {
  if (value === null) return 'no case'
  if (unit === 'Percent') return `${NUMBERS.format(value)} %`
  if (unit === 'Count') return NUMBERS.format(value)
  if (value < HOUR) return 'less than an hour'
  return `${NUMBERS.format(value)} ${value === 1 ? 'day' : 'days'}`
}
