/** Readers of option values, which say what was expected. */
import { InvalidArgumentError } from 'commander'

const folded = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** One of the service's words, however it is written: `in-triage` is `InTriage`. */
export function oneOf<Word extends string>(words: readonly Word[]): (text: string) => Word {
  return (text) => {
    const found = words.find((word) => folded(word) === folded(text))
    if (found === undefined) throw new InvalidArgumentError(`There are: ${words.join(', ')}.`)
    return found
  }
}

/** `high,critical`, also given several times. */
export function listOf<Word extends string>(words: readonly Word[]) {
  const read = oneOf(words)
  return (text: string, before: readonly Word[] = []): Word[] => [
    ...new Set([...before, ...text.split(',').map(read)]),
  ]
}

export function repeated(text: string, before: readonly string[] = []): string[] {
  return [...before, text]
}

/** More than nothing. */
export function positive(text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number) || number <= 0)
    throw new InvalidArgumentError('It has to be a number above 0.')
  return number
}

export function positiveInteger(text: string): number {
  const number = positive(text)
  if (!Number.isSafeInteger(number))
    throw new InvalidArgumentError('It has to be a whole number above 0.')
  return number
}

/** `name=value`, also given several times. */
export function labels(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('It has to be written as name=value.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}
