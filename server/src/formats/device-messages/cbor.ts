/** CBOR (RFC 8949) as devices send it: the subset with the expressiveness of JSON, plus times and indefinite containers. */
import { isUtf8 } from 'node:buffer'
import {
  type DecodeOptions,
  decode,
  encode,
  type TagDecodeControl,
  Token,
  Tokenizer,
  Type,
} from 'cborg'
import { LIMITS } from './limits.ts'
import { malformed } from './malformed.ts'

const SELF_DESCRIBED = 55_799

const OPTIONS: DecodeOptions = {
  allowUndefined: false,
  allowBigInt: true,
  allowInfinity: false,
  allowNaN: false,
  rejectDuplicateMapKeys: true,
  tags: {
    0: (content) => content(),
    1: (content) => epochTime(content),
    [SELF_DESCRIBED]: (content) => content(),
  },
}

export function parseCbor(bytes: Uint8Array): unknown {
  // The library slices what it is given: a Buffer would stay a Buffer throughout.
  const plain = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    return decode(plain, { ...OPTIONS, tokenizer: guardedTokenizer(plain) })
  } catch (error) {
    if (!(error instanceof Error) || error.name === 'MalformedMessage') throw error
    throw malformed(`is not CBOR this takes: ${error.message.replace(/^CBOR decode error: /, '')}`)
  }
}

export const encodeCbor: (value: unknown) => Uint8Array = encode

/** Seconds since 1970, a fraction allowed (RFC 8949 section 3.4.2), as the text JSON would have. */
function epochTime(content: TagDecodeControl): string {
  const seconds: unknown = content()
  const time = new Date(typeof seconds === 'number' ? seconds * 1000 : Number.NaN)
  if (Number.isNaN(time.getTime()))
    throw malformed('has a time (tag 1) that is not a valid instant')
  return time.toISOString()
}

/** The library does not limit the depth, does not check UTF-8, and drops a leading U+FEFF. */
function guardedTokenizer(data: Uint8Array) {
  const inner = new Tokenizer(data, OPTIONS)
  const depth = depthGuard()
  return {
    done: () => inner.done(),
    pos: () => inner.pos(),
    next: () => {
      const start = inner.pos()
      const token = inner.next()
      depth(token)
      // Rounded as a number of JSON would be; what has to be exact is bounded by its schema.
      if (typeof token.value === 'bigint') return new Token(token.type, Number(token.value))
      if (!Type.equals(token.type, Type.string)) return token
      const text = checkedText(data, start, inner.pos(), String(token.value))
      return text === token.value ? token : new Token(Type.string, text)
    },
  }
}

/** How many more items each open container takes; a tag is one with a single item. */
function depthGuard() {
  const open: number[] = []
  return ({ type, value }: { type: Type; value?: unknown }) => {
    if (Type.equals(type, Type.break)) open.pop()
    else if (open.length > 0) open.push(Number(open.pop()) - 1)
    const items = countItems(type, value)
    if (items > 0) open.push(items)
    while (open.at(-1) === 0) open.pop()
    if (open.length > LIMITS.depth) throw malformed(`is nested deeper than ${LIMITS.depth} levels`)
  }
}

function countItems(type: Type, value: unknown): number {
  if (Type.equals(type, Type.array)) return Number(value)
  if (Type.equals(type, Type.map)) return Number(value) * 2
  return Type.equals(type, Type.tag) ? 1 : 0
}

const HEADER_BYTES: Readonly<Record<number, number>> = { 24: 2, 25: 3, 26: 5, 27: 9 }

function checkedText(data: Uint8Array, start: number, end: number, text: string): string {
  const begin = start + (HEADER_BYTES[(data[start] ?? 0) & 31] ?? 1)
  // A byte for each character, none of them repaired: ASCII.
  if (end - begin === text.length && !text.includes('\uFFFD')) return text
  if (!isUtf8(data.subarray(begin, end))) throw malformed('has a text that is not UTF-8')
  const isMarked = data[begin] === 0xef && data[begin + 1] === 0xbb && data[begin + 2] === 0xbf
  return isMarked ? `\uFEFF${text}` : text
}
