/** Calendar months in time zones. */
import { findMin } from '../extremes.ts'

const PARTS = {
  year: 'numeric',
  month: 'numeric',
  day: 'numeric',
  hour: 'numeric',
  minute: 'numeric',
  second: 'numeric',
  hourCycle: 'h23',
  calendar: 'iso8601',
} as const

/** The local time as if it were one of UTC, in milliseconds. */
function readWallTime(instant: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-US', { ...PARTS, timeZone })
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, +value]))
  const at = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0
  const seconds = Date.UTC(
    at('year'),
    at('month') - 1,
    at('day'),
    at('hour'),
    at('minute'),
    at('second'),
  )
  return seconds + (((instant % 1000) + 1000) % 1000)
}

/** The first instant at which the clocks of the zone show this time or, where they skip it, a later one. */
function findInstant(wallTime: number, timeZone: string): number {
  const day = 24 * 60 * 60 * 1000
  // The offsets before and after any change of the clocks nearby.
  const offsets = [wallTime - day, wallTime + day].map((at) => readWallTime(at, timeZone) - at)
  const candidates = offsets.map((offset) => wallTime - offset)
  const exact = candidates.filter((at) => readWallTime(at, timeZone) === wallTime)
  return findMin(exact.length > 0 ? exact : candidates)
}

/** The same day of the next month and the same time of day, or the last day of that month where it is shorter. */
export function addCalendarMonth(instant: Date, timeZone: string): Date {
  const wall = new Date(readWallTime(instant.getTime(), timeZone))
  const [year, month] = [wall.getUTCFullYear(), wall.getUTCMonth() + 1]
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const timeOfDay = wall.getTime() - Date.UTC(year, month - 1, wall.getUTCDate())
  const later = Date.UTC(year, month, Math.min(wall.getUTCDate(), lastDay)) + timeOfDay
  return new Date(findInstant(later, timeZone))
}

export function isTimeZoneName(text: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: text })
    return true
  } catch {
    return false
  }
}
