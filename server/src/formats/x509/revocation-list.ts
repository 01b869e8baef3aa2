/**
 * Lists of revoked certificates (CRL, RFC 5280 section 5), as their authority signs them. asn1-x509 reads what stands around the
 * entries, which are walked here: it takes no more than some 2,000 of them.
 */
import { verify, type X509Certificate } from 'node:crypto'
import { AsnConvert } from '@peculiar/asn1-schema'
import {
  CertificateList,
  Extension,
  id_ce_authorityKeyIdentifier,
  id_ce_cRLNumber,
  id_ce_cRLReasons,
  id_ce_deltaCRLIndicator,
  id_ce_issuingDistributionPoint,
  type Name,
} from '@peculiar/asn1-x509'
import { readCertificateParts, readSerialBytes } from './certificate.ts'
import {
  DER_BIT_STRING,
  DER_BOOLEAN,
  DER_GENERALIZED_TIME,
  DER_INTEGER,
  DER_SEQUENCE,
  DER_UTC_TIME,
  type DerPart,
  encodeDerSequence,
  MalformedDer,
  readDerPart,
  readDerParts,
} from './der-parts.ts'

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
  const { list, signed, entries } = refuseMalformed(() => readList(bytes))
  checkSignature(list, signed, issuer)
  const { thisUpdate, nextUpdate, crlExtensions } = list.tbsCertList
  refuseOtherName(list.tbsCertList.issuer, issuer)
  if (!nextUpdate)
    throw new RefusedRevocationList(
      'it does not say when the next one comes (nextUpdate), so nobody knows until when it holds',
    )
  refuseParts(crlExtensions)
  refuseUnknown(crlExtensions, LIST_EXTENSIONS)
  return {
    number: readNumber(crlExtensions),
    thisUpdate: thisUpdate.getTime(),
    nextUpdate: nextUpdate.getTime(),
    revoked: refuseMalformed(() => readRevoked(bytes, entries)),
  }
}

const PEM = /-----BEGIN X509 CRL-----([A-Za-z0-9+/=\s]+)-----END X509 CRL-----/

function readPem(text: string): Buffer {
  const [, body] = PEM.exec(text) ?? []
  if (body === undefined)
    throw new RefusedRevocationList('it has no lines BEGIN X509 CRL and END X509 CRL')
  return Buffer.from(body, 'base64')
}

function refuseMalformed<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (error instanceof RefusedRevocationList) throw error
    throw new RefusedRevocationList('it is not a certificate revocation list', { cause: error })
  }
}

const isSequence = ({ tag }: DerPart) => tag === DER_SEQUENCE
const isTime = ({ tag }: DerPart) => tag === DER_UTC_TIME || tag === DER_GENERALIZED_TIME

/** The list without its entries, the bytes that are signed, and where the entries stand. */
function readList(bytes: Buffer) {
  const whole = readDerPart(bytes, 0, bytes.length)
  const [tbs, algorithm, signature, ...more] = [...readDerParts(bytes, whole)]
  const isWhole = whole.tag === DER_SEQUENCE && whole.end === bytes.length && more.length === 0
  if (!isWhole || tbs?.tag !== DER_SEQUENCE || !algorithm || !signature) throw new MalformedDer()
  const parts = [...readDerParts(bytes, tbs)]
  const cut = ({ start, end }: DerPart) => bytes.subarray(start, end)
  refuseUnsigned(cut(algorithm), parts.find(isSequence), { bytes, signature })
  // The entries are the only sequence behind the times (section 5.1).
  const entries = parts.find(
    (part, index) => isSequence(part) && parts.slice(0, index).some(isTime),
  )
  const around = encodeDerSequence(parts.filter((part) => part !== entries).map(cut))
  const outer = encodeDerSequence([around, cut(algorithm), cut(signature)])
  return { list: AsnConvert.parse(outer, CertificateList), signed: cut(tbs), entries }
}

