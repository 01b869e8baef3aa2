/** What a command that changes something says: JSON, the id alone, or a sentence. */
import { printJson, printLine } from './print.ts'
import { sanitise } from './printable.ts'
import type { ConnectionOptions } from './session.ts'

interface DoneAnswer {
  /** What --json prints. */
  answer: unknown
  /** What --quiet prints, for what was created. */
  id?: string
  text: string
}

export function printDone(
  { json, quiet }: ConnectionOptions,
  { answer, id, text }: DoneAnswer,
): void {
  if (json) printJson(answer)
  else if (!quiet) for (const line of text.split('\n')) printLine(sanitise(line))
  else if (id !== undefined) printLine(sanitise(id))
}
