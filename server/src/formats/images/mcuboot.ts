/**
 * Images of MCUboot: header, image, protected TLVs, TLVs. The hash and the signatures cover all but the last
 * (https://github.com/mcu-tools/mcuboot/blob/2d4bacc3c15ebb6f91c28807fe6eb38b4ba98f77/docs/design.md#image-format and
 * scripts/imgtool/image.py of the same revision).
 */
import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import type { ImageBytes } from './image-bytes.ts'
import {
  describeImage,
  type ImageFacts,
  ImageFault,
  ImageObstacle,
  listMcubootHash,
  type SignatureFact,
} from './image-facts.ts'
import { describeKey, type KeysAtHand, type PublicKey } from './public-keys.ts'
import {
  type HashName,
  isSignatureOf,
  type SignatureScheme,
  verifyStreamed,
} from './signature-schemes.ts'
import { TEST_KEYS } from './test-keys.ts'

const MAGIC = 0x96f3b83d
const HEADER_BYTES = 32
const TLV_MAGIC = 0x6907
const PROTECTED_TLV_MAGIC = 0x6908
/** Bits of the flags of the header. */
const ENCRYPTED = 0x4 | 0x8

const KEY_HASH = 0x01
const PUBLIC_KEY = 0x02
const PURE = 0x25
const SECURITY_COUNTER = 0x50
const HASHES: ReadonlyMap<number, HashName> = new Map([
  [0x10, 'sha256'],
  [0x11, 'sha384'],
  [0x12, 'sha512'],
])

interface SignatureKind {
  name: string
  keyType: SignatureScheme['keyType']
  bits?: number
}

const SIGNATURES: ReadonlyMap<number, SignatureKind> = new Map<number, SignatureKind>([
  [0x20, { name: 'RSA-2048 PSS', keyType: 'rsa', bits: 2048 }],
  [0x22, { name: 'ECDSA', keyType: 'ec' }],
  [0x23, { name: 'RSA-3072 PSS', keyType: 'rsa', bits: 3072 }],
  [0x24, { name: 'Ed25519', keyType: 'ed25519' }],
])
/** imgtool signs with this salt (scripts/imgtool/keys/rsa.py). */
const SALT_BYTES = 32

/** A signature over the image itself has to be checked with all of it in memory. */
const MOST_PURE_BYTES = 64 * 1024 * 1024
const MOST_SIGNATURES = 32

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

interface Tlv {
  type: number
  value: Buffer
}

export async function examineMcuboot(
  image: ImageBytes,
  order: 'little' | 'big',
  keys: KeysAtHand,
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
  if ((header.flags & ENCRYPTED) !== 0) {
    const obstacle =
      'The image is encrypted, and what is signed is its plain content, which only a device has.'
    return describeImage('MCUboot', { ...facts, obstacle })
  }
  return describeImage('MCUboot', {
    ...facts,
    ...(await checkSigned(image, signedEnd, tlvs, keys)),
  })
}

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
    tlvs.push({ type: u16(bytes, at), value: bytes.subarray(valueAt, valueEnd) })
    at = valueEnd
  }
  return { tlvs, end }
}

function readCounter(tlvs: readonly Tlv[], { u32 }: Numbers): number | null {
  const found = tlvs.filter(({ type }) => type === SECURITY_COUNTER)
  if (found.length > 1) throw new ImageFault('The image states more than one security counter.')
  const [counter] = found
  if (!counter) return null
  if (counter.value.length !== 4)
    throw new ImageFault('The security counter has another size than 4 bytes.')
  return u32(counter.value, 0)
}

interface FoundSignature {
  kind: SignatureKind
  /** What the TLV before it names its key by. */
  keyHash?: Buffer
  publicKey?: PublicKey
  value: Buffer
}

async function checkSigned(
  image: ImageBytes,
  signedEnd: number,
  tlvs: readonly Tlv[],
  keys: KeysAtHand,
): Promise<Required<Pick<ImageFacts, 'signatures' | 'fault' | 'hashes'>>> {
  const hashes = tlvs.filter(({ type }) => HASHES.has(type))
  if (hashes.length > 1) throw new ImageFault('The image states more than one hash of itself.')
  const [stated] = hashes
  const isPure = tlvs.some(({ type }) => type === PURE)
  if (!stated && !isPure) throw new ImageFault('The image states no hash of itself.')
  const hash = HASHES.get(stated?.type ?? 0) ?? 'sha512'
  const checks = listSignatures(tlvs).map((found) => planCheck(found, { hash, isPure, keys }))
  const digester = createHash(hash)
  for await (const piece of image.stream(0, signedEnd)) {
    digester.update(piece)
    for (const { update } of checks) update(piece)
  }
  const digest = digester.digest()
  const whole = isPure ? await readWhole(image, signedEnd) : digest
  const isRight = !stated || digest.equals(stated.value)
  return {
    signatures: checks.map(({ conclude }) => conclude(whole)),
    fault: isRight
      ? null
      : `The ${hash.toUpperCase()} of the image is another than it states: it was changed or damaged.`,
    hashes: listMcubootHash(stated),
  }
}

