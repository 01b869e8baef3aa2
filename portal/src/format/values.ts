/** Measured values as people read them. */
import { LOCALE } from './locale.ts'

const VALUE = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 6 })
const SHORT = new Intl.NumberFormat(LOCALE, { maximumSignificantDigits: 4 })
const LONG = 100_000

/** 41.28571428 → "41.2857", 1234567.8 → "1,234,570". */
export function formatValue(value: number): string {
  return VALUE.format(value)
}

/** Some locales write millions as `m`, which means thousandths. */
const STEPS = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
  [1e3, 'K'],
] as const

/** For an axis: 1500000 → "1.5M". */
export function formatTickValue(value: number): string {
  const [factor, letter] = STEPS.find(([least]) => Math.abs(value) >= least) ?? [1, '']
  return Math.abs(value) >= LONG ? SHORT.format(value / factor) + letter : VALUE.format(value)
}
