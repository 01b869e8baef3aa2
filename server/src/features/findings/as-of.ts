import { parseInstant } from '../../formats/instants.ts'
import { invalid } from '../../platform/errors.ts'

/** The instant a question is about. `pointer` is where the caller stated it. */
export function readAsOf(text: string, now: Date, pointer: string): Date {
  const at = parseInstant(text, pointer)
  if (at > now) throw invalid(`${pointer} lies in the future: only the past is known.`, pointer)
  return at
}
