/** Arch Linux: vercmp(8), https://man.archlinux.org/man/vercmp.8. */
import {
  compareNumbers,
  compareText,
  endOfRun,
  isDigitCode,
  isLetterCode,
  orderBy,
  stripZeros,
} from './ordering.ts'

interface AlpmVersion {
  epoch: string
  version: string
  release: string | undefined
}

export const alpm = orderBy(parse, compare)

const SYNTAX = /^(?:(\d+):)?([0-9a-z][^\s:-]*)(?:-([0-9.]+))?$/i

function parse(text: string): AlpmVersion | undefined {
  const match = SYNTAX.exec(text)
  if (match === null) return undefined
  const [, epoch = '', version = '', release] = match
  return { epoch: stripZeros(epoch), version, release }
}

/** As in vercmp, releases count only if both versions have one: `1.5` equals `1.5-1` and `1.5-2`. */
function compare(a: AlpmVersion, b: AlpmVersion): number {
  const order = compareNumbers(a.epoch, b.epoch) || compareSegments(a.version, b.version)
  if (order !== 0 || a.release === undefined || b.release === undefined) return order
  return compareSegments(a.release, b.release)
}

const isSeparator = (code: number) => !isDigitCode(code) && !isLetterCode(code)

/** Compares segments of letters or digits. A longer separator comes later; a version with an appended word comes first. */
function compareSegments(a: string, b: string): number {
  if (a === b) return 0
  let i = 0
  let j = 0
  while (i < a.length && j < b.length) {
    const startOfA = endOfRun(a, i, isSeparator)
    const startOfB = endOfRun(b, j, isSeparator)
    if (startOfA === a.length || startOfB === b.length) return compareEnds(a, startOfA, b, startOfB)
    const separators = startOfA - i - (startOfB - j)
    if (separators !== 0) return separators
    const isNumber = isDigitCode(a.charCodeAt(startOfA))
    if (isNumber !== isDigitCode(b.charCodeAt(startOfB))) return isNumber ? 1 : -1
    i = endOfRun(a, startOfA, isNumber ? isDigitCode : isLetterCode)
    j = endOfRun(b, startOfB, isNumber ? isDigitCode : isLetterCode)
    const order = compareSegment(isNumber, a.slice(startOfA, i), b.slice(startOfB, j))
    if (order !== 0) return order
  }
  return compareEnds(a, i, b, j)
}

function compareSegment(isNumber: boolean, a: string, b: string): number {
  return isNumber ? compareNumbers(stripZeros(a), stripZeros(b)) : compareText(a, b)
}

/** One of the two has ended. The longer one comes first if a word remains, otherwise last. */
function compareEnds(a: string, i: number, b: string, j: number): number {
  return remainder(a, i) - remainder(b, j)
}

function remainder(text: string, index: number): number {
  if (index >= text.length) return 0
  return isLetterCode(text.charCodeAt(index)) ? -1 : 1
}
