/** Whether a certificate leads to one that is trusted (RFC 5280, section 6), with no question to the network. */
import { X509Certificate } from 'node:crypto'
import { AsnConvert } from '@peculiar/asn1-schema'
import {
  BasicConstraints,
  ExtendedKeyUsage,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  KeyUsageFlags,
} from '@peculiar/asn1-x509'
import {
  findExtension,
  isIssuedBy,
  readCertificateParts,
  readKeyUsage,
} from '../x509/certificate.ts'
import { rememberAnswers } from '../remembered.ts'
import { describeKey } from './public-keys.ts'

/** Certificates from the signer to the trusted one, both included. */
const MOST_IN_CHAIN = 10
/** Signatures of certificates that all searches of one file may check: with many of one name each would be checked with each. */
const MOST_CHECKS = 200

export interface ChainRoom {
  left: number
}

export const createChainRoom = (): ChainRoom => ({ left: MOST_CHECKS })

export interface CertificateFacts {
  certificate: X509Certificate
  fingerprint: string
  /** As `PublicKey` has it. */
  keyFingerprint: string
  begins: Date
  ends: Date
  isAuthority: boolean
  /** How many authorities may stand below it; null: any number. */
  pathLength: number | null
  mayIssue: boolean
  maySign: boolean
  /** An extension that has to be heeded and is not known here. */
  unknownExtension: string | null
}

/** Those that are heeded here, or that say nothing about what a certificate may do. */
const HEEDED: ReadonlySet<string> = new Set([
  id_ce_basicConstraints,
  id_ce_keyUsage,
  id_ce_extKeyUsage,
  // Names, key identifiers, policies, and where revocations are published.
  '2.5.29.17',
  '2.5.29.14',
  '2.5.29.35',
  '2.5.29.32',
  '2.5.29.31',
])

/** Email protection, as OpenSSL asks of CMS by default, code signing, or any purpose. */
const PURPOSES: ReadonlySet<string> = new Set([
  '1.3.6.1.5.5.7.3.4',
  '1.3.6.1.5.5.7.3.3',
  '2.5.29.37.0',
])

/** Throws for what is no certificate. */
export function readCertificateFacts(der: Buffer): CertificateFacts {
  const certificate = new X509Certificate(der)
  const { extensions } = readCertificateParts(certificate)
  const find = (id: string) => findExtension(extensions, id)?.extnValue.buffer
  const constraints = find(id_ce_basicConstraints)
  const basic = constraints && AsnConvert.parse(constraints, BasicConstraints)
  const usage = readKeyUsage(extensions)
  const purposes = find(id_ce_extKeyUsage)
  const unknown = extensions.find(({ critical, extnID }) => critical && !HEEDED.has(extnID))
  const allows = (flags: number) => usage === undefined || (usage & flags) !== 0
  // OpenSSL asks for the purpose of each certificate of the chain, also of authorities.
  const isForSigning =
    !purposes || [...AsnConvert.parse(purposes, ExtendedKeyUsage)].some((id) => PURPOSES.has(id))
  return {
    certificate,
    fingerprint: certificate.fingerprint256,
    keyFingerprint: describeKey(certificate.publicKey).fingerprint,
    begins: readInstant(certificate.validFrom),
    ends: readInstant(certificate.validTo),
    isAuthority: basic?.cA ?? false,
    pathLength: basic?.pathLenConstraint ?? null,
    mayIssue: allows(KeyUsageFlags.keyCertSign) && isForSigning,
    maySign: allows(KeyUsageFlags.digitalSignature | KeyUsageFlags.nonRepudiation) && isForSigning,
    unknownExtension: unknown?.extnID ?? null,
  }
}

/**
 * Of DER in Base64. Certificates of trusted keys and of signatures are asked for at each question, and to read one takes longer than all
 * that is asked of it. Throws for what is no certificate.
 */
export const recallCertificateFacts = rememberAnswers(
  (der) => readCertificateFacts(Buffer.from(der, 'base64')),
  { length: 16_384, count: 512 },
)

/** By the text, as the oldest Node that runs the command line has no dates of certificates: no date would be one that never ends. */
function readInstant(text: string): Date {
  const instant = new Date(text)
  if (Number.isNaN(instant.getTime())) throw new Error(`The date ${text} cannot be read.`)
  return instant
}

export type ChainOutcome =
  | { isTrusted: true; anchor: CertificateFacts; ends: Date }
  | {
      isTrusted: false
      reason: string
      /** Not all was followed: another one may be trusted. */
      isCut: boolean
    }