async function readWhole(image: ImageBytes, end: number): Promise<Buffer> {
  if (end > MOST_PURE_BYTES)
    throw new ImageObstacle(
      `The signature is over the image itself (--pure), which is checked up to ${MOST_PURE_BYTES / 1024 / 1024} MiB.`,
    )
  return image.read(0, end)
}

function listSignatures(tlvs: readonly Tlv[]): FoundSignature[] {
  const found: FoundSignature[] = []
  let named: Pick<FoundSignature, 'keyHash' | 'publicKey'> = {}
  for (const { type, value } of tlvs) {
    const kind = SIGNATURES.get(type)
    if (type === KEY_HASH) named = { keyHash: value }
    else if (type === PUBLIC_KEY) named = { publicKey: readPublicKey(value) }
    else if (kind) found.push({ kind, value, ...named })
  }
  if (found.length > MOST_SIGNATURES)
    throw new ImageFault(
      `The image has ${found.length} signatures; ${MOST_SIGNATURES} are checked.`,
    )
  return found
}

function readPublicKey(der: Buffer): PublicKey {
  for (const type of ['spki', 'pkcs1'] as const) {
    try {
      return describeKey(createPublicKey({ key: der, format: 'der', type }))
    } catch {
      // The next type may fit.
    }
  }
  throw new ImageFault('The image holds a public key that cannot be read.')
}

interface Check {
  update: (piece: Uint8Array) => void
  /** `message`: what Ed25519 signs, the digest or the image itself. */
  conclude: (message: Buffer) => SignatureFact
}

function planCheck(
  { kind, keyHash, publicKey, value }: FoundSignature,
  { hash, isPure, keys }: { hash: HashName; isPure: boolean; keys: KeysAtHand },
): Check {
  const candidates = publicKey
    ? [publicKey]
    : [...keys.publicKeys, ...TEST_KEYS].filter(
        ({ key }) => isOfKind(key, kind) && (!keyHash || hashKey(key, hash).equals(keyHash)),
      )
  const keyId = publicKey?.fingerprint ?? keyHash?.toString('hex') ?? null
  const scheme = chooseScheme(kind, hash)
  const signature = kind.keyType === 'ec' ? trimDer(value) : value
  const tries = candidates.map(({ key, fingerprint }) => ({
    key,
    fingerprint,
    streamed: hasHash(scheme) ? verifyStreamed({ key, scheme, signature }) : undefined,
  }))
  const isNamed = keyId !== null && tries.length > 0
  return {
    update: (piece) => {
      for (const { streamed } of tries) streamed?.update(piece)
    },
    conclude: (message) => {
      const valid = tries.find(
        ({ key, streamed }) =>
          streamed?.isValid() ?? isSignatureOf({ key, scheme, signature }, message),
      )
      const base = {
        scheme: isPure ? `${scheme.name} (pure)` : scheme.name,
        keyId,
        certificates: [],
      }
      if (valid)
        return { ...base, outcome: 'Valid', keyFingerprint: valid.fingerprint, detail: null }
      return isNamed
        ? {
            ...base,
            outcome: 'Invalid',
            keyFingerprint: null,
            detail: 'It is not the signature of these bytes by the key that the image names.',
          }
        : { ...base, outcome: 'NoKey', keyFingerprint: null, detail: null }
    },
  }
}

const isOfKind = (key: KeyObject, { keyType, bits }: SignatureKind) =>
  key.asymmetricKeyType === keyType &&
  (bits === undefined || key.asymmetricKeyDetails?.modulusLength === bits)

const hasHash = (scheme: SignatureScheme): scheme is SignatureScheme & { hash: HashName } =>
  scheme.hash !== undefined

function chooseScheme({ name, keyType }: SignatureKind, hash: HashName): SignatureScheme {
  if (keyType === 'ed25519') return { name, keyType }
  // PSS is with SHA-256 whatever the image is hashed with.
  if (keyType === 'rsa') return { name, keyType, hash: 'sha256', saltLength: SALT_BYTES }
  return { name: hash === 'sha384' ? `${name} P-384` : `${name} P-256`, keyType, hash }
}

/** As imgtool hashes it: PKCS #1 of an RSA key, else the SubjectPublicKeyInfo. */
function hashKey(key: KeyObject, hash: HashName): Buffer {
  const der =
    key.asymmetricKeyType === 'rsa'
      ? key.export({ type: 'pkcs1', format: 'der' })
      : key.export({ type: 'spki', format: 'der' })
  return createHash(hash).update(der).digest()
}

/** imgtool once filled ECDSA signatures with zeros to one length. */
function trimDer(value: Buffer): Buffer {
  const length = value[0] === 0x30 && value.length > 2 ? 2 + (value[1] ?? 0) : value.length
  return value.subarray(length).every((byte) => byte === 0) ? value.subarray(0, length) : value
}
