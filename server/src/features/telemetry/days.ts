/** Days in UTC, as partitions are cut: half-open, counted from 1970. */
const DAY_MS = 86_400_000

export function dayOf(time: Date): number {
  return Math.floor(time.getTime() / DAY_MS)
}

export function beginOf(day: number): Date {
  return new Date(day * DAY_MS)
}

/** `20261122` */
export function dayName(day: number): string {
  return beginOf(day).toISOString().slice(0, 10).replaceAll('-', '')
}

export function parseDayName(name: string): number | undefined {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(name) ?? []
  return year === undefined ? undefined : dayOf(new Date(`${year}-${month}-${day}`))
}

/** The last day all of which is older than the retention. */
export function lastExpired(now: Date, retentionDays: number): number {
  return dayOf(now) - retentionDays - 1
}
