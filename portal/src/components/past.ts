/** A past state: what is shown was so then, and ages count up to then. */
import { createContext, useContext } from 'react'
import { formatDateTime, formatDay } from '../format/dates.ts'

export const PastContext = createContext<Date | undefined>(undefined)

/** The instant that the page around shows; undefined: now. */
export const usePast = (): Date | undefined => useContext(PastContext)

/** The last moment of a day of the reader, as people mean it who pick a day; of today: now. */
export function findEndOfDay(day: string, now = Date.now()): string | undefined {
  const [year, month, date] = day.split('-').map(Number)
  // A year that is being typed is none yet.
  if (year === undefined || year < 2000 || month === undefined || date === undefined)
    return undefined
  const end = new Date(year, month - 1, date + 1).getTime() - 1
  return new Date(Math.min(end, now)).toISOString()
}

/** "the end of Sunday 11 October", or to the minute where it is another moment of the day. */
export function describePast(asOf: string): string {
  const at = new Date(asOf)
  const next = new Date(at.getTime() + 1)
  const isEnd = next.getHours() === 0 && next.getMinutes() === 0 && next.getDate() !== at.getDate()
  return isEnd ? `the end of ${formatDay(at)}` : formatDateTime(at)
}
