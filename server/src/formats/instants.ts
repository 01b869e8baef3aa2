/** Instants, and the hours and days (UTC) that contain them. */
import { invalid } from '../platform/errors.ts'

export const SECOND_MS = 1_000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
export const DAY_SECONDS = DAY_MS / SECOND_MS
export const DAY_MINUTES = DAY_MS / MINUTE_MS

/**
 * Reads a date-time of a request; `pointer` names its place. The format `date-time` of a schema (RFC 3339) also
 * accepts leap seconds and days such as 30 February, which are refused here.
 */
export function parseInstant(text: string, pointer: string): Date {
  const instant = new Date(text)
  if (!Number.isNaN(instant.getTime())) return instant
  const name = pointer.slice(pointer.lastIndexOf('/') + 1)
  throw invalid(`${name} is not a valid date-time.`, pointer)
}

/** As `parseInstant`; undefined without a text. */
export function parseOptionalInstant(text: string | undefined, pointer: string): Date | undefined {
  return text === undefined ? undefined : parseInstant(text, pointer)
}

/** Reads the past instant that a request is about. */
export function parsePastInstant(text: string, now: Date, pointer: string): Date {
  const at = parseInstant(text, pointer)
  if (at > now) throw invalid(`${pointer} is in the future.`, pointer)
  return at
}

/** `2026-08-22 09:30 UTC`, for readers whose time zone is not known. */
export function formatInstant(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}

export function addMs(instant: Date, ms: number): Date {
  return new Date(instant.getTime() + ms)
}

export function addDays(instant: Date, days: number): Date {
  return addMs(instant, days * DAY_MS)
}

/** Hours since 1970, rounded down. */
export function countHours(instant: Date): number {
  return Math.floor(instant.getTime() / HOUR_MS)
}

export function startOfHour(instant: Date): Date {
  return new Date(countHours(instant) * HOUR_MS)
}

/** Days since 1970 in UTC, rounded down. */
export function countDays(instant: Date): number {
  return Math.floor(instant.getTime() / DAY_MS)
}

export function startOfDay(day: number): Date {
  return new Date(day * DAY_MS)
}
