/** What an image says and what its signatures are, whoever is trusted. */
export const IMAGE_FORMATS = [
  'MCUboot',
  'SWUpdate',
  'RAUC',
  'Mender',
  // Recognised and not checked. Other: its variant says what it is.
  'FIT',
  'UImage',
  'UF2',
  'AndroidSparse',
  'ESP-IDF',
  'Other',
  'NotKnown',
] as const
export type ImageFormat = (typeof IMAGE_FORMATS)[number]

/**
 * `Valid`: it is the signature of these bytes by the key. `Invalid`: it names a key at hand, and is not. `NoKey`: none of the keys at
 * hand made it. `NotSupported`: its kind is not known here.
 */
type SignatureOutcome = 'Valid' | 'Invalid' | 'NoKey' | 'NotSupported'

export interface SignatureFact {
  scheme: string
  outcome: SignatureOutcome
  /** What the image names the key by; null: nothing. */
  keyId: string | null
  /** SHA-256 of the SubjectPublicKeyInfo of the key that the signature is valid for. */
  keyFingerprint: string | null
  /** Base64 of DER, that of the signer first. Empty: a signature without certificates. */
  certificates: readonly string[]
  /** Why it is not valid. */
  detail: string | null
  /** Of the keys that may have made it, those that were not tried with it. Absent: none. */
  untriedCount?: number
  /** It stands in a file beside the image, and covers all of it. */
  isBeside?: true
}

export interface ImageStatement {
  version: string | null
  compatible: string | null
  hardware: readonly string[]
  securityCounter: number | null
}

export interface ImageFacts {
  format: ImageFormat
  /** Such as `verity` of a RAUC bundle. */
  variant: string | null
  statement: ImageStatement
  signatures: readonly SignatureFact[]
  /** Why the bytes are not what the image says they are. */
  fault: string | null
  /** Why nothing can be told of the signatures. */
  obstacle: string | null
  /** What the signatures do not cover. */
  notes: readonly string[]
  /** Of the file and of what it holds. Absent: an examiner before version 2 has read it. */
  hashes?: readonly ImageHash[]
}

/** A hash by which documents and devices may name an image, in hexadecimal. */
export interface ImageHash {
  /** What in the image it is of; null: of the whole file. */
  of: string | null
  value: string
}

export const NOTHING_STATED: ImageStatement = {
  version: null,
  compatible: null,
  hardware: [],
  securityCounter: null,
}

/** Devices report it as that of the image in a slot. */
export const listMcubootHash = (stated: { value: Buffer } | undefined): ImageHash[] =>
  stated ? [{ of: 'the hash that MCUboot checks', value: stated.value.toString('hex') }] : []

export function describeImage(
  format: ImageFormat,
  facts: Partial<Omit<ImageFacts, 'format'>>,
): ImageFacts {
  return {
    format,
    variant: null,
    statement: NOTHING_STATED,
    signatures: [],
    fault: null,
    obstacle: null,
    notes: [],
    ...facts,
  }
}

/** The image is not as its format says; the message is for people. */
export class ImageFault extends Error {}

/** The image may be right, and this service cannot tell; the message is for people. */
export class ImageObstacle extends Error {}
