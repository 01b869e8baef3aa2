/** How bytes are signed, and whether a signature is that of a key. */
import { constants, createVerify, type KeyObject, verify } from 'node:crypto'

export type HashName = 'sha256' | 'sha384' | 'sha512'

export interface SignatureScheme {
  name: string
  keyType: 'rsa' | 'ec' | 'ed25519'
  /** undefined: the key signs the bytes themselves, as Ed25519 does. */
  hash?: HashName
  /** Of RSASSA-PSS; undefined: PKCS #1 v1.5. */
  saltLength?: number
}

const isOfKind = (key: KeyObject, { keyType, saltLength }: SignatureScheme) =>
  key.asymmetricKeyType === keyType ||
  (key.asymmetricKeyType === 'rsa-pss' && keyType === 'rsa' && saltLength !== undefined)

/** By its kind and length, which cost nothing to look at. */
export const isRsaSignature = (key: KeyObject, signature: Uint8Array): boolean =>
  (key.asymmetricKeyType === 'rsa' || key.asymmetricKeyType === 'rsa-pss') &&
  Math.ceil((key.asymmetricKeyDetails?.modulusLength ?? 0) / 8) === signature.length

/** False also for a key of another kind and for a signature that is none. */
export function isSignatureOf(
  { key, scheme, signature }: { key: KeyObject; scheme: SignatureScheme; signature: Uint8Array },
  message: Uint8Array,
): boolean {
  if (!isOfKind(key, scheme)) return false
  try {
    return verify(scheme.hash ?? null, message, toVerifyKey(key, scheme), signature)
  } catch {
    return false
  }
}

function toVerifyKey(key: KeyObject, { keyType, saltLength }: SignatureScheme) {
  if (keyType !== 'rsa') return { key }
  return saltLength === undefined
    ? { key, padding: constants.RSA_PKCS1_PADDING }
    : { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength }
}

/** Checks a signature of bytes that are read piece by piece. Not for Ed25519, which needs all of them at once. */
export function verifyStreamed({
  key,
  scheme,
  signature,
}: {
  key: KeyObject
  scheme: SignatureScheme & { hash: HashName }
  signature: Uint8Array
}): { update: (piece: Uint8Array) => void; isValid: () => boolean } {
  if (!isOfKind(key, scheme)) return { update: () => undefined, isValid: () => false }
  const verifier = createVerify(scheme.hash)
  return {
    update: (piece) => void verifier.update(piece),
    isValid: () => {
      try {
        return verifier.verify(toVerifyKey(key, scheme), signature)
      } catch {
        return false
      }
    },
  }
}

/** Both numbers of ECDSA, beside each other in 64 bytes, as DER has them: a SEQUENCE of two INTEGERs. */
export function encodePair(pair: Buffer): Buffer {
  const numbers = [pair.subarray(0, 32), pair.subarray(32)].map((bytes) => {
    const first = bytes.findIndex((byte) => byte !== 0)
    const shortest = first < 0 ? Buffer.alloc(1) : bytes.subarray(first)
    const positive =
      (shortest[0] ?? 0) >= 0x80 ? Buffer.concat([Buffer.alloc(1), shortest]) : shortest
    return Buffer.concat([Buffer.from([0x02, positive.length]), positive])
  })
  const content = Buffer.concat(numbers)
  return Buffer.concat([Buffer.from([0x30, content.length]), content])
}
