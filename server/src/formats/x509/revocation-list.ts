/** Lists of revoked certificates (CRL, RFC 5280 section 5), as their authority signs them. */
import { verify, type X509Certificate } from 'node:crypto'
import { AsnConvert } from '@peculiar/asn1-schema'
import {
  CertificateList,
  type Extension,
  id_ce_authorityKeyIdentifier,
  id_ce_cRLNumber,
  id_ce_cRLReasons,
  type RevokedCertificate,
} from '@peculiar/asn1-x509'
import { readSerial } from './certificate.ts'

/** The list is none that can be read, or it is another authority's; the message says which. */
export class RefusedRevocationList extends Error {
  override readonly name = 'RefusedRevocationList'
}

export interface RevocationList {
  /** A decimal number; null: it has none. */
  number: string | null
  thisUpdate: Date
  nextUpdate: Date
  /** Each serial number once, with when it was revoked. */
  revoked: { serial: string; revokedAt: Date }[]
}

/** Of a list in PEM or in DER. Throws when the authority did not sign it. */
export function parseRevocationList(
  source: string | Buffer,
  issuer: X509Certificate,
): RevocationList {
  const bytes = typeof source === 'string' ? readPem(source) : source
  const list = readList(bytes)
  checkSignature(list, issuer)
  const { thisUpdate, nextUpdate, crlExtensions, revokedCertificates } = list.tbsCertList
  if (!nextUpdate)
    throw new RefusedRevocationList(
      'it does not say when the next one comes (nextUpdate), so nobody knows until when it holds',
    )
  refuseUnknown(crlExtensions, LIST_EXTENSIONS)
  return {
    number: readNumber(crlExtensions),
    thisUpdate: thisUpdate.getTime(),
    nextUpdate: nextUpdate.getTime(),
    revoked: readRevoked(revokedCertificates ?? []),
  }
}

const PEM = /-----BEGIN X509 CRL-----([A-Za-z0-9+/=\s]+)-----END X509 CRL-----/

function readPem(text: string): Buffer {
  const [, body] = PEM.exec(text) ?? []
  if (body === undefined)
    throw new RefusedRevocationList('it has no lines BEGIN X509 CRL and END X509 CRL')
  return Buffer.from(body, 'base64')
}

function readList(bytes: Buffer): CertificateList {
  try {
    return AsnConvert.parse(bytes, CertificateList)
  } catch (error) {
    throw new RefusedRevocationList('it is not a certificate revocation list', { cause: error })
  }
}

/** The hash of each way to sign; null: the algorithm has its own. */
const HASHES: Readonly<Record<string, string | null>> = {
  '1.2.840.113549.1.1.11': 'sha256',
  '1.2.840.113549.1.1.12': 'sha384',
  '1.2.840.113549.1.1.13': 'sha512',
  '1.2.840.10045.4.3.2': 'sha256',
  '1.2.840.10045.4.3.3': 'sha384',
  '1.2.840.10045.4.3.4': 'sha512',
  '1.3.101.112': null,
  '1.3.101.113': null,
}

function checkSignature(list: CertificateList, issuer: X509Certificate): void {
  const { tbsCertListRaw, signatureAlgorithm, signature, tbsCertList } = list
  const hash = HASHES[signatureAlgorithm.algorithm]
  if (hash === undefined)
    throw new RefusedRevocationList(
      `it is signed by the algorithm ${signatureAlgorithm.algorithm}: use RSA (PKCS #1) or ECDSA with SHA-256, SHA-384 or SHA-512, or EdDSA`,
    )
  const isSame = signatureAlgorithm.algorithm === tbsCertList.signature.algorithm
  const signed = Buffer.from(tbsCertListRaw ?? new ArrayBuffer(0))
  const isSigned = isSame && isVerified({ hash, signed, signature: Buffer.from(signature) }, issuer)
  if (!isSigned) throw new RefusedRevocationList('the key of this issuer did not sign it')
}

function isVerified(
  { hash, signed, signature }: { hash: string | null; signed: Buffer; signature: Buffer },
  { publicKey }: X509Certificate,
): boolean {
  try {
    return verify(hash, signed, publicKey, signature)
  } catch {
    // The key is of another kind than the algorithm.
    return false
  }
}

/** Those that are critical in a list of a whole authority. A delta, or a list of a part or of others, has more. */
const LIST_EXTENSIONS: ReadonlySet<string> = new Set([
  id_ce_cRLNumber,
  id_ce_authorityKeyIdentifier,
])
const ENTRY_EXTENSIONS: ReadonlySet<string> = new Set([id_ce_cRLReasons])

function refuseUnknown(
  extensions: readonly Extension[] | undefined,
  known: ReadonlySet<string>,
): void {
  const unknown = extensions?.find(({ critical, extnID }) => critical && !known.has(extnID))
  if (unknown)
    throw new RefusedRevocationList(
      `it has the critical extension ${unknown.extnID}: upload a full list of the authority, no delta and no list of a part`,
    )
}

function readNumber(extensions: readonly Extension[] | undefined): string | null {
  const extension = extensions?.find(({ extnID }) => extnID === id_ce_cRLNumber)
  if (!extension) return null
  // An INTEGER of up to 20 bytes in DER (section 5.2.3), which asn1-x509 reads as a number with 53 bits.
  const [tag, length = 0, ...bytes] = Buffer.from(extension.extnValue.buffer)
  if (tag !== 2 || length === 0 || length > 21 || length !== bytes.length)
    throw new RefusedRevocationList('its number (cRLNumber) is malformed')
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`).toString()
}

function readRevoked(entries: readonly RevokedCertificate[]): RevocationList['revoked'] {
  const bySerial = new Map<string, Date>()
  for (const { userCertificate, revocationDate, crlEntryExtensions } of entries) {
    refuseUnknown(crlEntryExtensions, ENTRY_EXTENSIONS)
    const serial = readSerial(Buffer.from(userCertificate).toString('hex'))
    if (serial === undefined)
      throw new RefusedRevocationList('it has a serial number of more than 40 bytes')
    bySerial.set(serial, revocationDate.getTime())
  }
  return [...bySerial].map(([serial, revokedAt]) => ({ serial, revokedAt }))
}
