/** Dates as people read them. Zone and locale are the reader's. */
import { LOCALE } from './locale.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

const DATE = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', year: 'numeric' })
const DATE_OF_YEAR = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short' })
const DATE_TIME = new Intl.DateTimeFormat(LOCALE, {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
})

/** The beginning of the day so many days before, in the reader's zone. */
export function findStartOfDay(today: Date, daysBefore: number): string {
  const day = new Date(today.getTime() - daysBefore * DAY)
  day.setHours(0, 0, 0, 0)
  return day.toISOString()
}

/** "19 Nov", of another year "19 Nov 2025". */
export function formatDate(instant: string | Date, now = new Date()): string {
  const date = new Date(instant)
  return (date.getFullYear() === now.getFullYear() ? DATE_OF_YEAR : DATE).format(date)
}

/** Of a day without a zone, "2026-11-19": the same wherever one reads it. */
export function formatCalendarDay(day: string, now = new Date()): string {
  return formatDate(new Date(`${day}T00:00:00`), now)
}

/** "19 Nov 2026, 14:05". */
export function formatDateTime(instant: string | Date): string {
  return DATE_TIME.format(new Date(instant))
}

const TIME = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit' })
const SECONDS = new Intl.DateTimeFormat(LOCALE, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})
const SHORT_SPAN = 10 * MINUTE
const LONG_SPAN = 3 * DAY

/** A tick of a time axis: as much as is needed to tell it from the others. Midnight and long spans read as days. */
export function formatTick(instant: Date, spanMs: number): string {
  if (spanMs <= SHORT_SPAN) return SECONDS.format(instant)
  const isMidnight = instant.getHours() === 0 && instant.getMinutes() === 0
  return spanMs > LONG_SPAN || isMidnight ? formatDate(instant) : TIME.format(instant)
}

/** "19 Nov, 14:05"; with seconds within a short span, with the year where it is another. */
export function formatInstant(
  instant: number | Date,
  spanMs = LONG_SPAN,
  now = new Date(),
): string {
  const at = new Date(instant)
  const time = (spanMs <= SHORT_SPAN ? SECONDS : TIME).format(at)
  return `${formatDate(at, now)}, ${time}`
}

/** As the browser's field for a date and a time has it, in the reader's zone: "2026-11-23T14:05". */
export function formatForField(at: Date): string {
  const local = new Date(at.getTime() - at.getTimezoneOffset() * MINUTE)
  return local.toISOString().slice(0, 16)
}

/** "14:05:09". */
export function formatTime(instant: string | Date): string {
  return SECONDS.format(new Date(instant))
}

const WEEKDAY = new Intl.DateTimeFormat(LOCALE, { weekday: 'long', day: 'numeric', month: 'long' })
const WEEKDAY_OF_YEAR = new Intl.DateTimeFormat(LOCALE, {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
})

/** "Thursday 19 November", of another year with it. */
export function formatDay(instant: string | Date, now = new Date()): string {
  const date = new Date(instant)
  return (date.getFullYear() === now.getFullYear() ? WEEKDAY : WEEKDAY_OF_YEAR).format(date)
}

/** "2026-11-19 13:05 UTC", for the tip over a time. */
export function formatUtc(instant: string | Date): string {
  return `${new Date(instant).toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

/** "4 min", "3 h", "62 d": how long ago, or how long until. */
export function formatAge(instant: string | Date, now = new Date()): string {
  const ms = Math.abs(now.getTime() - new Date(instant).getTime())
  if (ms < MINUTE) return 'now'
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`
  if (ms < 2 * DAY) return `${Math.floor(ms / HOUR)} h`
  return `${Math.floor(ms / DAY)} d`
}

/** "4 min ago", "just now", "in 3 h". */
export function formatAgo(instant: string | Date, now = new Date()): string {
  const age = formatAge(instant, now)
  if (age === 'now') return 'just now'
  return new Date(instant) > now ? `in ${age}` : `${age} ago`
}
