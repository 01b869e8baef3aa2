/** The signatures of an image of MCUboot: which key each names, and whether it is one of these bytes. */
import { createHash, createPublicKey, type KeyObject } from 'node:crypto'
import { ImageFault, type SignatureFact } from './image-facts.ts'
import { type LimitedKeys, takeTry, tellNoSigner } from './key-tries.ts'
import { describeKey, type PublicKey } from './public-keys.ts'
import {
  type HashName,
  isSignatureOf,
  type SignatureScheme,
  verifyStreamed,
} from './signature-schemes.ts'
import { TEST_KEYS } from './test-keys.ts'

export interface Tlv {
  type: number
  value: Buffer
}

const KEY_HASH = 0x01
const PUBLIC_KEY = 0x02

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

const MOST_SIGNATURES = 32

interface SignedBytes {
  hash: HashName
  isPure: boolean
  signedBytes: number
  keys: LimitedKeys
}

/** For each signature: what reads the bytes piece by piece, and tells at their end. */
export function planChecks(tlvs: readonly Tlv[], given: SignedBytes): Check[] {
  return listSignatures(tlvs).map((found) => planCheck(found, given))
}

interface FoundSignature {
  kind: SignatureKind
  /** What the TLV before it names its key by. */
  keyHash?: Buffer
  publicKey?: PublicKey
  value: Buffer
}

/** MCUboot looks for the key of each signature in the TLVs behind the signature before (boot/bootutil/src/image_validate.c). */
function listSignatures(tlvs: readonly Tlv[]): FoundSignature[] {
  const found: FoundSignature[] = []
  let named: Pick<FoundSignature, 'keyHash' | 'publicKey'> = {}
  for (const { type, value } of tlvs) {
    const kind = SIGNATURES.get(type)
    if (type === KEY_HASH) named = { keyHash: value }
    else if (type === PUBLIC_KEY) named = { publicKey: readPublicKey(value) }
    else if (kind) {
      found.push({ kind, value, ...named })
      named = {}
    }
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
  { hash, isPure, signedBytes, keys }: SignedBytes,
): Check {
  const candidates = publicKey
    ? [publicKey]
    : [...keys.publicKeys, ...TEST_KEYS].filter(
        ({ key }) => isOfKind(key, kind) && keyHash?.equals(hashKey(key, hash)) === true,
      )
  const keyId = publicKey?.fingerprint ?? keyHash?.toString('hex') ?? null
  const scheme = chooseScheme(kind, hash)
  const signature = kind.keyType === 'ec' ? trimDer(value) : value
  // Ed25519 signs the digest, unless it is told to sign the image itself.
  const bytes = hasHash(scheme) || isPure ? signedBytes : 0
  const tried = candidates.filter((candidate) => takeTry(keys, candidate, bytes))
  const tries = tried.map(({ key, fingerprint }) => ({
    key,
    fingerprint,
    streamed: hasHash(scheme) ? verifyStreamed({ key, scheme, signature }) : undefined,
  }))
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
      const failed = { ...base, keyFingerprint: null }
      if (keyId === null) return { ...failed, outcome: 'NotSupported', detail: NOT_NAMED }
      return tries.length > 0
        ? { ...failed, outcome: 'Invalid', detail: WRONG }
        : { ...base, ...tellNoSigner(candidates.length - tried.length) }
    },
  }
}

const WRONG = 'It is not the signature of these bytes by the key that the image names.'
const NOT_NAMED = 'The image does not name the key of a signature, and MCUboot skips such a one.'

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
