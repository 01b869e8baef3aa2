/** Signatures in a file beside the image: of minisign, of cosign (`sign-blob`), or raw as openssl writes them. */
import { createHash } from 'node:crypto'
import { decodeBase64 } from '../base64.ts'
import { type ImageBytes, readBytes } from './image-bytes.ts'
import type { SignatureFact } from './image-facts.ts'
import { findSigner, type LimitedKeys, takeTry, tellNoSigner } from './key-tries.ts'
import { formatMinisignId, type PublicKey } from './public-keys.ts'
import {
  type HashName,
  isRsaSignature,
  isSignatureOf,
  type SignatureScheme,
  verifyStreamed,
} from './signature-schemes.ts'

/** The text holds no signature that is known here; the message is for people. */
export class SignatureFault extends Error {}

export type DetachedSignature =
  | {
      kind: 'minisign'
      keyId: string
      /** Of BLAKE2b-512 of the file; false: of the file itself. */
      isPrehashed: boolean
      signature: Buffer
      /** What the second signature covers: the first one and the trusted comment. */
      commented: Buffer
      commentSignature: Buffer
    }
  | { kind: 'raw'; signature: Buffer }

/** Of minisign as text, or of openssl and cosign in Base64 or hexadecimal. Throws `SignatureFault`. */
export function parseDetachedSignature(given: string): DetachedSignature {
  const text = given.trim()
  if (text.startsWith('untrusted comment:')) return parseMinisign(text)
  const compact = text.replaceAll(/\s/g, '')
  const isHex = /^(?:[0-9a-f]{2})+$/i.test(compact)
  const signature = Buffer.from(compact, isHex ? 'hex' : 'base64')
  const isWhole =
    isHex || signature.toString('base64').replace(/=*$/, '') === compact.replace(/=*$/, '')
  if (!isWhole || signature.length < LEAST_BYTES || signature.length > MOST_BYTES)
    throw new SignatureFault(
      'This is no signature that is known here. Send a signature of minisign, or one of openssl or cosign in Base64 or hexadecimal.',
    )
  return { kind: 'raw', signature }
}

const LEAST_BYTES = 64
/** That of an RSA key of 8,192 bits. */
const MOST_BYTES = 1024
const SIGNATURE_BYTES = 64
const COMMENT = 'trusted comment: '

/** https://jedisct1.github.io/minisign/#signature-format */
function parseMinisign(text: string): DetachedSignature {
  const [, first = '', comment = '', second = ''] = text.split(/\r?\n/)
  const bytes = decodeBase64(first.trim()) ?? Buffer.alloc(0)
  const algorithm = bytes.toString('latin1', 0, 2)
  const commentSignature = decodeBase64(second.trim()) ?? Buffer.alloc(0)
  const isWhole =
    bytes.length === 10 + SIGNATURE_BYTES &&
    (algorithm === 'Ed' || algorithm === 'ED') &&
    comment.startsWith(COMMENT) &&
    commentSignature.length === SIGNATURE_BYTES
  if (!isWhole)
    throw new SignatureFault('The signature of minisign is cut off, or of another kind.')
  const signature = bytes.subarray(10)
  return {
    kind: 'minisign',
    keyId: formatMinisignId(bytes.subarray(2, 10)),
    isPrehashed: algorithm === 'ED',
    signature,
    commented: Buffer.concat([signature, Buffer.from(comment.slice(COMMENT.length))]),
    commentSignature,
  }
}

const ED25519: SignatureScheme = { name: 'Ed25519', keyType: 'ed25519' }
const STREAMED: readonly (SignatureScheme & { hash: HashName })[] = [
  { name: 'ECDSA with SHA-256', keyType: 'ec', hash: 'sha256' },
  { name: 'RSA PKCS #1 v1.5 with SHA-256', keyType: 'rsa', hash: 'sha256' },
]

/** Ed25519 over the file itself needs all of it in memory. */
const MOST_WHOLE_BYTES = 64 * 1024 * 1024
interface Try {
  publicKey: PublicKey
  scheme: SignatureScheme
  update: (piece: Uint8Array) => void
  isValid: () => boolean
}

/** Reads the image once for all of them, and once more where one signs the file itself. */
export async function checkDetached(
  image: ImageBytes,
  signatures: readonly DetachedSignature[],
  keys: LimitedKeys,
): Promise<SignatureFact[]> {
  if (signatures.length === 0) return []
  const planned = signatures.map((signature) => ({
    signature,
    ...planTries(signature, { keys, bytes: image.size }),
  }))
  const blake = createHash('blake2b512')
  for await (const piece of image.stream(0, image.size)) {
    blake.update(piece)
    for (const { tries } of planned) for (const { update } of tries) update(piece)
  }
  const digest = blake.digest()
  const needsWhole = signatures.some((one) =>
    one.kind === 'raw' ? one.signature.length === SIGNATURE_BYTES : !one.isPrehashed,
  )
  const whole =
    needsWhole && image.size <= MOST_WHOLE_BYTES ? await readBytes(image, 0, image.size) : undefined
  const facts: SignatureFact[] = []
  // One after the other, as they share the room for tries.
  for (const { signature, ...plan } of planned)
    facts.push(
      signature.kind === 'minisign'
        ? await checkMinisign(signature, { keys, message: signature.isPrehashed ? digest : whole })
        : await checkRaw(signature, { ...plan, keys, whole }),
    )
  return facts
}

