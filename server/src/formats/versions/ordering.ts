/** Functions that the orderings share. Numbers stay digit strings, so a number may have any count of digits. */

export interface VersionOrdering {
  isVersion(text: string): boolean
  /** Negative, 0 or positive; undefined when one of the texts is not a version of the scheme. */
  compare(a: string, b: string): number | undefined
}

export function orderBy<T>(
  parse: (text: string) => T | undefined,
  compare: (a: T, b: T) => number,
): VersionOrdering {
  return {
    isVersion: (text) => parse(text) !== undefined,
    compare: (a, b) => {
      const left = parse(a)
      if (left === undefined) return undefined
      const right = parse(b)
      return right === undefined ? undefined : compare(left, right)
    },
  }
}

const ZERO = 48
const NINE = 57

export const isDigitCode = (code: number) => code >= ZERO && code <= NINE
const isUpperCode = (code: number) => code >= 65 && code <= 90
const isLowerCode = (code: number) => code >= 97 && code <= 122
export const isLetterCode = (code: number) => isLowerCode(code) || isUpperCode(code)

/** A digit string without leading zeros; the empty text and zeros are `0`. */
export function stripZeros(digits: string): string {
  let start = 0
  while (start < digits.length - 1 && digits.charCodeAt(start) === ZERO) start++
  if (start > 0) return digits.slice(start)
  return digits === '' ? '0' : digits
}

/** Compares digit strings as numbers; both without leading zeros. */
export function compareNumbers(a: string, b: string): number {
  return a.length - b.length || compareText(a, b)
}

/** By UTF-16 code unit, which for ASCII is `strcmp`. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Compares item by item. A shorter list continues with `padding`; without padding it comes before the longer list. */
export function compareLists<T>(
  a: readonly T[],
  b: readonly T[],
  compare: (a: T, b: T) => number,
  padding?: T,
): number {
  const length = Math.max(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const left = a[i] ?? padding
    const right = b[i] ?? padding
    if (left === undefined) return -1
    if (right === undefined) return 1
    const order = compare(left, right)
    if (order !== 0) return order
  }
  return 0
}

/** The numbers of `1.02.3`, without leading zeros. */
export function splitNumbers(dotted: string): string[] {
  return dotted.split('.').map(stripZeros)
}

export const compareNumberLists = (a: readonly string[], b: readonly string[]) =>
  compareLists(a, b, compareNumbers, '0')

/** The end of the run of characters that begins at `start` and that `holds` accepts. */
export function endOfRun(text: string, start: number, holds: (code: number) => boolean): number {
  let end = start
  while (end < text.length && holds(text.charCodeAt(end))) end++
  return end
}
