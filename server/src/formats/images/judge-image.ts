/** What the facts of an image mean with the keys that are trusted now. Nothing is verified because nothing was found. */
import {
  type CertificateFacts,
  type ChainRoom,
  createChainRoom,
  findChain,
  nameCertificate,
  recallCertificateFacts,
} from './certificate-chain.ts'
import type { ImageFacts, SignatureFact } from './image-facts.ts'
import { isSameVersion } from './stated-version.ts'
import { findTestKeyName } from './test-keys.ts'

/** From what stops a release most to what it needs. */
export const VERIFICATION_STATES = [
  'Broken',
  'NotSigned',
  'Untrusted',
  'NotChecked',
  'FormatNotKnown',
  'Checking',
  'Verified',
] as const
export type VerificationState = (typeof VERIFICATION_STATES)[number]

export interface TrustedKey {
  id: string
  name: string
  /** SHA-256 of its SubjectPublicKeyInfo, in hexadecimal. */
  fingerprint: string
  /** undefined: a public key without a certificate, which does not end. */
  certificate?: CertificateFacts | undefined
}

export interface JudgedSignature {
  scheme: string
  keyId: string | null
  /** The trusted key that it leads to; null: none. */
  trustedKey: { id: string; name: string } | null
  /** The published test key that signed it, or that issued its certificate. */
  testKey: string | null
  signer: string | null
  /** The first end of a certificate that it needs. */
  endsAt: Date | null
  detail: string | null
}

export interface ImageVerdict {
  state: VerificationState
  /** A sentence. */
  reason: string
  testKey: string | null
  signatures: JudgedSignature[]
}

export function judgeImage(
  facts: ImageFacts,
  trusted: readonly TrustedKey[],
  now: Date,
): ImageVerdict {
  const judged = judgeSignatures(facts.signatures, trusted, now)
  const { signatures } = judged
  const testKey = signatures.find((one) => one.testKey !== null)?.testKey ?? null
  return { ...decide(facts, judged), testKey, signatures }
}

/** What is told of an image, by the service and by the command line alike. `name`: what people call its version, if anything. */
export function describeVerdict(
  facts: ImageFacts,
  { name, trusted, now }: { name: string | undefined; trusted: readonly TrustedKey[]; now: Date },
) {
  const { format, variant, statement, notes } = facts
  const { version } = statement
  return {
    ...judgeImage(facts, trusted, now),
    format,
    variant,
    statement: { ...statement, hardware: [...statement.hardware] },
    isNamedVersion: version === null || name === undefined ? null : isSameVersion(name, version),
    notes: [...notes],
  }
}

function decide(
  { format, fault, obstacle, signatures: found }: ImageFacts,
  { signatures, unfinished }: JudgedSignatures,
): { state: VerificationState; reason: string } {
  if (fault !== null) return { state: 'Broken', reason: fault }
  const invalid = found.find(({ outcome }) => outcome === 'Invalid')
  if (invalid) return { state: 'Broken', reason: invalid.detail ?? 'A signature is not valid.' }
  const beside = signatures.find(
    ({ trustedKey }, index) => trustedKey !== null && found[index]?.isBeside === true,
  )?.trustedKey
  if (beside)
    return {
      state: 'Verified',
      reason: `Signed beside the file with the trusted key ${beside.name}.`,
    }
  if (obstacle !== null && !found.some(({ isBeside }) => isBeside === true))
    return { state: 'NotChecked', reason: obstacle }
  const by = signatures.find(({ trustedKey }) => trustedKey !== null)?.trustedKey
  if (by) return { state: 'Verified', reason: `Signed with the trusted key ${by.name}.` }
  if (unfinished !== null) return { state: 'NotChecked', reason: unfinished }
  return found.length === 0 ? decideUnsigned(format) : decideUntrusted(found, signatures)
}

function decideUntrusted(
  found: readonly SignatureFact[],
  signatures: readonly JudgedSignature[],
): { state: VerificationState; reason: string } {
  const reason = signatures.find(({ detail }) => detail !== null)?.detail
  const isUnknown = found.every(({ outcome }) => outcome === 'NotSupported')
  return {
    state: isUnknown ? 'NotChecked' : 'Untrusted',
    reason: reason ?? 'No trusted key has signed it.',
  }
}

function decideUnsigned(format: ImageFacts['format']): {
  state: VerificationState
  reason: string
} {
  if (format === 'NotKnown')
    return {
      state: 'FormatNotKnown',
      reason: 'The format is not known here, so nothing in the file can be checked.',
    }
  return { state: 'NotSigned', reason: 'The image has no signature.' }
}

