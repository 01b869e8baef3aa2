/**
 * Version ranges in free text. About one CVE record in eight has them in `version`: `>= 1.0, < 2.0`, `before 1.2`,
 * `1.2 and earlier`, `All versions < V3.0`, `1.0, 1.1`. A text that is not understood completely gives nothing; it never counts
 * as an exact version.
 */
import { rememberAnswers } from '../remembered.ts'
import type { VersionStatement } from './model.ts'
import { isPlaceholder, parseBound, parseExact, shortenVersion } from './version-bounds.ts'

export type VersionRange = Pick<
  VersionStatement,
  'versions' | 'introduced' | 'introducedAfter' | 'fixed' | 'fixedIsDerived' | 'lastAffected'
>

export type VersionText = { ranges: VersionRange[] } | { undecidable: string }

export const parseVersionText = rememberAnswers((text: string): VersionText => {
  if (text.length > MAX_LENGTH) return { undecidable: `too long: ${shortenVersion(text)}` }
  const phrase = normalized(text)
  if (isPlaceholder(phrase)) return { undecidable: 'no version is stated' }
  if (EVERY_VERSION.test(phrase)) return { ranges: [{}] }
  const terms = parseTerms(phrase)
  const ranges = terms && united(terms)
  return ranges ? { ranges } : { undecidable: `not understood: ${shortenVersion(text.trim())}` }
})

const MAX_LENGTH = 2_000
const EVERY_VERSION =
  /^(?:\*|all|any|all previous versions|(?:all|any)(?: (?:known|current|firmware|software|released))? (?:versions?|releases?)(?: affected| are affected| and models)?)$/i

/** One term between commas; half-open terms may belong together. */
interface Term {
  range: VersionRange
  /** Set for a one-sided term that a second one may complete: `>= 1.0`, `< 2.0`. */
  half: 'lower' | 'upper' | undefined
  /** Whether it follows a plain comma, which may mean "and". */
  isJoined: boolean
}

function parseTerms(phrase: string): Term[] | undefined {
  const terms: Term[] = []
  let isJoined = false
  for (const piece of phrase.split(SEPARATOR)) {
    if (SEPARATOR_ONLY.test(piece)) {
      isJoined = /^\s*(?:,|&&|and)\s*$/i.test(piece)
      continue
    }
    if (piece.trim() === '') continue
    const term = parseTerm(piece.trim())
    if (term === undefined) return undefined
    terms.push({ ...term, isJoined })
  }
  return terms.length > 0 ? terms : undefined
}

const SEPARATOR =
  /(\s*(?:,|;|\|\||&&|\n)\s*|\s+(?:and|or|&)\s+(?!(?:all\s+)?(?:earlier|prior|previous|below|older|lower|under|before|later|newer|above|up|higher|onwards?|after|less|including)\b))/i
const SEPARATOR_ONLY = /^\s*(?:,|;|\|\||&&|\n|and|or|&)\s*$/i

/** Pairs `>= 1.0` with the next `< 2.0`; several upper ends without lower ends contradict each other. */
function united(terms: Term[]): VersionRange[] | undefined {
  const ranges: VersionRange[] = []
  const exact: string[][] = []
  let openBelow = 0
  for (let i = 0; i < terms.length; i++) {
    const [term, next] = [terms[i], terms[i + 1]]
    if (term === undefined) continue
    const canPair = term.half === 'lower' || (term.half === 'upper' && terms.length === 2)
    if (canPair && next && completes(term, next)) {
      ranges.push({ ...term.range, ...next.range })
      i++
    } else if (term.range.versions) {
      exact.push(term.range.versions)
    } else {
      if (term.half === 'upper') openBelow++
      ranges.push(term.range)
    }
  }
  if (openBelow > 1) return undefined
  return exact.length > 0 ? [{ versions: [...new Set(exact.flat())] }, ...ranges] : ranges
}

/** Whether the second one is the other end of the first one's range. */
function completes({ half }: Term, next: Term): boolean {
  return next.isJoined && next.half !== undefined && next.half !== half
}

type Piece = Omit<Term, 'isJoined'> | undefined

