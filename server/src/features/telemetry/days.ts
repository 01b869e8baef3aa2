/** Partitions hold one day (UTC) each. A day is counted from 1970 and half-open. */
import { dayNumber, startOfDay } from '../../formats/instants.ts'

/** `20261122` */
export function dayName(day: number): string {
  return startOfDay(day).toISOString().slice(0, 10).replaceAll('-', '')
}

export function parseDayName(name: string): number | undefined {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(name) ?? []
  return year === undefined ? undefined : dayNumber(new Date(`${year}-${month}-${day}`))
}

/** The last day all of which is older than the retention. */
export function lastExpired(now: Date, retentionDays: number): number {
  return dayNumber(now) - retentionDays - 1
}
