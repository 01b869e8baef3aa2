/**
 * What the signatures of one upload may cost. One that names no key is tried with each key that may have made it, and each try may hash
 * all that is signed: ten signatures and 200 keys would hash an image of 4 GiB 2,000 times.
 */
import { X509Certificate } from 'node:crypto'
import type { SignatureFact } from './image-facts.ts'
import { describeKey, isTooLong, type KeysAtHand, type PublicKey } from './public-keys.ts'

export const MOST_TRIES = 200

/** What tries may hash together: of files that are read piece by piece, and of documents, which are in memory. */
const MOST_HASHED_BYTES = {
  files: 32 * 1024 ** 3,
  documents: 4 * 1024 ** 3,
  statements: 512 * 1024 ** 2,
}

/** The keys at hand, and the room for tries that all signatures of one upload share. */
export interface LimitedKeys extends KeysAtHand {
  room: { tries: number; bytes: number }
}

export const limitTries = (keys: KeysAtHand, of: keyof typeof MOST_HASHED_BYTES): LimitedKeys => ({
  ...keys,
  room: { tries: MOST_TRIES, bytes: MOST_HASHED_BYTES[of] },
})

/** Also those of certificates, each once. */
export function listKnownKeys({ publicKeys, certificates }: KeysAtHand): PublicKey[] {
  const ofCertificates = certificates.map((der) => describeKey(new X509Certificate(der).publicKey))
  const all = [...publicKeys, ...ofCertificates]
  return [...new Map(all.map((one) => [one.fingerprint, one])).values()]
}

/** Takes the room of one try. False: there is none left, or nobody should try this key. */
export function takeTry({ room }: LimitedKeys, { key }: PublicKey, bytes: number): boolean {
  if (isTooLong(key) || room.tries === 0 || room.bytes < bytes) return false
  room.tries -= 1
  room.bytes -= bytes
  return true
}

/** `candidates`: those that may have made the signature by their kind; `bytes`: what one try hashes. */
export async function findSigner(
  candidates: readonly PublicKey[],
  {
    keys,
    bytes,
    isBy,
  }: { keys: LimitedKeys; bytes: number; isBy: (key: PublicKey) => boolean | Promise<boolean> },
): Promise<{ signer: PublicKey | undefined; untriedCount: number }> {
  let untriedCount = 0
  for (const candidate of candidates) {
    if (!takeTry(keys, candidate, bytes)) untriedCount += 1
    else if (await isBy(candidate)) return { signer: candidate, untriedCount: 0 }
  }
  return { signer: undefined, untriedCount }
}

/** The signature is by none of the keys that were tried, which must not read as if all were. */
export function tellNoSigner(
  untriedCount: number,
): Pick<SignatureFact, 'keyFingerprint' | 'outcome' | 'detail' | 'untriedCount'> {
  const none = { keyFingerprint: null, outcome: 'NoKey' } as const
  if (untriedCount === 0) return { ...none, detail: null }
  return { ...none, detail: explainUntried(untriedCount), untriedCount }
}

const explainUntried = (count: number) =>
  `Of the keys that may have made a signature, ${count} ${count === 1 ? 'was' : 'were'} not tried, so nobody can tell here whether a trusted key made it. The signatures of one file are tried with ${MOST_TRIES} keys at most, with fewer where the file is large, and never with RSA keys above 8,192 bits. Delete signatures and keys that nobody needs.`
