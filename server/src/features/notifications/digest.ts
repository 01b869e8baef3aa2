/** Digests: notifications are collected and sent as one mail at the end of each interval. */
import { DAY_MINUTES, MINUTE_MS } from '../../formats/instants.ts'
import { type Weekday, WEEKDAYS } from './quiet-hours.ts'
import { parseMinutes, createWallClock } from './wall-clock.ts'

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
export function findNextDigest(digest: Digest, now: Date): Date {
  const { every, at = DAILY_AT, timeZone = DAILY_IN } = digest
  const dayMinute = parseMinutes(at)
  const shownAt = every === '1d' ? createWallClock(timeZone) : undefined
  return nextInterval(now, (minute) =>
    shownAt ? Math.floor((shownAt(minute) - dayMinute) / DAY_MINUTES) : Math.floor(minute / 60),
  )
}

export interface Weekly {
  day: Weekday
  /** `HH:MM`. */
  at: string
  /** An IANA name: `Europe/Berlin`. */
  timeZone: string
}

const WEEK_MINUTES = 7 * DAY_MINUTES
/** 1970-01-01, from which minutes are counted, was a Thursday. */
const FIRST_WEEKDAY = WEEKDAYS.indexOf('Thu')

/** The next time of the day and hour after `now`. Where clocks skip it, the next minute counts. */
export function findNextWeekly({ day, at, timeZone }: Weekly, now: Date): Date {
  const shownAt = createWallClock(timeZone)
  const offset = (WEEKDAYS.indexOf(day) - FIRST_WEEKDAY) * DAY_MINUTES + parseMinutes(at)
  return nextInterval(now, (minute) => Math.floor((shownAt(minute) - offset) / WEEK_MINUTES))
}

/** The first minute after `now` of a later interval than that of `now`. */
function nextInterval(now: Date, intervalOf: (minute: number) => number): Date {
  let minute = Math.floor(now.getTime() / MINUTE_MS)
  let interval = intervalOf(minute)
  for (;;) {
    minute += 1
    const next = intervalOf(minute)
    if (next > interval) return new Date(minute * MINUTE_MS)
    interval = next
  }
}
