/** Measured values as people read them. */
const VALUE = new Intl.NumberFormat('en', { maximumSignificantDigits: 6 })
const SHORT = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 4 })
const LONG = 100_000

/** 41.28571428 → "41.2857", 1234567.8 → "1,234,570". */
export function formatValue(value: number): string {
  return VALUE.format(value)
}

/** For an axis: 1500000 → "1.5M". */
export function formatTickValue(value: number): string {
  return Math.abs(value) >= LONG ? SHORT.format(value) : VALUE.format(value)
}
