import { formatAge, formatAgo, formatDate, formatDateTime, formatUtc } from '../format/dates.ts'
import { usePast } from './past.ts'

const FORMATS = {
  date: formatDate,
  dateTime: (at: string, _now?: Date) => formatDateTime(at),
  age: formatAge,
  ago: formatAgo,
}

/** A time in the reader's zone, with UTC as its tip. On a page of the past, ages are those of then. */
export function Time({ at, as = 'ago' }: { at: string; as?: keyof typeof FORMATS }) {
  const past = usePast()
  return (
    <time dateTime={at} title={`${formatDateTime(at)} (${formatUtc(at)})`}>
      {FORMATS[as](at, past)}
    </time>
  )
}
