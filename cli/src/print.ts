/** Writes answers to stdout and notes to stderr. */
import { once } from 'node:events'
import { terminal } from './terminal.ts'

export function printJson(answer: unknown): void {
  terminal().stdout.write(`${JSON.stringify(answer)}\n`)
}

/** Writes one JSON object with one list of any length. */
export async function printJsonList(name: string, elements: AsyncIterable<unknown>): Promise<void> {
  const { stdout } = terminal()
  stdout.write(`{${JSON.stringify(name)}:[`)
  let separator = ''
  for await (const element of elements) {
    if (!stdout.write(separator + JSON.stringify(element))) await once(stdout, 'drain')
    separator = ','
  }
  stdout.write(']}\n')
}

export function printLine(text: string): void {
  terminal().stdout.write(`${text}\n`)
}

export function note(text: string): void {
  if (!terminal().isQuiet) complain(text)
}

/** Says why a command fails. */
export function complain(text: string): void {
  terminal().stderr.write(`${text}\n`)
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`
}
