/**
 * What certificates say (X.509, RFC 5280), and whether an authority issued one. Node verifies signatures; asn1-x509 reads the
 * extensions that Node does not tell.
 */
import { createHash, type KeyObject, X509Certificate } from 'node:crypto'
import { AsnConvert } from '@peculiar/asn1-schema'
import {
  Certificate,
  type Extension,
  id_ce_basicConstraints,
  id_ce_certificatePolicies,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  KeyUsage,
  KeyUsageFlags,
  type Name,
  SubjectAlternativeName,
} from '@peculiar/asn1-x509'

/** The text or bytes are no certificate that can be read. */
export class MalformedCertificate extends Error {
  override readonly name = 'MalformedCertificate'
}

/** A certificate is usually some 1 KiB. */
export const MOST_CERTIFICATE_BYTES = 16 * 1024

/** Of one certificate, in PEM or in DER. */
export function parseCertificate(source: string | Buffer): X509Certificate {
  if (source.length > 2 * MOST_CERTIFICATE_BYTES) throw new MalformedCertificate('it is too long')
  if (typeof source === 'string') refuseOtherPem(source)
  try {
    const certificate = new X509Certificate(source)
    if (certificate.raw.length > MOST_CERTIFICATE_BYTES)
      throw new MalformedCertificate(`it has more than ${MOST_CERTIFICATE_BYTES / 1024} KiB`)
    // OpenSSL reads the certificate and says nothing of what stands behind it.
    if (typeof source !== 'string' && certificate.raw.length !== source.length)
      throw new MalformedCertificate('there are further bytes behind it')
    readCertificateParts(certificate)
    return certificate
  } catch (error) {
    if (error instanceof MalformedCertificate) throw error
    throw new MalformedCertificate('it is not an X.509 certificate', { cause: error })
  }
}

/** Node would read the first certificate of a text and say nothing of the rest. */
function refuseOtherPem(text: string): void {
  const count = text.split('-----BEGIN CERTIFICATE-----').length - 1
  if (count === 0) throw new MalformedCertificate('it has no line BEGIN CERTIFICATE')
  if (count > 1) throw new MalformedCertificate(`it holds ${count} certificates instead of one`)
}

export function hashCertificate({ raw }: Pick<X509Certificate, 'raw'>): Buffer {
  return createHash('sha256').update(raw).digest()
}

/** Names the key pair of a certificate, whichever certificates there are of it. */
export function hashPublicKey({ publicKey }: Pick<X509Certificate, 'publicKey'>): Buffer {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest()
}

const MOST_DIGITS = 80
const SERIAL = /^-?[0-9a-f]{1,80}$/

/**
 * Hexadecimal without leading zeros, as certificates are compared; undefined: it is no serial number. Negative ones are not allowed
 * and exist (RFC 5280, section 4.1.2.2): they begin with a minus, as OpenSSL writes them.
 */
export function readSerial(text: string): string | undefined {
  const digits = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s:]/g, '')
    .replace(/^(-?)0x/, '$1')
  if (!SERIAL.test(digits)) return undefined
  const short = digits.replace(/^(-?)0+(?=.)/, '$1')
  return short === '-0' ? '0' : short
}

/** Of the content of an INTEGER in DER; undefined: it is none, or has more than 40 bytes. */
export function readSerialBytes(bytes: Buffer): string | undefined {
  const [first] = bytes
  if (first === undefined) return undefined
  const hex = bytes.toString('hex')
  if (first < 0x80) return hex.length > MOST_DIGITS ? undefined : hex.replace(/^0+(?=.)/, '')
  const value = BigInt.asIntN(8 * bytes.length, BigInt(`0x${hex}`))
  return readSerial(value.toString(16))
}

export function findSerial({ serialNumber }: Pick<X509Certificate, 'serialNumber'>): string {
  const serial = readSerial(serialNumber)
  if (serial === undefined) throw new MalformedCertificate('its serial number is too long')
  return serial
}

