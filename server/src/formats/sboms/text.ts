/** Bytes of one document → its text. UTF-8 with or without byte order mark, UTF-16 with one. */
import { constants, isUtf8 } from 'node:buffer'
import { SbomError } from './sbom-error.ts'

const UTF8_BOM = [0xef, 0xbb, 0xbf]
const UTF16_LITTLE_ENDIAN_BOM = [0xff, 0xfe]
const UTF16_BIG_ENDIAN_BOM = [0xfe, 0xff]

/** Converts to UTF-8 without byte order mark, the only encoding that later steps know. */
export function toUtf8(bytes: Uint8Array): Uint8Array {
  if (startsWith(bytes, UTF8_BOM)) return bytes.subarray(UTF8_BOM.length)
  if (startsWith(bytes, UTF16_LITTLE_ENDIAN_BOM)) return fromUtf16(bytes, 'utf-16le')
  if (startsWith(bytes, UTF16_BIG_ENDIAN_BOM)) return fromUtf16(bytes, 'utf-16be')
  return bytes
}

export function startsWith(bytes: Uint8Array, prefix: readonly number[], at = 0): boolean {
  return prefix.every((byte, i) => bytes[at + i] === byte)
}

function fromUtf16(bytes: Uint8Array, encoding: 'utf-16le' | 'utf-16be'): Uint8Array {
  try {
    return new TextEncoder().encode(new TextDecoder(encoding, { fatal: true }).decode(bytes))
  } catch {
    throw new SbomError(
      'malformed',
      'The document begins with a UTF-16 byte order mark but is not valid UTF-16.',
    )
  }
}

/** @throws SbomError `malformed` that names the first byte that is not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  if (buffer.length > constants.MAX_STRING_LENGTH)
    throw new SbomError(
      'too-large',
      `The document is larger than ${constants.MAX_STRING_LENGTH} bytes.`,
    )
  if (isUtf8(buffer)) return buffer.toString('utf8')
  const offset = firstInvalidByte(bytes)
  const byte = (bytes[offset] ?? 0).toString(16).padStart(2, '0')
  throw new SbomError(
    'malformed',
    `The document is not UTF-8: byte ${offset} (0x${byte}) begins no valid character.`,
  )
}

function firstInvalidByte(bytes: Uint8Array): number {
  let at = 0
  while (at < bytes.length) {
    const length = validSequenceLength(bytes, at)
    if (length === 0) return at
    at += length
  }
  return at
}

/** 0 where no well-formed sequence begins (Unicode 16.0, table 3-7). */
function validSequenceLength(bytes: Uint8Array, at: number): number {
  const first = bytes[at] ?? 0
  if (first < 0x80) return 1
  if (first < 0xc2 || first > 0xf4) return 0
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4
  if (!isSecond(bytes[at + 1] ?? 0, first)) return 0
  const rest = bytes.subarray(at + 2, at + length)
  return rest.length === length - 2 && rest.every((byte) => byte >= 0x80 && byte <= 0xbf)
    ? length
    : 0
}

/** No overlong form, no surrogate, nothing above U+10FFFF. */
function isSecond(byte: number, first: number): boolean {
  const lowest = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80
  const highest = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf
  return byte >= lowest && byte <= highest
}

/** `Line 3, column 5`, both counted from 1, a column being one UTF-16 code unit as editors count. */
export function describePosition(text: string, offset: number): string {
  let line = 1
  let lineStart = 0
  for (;;) {
    const newline = text.indexOf('\n', lineStart)
    if (newline === -1 || newline >= offset) break
    line += 1
    lineStart = newline + 1
  }
  return `Line ${line}, column ${offset - lineStart + 1}`
}

/** Replaces U+0000 and lone surrogates, which PostgreSQL cannot store and no name needs. */
export function makeStorable(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  return whole.includes('\0') ? whole.replaceAll('\0', '\ufffd') : whole
}
