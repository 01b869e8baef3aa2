/** Headers of every answer that limit what a browser does with it. A route may replace each of them. */
import { createHash } from 'node:crypto'

/** The directives of a Content-Security-Policy (CSP level 3). */
const DIRECTIVES = {
  'default-src': "'self'",
  // The pages at /docs hold small pictures in their styles.
  'img-src': "'self' data:",
  'object-src': "'none'",
  'base-uri': "'none'",
  'form-action': "'self'",
  'frame-ancestors': "'none'",
}

/**
 * The policy of all answers, with some directives replaced. A page with styles in it needs
 * `{ 'style-src': "'self' 'nonce-…'" }`, or `formatPagePolicy`.
 */
export function formatContentPolicy(changes: Readonly<Record<string, string>> = {}): string {
  return Object.entries({ ...DIRECTIVES, ...changes })
    .map(([directive, sources]) => `${directive} ${sources}`)
    .join('; ')
}

/** Allows the styles that stand in the page, by their hashes. */
export function formatPagePolicy(page: string): string {
  const hashes = [...page.matchAll(/<style>([^]*?)<\/style>/g)].map(
    ([, style = '']) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  )
  return formatContentPolicy({ 'style-src': ["'self'", ...hashes].join(' ') })
}

const YEAR_SECONDS = 31_536_000

export function listSecurityHeaders({
  publicUrl,
  coversSubdomains,
}: {
  publicUrl: string
  /** All hosts below that of the public URL speak HTTPS only, too. */
  coversSubdomains: boolean
}): Record<string, string> {
  const hsts = `max-age=${YEAR_SECONDS}${coversSubdomains ? '; includeSubDomains' : ''}`
  return {
    // Answers hold data of tenants; what everybody may see says so itself.
    'cache-control': 'no-store',
    'content-security-policy': formatContentPolicy(),
    'x-content-type-options': 'nosniff',
    // `no-referrer` would take the Origin from posts of forms, by which a session knows its own pages.
    'referrer-policy': 'same-origin',
    ...(publicUrl.startsWith('https:') && { 'strict-transport-security': hsts }),
  }
}
