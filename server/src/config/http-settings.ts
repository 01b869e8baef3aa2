/** How the HTTP port is reached: with TLS of its own, or through proxies. */
import { isIP } from 'node:net'
import { isLoopbackHost } from '../platform/loopback.ts'
import { type Certificate, checkCertificate } from '../platform/certificate.ts'
import type { SettingsReader } from './reader.ts'

export interface HttpPort {
  host: string
  port: number
  /** undefined: HTTP without TLS. */
  tls: Certificate | undefined
  /** Proxies whose `X-Forwarded-…` headers are believed: their addresses and nets, or how many there are. */
  trustedProxies: string[] | number
  /** Whether clients are asked for a certificate, with which devices prove who they are. */
  asksForCertificates: boolean
  /** Proxies that end TLS and tell the certificate of the client; undefined: none. */
  certificateProxies: CertificateProxies | undefined
  /** TLS handshakes of one address that begin in a second; 0: any number. */
  handshakesPerSecond: number
  /** The base of links, without a slash at its end. */
  publicUrl: string
  /** Whether all hosts below that of the public URL speak HTTPS only (HSTS). */
  coversSubdomains: boolean
}

const PORTS = { min: 0, max: 65_535 }

export function readHttpPort(reader: SettingsReader): HttpPort {
  const port = reader.integer('PLIMSOLL_PORT', 8080, PORTS)
  const tls = readCertificate(reader, 'PLIMSOLL_TLS')
  const stated = reader.url('PLIMSOLL_PUBLIC_URL', ['http:', 'https:'])
  if (tls && stated?.startsWith('http:') === true)
    reader.faults.push(
      'PLIMSOLL_PUBLIC_URL begins with http:, but PLIMSOLL_TLS_CERT makes the service speak HTTPS: write https:.',
    )
  return {
    host: reader.text('PLIMSOLL_HOST') ?? '0.0.0.0',
    port,
    tls,
    trustedProxies: readTrustedProxies(reader),
    asksForCertificates: reader.flag('PLIMSOLL_TLS_CLIENT_CERTIFICATES', false),
    certificateProxies: readCertificateProxies(reader),
    handshakesPerSecond: reader.integer('PLIMSOLL_TLS_HANDSHAKES_PER_SECOND', 200, {
      min: 0,
      max: 1e6,
    }),
    publicUrl: stated ?? `${tls ? 'https' : 'http'}://localhost:${port}`,
    coversSubdomains: reader.flag('PLIMSOLL_HSTS_SUBDOMAINS', false),
  }
}

/** Reads `<prefix>_CERT` and `<prefix>_KEY`. */
export function readCertificate(reader: SettingsReader, prefix: string): Certificate | undefined {
  const [certName, keyName] = [`${prefix}_CERT`, `${prefix}_KEY`]
  const certificate = reader.text(certName)
  const key = reader.text(keyName)
  if (certificate === undefined && key === undefined) return undefined
  if (certificate === undefined || key === undefined) {
    reader.faults.push(`${certName} and ${keyName} need each other.`)
    return undefined
  }
  try {
    checkCertificate({ certificate, key })
  } catch (error) {
    const cause = error instanceof Error ? error.message : String(error)
    reader.faults.push(`${certName} and ${keyName} are not a certificate and key (PEM): ${cause}.`)
  }
  const [certFile, keyFile] = [reader.fileOf(certName), reader.fileOf(keyName)]
  const files = certFile && keyFile ? { certificate: certFile, key: keyFile } : undefined
  return { certificate, key, files }
}

/** Proxies that end TLS, and the header in which they pass on what the client showed. */
export interface CertificateProxies {
  header: string
  /** Addresses and nets; the header of anybody else is ignored. */
  addresses: readonly string[]
}

const PROXIES = 'PLIMSOLL_CLIENT_CERTIFICATE_PROXIES'
const HEADER = 'PLIMSOLL_CLIENT_CERTIFICATE_HEADER'

/** Only addresses, as whoever could send the header would be any device. */
function readCertificateProxies(reader: SettingsReader): CertificateProxies | undefined {
  const addresses = reader.list(PROXIES)
  const header = reader.text(HEADER)?.toLowerCase()
  for (const text of addresses.filter((one) => !isNet(one)))
    reader.faults.push(
      `${PROXIES} has ${JSON.stringify(text)}; it takes addresses and nets such as 10.0.0.0/8.`,
    )
  if (header !== undefined && !/^[a-z0-9-]{1,100}$/.test(header))
    reader.faults.push(`${HEADER} is not the name of a header.`)
  if ((header === undefined) !== (addresses.length === 0))
    reader.faults.push(`${HEADER} and ${PROXIES} need each other.`)
  return header !== undefined && addresses.length > 0 ? { header, addresses } : undefined
}

const TRUST = 'PLIMSOLL_TRUST_PROXY'
/** The names that Fastify knows. */
const RANGES = ['loopback', 'linklocal', 'uniquelocal']

/** With a number, whoever reaches the port directly could state any address; the guide says so. */
function readTrustedProxies(reader: SettingsReader): string[] | number {
  const texts = reader.list(TRUST)
  if (texts.length === 1 && /^[1-9]$/.test(texts[0] ?? '')) return Number(texts[0])
  for (const text of texts.filter((one) => !RANGES.includes(one) && !isNet(one)))
    reader.faults.push(
      `${TRUST} has ${JSON.stringify(text)}; it takes addresses, nets such as 10.0.0.0/8, and ${RANGES.join(', ')}, or a number of proxies from 1 to 9.`,
    )
  return texts
}

function isNet(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  if (family === 0 || more.length > 0) return false
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

/** Whether keys and passwords reach the service as texts that others on the way can read. */
export function areKeysInClear({ publicUrl }: HttpPort): boolean {
  const url = URL.parse(publicUrl)
  return url?.protocol === 'http:' && !isLoopbackHost(url.hostname)
}
