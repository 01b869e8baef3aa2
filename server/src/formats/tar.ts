/** Tar archives: POSIX.1-2017 pax and ustar, long names and binary sizes of GNU tar. */

/** Headers and contents begin at multiples of this number of bytes. */
export const TAR_BLOCK = 512

const NAME = { at: 0, length: 100 }
const SIZE = { at: 124, length: 12 }
const CHECKSUM = { at: 148, length: 8 }
const TYPE = 156
const PREFIX = { at: 345, length: 155 }
const BASE_256 = 0x80
const MOST_OCTAL = 8 ** 11 - 1

/** The archive is broken or cut off. */
export class TarError extends Error {}

export interface ArchiveMember {
  name: string
  bytes: Uint8Array
}

/** The size of a content with what fills its last block. */
export function padToBlock(size: number): number {
  return Math.ceil(size / TAR_BLOCK) * TAR_BLOCK
}

/** Whether the first block is a header with a correct checksum; old tars have no magic. */
export function isTar(bytes: Uint8Array): boolean {
  return bytes.length >= TAR_BLOCK && readChecksum(bytes) === sumBlock(bytes)
}

/** Regular files in archive order. @throws TarError */
export function readTar(bytes: Uint8Array): ArchiveMember[] {
  const members: ArchiveMember[] = []
  let longName: string | undefined
  for (let at = 0; at + TAR_BLOCK <= bytes.length;) {
    const header = readTarHeader(bytes.subarray(at), at)
    if (header === undefined) break
    const { name, size, type } = header
    const start = at + TAR_BLOCK
    if (start + size > bytes.length)
      throw new TarError('The tar archive ends too early: the file is cut off.')
    const content = bytes.subarray(start, start + size)
    if (type === 'L') longName = readText(content)
    else if (type === 'x') longName = paxPath(content) ?? longName
    else {
      if (header.isFile) members.push({ name: longName ?? name, bytes: content })
      longName = undefined
    }
    at = start + padToBlock(size)
  }
  return members
}

export interface TarHeader {
  name: string
  size: number
  /** One character; NUL in old archives. */
  type: string
  isFile: boolean
}

/**
 * Reads the header that begins the bytes, at this place of the archive; undefined at its end. A long name is cut.
 * @throws TarError
 */
export function readTarHeader(bytes: Uint8Array, at: number): TarHeader | undefined {
  if (isZeroBlock(bytes)) return undefined
  if (!isTar(bytes)) throw new TarError(`The tar archive is broken: no header at byte ${at}.`)
  const [name, prefix] = [readField(bytes, NAME), readField(bytes, PREFIX)]
  const type = String.fromCharCode(bytes[TYPE] ?? 0)
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    size: readSize(bytes, at),
    type,
    isFile: type === '0' || type === '\0',
  }
}

/** The header of a file. @throws Error if the name does not fit. */
export function writeTarHeader(path: string, size: number, type = '0'): Buffer {
  const header = Buffer.alloc(TAR_BLOCK)
  const { name, prefix } = splitName(path)
  header.write(name, NAME.at)
  header.write(prefix, PREFIX.at)
  header.write('0000600\0', 100)
  for (const owner of [108, 116]) header.write('0000000\0', owner)
  if (size <= MOST_OCTAL)
    header.write(`${size.toString(8).padStart(SIZE.length - 1, '0')}\0`, SIZE.at)
  else {
    header[SIZE.at] = BASE_256
    header.writeBigUInt64BE(BigInt(size), SIZE.at + SIZE.length - 8)
  }
  header.write('00000000000\0', 136)
  header.write(type, TYPE)
  header.write('ustar\u000000', 257)
  header.write(`${sumBlock(header).toString(8).padStart(6, '0')}\0 `, CHECKSUM.at)
  return header
}

function splitName(path: string): { name: string; prefix: string } {
  if (path.length <= NAME.length) return { name: path, prefix: '' }
  const at = path.indexOf('/', path.length - NAME.length - 1)
  if (at < 0 || at > PREFIX.length) throw new Error(`Too long for a tar file: ${path}`)
  return { name: path.slice(at + 1), prefix: path.slice(0, at) }
}

/** undefined: tar would not read it, as its digits do not end with a space or a zero. The sum does not cover the field itself. */
function readChecksum(bytes: Uint8Array): number | undefined {
  const { at, length } = CHECKSUM
  const field = Buffer.from(bytes.subarray(at, at + length)).toString('latin1')
  const digits = /^[ \0]*([0-7]+)(?:[ \0]|$)/.exec(field)?.[1]
  return digits === undefined ? undefined : Number.parseInt(digits, 8)
}

/** The checksum is counted as if its own field were blank. */
function sumBlock(bytes: Uint8Array): number {
  let sum = 0
  for (let i = 0; i < TAR_BLOCK; i++) {
    const inChecksum = i >= CHECKSUM.at && i < CHECKSUM.at + CHECKSUM.length
    sum += inChecksum ? 0x20 : (bytes[i] ?? 0)
  }
  return sum
}

function isZeroBlock(bytes: Uint8Array): boolean {
  return bytes.subarray(0, TAR_BLOCK).every((byte) => byte === 0)
}

function readSize(bytes: Uint8Array, at: number): number {
  const field = bytes.subarray(SIZE.at, SIZE.at + SIZE.length)
  if (((field[0] ?? 0) & BASE_256) === 0) {
    const size = Number.parseInt(readText(field).trim() || '0', 8)
    if (Number.isSafeInteger(size) && size >= 0) return size
    throw new TarError(`The tar archive is broken: no size at byte ${at}.`)
  }
  // GNU: sizes above 8 GiB as a big-endian number.
  return field.subarray(1).reduce((size, byte) => size * 256 + byte, 0)
}

function readField(bytes: Uint8Array, { at, length }: { at: number; length: number }): string {
  return readText(bytes.subarray(at, at + length))
}

/** Reads up to the first NUL. */
function readText(bytes: Uint8Array): string {
  const end = bytes.indexOf(0)
  return Buffer.from(end === -1 ? bytes : bytes.subarray(0, end)).toString('utf8')
}

/** pax records are `length key=value\n`. */
function paxPath(content: Uint8Array): string | undefined {
  return /(?:^|\n)[0-9]+ path=([^\n]*)/.exec(Buffer.from(content).toString('utf8'))?.[1]
}
