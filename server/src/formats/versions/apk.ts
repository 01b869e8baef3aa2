/**
 * Alpine: apk-package(5), https://gitlab.alpinelinux.org/alpine/apk-tools/-/blob/v2.14.4/src/version.c. apk 3
 * refuses numbers after a letter (`1.9.5p2`), but packages of old releases have them.
 */
import { compareLists, compareNumbers, compareText, orderBy, stripZeros } from './ordering.ts'

const SYNTAX = /^(\d+(?:(?:\.|[a-z]\.?)\d+)*[a-z]?)((?:_[a-z]+\d*)*)(?:~([0-9a-f]+))?(?:-r(\d+))?$/

/** `_p` is a patch level after the release, the last five come from a source repository. */
const SUFFIXES = ['alpha', 'beta', 'pre', 'rc', 'cvs', 'svn', 'git', 'hg', 'p'] as const
const FIRST_AFTER_RELEASE = SUFFIXES.indexOf('cvs')

/**
 * A version as a list of tokens. If two lists differ in kind, the longer version is newer, unless it continues with a
 * suffix that comes before the release. The kinds are numbered in that order.
 */
const Kind = {
  Prerelease: 0,
  End: 1,
  Revision: 2,
  Commit: 3,
  SuffixNumber: 4,
  Suffix: 5,
  Letter: 6,
  Number: 7,
} as const

interface Token {
  kind: number
  text: string
}

const END: Token = { kind: Kind.End, text: '' }

export const apk = orderBy(parse, (a, b) => compareLists(a, b, compareTokens, END))

function parse(text: string): Token[] | undefined {
  const match = SYNTAX.exec(text)
  if (match === null) return undefined
  const [, numbers = '', suffixes = '', commit, revision] = match
  const tokens = (numbers.match(/\.?\d+|[a-z]/g) ?? []).map(mainToken)
  for (const suffix of suffixes.split('_').slice(1)) {
    const found = suffixTokens(suffix)
    if (found === undefined) return undefined
    for (const each of found) tokens.push(each)
  }
  if (commit !== undefined) tokens.push({ kind: Kind.Commit, text: commit })
  if (revision !== undefined) tokens.push({ kind: Kind.Revision, text: stripZeros(revision) })
  return tokens
}

/** Numbers after a dot are compared as text where one of them has a leading zero: `1.01` comes before `1.1`. */
function mainToken(part: string): Token {
  if (part.startsWith('.')) return { kind: Kind.Number, text: part.slice(1) }
  if (part > '9') return { kind: Kind.Letter, text: part }
  return { kind: Kind.Number, text: stripZeros(part) }
}

function suffixTokens(suffix: string): Token[] | undefined {
  const word = suffix.replace(/\d+$/, '')
  const rank = SUFFIXES.findIndex((name) => name === word)
  if (rank < 0) return undefined
  const kind = rank < FIRST_AFTER_RELEASE ? Kind.Prerelease : Kind.Suffix
  const token = { kind, text: String(rank) }
  const number = suffix.slice(word.length)
  return number === '' ? [token] : [token, { kind: Kind.SuffixNumber, text: stripZeros(number) }]
}

function compareTokens(a: Token, b: Token): number {
  if (a.kind !== b.kind) return a.kind - b.kind
  if (a.kind === Kind.Letter || a.kind === Kind.Commit) return compareText(a.text, b.text)
  const hasLeadingZero = a.kind === Kind.Number && (a.text[0] === '0' || b.text[0] === '0')
  return hasLeadingZero ? compareText(a.text, b.text) : compareNumbers(a.text, b.text)
}
