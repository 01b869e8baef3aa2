/** DSSE envelopes: a payload, its type and signatures of both. https://github.com/secure-systems-lab/dsse/blob/v1.0.0/protocol.md */
import { constants, type KeyObject, verify, X509Certificate } from 'node:crypto'
import { promisify } from 'node:util'
import type { SignatureFact } from './images/image-facts.ts'
import { findSigner, listKnownKeys, type LimitedKeys, tellNoSigner } from './images/key-tries.ts'
import { isRsaSignature } from './images/signature-schemes.ts'
import { describeKey, type PublicKey } from './images/public-keys.ts'
import { isObject } from './sboms/json-values.ts'

/** The envelope cannot be read; the message is for people. */
export class DsseFault extends Error {}

interface DsseSignature {
  /** A hint that nobody signed; null: none. */
  keyId: string | null
  signature: Buffer
}

export interface DsseEnvelope {
  payloadType: string
  payload: Buffer
  signatures: readonly DsseSignature[]
}

const MOST_SIGNATURES = 10
/** Of RSA with 8,192 bits. */
const MOST_SIGNATURE_BYTES = 1024

export const isDsseEnvelope = (value: unknown): boolean =>
  isObject(value) && 'payload' in value && 'payloadType' in value

/** Throws `DsseFault`. */
export function readDsseEnvelope(value: unknown): DsseEnvelope {
  if (!isObject(value)) throw new DsseFault('The DSSE envelope is not a JSON object.')
  const { payloadType, payload, signatures } = value
  if (typeof payloadType !== 'string' || payloadType === '')
    throw new DsseFault('The DSSE envelope has no payloadType.')
  const bytes = readBase64(payload)
  if (!bytes) throw new DsseFault('The payload of the DSSE envelope is not Base64.')
  if (!Array.isArray(signatures) || signatures.length === 0)
    throw new DsseFault(
      'The DSSE envelope has no signature. Send the statement itself, or sign it.',
    )
  if (signatures.length > MOST_SIGNATURES)
    throw new DsseFault(
      `The DSSE envelope has ${signatures.length} signatures; at most ${MOST_SIGNATURES} are read.`,
    )
  return { payloadType, payload: bytes, signatures: signatures.map(readSignature) }
}

function readSignature(value: unknown, index: number): DsseSignature {
  const { sig, keyid } = isObject(value) ? value : {}
  const signature = readBase64(sig)
  if (!signature || signature.length === 0 || signature.length > MOST_SIGNATURE_BYTES)
    throw new DsseFault(`Signature ${index + 1} of the DSSE envelope is not a signature in Base64.`)
  return { keyId: typeof keyid === 'string' && keyid !== '' ? keyid : null, signature }
}