/** As people write it: CN=…, O=…. */
export function describeSubject({ subject }: Pick<X509Certificate, 'subject'>): string {
  return (subject as string | undefined)?.split('\n').toReversed().join(', ') || 'no subject'
}

interface CertificateParts {
  subject: Name
  extensions: readonly Extension[]
}

export function readCertificateParts({ raw }: Pick<X509Certificate, 'raw'>): CertificateParts {
  const { tbsCertificate } = AsnConvert.parse(raw, Certificate)
  return { subject: tbsCertificate.subject, extensions: tbsCertificate.extensions ?? [] }
}

export const DEVICE_ID_FIELDS = ['CommonName', 'DnsName', 'Uri'] as const

/** Where the id of a device stands in its certificate. */
export interface DeviceIdRule {
  deviceIdField: (typeof DEVICE_ID_FIELDS)[number]
  /** What stands before and after the id. */
  deviceIdPrefix: string
  deviceIdSuffix: string
}

/** The id of the device, or why there is none. A certificate with two is refused: it must say one thing alone. */
export function readDeviceId(
  certificate: X509Certificate,
  { deviceIdField: field, deviceIdPrefix: prefix, deviceIdSuffix: suffix }: DeviceIdRule,
): { deviceId: string } | { fault: string } {
  const ids = listValues(readCertificateParts(certificate), field)
    .filter((text) => text.length > prefix.length + suffix.length)
    .filter((text) => text.startsWith(prefix) && text.endsWith(suffix))
    .map((text) => text.slice(prefix.length, text.length - suffix.length))
  const [deviceId, ...more] = ids
  if (deviceId === undefined)
    return { fault: `it has no ${FIELD_WORDS[field]}${describeAround(prefix, suffix)}` }
  if (more.length > 0)
    return {
      fault: `it has more than one ${FIELD_WORDS[field]} with an id of a device`,
    }
  return { deviceId }
}

const FIELD_WORDS = {
  CommonName: 'common name',
  DnsName: 'DNS name',
  Uri: 'URI',
} as const satisfies Record<DeviceIdRule['deviceIdField'], string>

function describeAround(prefix: string, suffix: string): string {
  const parts = [
    prefix !== '' && `begins with ${JSON.stringify(prefix)}`,
    suffix !== '' && `ends with ${JSON.stringify(suffix)}`,
  ].filter((part) => part !== false)
  return parts.length > 0 ? ` that ${parts.join(' and ')}` : ''
}

const COMMON_NAME = '2.5.4.3'

export function listCommonNames(certificate: X509Certificate): string[] {
  return listValues(readCertificateParts(certificate), 'CommonName')
}

function listValues(
  { subject, extensions }: CertificateParts,
  field: DeviceIdRule['deviceIdField'],
): string[] {
  if (field === 'CommonName')
    return subject
      .flatMap((part) => [...part])
      .filter(({ type }) => type === COMMON_NAME)
      .map(({ value }) => value.toString())
  const extension = findExtension(extensions, id_ce_subjectAltName)
  if (!extension) return []
  const names = AsnConvert.parse(extension.extnValue.buffer, SubjectAlternativeName)
  return names.flatMap(
    ({ dNSName, uniformResourceIdentifier }) =>
      (field === 'DnsName' ? dNSName : uniformResourceIdentifier) ?? [],
  )
}

export const findExtension = (extensions: readonly Extension[], id: string) =>
  extensions.find(({ extnID }) => extnID === id)

/** Whether the authority signed it, under its own name. */
export function isIssuedBy(certificate: X509Certificate, issuer: X509Certificate): boolean {
  return certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
}

/** Why the certificate is no authority's; undefined: it is one's. */
export function findAuthorityFault(certificate: X509Certificate): string | undefined {
  if (!certificate.ca)
    return 'it is not the certificate of an authority: its basic constraints do not say CA:TRUE'
  const usage = readKeyUsage(readCertificateParts(certificate).extensions)
  if (usage !== undefined && (usage & KeyUsageFlags.keyCertSign) === 0)
    return 'its key usage does not allow it to sign certificates (keyCertSign)'
  return findKeyFault(certificate.publicKey)
}

