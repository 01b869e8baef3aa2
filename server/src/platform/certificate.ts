/** The certificate of a listener with TLS, which may be renewed while it runs. */
import { readFile } from 'node:fs/promises'
import { createSecureContext, type SecureContextOptions, type Server } from 'node:tls'
import type { Logger } from 'pino'
import { startTicker, type Ticker } from './ticker.ts'

export interface Certificate {
  /** The certificate, with intermediate certificates (PEM). */
  certificate: string
  /** PEM. */
  key: string
  /** Where both were read from, if they were: they are read again. */
  files: { certificate: string; key: string } | undefined
}

/** Throws when they are not PEM, or do not belong together. */
export function checkCertificate({ certificate, key }: Omit<Certificate, 'files'>): void {
  createSecureContext({ cert: certificate, key })
}

/** Why the text holds no certificates of an authority (PEM); undefined: it does. */
export function findAuthorityFault(text: string): string | undefined {
  if (!text.includes('-----BEGIN CERTIFICATE-----')) return 'no line BEGIN CERTIFICATE'
  try {
    createSecureContext({ ca: text })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/** Those of TLS 1.2 keep what was sent secret when the key is lost later, and encrypt with authentication (OWASP ASVS 5.0 12.1.2). */
const CIPHERS = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  ...['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305'].flatMap((cipher) => [
    `ECDHE-ECDSA-${cipher}`,
    `ECDHE-RSA-${cipher}`,
  ]),
]

/** What each listener with TLS speaks. */
export function createTlsOptions({
  certificate,
  key,
}: Omit<Certificate, 'files'>): SecureContextOptions {
  return { cert: certificate, key, minVersion: 'TLSv1.2', ciphers: CIPHERS.join(':') }
}

/** Of a listener that asks its clients for a certificate. Who issued it is checked later, by the workspace that the client names. */
export const ASKS_FOR_CERTIFICATES = { requestCert: true, rejectUnauthorized: false }

const LOOK_EVERY_MS = 60_000

/**
 * Reads the files of the certificate every minute, and gives the listener what they hold. A pair that does not fit, as in
 * the middle of a renewal, is logged and read again. undefined: the certificate is not from files.
 */
export function watchCertificate(
  { certificate, key, files }: Certificate,
  server: Server,
  log: Logger,
): Ticker | undefined {
  if (!files) return undefined
  let used = certificate + key
  const look = async () => {
    const [renewed, ofKey] = await Promise.all([
      readFile(files.certificate, 'utf8'),
      readFile(files.key, 'utf8'),
    ])
    const read = renewed.trimEnd() + ofKey.trimEnd()
    if (read === used) return
    server.setSecureContext(createTlsOptions({ certificate: renewed, key: ofKey }))
    used = read
    log.info({ certificate: files.certificate }, 'renewed the certificate')
  }
  const failure = 'reading the renewed certificate failed; the one before stays in use'
  return startTicker({ everyMs: LOOK_EVERY_MS, work: look, log, failure })
}
