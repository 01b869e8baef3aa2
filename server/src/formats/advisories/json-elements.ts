/**
 * Cuts values out of a JSON text without holding all of it in memory: a feed file of 1 GB is one array of records. It looks
 * only at brackets and strings; parsing each value checks the syntax.
 */
import { Pieces, type Cut } from './pieces.ts'

export interface ElementPlace {
  /** `values`: one value after another; `array`: the elements of the outermost array, `member`: of one of its members. */
  kind: 'values' | 'array' | 'member'
  member?: string
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const SPACE = 0x20
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

const MAX_NAME_LENGTH = 64

export class ElementScanner {
  readonly #place: ElementPlace
  readonly #pieces: Pieces
  /** The state: on the way to the elements, or inside one. */
  #reading: 'way' | 'container' | 'text' | 'word' = 'way'
  #isInString = false
  #isEscaped = false
  /** Brackets open on the way, and within the element. */
  #depth = 0
  #nesting = 0
  #isInside: boolean
  #lastString = ''
  #memberName = ''

  constructor(place: ElementPlace, maxBytes: number) {
    this.#place = place
    this.#pieces = new Pieces(maxBytes)
    this.#isInside = place.kind === 'values'
  }

  /** Whether brackets or a string are open, as they are when a file ends too early. */
  get isOpen(): boolean {
    return this.#depth > 0 || this.#isInString || this.#reading === 'container'
  }

  /** The values that end in this chunk. */
  push(chunk: Uint8Array): Cut[] {
    const cuts: Cut[] = []
    let start = 0
    let at = 0
    while (at < chunk.length) {
      if (this.#reading === 'way') {
        at = this.#findElement(chunk, at)
        start = at
        if (at < chunk.length) at = this.#begin(chunk[at] ?? 0, at)
      } else {
        const end = this.#reading === 'word' ? endOfWord(chunk, at) : this.#endOfElement(chunk, at)
        if (end === undefined) break
        cuts.push(this.#pieces.cut(chunk.subarray(start, end)))
        this.#reading = 'way'
        at = end
      }
    }
    if (this.#reading !== 'way') this.#pieces.keep(chunk.subarray(start))
    return cuts
  }

  /** The last number or word, which ends with the text. */
  end(): Cut[] {
    if (this.#reading !== 'word') return []
    this.#reading = 'way'
    return [this.#pieces.cut(new Uint8Array())]
  }

  /** The index of the next element's first byte, or the chunk's length. */
  #findElement(chunk: Uint8Array, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0
      if (this.#isInString) this.#readName(byte)
      else if (byte > SPACE && byte !== COMMA) {
        // Only its own bracket ends the array: another one is a broken element.
        if (this.#isInside && (byte !== CLOSE_BRACKET || this.#place.kind === 'values')) return at
        this.#step(byte)
      }
    }
    return chunk.length
  }

  #step(byte: number): void {
    if (byte === QUOTE) {
      this.#isInString = true
      this.#lastString = ''
    } else if (byte === COLON && this.#depth === 1) {
      this.#memberName = this.#lastString
    } else if (byte === OPEN_BRACKET || byte === OPEN_BRACE) {
      this.#depth++
      this.#isInside = byte === OPEN_BRACKET && this.#isPlace()
    } else if (byte === CLOSE_BRACKET || byte === CLOSE_BRACE) {
      this.#depth = Math.max(0, this.#depth - 1)
      this.#isInside = false
    }
  }

  #isPlace(): boolean {
    const { kind, member } = this.#place
    return kind === 'array' ? this.#depth === 1 : this.#depth === 2 && this.#memberName === member
  }

  #readName(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE) this.#isInString = false
    else if (this.#depth === 1 && this.#lastString.length < MAX_NAME_LENGTH)
      this.#lastString += String.fromCharCode(byte)
  }

  #begin(byte: number, at: number): number {
    this.#nesting = 0
    const isContainer = byte === OPEN_BRACE || byte === OPEN_BRACKET
    this.#reading = isContainer ? 'container' : byte === QUOTE ? 'text' : 'word'
    if (isContainer) return at
    this.#isInString = byte === QUOTE
    return at + 1
  }

  /** The index after the element, where it ends in this chunk. */
  #endOfElement(chunk: Uint8Array, from: number): number | undefined {
    let at = from
    if (this.#isEscaped) {
      this.#isEscaped = false
      at++
    }
    let isInString = this.#isInString
    let nesting = this.#nesting
    let isDone = false
    for (; at < chunk.length && !isDone; at++) {
      const byte = chunk[at]
      if (isInString) {
        if (byte === BACKSLASH) at++
        else if (byte === QUOTE) {
          isInString = false
          isDone = nesting === 0
        }
      } else if (byte === QUOTE) isInString = true
      else if (isOpening(byte)) nesting++
      else if (isClosing(byte)) isDone = --nesting === 0
    }
    this.#isEscaped = at > chunk.length
    this.#isInString = isInString
    this.#nesting = nesting
    return isDone ? at : undefined
  }
}

function isOpening(byte: number | undefined): boolean {
  return byte === OPEN_BRACE || byte === OPEN_BRACKET
}

function isClosing(byte: number | undefined): boolean {
  return byte === CLOSE_BRACE || byte === CLOSE_BRACKET
}

/** Where a number, `true` or invalid text ends: at a space, a comma or a closing bracket. undefined: not in this chunk. */
function endOfWord(chunk: Uint8Array, from: number): number | undefined {
  for (let at = from; at < chunk.length; at++) {
    const byte = chunk[at] ?? 0
    if (byte <= SPACE || byte === COMMA || byte === CLOSE_BRACKET || byte === CLOSE_BRACE) return at
  }
  return undefined
}
