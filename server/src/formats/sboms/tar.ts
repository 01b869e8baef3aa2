/** Reads tar archives (POSIX.1-2017 pax and ustar, GNU long names) held in memory. */
import { SbomError } from './sbom-error.ts'

/** Headers and contents begin at multiples of this number of bytes. */
export const TAR_BLOCK = 512

export interface ArchiveMember {
  name: string
  bytes: Uint8Array
}

const BLOCK = TAR_BLOCK
const NAME = { at: 0, length: 100 }
const SIZE = { at: 124, length: 12 }
const CHECKSUM = { at: 148, length: 8 }
const TYPE = 156
const PREFIX = { at: 345, length: 155 }
const BASE_256 = 0x80

/** Whether the first block is a header with a correct checksum; old tars have no magic. */
export function isTar(bytes: Uint8Array): boolean {
  return bytes.length >= BLOCK && hasChecksum(bytes, 0)
}

/** Regular files in archive order. @throws SbomError `malformed` for a truncated or broken archive. */
export function readTar(bytes: Uint8Array): ArchiveMember[] {
  const members: ArchiveMember[] = []
  let longName: string | undefined
  let at = 0
  while (at + BLOCK <= bytes.length && !isZeroBlock(bytes, at)) {
    if (!hasChecksum(bytes, at))
      throw new SbomError('malformed', `The tar archive is broken: no header at byte ${at}.`)
    const size = readSize(bytes, at)
    const start = at + BLOCK
    if (start + size > bytes.length)
      throw new SbomError('malformed', 'The tar archive ends too early: the file is cut off.')
    const content = bytes.subarray(start, start + size)
    const type = String.fromCharCode(bytes[at + TYPE] ?? 0)
    if (type === 'L') longName = readText(content, 0, content.length)
    else if (type === 'x') longName = paxPath(content) ?? longName
    else {
      if (type === '0' || type === '\0')
        members.push({ name: longName ?? readName(bytes, at), bytes: content })
      longName = undefined
    }
    at = start + Math.ceil(size / BLOCK) * BLOCK
  }
  return members
}

export interface TarHeader {
  name: string
  size: number
  isFile: boolean
}

/** Reads one block; undefined at the end of the archive. Long names are cut: for files that are told by their content. */
export function readTarHeader(block: Uint8Array): TarHeader | undefined {
  if (isZeroBlock(block, 0)) return undefined
  if (!hasChecksum(block, 0))
    throw new SbomError('malformed', 'The tar archive is broken: a header is missing.')
  const type = String.fromCharCode(block[TYPE] ?? 0)
  return {
    name: readName(block, 0),
    size: readSize(block, 0),
    isFile: type === '0' || type === '\0',
  }
}

function hasChecksum(bytes: Uint8Array, at: number): boolean {
  const stated = Number.parseInt(readText(bytes, at + CHECKSUM.at, CHECKSUM.length), 8)
  let sum = 0
  for (let i = 0; i < BLOCK; i++) {
    const inChecksum = i >= CHECKSUM.at && i < CHECKSUM.at + CHECKSUM.length
    sum += inChecksum ? 0x20 : (bytes[at + i] ?? 0)
  }
  return sum === stated
}

function isZeroBlock(bytes: Uint8Array, at: number): boolean {
  for (let i = 0; i < BLOCK; i++) if (bytes[at + i] !== 0) return false
  return true
}

function readSize(bytes: Uint8Array, at: number): number {
  const field = bytes.subarray(at + SIZE.at, at + SIZE.at + SIZE.length)
  if (((field[0] ?? 0) & BASE_256) === 0) {
    const size = Number.parseInt(readText(field, 0, field.length).trim() || '0', 8)
    if (Number.isSafeInteger(size) && size >= 0) return size
    throw new SbomError('malformed', `The tar archive is broken: no size at byte ${at}.`)
  }
  // GNU: sizes above 8 GiB as a big-endian number; they are over every limit, so precision does not matter.
  return field.subarray(1).reduce((size, byte) => size * 256 + byte, 0)
}

function readName(bytes: Uint8Array, at: number): string {
  const name = readText(bytes, at + NAME.at, NAME.length)
  const prefix = readText(bytes, at + PREFIX.at, PREFIX.length)
  return prefix === '' ? name : `${prefix}/${name}`
}

/** Reads up to the first NUL. */
function readText(bytes: Uint8Array, at: number, length: number): string {
  const field = bytes.subarray(at, at + length)
  const end = field.indexOf(0)
  return Buffer.from(end === -1 ? field : field.subarray(0, end)).toString('utf8')
}

/** pax records are `length key=value\n`. */
function paxPath(content: Uint8Array): string | undefined {
  return /(?:^|\n)[0-9]+ path=([^\n]*)/.exec(Buffer.from(content).toString('utf8'))?.[1]
}
