/** Read option values; their errors say what is expected. */
import { InvalidArgumentError } from 'commander'

/** What devices log from on. */
const folded = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

const WORDS = new WeakMap<object, readonly string[]>()

/** The words that a reader of values takes, if it takes some. */
export function listAcceptedWords(read: object | undefined): readonly string[] | undefined {
  return read && WORDS.get(read)
}

/** Reads a word of the API in any spelling: `in-triage` is `InTriage`. */
export function readOneOf<Word extends string>(words: readonly Word[]): (text: string) => Word {
  const read = (text: string) => {
    const found = words.find((word) => folded(word) === folded(text))
    if (found === undefined) throw new InvalidArgumentError(`Use one of: ${words.join(', ')}.`)
    return found
  }
  WORDS.set(read, words.map(hyphened))
  return read
}

/** As people type it: `InTriage` is `in-triage`. */
const hyphened = (word: string) => word.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '-').toLowerCase()

/** Reads a list such as `high,critical`; the option may be repeated. */
export function readListOf<Word extends string>(words: readonly Word[]) {
  const read = readOneOf(words)
  const readAll = (text: string, before: readonly Word[] = []): Word[] => [
    ...new Set([...before, ...text.split(',').map(read)]),
  ]
  WORDS.set(readAll, words.map(hyphened))
  return readAll
}

export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text]
}

/** Reads a number above 0. */
export function readPositive(text: string): number {
  const number = Number(text)
  if (text.trim() === '' || !Number.isFinite(number) || number <= 0)
    throw new InvalidArgumentError('It must be a number above 0.')
  return number
}

export function readPositiveInteger(text: string): number {
  const number = readPositive(text)
  if (!Number.isSafeInteger(number))
    throw new InvalidArgumentError('It must be a whole number above 0.')
  return number
}

export function readWholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text.trim()))
    throw new InvalidArgumentError('It must be a whole number, 0 or above.')
  return Number(text)
}

export function readPercent(text: string): number {
  const number = Number(text.replace(/ ?%$/, ''))
  if (!Number.isInteger(number) || number < 0 || number > 100)
    throw new InvalidArgumentError('It must be a whole percentage, from 0 to 100.')
  return number
}

/** Reads `name=value`; the option may be repeated. */
export function readLabels(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1) throw new InvalidArgumentError('Write it as name=value.')
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}

/** Reads `name` or `name@version`. A leading @ belongs to the name, as in npm scopes. */
export function asComponent(text: string): { packageName: string; version?: string } {
  const at = text.lastIndexOf('@')
  return at > 0
    ? { packageName: text.slice(0, at), version: text.slice(at + 1) }
    : { packageName: text }
}

/** Of a list that the workspace defines, such as outcomes of its tree. */
export const readNames = (text: string): string[] => text.split(',').map((word) => word.trim())