/** What the signature does not cover has one form: the algorithm as it stands in what is signed, and whole bytes (section 5.1.1.2). */
function refuseUnsigned(
  algorithm: Buffer,
  inner: DerPart | undefined,
  { bytes, signature }: { bytes: Buffer; signature: DerPart },
): void {
  const isSame = inner && algorithm.equals(bytes.subarray(inner.start, inner.end))
  const isWhole = signature.tag === DER_BIT_STRING && bytes[signature.content] === 0
  if (!isSame || !isWhole) throw new MalformedDer()
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

function checkSignature(list: CertificateList, signed: Buffer, issuer: X509Certificate): void {
  const { signatureAlgorithm, signature } = list
  const hash = HASHES[signatureAlgorithm.algorithm]
  if (hash === undefined)
    throw new RefusedRevocationList(
      `it is signed by the algorithm ${signatureAlgorithm.algorithm}: use RSA (PKCS #1) or ECDSA with SHA-256, SHA-384 or SHA-512, or EdDSA`,
    )
  const isSigned = isVerified({ hash, signed, signature: Buffer.from(signature) }, issuer)
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

/** One key may be that of two authorities, each of which counts its serial numbers by itself. */
function refuseOtherName(name: Name, issuer: X509Certificate): void {
  const { subject } = readCertificateParts(issuer)
  if (spellName(name) !== spellName(subject))
    throw new RefusedRevocationList('it is that of an authority with another name')
}

/** Authorities write one name in different kinds of text: compared are the letters (section 7.1). */
function spellName(name: Name): string {
  const parts = name.map((part) =>
    [...part]
      .map(
        ({ type, value }) =>
          `${type}=${value.toString().trim().toLowerCase().replaceAll(/\s+/g, ' ')}`,
      )
      .toSorted(),
  )
  return JSON.stringify(parts)
}

/** A list that says not all of the authority would take back what it does not name, whether it marks that as critical or not. */
function refuseParts(extensions: readonly Extension[] | undefined): void {
  for (const { extnID } of extensions ?? []) {
    if (extnID === id_ce_deltaCRLIndicator)
      throw new RefusedRevocationList(
        'it is a delta, which names only what changed: upload the full list of the authority',
      )
    if (extnID === id_ce_issuingDistributionPoint)
      throw new RefusedRevocationList(
        'it may be a list of a part of the certificates (issuingDistributionPoint): upload the full list of the authority',
      )
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

function readRevoked(bytes: Buffer, entries: DerPart | undefined): RevocationList['revoked'] {
  if (!entries) return []
  const bySerial = new Map<string, Date>()
  for (let at = entries.content; at < entries.end;) {
    const entry = readDerPart(bytes, at, entries.end)
    at = entry.end
    const serial = readDerPart(bytes, entry.content, entry.end)
    const time = readDerPart(bytes, serial.end, entry.end)
    if (entry.tag !== DER_SEQUENCE || serial.tag !== DER_INTEGER || !isTime(time))
      throw new MalformedDer()
    if (time.end < entry.end) {
      const extensions = readDerPart(bytes, time.end, entry.end)
      refuseUnknown(listCritical(bytes, extensions), ENTRY_EXTENSIONS)
    }
    const text = readSerialBytes(bytes.subarray(serial.content, serial.end))
    if (text === undefined)
      throw new RefusedRevocationList('it has a serial number of more than 40 bytes')
    bySerial.set(text, readTime(bytes, time))
  }
  return [...bySerial].map(([serial, revokedAt]) => ({ serial, revokedAt }))
}

/** The second part of an extension says that it is critical, where it is. */
function listCritical(bytes: Buffer, extensions: DerPart): Extension[] {
  return [...readDerParts(bytes, extensions)]
    .filter((one) => [...readDerParts(bytes, one)][1]?.tag === DER_BOOLEAN)
    .map(({ start, end }) => AsnConvert.parse(bytes.subarray(start, end), Extension))
}

/** Sections 4.1.2.5.1 and 4.1.2.5.2: two digits of the year are those of 1950 to 2049. Without a pattern, as there are many. */
function readTime(bytes: Buffer, { tag, content, end }: DerPart): Date {
  const yearDigits = tag === DER_UTC_TIME ? 2 : 4
  const rest = content + yearDigits
  const isWhole = end === rest + 11 && bytes[end - 1] === 0x5a
  const year = readDigits(bytes, content, yearDigits)
  const [month, day] = [readDigits(bytes, rest, 2), readDigits(bytes, rest + 2, 2)]
  const [hour, minute] = [readDigits(bytes, rest + 4, 2), readDigits(bytes, rest + 6, 2)]
  const ms = Date.UTC(
    yearDigits === 4 ? year : year + (year < 50 ? 2000 : 1900),
    month - 1,
    day,
    hour,
    minute,
    readDigits(bytes, rest + 8, 2),
  )
  if (!isWhole || Number.isNaN(ms))
    throw new RefusedRevocationList('it has a time that cannot be read')
  return new Date(ms)
}

/** NaN: they are not all digits. */
function readDigits(bytes: Buffer, start: number, count: number): number {
  let value = 0
  for (let at = start; at < start + count; at += 1) {
    const digit = (bytes[at] ?? 0) - 0x30
    value = digit >= 0 && digit <= 9 ? 10 * value + digit : Number.NaN
  }
  return value
}
