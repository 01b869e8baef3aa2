const COUNT = new Intl.NumberFormat('en')

/** 1204 → "1,204". */
export function formatCount(count: number): string {
  return COUNT.format(count)
}

/** "1 device", "1,204 devices". */
export function formatCountOf(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}

/** A probability of 0 to 1 as people read it: "86 %", "1.2 %", "below 0.1 %". */
export function formatPercent(share: number): string {
  const percent = share * 100
  if (percent > 0 && percent < 0.1) return 'below 0.1 %'
  if (percent >= 99.95) return '100 %'
  return `${percent >= 10 ? Math.round(percent) : Math.round(percent * 10) / 10} %`
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
  return `${unit === 0 || value >= 100 ? Math.round(value) : Math.round(value * 10) / 10} ${UNITS[unit]}`
}