function parseTerm(text: string): Piece {
  const piece = text.replace(LEADING_WORDS, '')
  return (
    parseFixedIn(piece) ??
    parseOneOperator(piece) ??
    parseTwoOperators(piece) ??
    parseSurrounded(piece) ??
    parseBetween(piece) ??
    parseOpenBelow(piece) ??
    parseOpenAbove(piece) ??
    parseSingle(piece)
  )
}

const V = String.raw`((?:v|ver|version)?\.?\s?\d[\w.+~:()*-]*)`
const WORDS = String.raw`(?:\s+(?:version|versions|ver\.?|release|releases|build))?`

const FIXED_IN = new RegExp(
  String.raw`^fixed in (?:[a-z][\w-]* )*${V}(?: \(affected (\d[\w.]*)(?:-\d[\w.]*)?\))?$`,
  'i',
)

/** OpenSSL's records up to 2022: `Fixed in OpenSSL 1.0.2t (Affected 1.0.2-1.0.2s)`. */
function parseFixedIn(text: string): Piece {
  const [, fix, first] = FIXED_IN.exec(text) ?? []
  if (fix === undefined) return undefined
  const upper = bounded('<', fix.replace(/-dev$/i, ''))
  return whole(first === undefined ? {} : bounded('>=', first), upper)
}

const LEADING_WORDS =
  /^(?:(?:all|any|affected|affects|vulnerable|version|versions|ver\.?|vers\.?|release|releases|firmware|software|build|builds|are|is|:)\s+)+(?=\S)/i

const ONE_OPERATOR = new RegExp(`^(<=|>=|<|>|==|=)${WORDS}\\s*${V}$`, 'i')
const TWO_OPERATORS = new RegExp(`^(>=|>|=)\\s*${V}\\s*(?:-|to|and|&)?\\s*(<=|<)\\s*${V}$`, 'i')
const SURROUNDED = new RegExp(`^${V}\\s*(<=|<)\\s*(?:(?:x|v|version)\\s*(<=|<)\\s*)?${V}$`, 'i')

function parseOneOperator(text: string): Piece {
  const [, operator, version] = ONE_OPERATOR.exec(text) ?? []
  if (operator === undefined || version === undefined) return undefined
  if (operator.startsWith('=')) return exactly(version)
  const range = bounded(operator, version)
  return range && { range, half: operator.startsWith('>') ? 'lower' : 'upper' }
}

/** `>= 1.0, < 2.0` in many spellings. */
function parseTwoOperators(text: string): Piece {
  const [, lower, low, upper, high] = TWO_OPERATORS.exec(text) ?? []
  if (lower === undefined || low === undefined) return undefined
  if (upper === undefined || high === undefined) return undefined
  return whole(bounded(lower === '=' ? '>=' : lower, low), bounded(upper, high))
}

/** `1.0 <= x < 2.0`, `1.0 < 2.0`. */
function parseSurrounded(text: string): Piece {
  const [, low, first, second, high] = SURROUNDED.exec(text) ?? []
  if (low === undefined || first === undefined || high === undefined) return undefined
  const isInclusive = second === undefined || first === '<='
  return whole(bounded(isInclusive ? '>=' : '>', low), bounded(second ?? first, high))
}

const THROUGH = new RegExp(
  `^(?:from\\s+|between\\s+)?${V}${WORDS}\\s*(?:through|thru|(?:up )?to(?: and including)?|until|till|and|-|~|\\.\\.)${WORDS}\\s+${V}(?: \\(?(?:inclusive|included)\\)?)?$`,
  'i',
)
const UP_TO = new RegExp(
  `^(?:from\\s+|between\\s+)?${V}${WORDS}\\s+(?:before|prior to|and before|earlier than|up to but (?:not including|excluding)|up to \\(excluding\\))${WORDS}\\s+${V}$`,
  'i',
)
const HYPHENED = /^v?(\d+(?:\.\d+)+)-v?(\d+(?:\.\d+)+)$/i

