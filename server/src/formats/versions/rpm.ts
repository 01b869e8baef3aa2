/** RPM: rpm-version(7), https://rpm.org/docs/latest/man/rpm-version.7. */
import {
  compareNumbers,
  compareText,
  endOfRun,
  isDigitCode,
  isLetterCode,
  orderBy,
  stripZeros,
} from './ordering.ts'

interface RpmVersion {
  epoch: string
  version: string
  release: string | undefined
}

export const rpm = orderBy(parse, compare)

function parse(text: string): RpmVersion | undefined {
  if (text === '' || /\s/.test(text)) return undefined
  const colon = text.indexOf(':')
  const hasEpoch = colon > 0 && endOfRun(text, 0, isDigitCode) === colon
  const rest = hasEpoch ? text.slice(colon + 1) : text
  const hyphen = rest.lastIndexOf('-')
  return {
    epoch: hasEpoch ? stripZeros(text.slice(0, colon)) : '0',
    version: hyphen < 0 ? rest : rest.slice(0, hyphen),
    release: hyphen < 0 ? undefined : rest.slice(hyphen + 1),
  }
}

/** A version without release comes before all its releases, so that the order stays transitive. */
function compare(a: RpmVersion, b: RpmVersion): number {
  const order = compareNumbers(a.epoch, b.epoch) || compareSegments(a.version, b.version)
  if (order !== 0) return order
  if (a.release === undefined || b.release === undefined)
    return Number(a.release !== undefined) - Number(b.release !== undefined)
  return compareSegments(a.release, b.release)
}

const TILDE = 126
const CARET = 94

const isSeparator = (code: number) =>
  !isDigitCode(code) && !isLetterCode(code) && code !== TILDE && code !== CARET

/** The order is: tilde, end of the text, caret, words, numbers. */
const Kind = { Tilde: 0, End: 1, Caret: 2, Word: 3, Number: 4 } as const

/** `rpmvercmp`: compares segments of letters or digits; separators do not count. */
function compareSegments(a: string, b: string): number {
  if (a === b) return 0
  let i = 0
  let j = 0
  for (;;) {
    i = endOfRun(a, i, isSeparator)
    j = endOfRun(b, j, isSeparator)
    const kind = kindAt(a, i)
    const order = kind - kindAt(b, j)
    if (order !== 0) return order
    if (kind === Kind.End) return 0
    const holds = kind === Kind.Number ? isDigitCode : isLetterCode
    const isMark = kind === Kind.Tilde || kind === Kind.Caret
    const endOfA = isMark ? i + 1 : endOfRun(a, i, holds)
    const endOfB = isMark ? j + 1 : endOfRun(b, j, holds)
    const values = compareValues(kind, a.slice(i, endOfA), b.slice(j, endOfB))
    if (values !== 0) return values
    i = endOfA
    j = endOfB
  }
}

function kindAt(text: string, index: number): number {
  if (index >= text.length) return Kind.End
  const code = text.charCodeAt(index)
  if (code === TILDE) return Kind.Tilde
  if (code === CARET) return Kind.Caret
  return isDigitCode(code) ? Kind.Number : Kind.Word
}

function compareValues(kind: number, a: string, b: string): number {
  return kind === Kind.Number ? compareNumbers(stripZeros(a), stripZeros(b)) : compareText(a, b)
}