export interface JudgedSignatures {
  signatures: JudgedSignature[]
  /** Why nobody can tell whether a trusted key made one of them; null: all of them were followed to their end. */
  unfinished: string | null
}

/** Those of one file, which share the room that searches for chains have. */
export function judgeSignatures(
  found: readonly SignatureFact[],
  trusted: readonly TrustedKey[],
  now: Date,
): JudgedSignatures {
  const given = { trusted, now, room: createChainRoom() }
  const judged = found.map((fact) => judgeSignature(fact, given))
  const cut = judged.find(({ isCut }, index) => isCut || found[index]?.untriedCount !== undefined)
  return {
    signatures: judged.map(({ isCut: _isCut, ...signature }) => signature),
    unfinished: cut?.detail ?? null,
  }
}

interface Judging {
  trusted: readonly TrustedKey[]
  now: Date
  room: ChainRoom
}

/** `isCut`: not all chains of it were followed. */
function judgeSignature(
  fact: SignatureFact,
  { trusted, now, room }: Judging,
): JudgedSignature & { isCut?: boolean } {
  const { scheme, keyId, outcome } = fact
  const shown = { scheme, keyId, signer: null, endsAt: null, trustedKey: null, testKey: null }
  if (outcome === 'Invalid' || outcome === 'NotSupported') return { ...shown, detail: fact.detail }
  if (outcome === 'NoKey') return { ...shown, detail: fact.detail ?? explainNoKey(keyId) }
  const chain = fact.certificates.map(recallCertificateFacts)
  const testKey = findTestKey(fact, chain)
  const [signer] = chain
  const signed = { ...shown, testKey, signer: signer ? nameCertificate(signer) : null }
  const direct = trusted.find(({ fingerprint }) => fingerprint === fact.keyFingerprint)
  if (direct) return judgeDirect(signed, direct, now)
  if (!signer) return { ...signed, detail: explainUntrusted(testKey, keyId ?? fact.keyFingerprint) }
  return { ...signed, ...judgeChain(signer, { others: chain.slice(1), trusted, now, room }) }
}

const explainNoKey = (keyId: string | null) =>
  keyId === null
    ? 'None of the trusted keys has made the signature: another key has, or the bytes were changed.'
    : `Signed with the key ${keyId}, which is not among the trusted keys.`

const explainUntrusted = (testKey: string | null, keyId: string | null) =>
  testKey === null
    ? `Signed with the key ${keyId ?? ''}, which is not among the trusted keys.`
    : `Signed with ${testKey}, a test key that everybody has.`

function judgeDirect(
  signed: Omit<JudgedSignature, 'detail'>,
  { id, name, certificate }: TrustedKey,
  now: Date,
): JudgedSignature {
  if (certificate && certificate.ends <= now) {
    const day = certificate.ends.toISOString().slice(0, 10)
    return { ...signed, detail: `The trusted certificate ${name} ended on ${day}.` }
  }
  if (certificate && certificate.begins > now) {
    const day = certificate.begins.toISOString().slice(0, 10)
    return { ...signed, detail: `The trusted certificate ${name} begins on ${day}.` }
  }
  return { ...signed, trustedKey: { id, name }, endsAt: certificate?.ends ?? null, detail: null }
}

function judgeChain(
  signer: CertificateFacts,
  { others, trusted, now, room }: Judging & { others: readonly CertificateFacts[] },
): Pick<JudgedSignature, 'trustedKey' | 'endsAt' | 'detail'> & { isCut?: boolean } {
  const anchors = trusted.flatMap(({ certificate }) => (certificate ? [certificate] : []))
  const outcome = findChain(signer, { others, trusted: anchors, now, room })
  if (!outcome.isTrusted) {
    const { reason: detail, isCut } = outcome
    return { trustedKey: null, endsAt: null, detail, isCut }
  }
  const anchor = trusted.find(({ certificate }) => certificate === outcome.anchor)
  if (!anchor) return { trustedKey: null, endsAt: null, detail: null }
  return {
    trustedKey: { id: anchor.id, name: anchor.name },
    endsAt: outcome.ends,
    detail: null,
  }
}

function findTestKey(
  { keyFingerprint }: SignatureFact,
  chain: readonly CertificateFacts[],
): string | null {
  const ofChain = chain.map((one) => one.keyFingerprint)
  const fingerprints = [...(keyFingerprint === null ? [] : [keyFingerprint]), ...ofChain]
  return fingerprints.map(findTestKeyName).find((name) => name !== undefined) ?? null
}
