/** Working days are Monday to Friday in UTC. Public holidays differ by country and are not left out, so nothing is due later than it would be with them. */
import { addDays } from '../instants.ts'

const SUNDAY = 0
const SATURDAY = 6

const isWorkingDay = (at: Date) => at.getUTCDay() !== SUNDAY && at.getUTCDay() !== SATURDAY

/** The same time of day, so many working days later. Days of a weekend do not count. */
export function addWorkingDays(instant: Date, days: number): Date {
  let at = instant
  for (let left = days; left > 0;) {
    at = addDays(at, 1)
    if (isWorkingDay(at)) left -= 1
  }
  return at
}
