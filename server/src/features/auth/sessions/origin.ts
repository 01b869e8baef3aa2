/** Whether a request was made by our own pages. Browsers set these headers, and pages cannot change them. */

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

export function isSafeMethod(method: string): boolean {
  return SAFE_METHODS.has(method)
}

interface OriginHeaders {
  'sec-fetch-site'?: string | string[] | undefined
  origin?: string | undefined
  host?: string | undefined
}

export function isOwnOrigin(headers: OriginHeaders, publicUrl: string): boolean {
  const site = headers['sec-fetch-site']
  if (site !== undefined) return site === 'same-origin' || site === 'none'
  const origin = URL.parse(headers.origin ?? '')
  if (!origin) return false
  // A service that is reached under another name than the public URL still knows its own pages.
  return origin.origin === URL.parse(publicUrl)?.origin || origin.host === headers.host
}
