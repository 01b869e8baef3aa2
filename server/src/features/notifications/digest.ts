/** Digests: notifications are collected and sent as one mail at the end of each interval. */
import { DAY_MINUTES, MINUTE_MS } from '../../formats/instants.ts'
import { minutesOf, wallClock } from './wall-clock.ts'

export const DIGEST_INTERVALS = ['1h', '1d'] as const

export interface Digest {
  every: (typeof DIGEST_INTERVALS)[number]
  /** Time of day of a daily digest: `HH:MM`. */
  at?: string | undefined
  /** Time zone of a daily digest, by its IANA name. */
  timeZone?: string | undefined
}

export const DAILY_AT = '08:00'
export const DAILY_IN = 'UTC'

/** The end of the interval that contains `now`. Where clocks skip the time of a daily digest, the next minute counts. */
export function nextDigest(digest: Digest, now: Date): Date {
  const { every, at = DAILY_AT, timeZone = DAILY_IN } = digest
  const dayMinute = minutesOf(at)
  const shownAt = every === '1d' ? wallClock(timeZone) : undefined
  const intervalOf = (minute: number) =>
    shownAt ? Math.floor((shownAt(minute) - dayMinute) / DAY_MINUTES) : Math.floor(minute / 60)
  let minute = Math.floor(now.getTime() / MINUTE_MS)
  let interval = intervalOf(minute)
  for (;;) {
    minute += 1
    const next = intervalOf(minute)
    if (next > interval) return new Date(minute * MINUTE_MS)
    interval = next
  }
}
