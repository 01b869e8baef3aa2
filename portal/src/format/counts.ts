import { LOCALE } from './locale.ts'

const COUNT = new Intl.NumberFormat(LOCALE)
const TENTHS = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 1 })

/** 1204 → "1,204". */
export function formatCount(count: number): string {
  return COUNT.format(count)
}

/** "1 device", "1,204 devices". */
export function formatCountOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

/** A share of 0 to 1 as people read it: "86 %", "1.2 %", "below 0.1 %", "99.7 %". Only the whole is "100 %", and only nothing "0 %". */
export function formatPercent(share: number): string {
  const percent = share * 100
  if (percent > 0 && percent < 0.1) return `below ${TENTHS.format(0.1)} %`
  if (percent < 100 && percent >= 99.95) return `over ${TENTHS.format(99.9)} %`
  const isRound = percent >= 10 && percent < 99
  return `${isRound ? Math.round(percent) : TENTHS.format(percent)} %`
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** 1536 → "1.5 KiB". */
export function formatBytes(bytes: number): string {
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit += 1
  }
  const isWhole = unit === 0 || value >= 100
  return `${isWhole ? formatCount(Math.round(value)) : TENTHS.format(value)} ${UNITS[unit]}`
}
