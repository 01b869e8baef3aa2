/** What a browser carries while it signs in at a provider: signed, in a cookie of its own. */
import { createHmac, timingSafeEqual } from 'node:crypto'

export interface Attempt {
  providerId: string
  /** Ties the answer to this browser. */
  state: string
  /** Ties the ID token to this attempt. */
  nonce: string
  /** PKCE ties the code to this attempt by it. */
  codeVerifier: string
  returnTo: string
  /** Milliseconds since 1970. */
  expires: number
}

export function sealAttempt(key: Buffer, attempt: Attempt): string {
  const body = Buffer.from(JSON.stringify(attempt)).toString('base64url')
  return `${body}.${sign(key, body).toString('base64url')}`
}

/** undefined: it was changed, or is not ours, or has expired. */
export function openAttempt(key: Buffer, text: string, now: Date): Attempt | undefined {
  const [body = '', signature = ''] = text.split('.')
  const given = Buffer.from(signature, 'base64url')
  const expected = sign(key, body)
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
  const attempt = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Attempt
  return attempt.expires > now.getTime() ? attempt : undefined
}

function sign(key: Buffer, body: string): Buffer {
  return createHmac('sha256', key).update(`sign-in at a provider\u0000${body}`).digest()
}

/** A path of ours; `/` for everything else, so that no link of ours leads elsewhere. */
export function ownPath(returnTo: string | undefined): string {
  const base = 'http://own.invalid'
  const url = /^\/[\x20-\x7e]*$/.test(returnTo ?? '') ? URL.parse(returnTo ?? '', base) : null
  if (url?.origin !== base) return '/'
  const path = `${url.pathname}${url.search}${url.hash}`
  // Browsers take two slashes for another host, and dots in the path may leave two (`/.//host`).
  return path.startsWith('//') ? '/' : path
}
