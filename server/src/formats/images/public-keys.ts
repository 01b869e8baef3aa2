/** Public keys that images are signed with, as tools write them. */
import { createHash, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto'
import { decodeBase64 } from '../base64.ts'

export interface PublicKey {
  key: KeyObject
  /** SHA-256 of the SubjectPublicKeyInfo, in hexadecimal. */
  fingerprint: string
  /** As minisign prints it. */
  minisignKeyId?: string
}

/** What signatures are checked with, trusted or not. */
export interface KeysAtHand {
  publicKeys: readonly PublicKey[]
  /** In DER. */
  certificates: readonly Buffer[]
}

export function describeKey(key: KeyObject): PublicKey {
  const der = key.export({ type: 'spki', format: 'der' })
  return { key, fingerprint: createHash('sha256').update(der).digest('hex') }
}

/** The same as one process can tell it to another. */
export interface PlainKeys {
  keys: readonly { pem: string; minisignKeyId: string | null }[]
  /** In Base64 of DER. */
  certificates: readonly string[]
}

export const writePlainKeys = ({ publicKeys, certificates }: KeysAtHand): PlainKeys => ({
  keys: publicKeys.map(({ key, minisignKeyId = null }) => ({
    pem: key.export({ type: 'spki', format: 'pem' }).toString(),
    minisignKeyId,
  })),
  certificates: certificates.map((one) => one.toString('base64')),
})

export const readPlainKeys = ({ keys, certificates }: PlainKeys): KeysAtHand => ({
  publicKeys: keys.map(({ pem, minisignKeyId }) => ({
    ...describeKey(createPublicKey(pem)),
    ...(minisignKeyId !== null && { minisignKeyId }),
  })),
  certificates: certificates.map((one) => Buffer.from(one, 'base64')),
})

/** Throws for what is no SubjectPublicKeyInfo. */
export const readSpki = (der: Buffer): PublicKey =>
  describeKey(createPublicKey({ key: der, format: 'der', type: 'spki' }))

export function nameAlgorithm({
  asymmetricKeyType: type,
  asymmetricKeyDetails,
}: KeyObject): string {
  const { modulusLength, namedCurve = '' } = asymmetricKeyDetails ?? {}
  if (type === 'rsa' || type === 'rsa-pss') return `RSA-${modulusLength ?? '?'}`
  if (type === 'ec') return `ECDSA ${CURVES[namedCurve] ?? namedCurve}`
  return type === 'ed25519' ? 'Ed25519' : (type ?? 'unknown')
}

const CURVES: Readonly<Record<string, string>> = {
  prime256v1: 'P-256',
  secp384r1: 'P-384',
  secp521r1: 'P-521',
}

/** What comes before the 32 bytes of an Ed25519 key in a SubjectPublicKeyInfo (RFC 8410, section 4). */
const ED25519_SPKI = Buffer.from('302a300506032b6570032100', 'hex')

export type ReadKey =
  | { kind: 'PublicKey'; publicKey: PublicKey; minisignKeyId: string | null; pem: string }
  | { kind: 'Certificate'; certificate: X509Certificate; publicKey: PublicKey; pem: string }

/** A text that holds no key that can be trusted; the message is for people. */
export class KeyFault extends Error {}

/**
 * Reads a key in PEM (also of cosign), a certificate in PEM, a public key of minisign, or 32 bytes of Ed25519 in Base64 or
 * hexadecimal. Throws `KeyFault`.
 */
export function readKey(given: string): ReadKey {
  const read = readKeptKey(given)
  if (isTooLong(read.publicKey.key))
    throw new KeyFault(
      `An RSA key of ${nameAlgorithm(read.publicKey.key).slice(4)} bits takes too long to check: use ${MOST_RSA_BITS} or less.`,
    )
  return read
}

/** In PEM. */
export const isPrivateKey = (text: string): boolean =>
  /-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(text)

/** One that was trusted before keys had an upper bound. */
export function readKeptKey(given: string): ReadKey {
  const text = given.trim()
  if (isPrivateKey(text))
    throw new KeyFault(
      'This is a private key. Send its public part, and treat the private key as lost.',
    )
  const labels = [...text.matchAll(/-----BEGIN ([A-Z0-9 ]+)-----/g)].map(([, label]) => label)
  if (labels.length > 1)
    throw new KeyFault(`The text holds ${labels.length} keys or certificates. Send each by itself.`)
  const [label] = labels
  if (label === 'CERTIFICATE') return readCertificate(text)
  if (label !== undefined) return readPem(text, label)
  return readMinisign(text) ?? readRaw(text)
}

function readCertificate(text: string): ReadKey {
  try {
    const certificate = new X509Certificate(text)
    const publicKey = requireUsable(certificate.publicKey)
    return { kind: 'Certificate', certificate, publicKey, pem: certificate.toString() }
  } catch (error) {
    throw error instanceof KeyFault ? error : new KeyFault('The certificate cannot be read.')
  }
}

function readPem(text: string, label: string): ReadKey {
  if (label !== 'PUBLIC KEY' && label !== 'RSA PUBLIC KEY')
    throw new KeyFault(`PEM with “${label}” is neither a public key nor a certificate.`)
  try {
    return keep(createPublicKey(text))
  } catch (error) {
    throw error instanceof KeyFault ? error : new KeyFault('The public key cannot be read.')
  }
}

/** The format of minisign: `Ed`, 8 bytes of key id, 32 bytes of key, in Base64 below a comment. */
function readMinisign(text: string): ReadKey | undefined {
  const line = text.split(/\r?\n/).findLast((one) => !one.startsWith('untrusted comment:')) ?? ''
  const bytes = decodeBase64(line.trim())
  if (bytes?.length !== 42 || bytes.toString('latin1', 0, 2) !== 'Ed') return undefined
  return keep(readEd25519(bytes.subarray(10)), formatMinisignId(bytes.subarray(2, 10)))
}

function readRaw(text: string): ReadKey {
  const bytes = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : decodeBase64(text)
  if (bytes?.length !== 32)
    throw new KeyFault(
      'This is no key that is known here. Send a public key or a certificate in PEM, a public key of minisign, or the 32 bytes of an Ed25519 key in Base64 or hexadecimal.',
    )
  return keep(readEd25519(bytes))
}

/** As minisign prints it: the bytes as a little-endian number. */
export const formatMinisignId = (bytes: Uint8Array) =>
  Buffer.from(bytes.toReversed()).toString('hex').toUpperCase()

const readEd25519 = (bytes: Buffer) =>
  createPublicKey({ key: Buffer.concat([ED25519_SPKI, bytes]), format: 'der', type: 'spki' })

function keep(key: KeyObject, minisignKeyId: string | null = null): ReadKey {
  const publicKey = requireUsable(key)
  const pem = key.export({ type: 'spki', format: 'pem' }).toString()
  return { kind: 'PublicKey', publicKey, minisignKeyId, pem }
}

const LEAST_RSA_BITS = 2048
export const MOST_RSA_BITS = 8192

/** A check of it costs so much that no signature is checked with it. */
export const isTooLong = ({ asymmetricKeyDetails }: KeyObject): boolean =>
  (asymmetricKeyDetails?.modulusLength ?? 0) > MOST_RSA_BITS

/** The kinds whose signatures are checked here. */
function requireUsable(key: KeyObject): PublicKey {
  const { asymmetricKeyType: type, asymmetricKeyDetails } = key
  const { modulusLength = 0, namedCurve = '' } = asymmetricKeyDetails ?? {}
  const isRsa = type === 'rsa' || type === 'rsa-pss'
  if (isRsa && modulusLength < LEAST_RSA_BITS)
    throw new KeyFault(
      `An RSA key of ${modulusLength} bits is too short: use ${LEAST_RSA_BITS} or more.`,
    )
  if (type === 'ec' && !Object.hasOwn(CURVES, namedCurve))
    throw new KeyFault(`The curve ${namedCurve} is not supported: use P-256, P-384 or P-521.`)
  if (!isRsa && type !== 'ec' && type !== 'ed25519')
    throw new KeyFault(
      `Keys of the kind ${nameAlgorithm(key)} are not supported: use RSA, ECDSA or Ed25519.`,
    )
  return describeKey(key)
}
