/**
 * Counts nesting and values of JSON text in one pass over its bytes, before anything is built from it. It does not check the
 * syntax: for text that is not JSON the counts mean nothing, and JSON.parse refuses it afterwards.
 */
/* oxlint-disable max-depth, complexity -- loops inside the loop: one flat loop with a flag takes a third longer */
import { SbomError } from './sbom-error.ts'

export interface JsonScan {
  /** An upper bound of the values: an empty container counts twice. */
  values: number
  depth: number
  /** The number of members of all objects together. */
  members: number
}

/** The budget that is left; the documents of an archive share it. */
export interface Budget {
  depth: number
  values: number
  /** The initial `values`, for the message. */
  valuesLimit: number
}

/**
 * Most bytes are inside strings or indentation, so the loop skips them four at a time. It must cost less than JSON.parse
 * itself: it is one function without calls, and its numbers are literals, since V8 reads constants of a module each time.
 * @throws SbomError `too-large` when a limit is passed.
 */
export function scanJson(bytes: Uint8Array, budget: Readonly<Budget>): JsonScan {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  const end = bytes.length
  const lastWord = end - 4
  const maxDepth = budget.depth
  let values = 1
  let members = 0
  let depth = 0
  let deepest = 0
  let i = 0
  while (i < end) {
    const byte = bytes[i] ?? 0
    i += 1
    // '"': skip to the closing quote.
    if (byte === 0x22) {
      for (;;) {
        while (i <= lastWord) {
          // The highest bit of each byte that is a quote or backslash, or not ASCII; the lowest such byte is next.
          const word = view.getInt32(i, true)
          const found =
            (((word ^ 0x22222222) - 0x01010101) | ((word ^ 0x5c5c5c5c) - 0x01010101)) & 0x80808080
          if (found !== 0) {
            i += (31 - Math.clz32(found & -found)) >> 3
            break
          }
          i += 4
        }
        const inString = i < end ? bytes[i] : 0x22
        if (inString === 0x22) break
        // An escaped character does not end the string.
        i += inString === 0x5c ? 2 : 1
      }
      i += 1
    }
    // White space.
    else if (byte <= 0x20) while (i <= lastWord && view.getInt32(i, true) === 0x20202020) i += 4
    // ':'
    else if (byte === 0x3a) members += 1
    // ','
    else if (byte === 0x2c) values += 1
    // '{' and '['
    else if (byte === 0x7b || byte === 0x5b) {
      values += 1
      depth += 1
      if (depth > deepest) deepest = depth
      if (depth > maxDepth) throw tooDeep(maxDepth, i - 1)
    }
    // '}' and ']'
    else if (byte === 0x7d || byte === 0x5d) depth -= 1
  }
  if (values > budget.values) throw tooManyValues(budget.valuesLimit)
  return { values, depth: deepest, members }
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
