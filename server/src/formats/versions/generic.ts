/**
 * The order for versions of any maker, as the ranges of NVD and CVE records need it: dotted numbers, where missing ones
 * count as 0. Stages (`rc1`) come before the release. Letters, patches (`1.0.2k`, `9.3p1`), hyphened revisions
 * (`7.0.10-34`) and dates (`6.4.20230408`, `6.4+20230408`) come after it, but before the next number. Every text has a place in this order.
 */
import { rememberAnswers } from '../remembered.ts'
import { normaliseVersion } from './normalise.ts'
import { compareLists, compareNumbers, compareText, orderBy, stripZeros } from './ordering.ts'

interface Token {
  kind: number
  text: string
}

/** The kinds in the order in which they are compared. */
const Kind = { Stage: 0, End: 1, Word: 2, Revision: 3, Number: 4 } as const

const END: Token = { kind: Kind.End, text: '' }
const TILDE: Token = { kind: Kind.Stage, text: '0' }

/** The stages before a release, with the number that gives their order. */
const STAGES = new Map(
  [
    ['dev', 'snapshot', 'nightly'],
    ['test'],
    ['alpha'],
    ['beta'],
    ['milestone'],
    ['pre', 'preview', 'prerelease'],
    ['rc', 'cr', 'candidate'],
  ].flatMap((words, index) => words.map((word) => [word, String(index + 1)] as const)),
)
/** `9.11.0a1`, `9.10.0b2`: a letter between two numbers is a stage; `1.0.2a` is a release. */
const SHORT_STAGES = new Map([
  ['a', 'alpha'],
  ['b', 'beta'],
])
/** Words that say nothing about the order. */
const NEUTRAL = new Set(['final', 'release', 'ga', 'stable', 'lts', 'v', 'version'])

/** Whether the word names a stage before a release; `a` and `b` do so only with a count. */
export function isStage(word: string, isCounted: boolean): boolean {
  return STAGES.has((isCounted ? SHORT_STAGES.get(word) : undefined) ?? word)
}

const DATE = /^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\d{4}|\d{6})?(?!\d)/

/** `20230408`, with or without the time of the day. */
export function startsWithDate(text: string): boolean {
  return DATE.test(text)
}

const PARTS = /\d+|[a-z\u0080-\uffff]+|~|-(?=\d)/g

/** Remembered: a version is compared with each of the thousands that a record may list. */
export const generic = orderBy(rememberAnswers(parse), (a, b) =>
  compareLists(a, b, compareTokens, END),
)

/** Epochs come from distributions. The text after a plus says how the version was built, if it is not the date of a patch. */
function parse(text: string): Token[] {
  const bare = normaliseVersion(text)
    .replace(/^\d{1,2}:(?=\d)/, '')
    .replace(/^((?:19|20)\d\d)-(\d\d)-(\d\d)(?!\d)/, '$1.$2.$3')
  const [release = '', build = ''] = bare.split(/\+(.*)/s)
  const patched = DATE.exec(build)?.[0]
  const version = (patched === undefined ? release : `${release}-${patched}`).toLowerCase()
  const parts = version.match(PARTS) ?? []
  const tokens: Token[] = []
  for (const [index, part] of parts.entries()) add(tokens, part, parts[index - 1], parts[index + 1])
  return dropZeros(tokens)
}

function add(tokens: Token[], part: string, before: string | undefined, after: string | undefined) {
  if (part === '-') return
  if (part === '~') {
    dropZeros(tokens)
    tokens.push(TILDE)
  } else if (isNumber(part)) addNumber(tokens, part, before === '-')
  else addWord(tokens, part, isNumber(before) && isNumber(after))
}

function addNumber(tokens: Token[], digits: string, isHyphened: boolean) {
  const last = tokens.at(-1)
  const isCount = isHyphened || startsWithDate(digits)
  const isRevision = isCount && last !== undefined && last.kind !== Kind.Stage
  if (isRevision) dropZeros(tokens, Kind.Number)
  tokens.push({ kind: isRevision ? Kind.Revision : Kind.Number, text: stripZeros(digits) })
}

function addWord(tokens: Token[], word: string, isBetweenNumbers: boolean) {
  if (NEUTRAL.has(word)) return
  dropZeros(tokens)
  const stage = STAGES.get((isBetweenNumbers ? SHORT_STAGES.get(word) : undefined) ?? word)
  if (stage === undefined) {
    tokens.push({ kind: Kind.Word, text: word })
    return
  }
  if (tokens.at(-1) === TILDE) tokens.pop()
  tokens.push({ kind: Kind.Stage, text: stage })
}

/** `1.0` is `1`, and `1.0-0` too. */
function dropZeros(tokens: Token[], only?: number): Token[] {
  let last = tokens.at(-1)
  while (last !== undefined && last.text === '0' && last !== TILDE) {
    if (only !== undefined && last.kind !== only) break
    tokens.pop()
    last = tokens.at(-1)
  }
  return tokens
}

function isNumber(part: string | undefined): boolean {
  return part !== undefined && /^\d/.test(part)
}

function compareTokens(a: Token, b: Token): number {
  if (a.kind !== b.kind) return a.kind - b.kind
  return a.kind === Kind.Word ? compareText(a.text, b.text) : compareNumbers(a.text, b.text)
}
