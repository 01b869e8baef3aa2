/** Writes answers to stdout and notes to stderr. */
import { once } from 'node:events'
import { formatAnswer, isPlainJson } from './answer-format.ts'
import { getTerminal } from './terminal.ts'

/** As JSON, or in the form that the command was asked for. `rows`: what CSV has of an answer about a list. */
export function printJson(answer: unknown, rows: unknown = answer): void {
  write(formatAnswer(answer, rows))
}

/** Writes one object with one list of any length; as JSON, while its elements arrive. */
export async function printJsonList(name: string, elements: AsyncIterable<unknown>): Promise<void> {
  if (!isPlainJson()) {
    const all: unknown[] = []
    for await (const element of elements) all.push(element)
    printJson({ [name]: all }, all)
    return
  }
  const { stdout } = getTerminal()
  const beginning = `{${JSON.stringify(name)}:[`
  // Nothing is written of a list that cannot be read.
  let before = beginning
  for await (const element of elements) {
    if (!stdout.write(before + JSON.stringify(element))) await once(stdout, 'drain')
    before = ','
  }
  stdout.write(before === beginning ? `${beginning}]}\n` : ']}\n')
}

export function printLine(text: string): void {
  write(`${text}\n`)
}

/** Ends the command where nobody reads any more: one that watches would never notice. */
function write(text: string): void {
  const { stdout } = getTerminal()
  if (stdout.errored) throw stdout.errored
  stdout.write(text)
}

export function note(text: string): void {
  if (!getTerminal().isQuiet) complain(text)
}

/** Says why a command fails. */
export function complain(text: string): void {
  getTerminal().stderr.write(`${text}\n`)
}

export function formatCount(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
