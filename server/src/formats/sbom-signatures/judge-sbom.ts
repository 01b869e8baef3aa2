/** What the facts of an SBOM's signatures mean with the keys that are trusted now. Nothing is verified because nothing was found. */
import {
  type JudgedSignature,
  type JudgedSignatures,
  judgeSignatures,
  type TrustedKey,
} from '../images/judge-image.ts'
import type { SbomSignatureFacts } from './examine-sbom.ts'

/** From what stops a release most to what it needs. */
export const SBOM_SIGNATURE_STATES = [
  'Broken',
  'NotSigned',
  'Untrusted',
  'NotChecked',
  'Checking',
  'Verified',
] as const
type SbomSignatureState = (typeof SBOM_SIGNATURE_STATES)[number]

export interface SbomSignatureVerdict {
  state: SbomSignatureState
  /** A sentence. */
  reason: string
  signatures: JudgedSignature[]
}

export function judgeSbom(
  { signatures: found, fault, obstacle }: SbomSignatureFacts,
  trusted: readonly TrustedKey[],
  now: Date,
): SbomSignatureVerdict {
  const judged = judgeSignatures(found, trusted, now)
  const told = { fault, obstacle, found, ...judged }
  return { ...(decideBroken(told) ?? decideTrust(told)), signatures: judged.signatures }
}

type Decision = Omit<SbomSignatureVerdict, 'signatures'>

interface Judged extends Omit<SbomSignatureFacts, 'signatures'>, JudgedSignatures {
  found: SbomSignatureFacts['signatures']
}

function decideBroken({ fault, found }: Judged): Decision | undefined {
  const reason = fault ?? found.find(({ outcome }) => outcome === 'Invalid')?.detail
  return reason === undefined || reason === null ? undefined : { state: 'Broken', reason }
}

function decideTrust({ obstacle, found, signatures, unfinished }: Judged): Decision {
  const by = signatures.find(({ trustedKey }) => trustedKey !== null)?.trustedKey
  if (by) return { state: 'Verified', reason: `Signed with the trusted key ${by.name}.` }
  const unsupported = found.find(({ outcome }) => outcome === 'NotSupported')?.detail
  const unchecked = obstacle ?? unsupported ?? unfinished
  if (unchecked !== undefined && unchecked !== null)
    return { state: 'NotChecked', reason: unchecked }
  if (found.length === 0) return { state: 'NotSigned', reason: NOT_SIGNED }
  const reason = signatures.find(({ detail }) => detail !== null)?.detail
  return { state: 'Untrusted', reason: reason ?? 'No trusted key has signed it.' }
}

const NOT_SIGNED = 'Neither the document nor a signature beside it says who made it.'
