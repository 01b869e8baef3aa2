/** Lists of revoked certificates (CRL) of any kind, also such as openssl does not make, signed by the key of an authority on P-256. */
import { sign, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { AsnConvert } from '@peculiar/asn1-schema'
import { Certificate } from '@peculiar/asn1-x509'
import { encodeDerSequence } from '../src/formats/x509/der-parts.ts'
import type { MadeCertificate } from './given-certificates.ts'

export interface ListOptions {
  /** Contents of INTEGERs in hexadecimal: two's complement. */
  serials?: readonly string[]
  number?: number
  thisUpdate?: Date
  nextUpdate?: Date
  /** Whose name it bears, instead of that of the authority. */
  name?: MadeCertificate
  /** Extensions besides the number, in DER. */
  extensions?: readonly Buffer[]
  /** Extensions of each entry, in DER. */
  entryExtensions?: readonly Buffer[]
}

const MINUTE_MS = 60_000
const SHA256_ECDSA = encodeDerSequence([Buffer.from('06082a8648ce3d040302', 'hex')])

/** In DER, with another tag than that of a sequence. */
function encode(tag: number, content: Buffer): Buffer {
  const value = encodeDerSequence([content])
  value[0] = tag
  return value
}

export const encodeExtension = (
  oid: string,
  { isCritical = false, value }: { isCritical?: boolean; value: Buffer },
): Buffer =>
  encodeDerSequence([
    Buffer.from(oid, 'hex'),
    ...(isCritical ? [Buffer.from('0101ff', 'hex')] : []),
    encode(0x04, value),
  ])

export const OIDS = {
  deltaIndicator: '0603551d1b',
  distributionPoint: '0603551d1c',
  number: '0603551d14',
  reason: '0603551d15',
  certificateIssuer: '0603551d1d',
} as const

export const encodeNumber = (value: number): Buffer =>
  encode(0x02, Buffer.from(value.toString(16).padStart(8, '0'), 'hex'))

const encodeTime = (at: Date): Buffer =>
  encode(0x17, Buffer.from(`${at.toISOString().slice(2, 19).replaceAll(/[-:T]/g, '')}Z`))

function readName({ pem }: MadeCertificate): Buffer {
  const { tbsCertificate } = AsnConvert.parse(new X509Certificate(pem).raw, Certificate)
  return Buffer.from(AsnConvert.serialize(tbsCertificate.subject))
}

/** In PEM. */
export function makeRevocationList(
  authority: MadeCertificate,
  {
    serials = [],
    number = 1,
    thisUpdate = new Date(Date.now() - MINUTE_MS),
    nextUpdate = new Date(Date.now() + 60 * MINUTE_MS),
    name = authority,
    extensions = [],
    entryExtensions = [],
  }: ListOptions = {},
): string {
  const revokedAt = encodeTime(thisUpdate)
  const rest = entryExtensions.length > 0 ? [encodeDerSequence(entryExtensions)] : []
  const entries = serials.map((hex) =>
    encodeDerSequence([encode(0x02, Buffer.from(hex, 'hex')), revokedAt, ...rest]),
  )
  const all = [encodeExtension(OIDS.number, { value: encodeNumber(number) }), ...extensions]
  const signed = encodeDerSequence([
    encode(0x02, Buffer.from([1])),
    SHA256_ECDSA,
    readName(name),
    encodeTime(thisUpdate),
    encodeTime(nextUpdate),
    ...(entries.length > 0 ? [encodeDerSequence(entries)] : []),
    encode(0xa0, encodeDerSequence(all)),
  ])
  const signature = sign('sha256', signed, readFileSync(authority.key))
  const bits = encode(0x03, Buffer.concat([Buffer.from([0]), signature]))
  const base64 = encodeDerSequence([signed, SHA256_ECDSA, bits]).toString('base64')
  return `-----BEGIN X509 CRL-----\n${base64.replaceAll(/.{64}/g, '$&\n')}\n-----END X509 CRL-----\n`
}
