import { formatAge, formatAgo, formatDate, formatDateTime, formatUtc } from '../format/dates.ts'

const FORMATS = { date: formatDate, dateTime: formatDateTime, age: formatAge, ago: formatAgo }

/** A time in the reader's zone, with UTC as its tip. */
export function Time({ at, as = 'ago' }: { at: string; as?: keyof typeof FORMATS }) {
  return (
    <time dateTime={at} title={`${formatDateTime(at)} (${formatUtc(at)})`}>
      {FORMATS[as](at)}
    </time>
  )
}
