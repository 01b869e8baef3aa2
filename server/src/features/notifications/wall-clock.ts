/** Local time of a time zone. */
import { MINUTE_MS } from '../../formats/instants.ts'

/** Maps minutes since 1970 (UTC) to minutes since 1970 in local time, which give the day and the time of day. */
export type WallClock = (minute: number) => number

const PARTS = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric' } as const

const formats = new Map<string, Intl.DateTimeFormat>()

function createFormat(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const options = { ...PARTS, minute: 'numeric', hourCycle: 'h23', calendar: 'iso8601' } as const
  const format = new Intl.DateTimeFormat('en-US', { ...options, timeZone: zoneOr(timeZone) })
  formats.set(timeZone, format)
  return format
}

/** Falls back to UTC: a newer runtime may no longer know a zone that a target has. */
function zoneOr(timeZone: string): string {
  return isTimeZone(timeZone) ? timeZone : 'UTC'
}

export function isTimeZone(text: string): boolean {
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: text })
    return true
  } catch {
    return false
  }
}

/** Zones change their offset at quarters of an hour only, so one lookup for each quarter is enough. */
const QUARTER = 15

export function createWallClock(timeZone: string): WallClock {
  const format = createFormat(timeZone)
  const offsets = new Map<number, number>()
  return (minute) => {
    const quarter = Math.floor(minute / QUARTER) * QUARTER
    let offset = offsets.get(quarter)
    if (offset === undefined) {
      offset = shownAt(format, quarter) - quarter
      offsets.set(quarter, offset)
    }
    return minute + offset
  }
}

function shownAt(format: Intl.DateTimeFormat, minute: number): number {
  const shown = new Map(
    format.formatToParts(minute * MINUTE_MS).map(({ type, value }) => [type, Number(value)]),
  )
  const at = (type: Intl.DateTimeFormatPartTypes) => shown.get(type) ?? 0
  return Date.UTC(at('year'), at('month') - 1, at('day'), at('hour'), at('minute')) / MINUTE_MS
}

/** `HH:MM` in minutes of the day. */
export function parseMinutes(text: string): number {
  const [hours = 0, minutes = 0] = text.split(':').map(Number)
  return hours * 60 + minutes
}
