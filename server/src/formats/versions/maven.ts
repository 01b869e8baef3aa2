/** Maven: `ComparableVersion` (https://maven.apache.org/pom.html#Version_Order_Specification). */
import {
  compareNumbers,
  compareText,
  endOfRun,
  isDigitCode,
  orderBy,
  stripZeros,
} from './ordering.ts'

/** A number, a word, or the beginning of a sub-list: in Maven's tree each list holds at most one, at its end. */
interface Token {
  kind: number
  text: string
}

/** The kinds in the order in which they are compared. */
const Kind = { Word: 0, List: 1, Number: 2 } as const

const LIST: Token = { kind: Kind.List, text: '' }
const QUALIFIERS = ['alpha', 'beta', 'milestone', 'rc', 'snapshot', '', 'sp']
const ALIASES: Record<string, string> = { ga: '', final: '', release: '', cr: 'rc' }
/** Only if a number follows: `1a1`, but not `1a`. */
const ABBREVIATIONS: Record<string, string> = { a: 'alpha', b: 'beta', m: 'milestone' }

export const maven = orderBy(parse, compare)

/** Maven accepts any text, but a text with white space is not meant as a version. */
function parse(text: string): Token[] | undefined {
  if (text === '' || /\s/.test(text)) return undefined
  return withoutNulls(splitTokens(text.toLowerCase()))
}

function splitTokens(text: string): Token[] {
  const tokens: Token[] = []
  let position = 0
  while (position < text.length) {
    const isNumber = isDigitCode(text.charCodeAt(position))
    const end = endOfRun(text, position, isNumber ? isDigitCode : isWordCode)
    const next = text[end]
    const isWord = !isNumber && end > position
    const isBeforeNumber = isWord && next !== undefined && isDigitCode(text.charCodeAt(end))
    // 1.X is 1-X, and X is 0-X. ComparableVersion leaves out some of these cases and is then not transitive.
    if (isWord && tokens.at(-1) !== LIST) tokens.push(LIST)
    tokens.push(token(text.slice(position, end), isNumber, isBeforeNumber))
    if (next !== '.' && next !== undefined) tokens.push(LIST)
    position = next === '.' || next === '-' ? end + 1 : end
  }
  return tokens
}

const isWordCode = (code: number) => !isDigitCode(code) && code !== 45 && code !== 46

/** An empty text between two separators counts as 0. */
function token(text: string, isNumber: boolean, isBeforeNumber: boolean): Token {
  if (isNumber || text === '') return { kind: Kind.Number, text: stripZeros(text) }
  const word = (isBeforeNumber ? ABBREVIATIONS[text] : undefined) ?? ALIASES[text] ?? text
  return { kind: Kind.Word, text: word }
}

const isNull = ({ kind, text }: Token) => kind !== Kind.List && (text === '' || text === '0')

/** Removes nulls at the end of each list, and lists of nulls: `1-ga-1` is `1-1`. */
function withoutNulls(tokens: readonly Token[]): Token[] {
  const kept: Token[] = []
  let isAtEndOfList = true
  for (const last of tokens.toReversed()) {
    if (last.kind === Kind.List) {
      isAtEndOfList = true
      if (kept.length > 0 && kept.at(-1) !== LIST) kept.push(last)
    } else if (!isAtEndOfList || !isNull(last)) {
      isAtEndOfList = false
      kept.push(last)
    }
  }
  return kept.toReversed()
}

function compare(a: readonly Token[], b: readonly Token[]): number {
  const length = Math.max(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const order = compareTokens(a[i], b[i])
    if (order !== 0) return order
  }
  return 0
}

function compareTokens(a: Token | undefined, b: Token | undefined): number {
  if (a === undefined) return b === undefined ? 0 : -compareToNothing(b)
  if (b === undefined) return compareToNothing(a)
  if (a.kind !== b.kind) return a.kind - b.kind
  return a.kind === Kind.Number ? compareNumbers(a.text, b.text) : compareWords(a.text, b.text)
}

/** The content of a list is compared later, so the list itself decides nothing. */
function compareToNothing({ kind, text }: Token): number {
  if (kind === Kind.List) return 0
  return kind === Kind.Number ? compareNumbers(text, '0') : compareWords(text, '')
}

/** Known words come first, in their order. All other words follow in alphabetical order. */
function compareWords(a: string, b: string): number {
  const left = QUALIFIERS.indexOf(a)
  const right = QUALIFIERS.indexOf(b)
  if (left < 0 && right < 0) return compareText(a, b)
  return (left < 0 ? QUALIFIERS.length : left) - (right < 0 ? QUALIFIERS.length : right)
}
