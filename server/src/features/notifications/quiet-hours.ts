/** The hours in which nothing is sent. */
import { DAY_MINUTES, MINUTE_MS, minutesOf, wallClock } from './wall-clock.ts'

export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const
type Weekday = (typeof WEEKDAYS)[number]

export interface QuietHours {
  /** As the IANA names it: `Europe/Berlin`. */
  timeZone: string
  /** `HH:MM`, not the same; what ends earlier than it begins ends on the next day. */
  from: string
  to: string
  /** On which they begin; left out: on all. */
  days?: readonly Weekday[] | undefined
}

/** Day 0 was a Thursday. */
function weekdayOf(day: number): Weekday {
  return WEEKDAYS[(((day + 3) % 7) + 7) % 7] ?? 'Mon'
}

function isQuiet({ from, to, days = WEEKDAYS }: QuietHours, shown: number): boolean {
  const day = Math.floor(shown / DAY_MINUTES)
  const minute = shown - day * DAY_MINUTES
  const begin = minutesOf(from)
  const end = minutesOf(to)
  const beginsOn = (one: number) => days.includes(weekdayOf(one))
  if (begin < end) return minute >= begin && minute < end && beginsOn(day)
  return (minute >= begin && beginsOn(day)) || (minute < end && beginsOn(day - 1))
}

/** Longer than any night, also one in which clocks are put back. */
const LONGEST_MINUTES = 3 * DAY_MINUTES

/** When something may be sent: `now` itself outside of the hours, by what the clock on the wall shows. */
export function endOfQuiet(hours: QuietHours | null | undefined, now: Date): Date {
  if (!hours) return now
  const shownAt = wallClock(hours.timeZone)
  const begin = Math.floor(now.getTime() / MINUTE_MS)
  let minute = begin
  while (minute - begin < LONGEST_MINUTES && isQuiet(hours, shownAt(minute))) minute += 1
  return minute === begin ? now : new Date(minute * MINUTE_MS)
}
