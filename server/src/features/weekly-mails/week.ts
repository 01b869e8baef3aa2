/** The week that a mail tells of. */
import { addDays } from '../../formats/instants.ts'
import { findNextWeekly, type Weekly } from '../notifications/index.ts'

export interface Week {
  since: Date
  until: Date
}

/**
 * The seven days before the newest time for a mail. That is later than when it was due if no worker ran for weeks: weeks that
 * nobody was told of then are left out, as one mail about the newest is worth more.
 */
export function findWeek(weekly: Weekly, dueAt: Date, now: Date): Week {
  let until = dueAt
  for (let next = dueAt; next <= now; next = findNextWeekly(weekly, next)) until = next
  return { since: addDays(until, -7), until }
}