interface Step {
  facts: CertificateFacts
  /** From the signer on. */
  length: number
  ends: Date
}

/**
 * Searches a chain from the signer to a trusted certificate. Each certificate is visited once, the shortest way first, so that
 * certificates which issue each other end. A trusted certificate need not be that of a root.
 */
export function findChain(
  signer: CertificateFacts,
  {
    others,
    trusted,
    now,
    room,
  }: {
    others: readonly CertificateFacts[]
    trusted: readonly CertificateFacts[]
    now: Date
    room: ChainRoom
  },
): ChainOutcome {
  if (!signer.maySign)
    return refuse(`The certificate of the signer, ${nameCertificate(signer)}, is not for signing.`)
  const anchors = new Map(trusted.map((facts) => [facts.fingerprint, facts]))
  const pool = [...trusted, ...others]
  const seen = new Set([signer.fingerprint])
  const search = { pool, seen, room, isCut: false }
  const steps: Step[] = [{ facts: signer, length: 1, ends: signer.ends }]
  const faults: string[] = []
  for (const { facts, length, ends } of steps) {
    const anchor = anchors.get(facts.fingerprint)
    const fault = findFault(facts, now) ?? (anchor ? undefined : findEnd(length))
    if (fault !== undefined) faults.push(fault)
    else if (anchor) return { isTrusted: true, anchor, ends }
    else
      for (const issuer of listIssuers(facts, search, length - 1))
        steps.push({
          facts: issuer,
          length: length + 1,
          ends: issuer.ends < ends ? issuer.ends : ends,
        })
  }
  if (search.isCut)
    return refuse(
      `The certificates of the file have one name many times: ${MOST_CHECKS} signatures of certificates were checked, and the others were not. So nobody can tell here whether one leads to a trusted certificate.`,
      true,
    )
  const [
    fault = `No trusted certificate has issued that of the signer, ${nameCertificate(signer)}.`,
  ] = faults
  return refuse(fault)
}

const findEnd = (length: number) =>
  length === MOST_IN_CHAIN ? `The chain of certificates has more than ${MOST_IN_CHAIN}.` : undefined

interface ChainSearch {
  pool: readonly CertificateFacts[]
  seen: Set<string>
  room: ChainRoom
  isCut: boolean
}

/** Those that were not visited before, which then they are. `authoritiesBelow`: between the issuer and the signer. */
function listIssuers(
  facts: CertificateFacts,
  search: ChainSearch,
  authoritiesBelow: number,
): CertificateFacts[] {
  const { pool, seen } = search
  const issuers = pool.filter(
    (one) =>
      !search.isCut &&
      !seen.has(one.fingerprint) &&
      mayHaveIssued(one, facts, authoritiesBelow) &&
      hasSigned(one, facts, search),
  )
  for (const { fingerprint } of issuers) seen.add(fingerprint)
  return issuers
}

const refuse = (reason: string, isCut = false) => ({ isTrusted: false, reason, isCut }) as const

export const nameCertificate = ({ certificate }: CertificateFacts) =>
  certificate.subject.split('\n').join(', ') || 'without a name'

function findFault(facts: CertificateFacts, now: Date): string | undefined {
  const name = nameCertificate(facts)
  if (facts.ends <= now)
    return `The certificate of ${name} ended on ${facts.ends.toISOString().slice(0, 10)}.`
  if (facts.begins > now)
    return `The certificate of ${name} begins on ${facts.begins.toISOString().slice(0, 10)}.`
  if (facts.unknownExtension !== null)
    return `The certificate of ${name} has the critical extension ${facts.unknownExtension}, which is not supported.`
  return undefined
}

function mayHaveIssued(
  { isAuthority, mayIssue, pathLength, certificate: issuer }: CertificateFacts,
  { certificate }: CertificateFacts,
  authoritiesBelow: number,
): boolean {
  if (!isAuthority || !mayIssue) return false
  if (pathLength !== null && authoritiesBelow > pathLength) return false
  return certificate.checkIssued(issuer)
}

function hasSigned(
  issuer: CertificateFacts,
  { certificate }: CertificateFacts,
  search: ChainSearch,
): boolean {
  if (search.room.left === 0) search.isCut = true
  if (search.isCut) return false
  search.room.left -= 1
  return isIssuedBy(certificate, issuer.certificate)
}