/** "Either standard or URL-safe base64 encodings are allowed", one of them at a time. undefined: it is neither. */
function readBase64(text: unknown): Buffer | undefined {
  if (typeof text !== 'string') return undefined
  const unpadded = text.replace(/={1,2}$/, '')
  const bytes = Buffer.from(unpadded, 'base64')
  const encoded = [bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url')]
  return encoded.includes(unpadded) ? bytes : undefined
}

/** What is signed: the pre-authentication encoding. */
export function encodePae(payloadType: string, payload: Uint8Array): Buffer {
  const type = Buffer.from(payloadType)
  return Buffer.concat([
    Buffer.from(`DSSEv1 ${type.length} `),
    type,
    Buffer.from(` ${payload.length} `),
    payload,
  ])
}

/**
 * What the signatures of an envelope are with the keys at hand. `certificates`: in DER, those that came with the envelope, that of its
 * signer first.
 */
export async function checkDsse(
  { payloadType, payload, signatures }: DsseEnvelope,
  keys: LimitedKeys,
  certificates: readonly Buffer[] = [],
): Promise<SignatureFact[]> {
  const message = encodePae(payloadType, payload)
  const known = listKnownKeys(keys)
  const signer = readSigner(certificates)
  const shown = { scheme: 'DSSE', certificates: certificates.map((one) => one.toString('base64')) }
  const facts: SignatureFact[] = []
  // One after the other, as they share the room for tries.
  for (const { keyId, signature } of signatures) {
    const stated = signer ?? known.find((one) => isNamed(one, keyId))
    const made = stated
      ? tellStated(stated, await isSignedBy(stated.key, signature, message))
      : await findMaker(known, { keys, signature, message })
    facts.push({ ...shown, keyId, ...made })
  }
  return facts
}

type Made = Omit<SignatureFact, 'scheme' | 'keyId' | 'certificates'>

const tellStated = ({ fingerprint: keyFingerprint }: PublicKey, isValid: boolean): Made =>
  isValid
    ? { keyFingerprint, outcome: 'Valid', detail: null }
    : { keyFingerprint, outcome: 'Invalid', detail: WRONG }

async function findMaker(
  known: readonly PublicKey[],
  { keys, signature, message }: { keys: LimitedKeys; signature: Buffer; message: Buffer },
): Promise<Made> {
  const { signer, untriedCount } = await findSigner(
    known.filter(({ key }) => listWays(key, signature).length > 0),
    {
      keys,
      bytes: MOST_WAYS * message.length,
      isBy: ({ key }) => isSignedBy(key, signature, message),
    },
  )
  return signer ? tellStated(signer, true) : tellNoSigner(untriedCount)
}

const WRONG =
  'A signature of the DSSE envelope is not that of its payload by the key that it names: the payload was changed, or another key has signed it.'

function readSigner([first]: readonly Buffer[]): PublicKey | undefined {
  if (!first) return undefined
  try {
    return describeKey(new X509Certificate(first).publicKey)
  } catch {
    throw new DsseFault('The certificate beside the DSSE envelope cannot be read.')
  }
}

/** By SHA-256 of the SubjectPublicKeyInfo, in hexadecimal or as Sigstore writes it. Other names tell nothing. */
function isNamed({ fingerprint }: PublicKey, keyId: string | null): boolean {
  if (keyId === null) return false
  const named = keyId.replace(/^SHA256:/i, '')
  return (
    named.toLowerCase() === fingerprint ||
    named.replace(/=+$/, '') === Buffer.from(fingerprint, 'hex').toString('base64').slice(0, -1)
  )
}

/** Hashes that signers of each curve use: that of its size, and SHA-256 as cosign does for all. */
const HASHES_OF_CURVE: Readonly<Record<string, readonly string[]>> = {
  prime256v1: ['sha256'],
  secp384r1: ['sha384', 'sha256'],
  secp521r1: ['sha512', 'sha256'],
}

/** Beside the thread that answers requests: a statement is checked in one, and each try hashes all of it. */
const verifyBeside = promisify(verify)

async function isSignedBy(key: KeyObject, signature: Buffer, message: Buffer): Promise<boolean> {
  for (const { hash, ...options } of listWays(key, signature))
    if (await verifyBeside(hash, message, { key, ...options }, signature).catch(() => false))
      return true
  return false
}

interface SignatureWay {
  hash: string | null
  padding?: number
  saltLength?: number
  dsaEncoding?: 'der' | 'ieee-p1363'
}

/** Of one key with one signature: two hashes, or two paddings. */
const MOST_WAYS = 2

/** DSSE leaves the algorithm to the key. */
function listWays(key: KeyObject, signature: Buffer): readonly SignatureWay[] {
  const { asymmetricKeyType: type, asymmetricKeyDetails } = key
  const pss = {
    padding: constants.RSA_PKCS1_PSS_PADDING,
    saltLength: constants.RSA_PSS_SALTLEN_AUTO,
  }
  if (type === 'ed25519') return signature.length === ED25519_BYTES ? [{ hash: null }] : []
  if (type !== 'ec' && !isRsaSignature(key, signature)) return []
  if (type === 'rsa')
    return [
      { hash: 'sha256', padding: constants.RSA_PKCS1_PADDING },
      { hash: 'sha256', ...pss },
    ]
  if (type === 'rsa-pss') return [{ hash: 'sha256', ...pss }]
  const curve = asymmetricKeyDetails?.namedCurve ?? ''
  const encodings = listEncodings(signature, JOINED_BYTES[curve])
  return (HASHES_OF_CURVE[curve] ?? []).flatMap((hash) =>
    encodings.map((dsaEncoding) => ({ hash, dsaEncoding })),
  )
}

const ED25519_BYTES = 64
/** Of both numbers of ECDSA beside each other. */
const JOINED_BYTES: Readonly<Record<string, number>> = {
  prime256v1: 64,
  secp384r1: 96,
  secp521r1: 132,
}

/** The specification's own example joins r and s; tools write DER. A try of each costs a hash of the payload. */
function listEncodings(signature: Buffer, joinedBytes = 0): readonly ('der' | 'ieee-p1363')[] {
  if (signature.length !== joinedBytes) return ['der']
  return signature[0] === DER_SEQUENCE ? ['ieee-p1363', 'der'] : ['ieee-p1363']
}

const DER_SEQUENCE = 0x30
