/** Writes answers to stdout and notes to stderr. */
import { once } from 'node:events'
import { getTerminal } from './terminal.ts'

export function printJson(answer: unknown): void {
  getTerminal().stdout.write(`${JSON.stringify(answer)}\n`)
}

/** Writes one JSON object with one list of any length. */
export async function printJsonList(name: string, elements: AsyncIterable<unknown>): Promise<void> {
  const { stdout } = getTerminal()
  stdout.write(`{${JSON.stringify(name)}:[`)
  let separator = ''
  for await (const element of elements) {
    if (!stdout.write(separator + JSON.stringify(element))) await once(stdout, 'drain')
    separator = ','
  }
  stdout.write(']}\n')
}

export function printLine(text: string): void {
  getTerminal().stdout.write(`${text}\n`)
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
