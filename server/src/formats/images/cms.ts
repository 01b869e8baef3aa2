/** Signatures in the Cryptographic Message Syntax (RFC 5652), as SWUpdate and RAUC use them. */
import { createHash, X509Certificate } from 'node:crypto'
import {
  type Attribute,
  ContentInfo,
  EnvelopedData,
  id_signedData,
  SignedData,
  type SignerInfo,
} from '@peculiar/asn1-cms'
import { RsaSaPssParams } from '@peculiar/asn1-rsa'
import { AsnConvert, OctetString } from '@peculiar/asn1-schema'
import {
  type AlgorithmIdentifier,
  Certificate,
  id_ce_subjectKeyIdentifier,
  SubjectKeyIdentifier,
} from '@peculiar/asn1-x509'
import { readCertificateFacts } from './certificate-chain.ts'
import { ImageFault, ImageObstacle, type SignatureFact } from './image-facts.ts'
import {
  describeKey,
  isTooLong,
  type KeysAtHand,
  MOST_RSA_BITS,
  nameAlgorithm,
} from './public-keys.ts'
import { type HashName, isSignatureOf, type SignatureScheme } from './signature-schemes.ts'

export const MOST_CMS_BYTES = 1024 * 1024
const MOST_CERTIFICATES = 60
const MOST_SIGNERS = 32

export interface CmsMessage {
  /** What is signed, where the message holds it. */
  content: Buffer | undefined
  contentType: string
  signers: readonly SignerInfo[]
  certificates: readonly X509Certificate[]
}

/** `ContentInfo` with a type of CMS. False for what is signed otherwise. */
export function isCms(bytes: Buffer): boolean {
  try {
    return AsnConvert.parse(bytes, ContentInfo).contentType.startsWith('1.2.840.113549.1.7.')
  } catch {
    return false
  }
}

/** Throws ImageFault for what is no such message, ImageObstacle for one that is encrypted. */
export const parseCms = (bytes: Buffer): CmsMessage => refuseUnreadable(() => parseMessage(bytes))

/** Everything is in memory here: whatever fails, also at a deep nesting, fails by the bytes of the message. */
function refuseUnreadable<Result>(read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    if (error instanceof ImageFault || error instanceof ImageObstacle) throw error
    throw new ImageFault(
      'The message with the signature cannot be read: it is no CMS as RFC 5652 has it.',
    )
  }
}

function parseMessage(bytes: Buffer): CmsMessage {
  const info = AsnConvert.parse(bytes, ContentInfo)
  if (info.contentType !== id_signedData)
    throw new ImageObstacle(
      info.contentType === ENVELOPED
        ? 'The signature is encrypted for the devices that may install the image.'
        : `The message with the signature has the type ${info.contentType}, which holds none.`,
    )
  const data = AsnConvert.parse(info.content, SignedData)
  refuseOtherEncoding(bytes, info, data)
  const { eContentType, eContent } = data.encapContentInfo
  const content = eContent?.single ? Buffer.from(eContent.single.buffer) : undefined
  const signers = [...data.signerInfos]
  if (signers.length > MOST_SIGNERS)
    throw new ImageFault(
      `The message has ${signers.length} signatures; ${MOST_SIGNERS} are checked.`,
    )
  return { content, contentType: eContentType, signers, certificates: readCertificates(data) }
}

/**
 * The parser takes some wrong tags and lengths for the right ones, and devices do not. So what was read is written again and compared.
 * A message of indefinite length (BER) has many encodings and is not compared.
 */
function refuseOtherEncoding(bytes: Buffer, info: ContentInfo, data: SignedData): void {
  if (bytes[1] === INDEFINITE) return
  info.content = AsnConvert.serialize(data)
  if (!Buffer.from(AsnConvert.serialize(info)).equals(bytes))
    throw new ImageFault('The message with the signature is not encoded as DER has it.')
}

const INDEFINITE = 0x80

const ENVELOPED = '1.2.840.113549.1.7.3'

/** For how many recipients a message is encrypted; undefined: it is not. */
export function countRecipients(bytes: Buffer): number | undefined {
  return refuseUnreadable(() => {
    const { contentType, content } = AsnConvert.parse(bytes, ContentInfo)
    return contentType === ENVELOPED
      ? [...AsnConvert.parse(content, EnvelopedData).recipientInfos].length
      : undefined
  })
}

function readCertificates({ certificates }: SignedData): X509Certificate[] {
  const found = [...(certificates ?? [])].flatMap(({ certificate }) => certificate ?? [])
  if (found.length > MOST_CERTIFICATES)
    throw new ImageFault(
      `The message has ${found.length} certificates; at most ${MOST_CERTIFICATES} are read.`,
    )
  return found.map((one) => readWhole(Buffer.from(AsnConvert.serialize(one))))
}

/** Throws also for a key that cannot be read: OpenSSL looks at it when it is asked for. */
function readWhole(der: Buffer): X509Certificate {
  const certificate = new X509Certificate(der)
  const { key } = describeKey(certificate.publicKey)
  if (isTooLong(key))
    throw new ImageFault(
      `A certificate has an RSA key of ${nameAlgorithm(key).slice(4)} bits; at most ${MOST_RSA_BITS} are checked.`,
    )
  readCertificateFacts(der)
  return certificate
}

