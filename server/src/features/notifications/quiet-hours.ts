/** Quiet hours: the times of day in which a target gets no mail. */
import { DAY_MINUTES, MINUTE_MS } from '../../formats/instants.ts'
import { parseMinutes, createWallClock } from './wall-clock.ts'

export const WEEKDAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const
export type Weekday = (typeof WEEKDAYS)[number]

export interface QuietHours {
  /** An IANA name: `Europe/Berlin`. */
  timeZone: string
  /** `HH:MM`. Hours that end at an earlier time than they begin end on the next day. The two are never equal. */
  from: string
  to: string
  /** The days on which the hours begin; all days when left out. */
  days?: readonly Weekday[] | undefined
}

/** Days are counted from 1970-01-01, a Thursday. */
function findWeekday(day: number): Weekday {
  return WEEKDAYS[(((day + 3) % 7) + 7) % 7] ?? 'Mon'
}

function isQuiet({ from, to, days = WEEKDAYS }: QuietHours, shown: number): boolean {
  const day = Math.floor(shown / DAY_MINUTES)
  const minute = shown - day * DAY_MINUTES
  const begin = parseMinutes(from)
  const end = parseMinutes(to)
  const beginsOn = (one: number) => days.includes(findWeekday(one))
  if (begin < end) return minute >= begin && minute < end && beginsOn(day)
  return (minute >= begin && beginsOn(day)) || (minute < end && beginsOn(day - 1))
}

/** Longer than any quiet hours, even in a night in which clocks are put back. */
const LONGEST_MINUTES = 3 * DAY_MINUTES

/** The earliest time at which mail may be sent: `now` outside of the quiet hours, otherwise their end in local time. */
export function endOfQuiet(hours: QuietHours | null | undefined, now: Date): Date {
  if (!hours) return now
  const shownAt = createWallClock(hours.timeZone)
  const begin = Math.floor(now.getTime() / MINUTE_MS)
  let minute = begin
  while (minute - begin < LONGEST_MINUTES && isQuiet(hours, shownAt(minute))) minute += 1
  return minute === begin ? now : new Date(minute * MINUTE_MS)
}
