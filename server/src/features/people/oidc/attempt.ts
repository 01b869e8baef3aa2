/** What a browser carries while it signs in at a provider: signed, in a cookie of its own. */
import type { SigningKey } from '../../../platform/signing-key.ts'

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

export function sealAttempt(key: SigningKey, attempt: Attempt): string {
  const body = Buffer.from(JSON.stringify(attempt)).toString('base64url')
  return `${body}.${key.sign(describe(body)).toString('base64url')}`
}

/** undefined: it was changed, or is not ours, or has expired. */
export function openAttempt(key: SigningKey, text: string, now: Date): Attempt | undefined {
  const [body = '', signature = ''] = text.split('.')
  if (!key.isSigned(describe(body), signature)) return undefined
  const attempt = JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as Attempt
  return attempt.expires > now.getTime() ? attempt : undefined
}

const describe = (body: string) => `sign-in at a provider\u0000${body}`

/** A path of ours; `/` for everything else, so that no link of ours leads elsewhere. */
export function ownPath(returnTo: string | undefined): string {
  const base = 'http://own.invalid'
  const url = /^\/[\x20-\x7e]*$/.test(returnTo ?? '') ? URL.parse(returnTo ?? '', base) : null
  if (url?.origin !== base) return '/'
  const path = `${url.pathname}${url.search}${url.hash}`
  // Browsers take two slashes for another host, and dots in the path may leave two (`/.//host`).
  return path.startsWith('//') ? '/' : path
}
