/**
 * Finds where JSON text breaks the grammar (RFC 8259) and what was expected there. V8's message has no position for most
 * faults and changes between versions, so a text that JSON.parse refused is read once more, without recursion.
 */
import { quote } from './warnings.ts'

export interface JsonFault {
  offset: number
  what: string
}

const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const LITERALS = ['true', 'false', 'null']
const FIRST_PRINTABLE = 0x20

type Expectation =
  | 'value'
  | 'value or ]'
  | 'name or }'
  | 'name'
  | 'comma or ]'
  | 'comma or }'
  | 'end'

const EXPECTED: Record<Expectation, string> = {
  value: 'a value',
  'value or ]': 'a value or ]',
  'name or }': 'a property name in double quotes or }',
  name: 'a property name in double quotes',
  'comma or ]': 'a comma or ]',
  'comma or }': 'a comma or }',
  end: 'the end of the document',
}

/** undefined: the text is well-formed. */
export function findJsonFault(text: string): JsonFault | undefined {
  const closers: string[] = []
  let expected: Expectation = 'value'
  let at = skipSpace(text, 0)
  while (at < text.length) {
    const step = readNext(text, at, expected, closers)
    if ('what' in step) return step
    expected = step.expected
    at = skipSpace(text, step.end)
  }
  return expected === 'end' ? undefined : unexpected(text, at, expected)
}

const AFTER_COMMA: Partial<Record<Expectation, Expectation>> = {
  'comma or ]': 'value',
  'comma or }': 'name',
}

interface Step {
  end: number
  expected: Expectation
}

/** Opens and closes containers in `closers`. */
function readNext(
  text: string,
  at: number,
  expected: Expectation,
  closers: string[],
): Step | JsonFault {
  const character = text[at]
  if (character === closers.at(-1) && acceptsCloser(expected)) {
    closers.pop()
    return { end: at + 1, expected: afterValue(closers) }
  }
  const afterComma = AFTER_COMMA[expected]
  if (afterComma !== undefined)
    return character === ','
      ? { end: at + 1, expected: afterComma }
      : unexpected(text, at, expected)
  if (expected === 'name' || expected === 'name or }')
    return character === '"' ? readName(text, at) : unexpected(text, at, expected)
  return expected === 'end'
    ? unexpected(text, at, expected)
    : readValue(text, at, expected, closers)
}

function readName(text: string, start: number): Step | JsonFault {
  const end = readString(text, start)
  if (typeof end !== 'number') return end
  const at = skipSpace(text, end)
  if (text[at] !== ':') return unexpected(text, at, 'name', 'a colon after the property name')
  return { end: at + 1, expected: 'value' }
}

function readValue(
  text: string,
  at: number,
  expected: Expectation,
  closers: string[],
): Step | JsonFault {
  const character = text[at]
  if (character === '{' || character === '[') {
    closers.push(character === '{' ? '}' : ']')
    return { end: at + 1, expected: character === '{' ? 'name or }' : 'value or ]' }
  }
  const end = readScalar(text, at)
  if (end === undefined) return unexpected(text, at, expected)
  return typeof end === 'number' ? { end, expected: afterValue(closers) } : end
}

function acceptsCloser(expected: Expectation): boolean {
  return expected !== 'value' && expected !== 'name'
}

function afterValue(closers: readonly string[]): Expectation {
  const closer = closers.at(-1)
  if (closer === undefined) return 'end'
  return closer === ']' ? 'comma or ]' : 'comma or }'
}

function unexpected(
  text: string,
  offset: number,
  expected: Expectation,
  wording = EXPECTED[expected],
): JsonFault {
  const found = offset < text.length ? quote(characterAt(text, offset)) : 'the end of the file'
  return { offset, what: `expected ${wording}, found ${found}` }
}

function characterAt(text: string, offset: number): string {
  return String.fromCodePoint(text.codePointAt(offset) ?? 0)
}

/** The offset after the scalar, undefined where none begins. */
function readScalar(text: string, at: number): number | JsonFault | undefined {
  if (text[at] === '"') return readString(text, at)
  const literal = LITERALS.find((word) => text.startsWith(word, at))
  if (literal !== undefined) return at + literal.length
  NUMBER.lastIndex = at
  const number = NUMBER.exec(text)
  return number === null ? undefined : at + number[0].length
}

function readString(text: string, start: number): number | JsonFault {
  let at = start + 1
  while (at < text.length) {
    const character = text.charCodeAt(at)
    if (text[at] === '"') return at + 1
    if (character < FIRST_PRINTABLE)
      return { offset: at, what: 'a line break or control character stands in a string' }
    if (text[at] === '\\') {
      ESCAPE.lastIndex = at
      const escape = ESCAPE.exec(text)
      if (escape === null) return { offset: at, what: 'unknown escape in a string' }
      at += escape[0].length
    } else at += 1
  }
  return { offset: start, what: 'a string that begins here never ends' }
}

function skipSpace(text: string, start: number): number {
  let at = start
  for (; at < text.length; at++) {
    const character = text[at]
    if (character !== ' ' && character !== '\n' && character !== '\r' && character !== '\t') break
  }
  return at
}
