/** The certificate of a listener with TLS, which may be renewed while it runs. */
import { readFile } from 'node:fs/promises'
import { createSecureContext, type Server } from 'node:tls'
import type { Logger } from 'pino'
import { startTicker, type Ticker } from './ticker.ts'

export interface Certificate {
  /** With intermediate certificates (PEM). */
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
    const [cert, ofKey] = await Promise.all([
      readFile(files.certificate, 'utf8'),
      readFile(files.key, 'utf8'),
    ])
    const read = cert.trimEnd() + ofKey.trimEnd()
    if (read === used) return
    server.setSecureContext({ cert, key: ofKey })
    used = read
    log.info({ certificate: files.certificate }, 'renewed the certificate')
  }
  const failure = 'reading the renewed certificate failed; the one before stays in use'
  return startTicker({ everyMs: LOOK_EVERY_MS, work: look, log, failure })
}
