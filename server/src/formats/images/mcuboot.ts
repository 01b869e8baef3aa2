/**
 * Images of MCUboot: header, image, protected TLVs, TLVs. The hash and the signatures cover all but the last
 * (https://github.com/mcu-tools/mcuboot/blob/2d4bacc3c15ebb6f91c28807fe6eb38b4ba98f77/docs/design.md#image-format and
 * scripts/imgtool/image.py of the same revision).
 */
import { createHash } from 'node:crypto'
import type { ImageBytes } from './image-bytes.ts'
import {
  describeImage,
  type ImageFacts,
  ImageFault,
  ImageObstacle,
  listMcubootHash,
} from './image-facts.ts'
import { planChecks, type Tlv } from './mcuboot-signatures.ts'
import type { LimitedKeys } from './key-tries.ts'
import type { HashName } from './signature-schemes.ts'

const MAGIC = 0x96f3b83d
const HEADER_BYTES = 32
const TLV_MAGIC = 0x6907
const PROTECTED_TLV_MAGIC = 0x6908
/** Bits of the flags of the header. */
const ENCRYPTED = 0x4 | 0x8

const PURE = 0x25
const SECURITY_COUNTER = 0x50
const HASHES: ReadonlyMap<number, HashName> = new Map([
  [0x10, 'sha256'],
  [0x11, 'sha384'],
  [0x12, 'sha512'],
])

/** A signature over the image itself has to be checked with all of it in memory. */
const MOST_PURE_BYTES = 64 * 1024 * 1024
/** undefined: it is none. */
export function readByteOrder(start: Buffer): 'little' | 'big' | undefined {
  if (start.length < HEADER_BYTES) return undefined
  if (start.readUInt32LE(0) === MAGIC) return 'little'
  return start.readUInt32BE(0) === MAGIC ? 'big' : undefined
}

interface Numbers {
  u16: (bytes: Buffer, at: number) => number
  u32: (bytes: Buffer, at: number) => number
}

const NUMBERS: Readonly<Record<'little' | 'big', Numbers>> = {
  little: {
    u16: (bytes, at) => bytes.readUInt16LE(at),
    u32: (bytes, at) => bytes.readUInt32LE(at),
  },
  big: { u16: (bytes, at) => bytes.readUInt16BE(at), u32: (bytes, at) => bytes.readUInt32BE(at) },
}

export async function examineMcuboot(
  image: ImageBytes,
  order: 'little' | 'big',
  keys: LimitedKeys,
): Promise<ImageFacts> {
  const numbers = NUMBERS[order]
  const header = readHeader(await image.read(0, HEADER_BYTES), numbers)
  const bodyEnd = header.headerBytes + header.imageBytes
  const signedEnd = bodyEnd + header.protectedBytes
  if (signedEnd > image.size)
    throw new ImageFault(
      `The header states ${signedEnd} bytes, and the file has ${image.size}. It was cut off, or its sizes are wrong.`,
    )
  const guarded =
    header.protectedBytes === 0
      ? []
      : (
          await readTlvs(image, bodyEnd, {
            numbers,
            magic: PROTECTED_TLV_MAGIC,
            of: header.protectedBytes,
          })
        ).tlvs
  const { tlvs, end } = await readTlvs(image, signedEnd, { numbers, magic: TLV_MAGIC })
  const facts = {
    variant: order === 'big' ? 'big-endian' : null,
    statement: {
      version: header.version,
      compatible: null,
      hardware: [],
      securityCounter: readCounter(guarded, numbers),
    },
    notes: listNotes(image.size - end),
  }
  const checked = await checkSigned(image, { signedEnd, guarded, tlvs, keys })
  const isPlain = (header.flags & ENCRYPTED) === 0
  // imgtool marks an image that it leaves plain (--clear), so that devices encrypt it when they move it.
  if (isPlain || checked.isRight)
    return describeImage('MCUboot', { ...facts, ...checked.facts, fault: checked.fault })
  return describeImage('MCUboot', { ...facts, obstacle: SEALED })
}

const SEALED =
  'The image is encrypted, and what is signed is its plain content, which only a device has.'

const listNotes = (rest: number) =>
  rest > 0 ? [`${rest} bytes after the image belong to no signature.`] : []

function readHeader(bytes: Buffer, { u16, u32 }: Numbers) {
  const headerBytes = u16(bytes, 8)
  if (headerBytes < HEADER_BYTES)
    throw new ImageFault(`The header states its own size as ${headerBytes} bytes.`)
  const numbers = [bytes.readUInt8(20), bytes.readUInt8(21), u16(bytes, 22)].join('.')
  const build = u32(bytes, 24)
  return {
    headerBytes,
    protectedBytes: u16(bytes, 10),
    imageBytes: u32(bytes, 12),
    flags: u32(bytes, 16),
    version: build === 0 ? numbers : `${numbers}+${build}`,
  }
}

