import { invalid } from '../../platform/errors.ts'

/** The instant a question is about. `pointer` is where the caller stated it. */
export function readAsOf(text: string, now: Date, pointer: string): Date {
  const at = readInstant(text, pointer)
  if (at > now) throw invalid(`${pointer} lies in the future: only the past is known.`, pointer)
  return at
}

/** Texts the schema takes for instants name days, and zones of a day's width, that PostgreSQL does not read. */
export function readInstant(text: string, pointer: string): Date {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw invalid(`${pointer} is no instant.`, pointer)
  return at
}
