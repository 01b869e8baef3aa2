import { invalid } from '../../platform/errors.ts'

/** Reads the instant that a request is about. `pointer` names the field in the request. */
export function readAsOf(text: string, now: Date, pointer: string): Date {
  const at = readInstant(text, pointer)
  if (at > now) throw invalid(`${pointer} is in the future.`, pointer)
  return at
}

/** The schema accepts date-times that do not exist, which PostgreSQL would refuse. */
export function readInstant(text: string, pointer: string): Date {
  const at = new Date(text)
  if (Number.isNaN(at.getTime())) throw invalid(`${pointer} is not a valid date-time.`, pointer)
  return at
}
