/** The period and the firmware that figures are asked for. Days are those of UTC, and the last one belongs to the period. */
import { addDays, DAY_MS } from '../../formats/instants.ts'
import { invalid } from '../../platform/errors.ts'

export interface Period {
  workspaceId: string
  /** undefined: all. */
  firmwareId: string | undefined
  /** Of the firmware: only versions that belong to this release line now. undefined: all. */
  lineId: string | undefined
  /** The first day as it begins. */
  from: Date
  /** The day after the last one as it begins, or now: nothing that happened then or later counts. */
  to: Date
  lastDay: Date
  /** The last day is over, so that the figures stay as they are. */
  isClosed: boolean
}

export interface AskedDays {
  from: string
  to?: string
}

/** Days by firmware are kept for as long (`reports`). */
const MOST_DAYS = 800

export function readPeriod({ from, to }: AskedDays, now: Date) {
  const first = startOfDay(from)
  const lastDay = startOfDay(to ?? formatDay(now))
  if (first > lastDay) throw invalid('The period ends before it begins.', '/query/from')
  if (lastDay > now) throw invalid('The period ends in the future.', '/query/to')
  if ((lastDay.getTime() - first.getTime()) / DAY_MS >= MOST_DAYS)
    throw invalid(`The period has more than ${MOST_DAYS} days.`, '/query/from')
  const end = addDays(lastDay, 1)
  const isClosed = end <= now
  return { from: first, to: isClosed ? end : now, lastDay, isClosed }
}

export const formatDay = (at: Date): string => at.toISOString().slice(0, 10)

const startOfDay = (day: string) => new Date(`${day}T00:00:00Z`)
