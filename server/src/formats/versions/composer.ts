/**
 * Composer (https://getcomposer.org/doc/articles/versions.md): numbers, where missing ones count as 0, then PHP's
 * `version_compare` (https://www.php.net/version_compare) for the rest. Branches (`dev-main`) have no order.
 */
import { compareNumberLists, compareNumbers, orderBy, stripZeros } from './ordering.ts'

const SYNTAX = /^v?(\d[0-9a-z]*(?:[._-][0-9a-z]+)*)(?:\+\S*)?$/i
const TOKENS = /\d+|[a-z]+/gi
/** A branch `2.x-dev` comes after all its releases. */
const WILDCARD = '9999999'

const RANKS: Record<string, number> = {
  dev: 1,
  alpha: 2,
  a: 2,
  beta: 3,
  b: 3,
  rc: 4,
  stable: 5,
  patch: 7,
  pl: 7,
  p: 7,
}
const END = 5
const NUMBER = 6

interface ComposerVersion {
  numbers: string[]
  rest: string[]
}

export const composer = orderBy(parse, compare)

function parse(text: string): ComposerVersion | undefined {
  const [, body] = SYNTAX.exec(text.trim()) ?? []
  if (body === undefined) return undefined
  const tokens = (body.match(TOKENS) ?? []).map((token) => {
    if (!isNumber(token)) return token.toLowerCase() === 'x' ? WILDCARD : token.toLowerCase()
    return stripZeros(token)
  })
  const firstWord = tokens.findIndex((token) => !isNumber(token))
  if (firstWord < 0) return { numbers: tokens, rest: [] }
  const rest = tokens.slice(firstWord)
  // Composer refuses a version with words it does not know.
  if (rest.some((token) => rank(token) === undefined)) return undefined
  return { numbers: tokens.slice(0, firstWord), rest: rest[0] === 'stable' ? rest.slice(1) : rest }
}

function isNumber(token: string): boolean {
  return token <= '9' || token.charCodeAt(0) < 58
}

function compare(a: ComposerVersion, b: ComposerVersion): number {
  const numbers = compareNumberLists(a.numbers, b.numbers)
  if (numbers !== 0) return numbers
  const length = Math.max(a.rest.length, b.rest.length)
  for (let i = 0; i < length; i++) {
    const order = compareTokens(a.rest[i], b.rest[i])
    if (order !== 0) return order
  }
  return 0
}

function compareTokens(a: string | undefined, b: string | undefined): number {
  const order = (rank(a) ?? END) - (rank(b) ?? END)
  if (order !== 0 || a === undefined || b === undefined) return order
  return isNumber(a) ? compareNumbers(a, b) : 0
}

function rank(token: string | undefined): number | undefined {
  if (token === undefined) return END
  return isNumber(token) ? NUMBER : RANKS[token]
}