/** The hashes that its signers compare with the content. */
export function listHashes({ signers }: CmsMessage): HashName[] {
  const hashes = signers.flatMap(
    ({ digestAlgorithm }) => HASHES.get(digestAlgorithm.algorithm) ?? [],
  )
  return [...new Set(hashes)]
}

const HASHES: ReadonlyMap<string, HashName> = new Map([
  ['2.16.840.1.101.3.4.2.1', 'sha256'],
  ['2.16.840.1.101.3.4.2.2', 'sha384'],
  ['2.16.840.1.101.3.4.2.3', 'sha512'],
])

/** What is signed: its digests, and its bytes where they are at hand. */
export interface SignedContent {
  digests: ReadonlyMap<HashName, Buffer>
  bytes?: Buffer
}

export function hashContent(bytes: Buffer): SignedContent {
  const digests = [...HASHES.values()].map(
    (hash) => [hash, createHash(hash).update(bytes).digest()] as const,
  )
  return { digests: new Map(digests), bytes }
}

/** One fact for each signer. The certificates of `keys` are tried where the message does not hold that of a signer. */
export function checkCms(
  message: CmsMessage,
  content: SignedContent,
  keys: KeysAtHand,
): SignatureFact[] {
  return refuseUnreadable(() => {
    const further = keys.certificates.map((der) => new X509Certificate(der))
    const known = [...message.certificates, ...further].map((certificate) => ({
      certificate,
      ...readIdentity(certificate),
    }))
    return message.signers.map((signer) => checkSigner(message, { signer, content, known }))
  })
}

function checkSigner(
  message: CmsMessage,
  {
    signer,
    content,
    known,
  }: { signer: SignerInfo; content: SignedContent; known: readonly KnownCertificate[] },
): SignatureFact {
  const scheme = readScheme(signer)
  const keyId = nameSigner(signer)
  const base = { keyId, keyFingerprint: null, certificates: [] }
  if (typeof scheme === 'string')
    return { ...base, scheme: 'CMS', outcome: 'NotSupported', detail: scheme }
  const shown = { ...base, scheme: `CMS ${scheme.name}` }
  const certificate = known.find((one) => isOf(signer, one))?.certificate
  if (!certificate)
    return {
      ...shown,
      outcome: 'NoKey',
      detail: `Neither the image nor the trusted keys hold the certificate of the signer, ${keyId}.`,
    }
  const fault = findFault(message, { signer, content, scheme, certificate })
  if (fault instanceof ImageObstacle)
    return { ...shown, outcome: 'NotSupported', detail: fault.message }
  if (fault !== undefined) return { ...shown, outcome: 'Invalid', detail: fault }
  return {
    ...shown,
    outcome: 'Valid',
    keyFingerprint: describeKey(certificate.publicKey).fingerprint,
    certificates: [certificate, ...message.certificates.filter((one) => one !== certificate)].map(
      ({ raw }) => raw.toString('base64'),
    ),
    detail: null,
  }
}

function nameSigner({ sid }: SignerInfo): string {
  const { issuerAndSerialNumber: issued, subjectKeyIdentifier } = sid
  if (issued) return `serial number ${toHex(issued.serialNumber)}`
  return `subject key ${toHex(subjectKeyIdentifier?.buffer ?? new ArrayBuffer(0))}`
}

const toHex = (bytes: ArrayBuffer) => Buffer.from(bytes).toString('hex')

function isOf({ sid }: SignerInfo, own: KnownCertificate): boolean {
  const { issuerAndSerialNumber: issued, subjectKeyIdentifier: key } = sid
  if (issued)
    return (
      Buffer.from(AsnConvert.serialize(issued.issuer)).equals(own.issuer) &&
      Buffer.from(issued.serialNumber).equals(own.serialNumber)
    )
  return key !== undefined && own.subjectKey?.equals(Buffer.from(key.buffer)) === true
}

interface KnownCertificate {
  certificate: X509Certificate
  issuer: Buffer
  serialNumber: Buffer
  subjectKey: Buffer | undefined
}

function readIdentity({ raw }: X509Certificate): Omit<KnownCertificate, 'certificate'> {
  const { tbsCertificate } = AsnConvert.parse(raw, Certificate)
  const key = tbsCertificate.extensions?.find(({ extnID }) => extnID === id_ce_subjectKeyIdentifier)
  return {
    issuer: Buffer.from(AsnConvert.serialize(tbsCertificate.issuer)),
    serialNumber: Buffer.from(tbsCertificate.serialNumber),
    subjectKey:
      key && Buffer.from(AsnConvert.parse(key.extnValue.buffer, SubjectKeyIdentifier).buffer),
  }
}

interface CheckedSigner {
  signer: SignerInfo
  content: SignedContent
  scheme: SignatureScheme
  certificate: X509Certificate
}

