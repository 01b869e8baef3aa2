/**
 * Counts nesting and values of JSON text in one pass over its bytes, before anything is built from it. It does not check
 * the syntax: on text that is no JSON the counts mean nothing, and JSON.parse says so afterwards.
 */
import { SbomError } from './sbom-error.ts'

const SPACE = 0x20
const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

export interface JsonScan {
  /** Every value, an empty container counting twice: never fewer than JSON.parse makes. */
  values: number
  depth: number
}

/** What a document may still cost; the documents of an archive share it. */
export interface Budget {
  depth: number
  values: number
  /** What `values` was at first, for the message. */
  valuesLimit: number
}

/** @throws SbomError `too-large` when a limit is passed. */
export function scanJson(bytes: Uint8Array, budget: Readonly<Budget>): JsonScan {
  let values = 1
  let depth = 0
  let deepest = 0
  const end = bytes.length
  for (let i = 0; i < end; i++) {
    const byte = bytes[i] ?? 0
    // White space first: half of an indented document is just that, and this loop is a third of a parse.
    if (byte <= SPACE) continue
    if (byte === QUOTE) i = endOfString(bytes, i + 1)
    else if (byte === COMMA) values++
    else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      values++
      depth++
      if (depth > deepest) {
        deepest = depth
        if (deepest > budget.depth) throw tooDeep(budget.depth, i)
      }
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth--
  }
  if (values > budget.values) throw tooManyValues(budget.valuesLimit)
  return { values, depth: deepest }
}

function endOfString(bytes: Uint8Array, start: number): number {
  const end = bytes.length
  let i = start
  for (; i < end; i++) {
    const byte = bytes[i]
    if (byte === QUOTE) return i
    if (byte === BACKSLASH) i++
  }
  return i
}

export function tooDeep(limit: number, offset: number): SbomError {
  return new SbomError(
    'too-large',
    `The document nests more than ${limit} levels deep (at byte ${offset}).`,
  )
}

export function tooManyValues(limit: number): SbomError {
  return new SbomError('too-large', `The document holds more than ${limit} values.`)
}
