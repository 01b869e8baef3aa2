/** Reads instants: a time with its zone, or a length of time before now. */
import { InvalidArgumentError } from 'commander'

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 }
const LENGTH = /^([1-9][0-9]{0,6})([smhd])$/

/** `90s`, `5m`, `1h`, `7d`. */
export function parseSeconds(text: string): number {
  const [, count, unit = ''] = LENGTH.exec(text) ?? []
  if (count === undefined)
    throw new InvalidArgumentError('It must be a length of time such as 5m, 1h or 7d.')
  return Number(count) * (SECONDS[unit] ?? Number.NaN)
}

/** The zone is required: without it a time means something else on every machine. */
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)$/i

export function parseInstant(text: string, now = Date.now()): string {
  if (LENGTH.test(text)) return new Date(now - parseSeconds(text) * 1_000).toISOString()
  return stated(text, 'before')
}

const DAY = /^\d{4}-\d\d-\d\d$/
const DAY_MS = 86_400_000

/** As `parseInstant`; a day is its beginning in UTC. */
export const parseStart = (text: string): string =>
  parseInstant(DAY.test(text) ? `${text}T00:00:00Z` : text)

/** As `parseInstant`; a day belongs to what ends with it, in UTC. One that is not over ends now. */
export function parseEnd(text: string, now = Date.now()): string {
  if (!DAY.test(text)) return parseInstant(text, now)
  const end = Date.parse(parseStart(text)) + DAY_MS
  return new Date(Math.min(end, Math.max(now, end - DAY_MS))).toISOString()
}

/** As `instant`, with lengths of time after now. */
export function parseLaterInstant(text: string, now = Date.now()): string {
  if (LENGTH.test(text)) return new Date(now + parseSeconds(text) * 1_000).toISOString()
  return stated(text, 'after')
}

function stated(text: string, side: 'before' | 'after'): string {
  const time = TIME.test(text) ? new Date(text) : undefined
  if (!time || Number.isNaN(time.getTime()))
    throw new InvalidArgumentError(
      `It must be a time such as 2026-08-22T09:30:00Z, or a length of time ${side} now: 30m, 24h, 7d.`,
    )
  return time.toISOString()
}

/** Writes an instant for tables, to the second. */
export function formatTime(time: string | null | undefined): string | null {
  return time ? time.replace('T', ' ').replace(/(?:\.\d+)?Z$/, '') : null
}
