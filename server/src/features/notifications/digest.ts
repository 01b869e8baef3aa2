/** What is collected and sent as one message. */
import { DAY_MINUTES, MINUTE_MS, minutesOf, wallClock } from './wall-clock.ts'

export const DIGEST_INTERVALS = ['1h', '1d'] as const

export interface Digest {
  every: (typeof DIGEST_INTERVALS)[number]
  /** Of a daily one: `HH:MM`. */
  at?: string | undefined
  /** Of a daily one, as the IANA names it. */
  timeZone?: string | undefined
}

export const DAILY_AT = '08:00'
export const DAILY_IN = 'UTC'

/** Later than `now`; a time that clocks leave out on a day is that day's next one. */
export function nextDigest(digest: Digest, now: Date): Date {
  const { every, at = DAILY_AT, timeZone = DAILY_IN } = digest
  const dayMinute = minutesOf(at)
  const shownAt = every === '1d' ? wallClock(timeZone) : undefined
  const turnOf = (minute: number) =>
    shownAt ? Math.floor((shownAt(minute) - dayMinute) / DAY_MINUTES) : Math.floor(minute / 60)
  let minute = Math.floor(now.getTime() / MINUTE_MS)
  let turn = turnOf(minute)
  for (;;) {
    minute += 1
    const next = turnOf(minute)
    if (next > turn) return new Date(minute * MINUTE_MS)
    turn = next
  }
}
