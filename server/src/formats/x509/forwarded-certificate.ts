/**
 * Headers in which proxies pass on the certificate that their client showed: PEM with %-escapes (nginx), DER in base64 (HAProxy,
 * RFC 9440), and the x-forwarded-client-cert of Envoy:
 * https://www.envoyproxy.io/docs/envoy/v1.34.0/configuration/http/http_conn_man/headers#x-forwarded-client-cert
 *
 * A client can choose parts of that of Envoy. Where Envoy appends, all that stands before its own element is the client's; and Envoy
 * writes the names of a certificate as they are, so that a URI may hold `;Cert="…"`, begin another element, or end a quoted text that
 * the client began. But Envoy always writes the hash of the certificate that TLS has proved. So a text with `Hash=` more than once is
 * refused, and what is left has to be the certificate with this hash.
 */
import type { X509Certificate } from 'node:crypto'
import { hashCertificate, MalformedCertificate, parseCertificate } from './certificate.ts'

export function parseCertificateHeader(text: string): X509Certificate {
  if (/^[a-z]+="?[^=]/i.test(text)) return readForwarded(text)
  if (/-----BEGIN|%2D%2D/i.test(text)) return parsePem(text)
  const [, base64] = /^:?([A-Za-z0-9+/]+={0,2}):?$/.exec(text) ?? []
  if (base64 === undefined)
    throw new MalformedCertificate('it is neither PEM with %-escapes nor DER in base64')
  return parseCertificate(Buffer.from(base64, 'base64'))
}

/** One certificate and nothing else: OpenSSL would skip other text, and reads further kinds of PEM. */
function parsePem(escaped: string): X509Certificate {
  const text = unescape(escaped)
  const certificate = parseCertificate(text)
  if (!/^\s*-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*$/.test(text))
    throw new MalformedCertificate('there is more than one certificate in PEM')
  return certificate
}

function unescape(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw new MalformedCertificate('its %-escapes are wrong')
  }
}

function readForwarded(text: string): X509Certificate {
  const hashes = text.match(/hash=/gi) ?? []
  const [element = [], ...others] = parseForwarded(text)
  if (hashes.length > 1 || others.length > 0)
    throw new MalformedCertificate(
      'it is not that of one client alone, and a client can send all but the last one: the proxy has to set the header (SANITIZE_SET), not to append to it',
    )
  const hash = readOnly(element, 'Hash')
  const certificate = parsePem(readOnly(element, 'Cert'))
  if (hashCertificate(certificate).toString('hex') !== hash.toLowerCase())
    throw new MalformedCertificate('its Hash is not that of the certificate in Cert')
  return certificate
}

function readOnly(element: ForwardedElement, field: 'Hash' | 'Cert'): string {
  const [value, ...others] = element
    .filter(([name]) => name === field.toLowerCase())
    .map(([, text]) => text)
  if (others.length > 0) throw new MalformedCertificate(`it has the field ${field} more than once`)
  if (value === undefined || value === '')
    throw new MalformedCertificate(
      `it has no field ${field}${field === 'Cert' ? ': set_current_client_cert_details needs cert: true' : ''}`,
    )
  return value
}

/** Names of fields in lower case and their values, in the order in which they stand there. */
type ForwardedElement = readonly (readonly [name: string, value: string])[]

/** An element is that of one proxy; several URIs, DNS names and By are several fields. */
export function parseForwarded(text: string): ForwardedElement[] {
  const elements: ForwardedElement[] = []
  let fields: [string, string][] = []
  const field = /([A-Za-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^",;]*))([,;]|$)/sy
  for (;;) {
    const at = field.lastIndex
    const [, name, quoted, plain = '', end] = field.exec(text) ?? []
    if (name === undefined)
      throw new MalformedCertificate(
        `it cannot be read as x-forwarded-client-cert from character ${at + 1} on`,
      )
    fields.push([name.toLowerCase(), quoted?.replaceAll('\\"', '"') ?? plain])
    if (end === ';') continue
    elements.push(fields)
    fields = []
    if (end === '') return elements
  }
}