/** Why the certificate lets no device in, whoever issued it; undefined: it may. */
export function findDeviceFault(certificate: X509Certificate, now: Date): string | undefined {
  return (
    findTimeFault(certificate, now) ??
    findUseFault(certificate) ??
    findKeyFault(certificate.publicKey) ??
    findSignatureFault(certificate)
  )
}

export function findTimeFault(
  { validFromDate, validToDate }: Pick<X509Certificate, 'validFromDate' | 'validToDate'>,
  now: Date,
): string | undefined {
  if (now < validFromDate) return `it is not valid before ${validFromDate.toISOString()}`
  // The last second belongs to the certificate (RFC 5280, section 4.1.2.5).
  if (now.getTime() >= validToDate.getTime() + 1_000)
    return `it ended at ${validToDate.toISOString()}`
  return undefined
}

const CLIENT_AUTHENTICATION = '1.3.6.1.5.5.7.3.2'
const ANY_USE = '2.5.29.37.0'

/** The critical extensions that are looked at; any other one may change what the certificate means (RFC 5280, section 4.2). */
const UNDERSTOOD: ReadonlySet<string> = new Set([
  id_ce_basicConstraints,
  id_ce_certificatePolicies,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
])

function findUseFault(certificate: X509Certificate): string | undefined {
  if (certificate.ca) return 'it is the certificate of an authority, and not of a device'
  const { extensions } = readCertificateParts(certificate)
  const ids = extensions.map(({ extnID }) => extnID)
  if (new Set(ids).size < ids.length) return 'it has an extension twice'
  const unknown = extensions.find(({ critical, extnID }) => critical && !UNDERSTOOD.has(extnID))
  if (unknown) return `it has the critical extension ${unknown.extnID}, which is not known here`
  const usage = readKeyUsage(extensions)
  if (usage !== undefined && (usage & KeyUsageFlags.digitalSignature) === 0)
    return 'its key usage does not allow signatures (digitalSignature)'
  // What Node calls the key usage is the extended one.
  const uses = certificate.keyUsage as string[] | undefined
  if (uses && !uses.includes(CLIENT_AUTHENTICATION) && !uses.includes(ANY_USE))
    return 'its extended key usage does not allow client authentication (clientAuth)'
  return undefined
}

/** undefined: the certificate does not limit the use of its key. */
export function readKeyUsage(extensions: readonly Extension[]): number | undefined {
  const extension = findExtension(extensions, id_ce_keyUsage)
  return extension && AsnConvert.parse(extension.extnValue.buffer, KeyUsage).toNumber()
}

const LEAST_RSA_BITS = 2048
const MOST_RSA_BITS = 8192
const CURVES: ReadonlySet<string> = new Set(['prime256v1', 'secp384r1', 'secp521r1'])

const isRsa = (type: string | undefined) => type === 'rsa' || type === 'rsa-pss'
const isEdwards = (type: string | undefined) => type === 'ed25519' || type === 'ed448'

function findKeyFault({ asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject) {
  const { modulusLength = 0, namedCurve = 'none' } = asymmetricKeyDetails ?? {}
  if (isRsa(type))
    return modulusLength >= LEAST_RSA_BITS && modulusLength <= MOST_RSA_BITS
      ? undefined
      : `its RSA key has ${modulusLength} bits instead of ${LEAST_RSA_BITS} to ${MOST_RSA_BITS}`
  if (type === 'ec')
    return CURVES.has(namedCurve)
      ? undefined
      : `its key is on the curve ${namedCurve} instead of P-256, P-384 or P-521`
  return isEdwards(type)
    ? undefined
    : `its key is of the kind ${type ?? 'unknown'}: use RSA, ECDSA or EdDSA`
}

function findSignatureFault(certificate: X509Certificate): string | undefined {
  const { signatureAlgorithm: name = 'unknown' } = certificate as { signatureAlgorithm?: string }
  return /md5|sha1(?!\d)|md2|md4/i.test(name)
    ? `it is signed with ${name}, which can be forged: issue it with SHA-256`
    : undefined
}