const TLV_INFO_BYTES = 4
const TLV_HEADER_BYTES = 4

async function readTlvs(
  image: ImageBytes,
  start: number,
  { numbers, magic, of }: { numbers: Numbers; magic: number; of?: number },
): Promise<{ tlvs: Tlv[]; end: number }> {
  const { u16 } = numbers
  const info = await image.read(start, TLV_INFO_BYTES)
  if (info.length < TLV_INFO_BYTES || u16(info, 0) !== magic)
    throw new ImageFault(`No list of TLVs begins at byte ${start}, where the header says it does.`)
  const total = u16(info, 2)
  const end = start + total
  if (total < TLV_INFO_BYTES || end > image.size || (of !== undefined && of !== total))
    throw new ImageFault(
      `The list of TLVs at byte ${start} states a size of ${total} bytes, which it cannot have.`,
    )
  const bytes = await image.read(start, total)
  const tlvs: Tlv[] = []
  for (let at = TLV_INFO_BYTES; at < total;) {
    const valueAt = at + TLV_HEADER_BYTES
    const valueEnd = valueAt > total ? Infinity : valueAt + u16(bytes, at + 2)
    if (valueEnd > total)
      throw new ImageFault(`A TLV at byte ${start + at} is longer than its list.`)
    tlvs.push({ type: readType(u16(bytes, at)), value: bytes.subarray(valueAt, valueEnd) })
    at = valueEnd
  }
  return { tlvs, end }
}

/** imgtool writes the types of its own as a byte and a zero, in images of both byte orders. */
const readType = (type: number) => ((type & 0xff) === 0 ? type >> 8 : type)

function readCounter(tlvs: readonly Tlv[], { u32 }: Numbers): number | null {
  const found = tlvs.filter(({ type }) => type === SECURITY_COUNTER)
  if (found.length > 1) throw new ImageFault('The image states more than one security counter.')
  const [counter] = found
  if (!counter) return null
  if (counter.value.length !== 4)
    throw new ImageFault('The security counter has another size than 4 bytes.')
  return u32(counter.value, 0)
}

interface SignedRange {
  signedEnd: number
  guarded: readonly Tlv[]
  tlvs: readonly Tlv[]
  keys: LimitedKeys
}

interface CheckedImage {
  facts: Required<Pick<ImageFacts, 'signatures' | 'hashes'>>
  fault: string | null
  /** Its hash or, without one, a signature is that of these bytes. */
  isRight: boolean
}

async function checkSigned(
  image: ImageBytes,
  { signedEnd, guarded, tlvs, keys }: SignedRange,
): Promise<CheckedImage> {
  const isPure = tlvs.some(({ type }) => type === PURE)
  const stated = findHash([...guarded, ...tlvs], isPure)
  const hash = HASHES.get(stated?.type ?? 0) ?? 'sha512'
  const checks = planChecks(tlvs, { hash, isPure, keys, signedBytes: signedEnd })
  const digester = createHash(hash)
  for await (const piece of image.stream(0, signedEnd)) {
    digester.update(piece)
    for (const { update } of checks) update(piece)
  }
  const digest = digester.digest()
  const whole = isPure ? await readWhole(image, signedEnd) : digest
  const isRight = !stated || digest.equals(stated.value)
  const signatures = checks.map(({ conclude }) => conclude(whole))
  return {
    facts: { signatures, hashes: listMcubootHash(stated) },
    fault: isRight
      ? null
      : `The ${hash.toUpperCase()} of the image is another than it states: it was changed or damaged.`,
    isRight: stated ? isRight : signatures.some(({ outcome }) => outcome === 'Valid'),
  }
}

/** MCUboot looks for hashes in both lists. */
function findHash(tlvs: readonly Tlv[], isPure: boolean): Tlv | undefined {
  const [stated, ...more] = tlvs.filter(({ type }) => HASHES.has(type))
  if (more.length > 0) throw new ImageFault('The image states more than one hash of itself.')
  if (!stated && !isPure) throw new ImageFault('The image states no hash of itself.')
  return stated
}

async function readWhole(image: ImageBytes, end: number): Promise<Buffer> {
  if (end > MOST_PURE_BYTES)
    throw new ImageObstacle(
      `The signature is over the image itself (--pure), which is checked up to ${MOST_PURE_BYTES / 1024 / 1024} MiB.`,
    )
  return image.read(0, end)
}