/** undefined: the signature is valid. An obstacle: that cannot be told. */
function findFault(
  { contentType }: CmsMessage,
  { signer, content, scheme, certificate }: CheckedSigner,
): string | ImageObstacle | undefined {
  const signature = Buffer.from(signer.signature.buffer)
  const key = certificate.publicKey
  const { signedAttrs } = signer
  if (!signedAttrs) {
    if (!content.bytes)
      return new ImageObstacle(
        'The signature is over all bytes at once, without signed attributes.',
      )
    return isSignatureOf({ key, scheme, signature }, content.bytes) ? undefined : WRONG
  }
  if (!isSignatureOf({ key, scheme, signature }, encodeAttributes(signedAttrs))) return WRONG
  const hash = HASHES.get(signer.digestAlgorithm.algorithm)
  const digest = hash && content.digests.get(hash)
  const stated = findAttribute(signedAttrs, MESSAGE_DIGEST)
  const type = findAttribute(signedAttrs, CONTENT_TYPE)
  if (!stated || !type || !digest)
    return 'The signed attributes are not those that RFC 5652 demands.'
  if (!Buffer.from(AsnConvert.parse(stated, OctetString).buffer).equals(digest))
    return 'The bytes are not those that were signed: they were changed or damaged.'
  return contentType === DATA && DATA_DER.equals(Buffer.from(type))
    ? undefined
    : 'The signature was made for content of another type.'
}

/** What is signed is their SET OF in DER, however the message holds them (RFC 5652, section 5.4). */
function encodeAttributes(attributes: readonly Attribute[]): Buffer {
  const encoded = attributes.map((one) => Buffer.from(AsnConvert.serialize(one)))
  const content = Buffer.concat(encoded.toSorted((one, other) => one.compare(other)))
  return Buffer.concat([Buffer.from([0x31]), encodeLength(content.length), content])
}

function encodeLength(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const digits = length.toString(16)
  const bytes = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex')
  return Buffer.concat([Buffer.from([0x80 + bytes.length]), bytes])
}

const WRONG = 'The signature is not that of the certificate that the image names.'
const CONTENT_TYPE = '1.2.840.113549.1.9.3'
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4'

/** Each of these is there once, with one value (RFC 5652, sections 11.1 and 11.2). */
function findAttribute(attributes: readonly Attribute[], type: string): ArrayBuffer | undefined {
  const [found, ...more] = attributes.filter(({ attrType }) => attrType === type)
  return more.length === 0 && found?.attrValues.length === 1 ? found.attrValues[0] : undefined
}

const DATA = '1.2.840.113549.1.7.1'
/** The same as an OBJECT IDENTIFIER in DER. */
const DATA_DER = Buffer.from('06092a864886f70d010701', 'hex')

const PLAIN_RSA = '1.2.840.113549.1.1.1'
const PSS = '1.2.840.113549.1.1.10'
const RSA_WITH: ReadonlyMap<string, HashName> = new Map([
  ['1.2.840.113549.1.1.11', 'sha256'],
  ['1.2.840.113549.1.1.12', 'sha384'],
  ['1.2.840.113549.1.1.13', 'sha512'],
])
const ECDSA_WITH: ReadonlyMap<string, HashName> = new Map([
  ['1.2.840.10045.4.3.2', 'sha256'],
  ['1.2.840.10045.4.3.3', 'sha384'],
  ['1.2.840.10045.4.3.4', 'sha512'],
])
const ED25519 = '1.3.101.112'

/** A text: why it is not supported. */
function readScheme({ signatureAlgorithm, digestAlgorithm }: SignerInfo): SignatureScheme | string {
  const digest = HASHES.get(digestAlgorithm.algorithm)
  if (!digest)
    return `The hash ${digestAlgorithm.algorithm} is too weak or not known: use SHA-256, SHA-384 or SHA-512.`
  const { algorithm } = signatureAlgorithm
  if (algorithm === ED25519) return { name: 'Ed25519', keyType: 'ed25519' }
  if (algorithm === PSS) return readPss(signatureAlgorithm)
  const rsa = algorithm === PLAIN_RSA ? digest : RSA_WITH.get(algorithm)
  if (rsa) return { name: `RSA PKCS #1 v1.5 with ${formatHash(rsa)}`, keyType: 'rsa', hash: rsa }
  const ecdsa = ECDSA_WITH.get(algorithm)
  if (ecdsa) return { name: `ECDSA with ${formatHash(ecdsa)}`, keyType: 'ec', hash: ecdsa }
  return `The kind of signature ${algorithm} is not supported.`
}

function readPss({ parameters }: AlgorithmIdentifier): SignatureScheme | string {
  if (!parameters) return 'RSASSA-PSS without parameters means SHA-1, which is too weak.'
  const { hashAlgorithm, saltLength } = AsnConvert.parse(parameters, RsaSaPssParams)
  const hash = HASHES.get(hashAlgorithm.algorithm)
  if (!hash) return `The hash ${hashAlgorithm.algorithm} of RSASSA-PSS is too weak or not known.`
  return { name: `RSASSA-PSS with ${formatHash(hash)}`, keyType: 'rsa', hash, saltLength }
}

const formatHash = (hash: HashName) => hash.replace('sha', 'SHA-')