function parseBetween(text: string): Piece {
  const upTo = UP_TO.exec(text)
  if (upTo?.[1] && upTo[2]) return whole(bounded('>=', upTo[1]), bounded('<', upTo[2]))
  const through = THROUGH.exec(text)
  if (through?.[1] && through[2]) return whole(bounded('>=', through[1]), bounded('<=', through[2]))
  // `4.0.1-4.0.7` is a range where both sides have the same shape; `1.2.3-4` is one version.
  const [, low, high] = HYPHENED.exec(text) ?? []
  if (low === undefined || high === undefined || dots(low) !== dots(high)) return undefined
  return whole(bounded('>=', low), bounded('<=', high))
}

const BEFORE = new RegExp(
  `^(?:before|prior to|earlier than|older than|lower than|less than|below|up to \\(excluding\\)|up to but (?:not including|excluding))${WORDS}\\s+${V}$`,
  'i',
)
const UNTIL = new RegExp(
  `^(?:through|thru|up to(?: and including)?|up to \\(including\\))${WORDS}\\s+${V}$`,
  'i',
)
const AND_EARLIER = new RegExp(
  `^${V}\\s*\\(?(?:and|or|&)\\s+(?:all\\s+)?(?:earlier|prior|previous|below|older|lower|under|before|less)(?:\\s+(?:versions?|releases?|builds?))?\\)?$`,
  'i',
)

function parseOpenBelow(text: string): Piece {
  const before = BEFORE.exec(text)?.[1]
  if (before !== undefined) return whole({}, bounded('<', before))
  const until = (UNTIL.exec(text) ?? AND_EARLIER.exec(text))?.[1]
  return until === undefined ? undefined : whole({}, bounded('<=', until))
}

const SINCE = new RegExp(
  `^(?:from|since|starting (?:with|from|at))${WORDS}\\s+${V}(?: onwards?)?$`,
  'i',
)
const AND_LATER = new RegExp(
  `^${V}(?:\\+|\\s+onwards?|\\s*(?:and|or|&)\\s+(?:all\\s+)?(?:later|newer|above|up|higher|onwards?|after)(?:\\s+(?:versions?|releases?|builds?))?)$`,
  'i',
)

function parseOpenAbove(text: string): Piece {
  const since = (SINCE.exec(text) ?? AND_LATER.exec(text.replace(/\+$/, ' onwards')))?.[1]
  return since === undefined ? undefined : whole(bounded('>=', since), {})
}

function parseSingle(text: string): Piece {
  const bound = parseBound(text)
  if (bound.kind === 'prefix')
    return whole({ introduced: bound.first, fixed: bound.next, fixedIsDerived: true }, {})
  return exactly(text)
}

function exactly(text: string): Piece {
  const version = parseExact(text)
  return version === undefined ? undefined : { range: { versions: [version] }, half: undefined }
}

function whole(lower: VersionRange | undefined, upper: VersionRange | undefined): Piece {
  return lower && upper && { range: { ...lower, ...upper }, half: undefined }
}

/** `> 5.x` means from `6` on; `< 5.x` means below `5`; `<= 5.x` means below `6`. */
function bounded(operator: string, text: string): VersionRange | undefined {
  const bound = parseBound(text)
  if (bound.kind === 'unknown' || bound.kind === 'open') return undefined
  const isPrefix = bound.kind === 'prefix'
  const first = isPrefix ? bound.first : bound.version
  switch (operator) {
    case '<':
      return { fixed: first }
    case '<=':
      return isPrefix ? { fixed: bound.next, fixedIsDerived: true } : { lastAffected: first }
    case '>':
      return isPrefix ? { introduced: bound.next } : { introducedAfter: first }
    default:
      return { introduced: first }
  }
}

function dots(text: string): number {
  return text.split('.').length
}

function normalized(text: string): string {
  return text
    .trim()
    .replaceAll('≤', '<=')
    .replaceAll('≥', '>=')
    .replace(/=</g, '<=')
    .replace(/=>/g, '>=')
    .replace(/[‐-―]/g, '-')
    .replaceAll(' ', ' ')
    .replace(/[^\S\n]+/g, ' ')
    .replace(
      /,\s+(?=(?:and|or) (?:all )?(?:earlier|prior|previous|below|older|lower|later|newer|above)\b)/gi,
      ' ',
    )
    .replace(/[.,;\s]+$/, '')
}