interface PlannedTries {
  tries: readonly Try[]
  /** Keys for which there was no room. */
  untriedCount: number
}

function planTries(
  given: DetachedSignature,
  { keys, bytes }: { keys: LimitedKeys; bytes: number },
): PlannedTries {
  if (given.kind === 'minisign') return { tries: [], untriedCount: 0 }
  const { signature } = given
  const candidates = keys.publicKeys.flatMap((publicKey) =>
    STREAMED.filter(({ keyType }) =>
      keyType === 'rsa'
        ? isRsaSignature(publicKey.key, signature)
        : keyType === publicKey.key.asymmetricKeyType && signature[0] === DER_SEQUENCE,
    ).map((scheme) => ({ publicKey, scheme })),
  )
  const tried = candidates.filter(({ publicKey }) => takeTry(keys, publicKey, bytes))
  return {
    untriedCount: candidates.length - tried.length,
    tries: tried.map(({ publicKey, scheme }) => ({
      publicKey,
      scheme,
      ...verifyStreamed({ key: publicKey.key, scheme, signature }),
    })),
  }
}

const DER_SEQUENCE = 0x30
const NO_KEY = { keyFingerprint: null, certificates: [] } as const

async function checkRaw(
  { signature }: { signature: Buffer },
  {
    keys,
    tries,
    untriedCount,
    whole,
  }: PlannedTries & { keys: LimitedKeys; whole: Buffer | undefined },
): Promise<SignatureFact> {
  const streamed = tries.find(({ isValid }) => isValid())
  if (streamed) return tellValid(streamed.scheme.name, streamed.publicKey)
  const base = { scheme: 'Beside the image', keyId: null, ...NO_KEY }
  if (signature.length !== SIGNATURE_BYTES) return { ...base, ...tellNoSigner(untriedCount) }
  if (!whole) return { ...base, outcome: 'NotSupported', detail: TOO_LARGE }
  const found = await findSigner(keys.publicKeys.filter(isEd25519), {
    keys,
    bytes: whole.length,
    isBy: ({ key }) => isSignatureOf({ key, scheme: ED25519, signature }, whole),
  })
  return found.signer
    ? tellValid(ED25519.name, found.signer)
    : { ...base, ...tellNoSigner(untriedCount + found.untriedCount) }
}

const isEd25519 = ({ key }: PublicKey) => key.asymmetricKeyType === 'ed25519'

const TOO_LARGE = `A signature of Ed25519 over the file itself is checked up to ${MOST_WHOLE_BYTES / 1024 / 1024} MiB. Use minisign, which signs a hash.`

const WRONG =
  'The signature of minisign is not that of these bytes and this comment by the key that it names.'

const tellValid = (scheme: string, { fingerprint }: PublicKey): SignatureFact => ({
  scheme,
  keyId: null,
  outcome: 'Valid',
  keyFingerprint: fingerprint,
  certificates: [],
  detail: null,
})

async function checkMinisign(
  {
    keyId,
    signature,
    commented,
    commentSignature,
  }: Extract<DetachedSignature, { kind: 'minisign' }>,
  { keys, message }: { keys: LimitedKeys; message: Buffer | undefined },
): Promise<SignatureFact> {
  const base = { scheme: 'minisign', keyId, ...NO_KEY }
  if (!message) return { ...base, outcome: 'NotSupported', detail: TOO_LARGE }
  const isBy = ({ key }: PublicKey) =>
    isSignatureOf({ key, scheme: ED25519, signature }, message) &&
    isSignatureOf({ key, scheme: ED25519, signature: commentSignature }, commented)
  // That which it names comes first; one that was trusted in PEM has no such name.
  const [named, others] = [true, false].map((isNamed) =>
    keys.publicKeys.filter((one) => isEd25519(one) && (one.minisignKeyId === keyId) === isNamed),
  )
  const candidates = [...(named ?? []), ...(others ?? [])]
  const { signer, untriedCount } = await findSigner(candidates, {
    keys,
    bytes: message.length,
    isBy,
  })
  if (signer) return { ...tellValid('minisign', signer), keyId }
  const wasTried = candidates.length - untriedCount >= (named?.length ?? 0)
  return named?.length && wasTried
    ? { ...base, outcome: 'Invalid', detail: WRONG }
    : { ...base, ...tellNoSigner(untriedCount) }
}
