/** How long to wait before the next attempt. */
export interface RetrySettings {
  /** Attempts in a row without progress before a request fails. */
  attempts: number
  baseMs: number
  /** Also the longest Retry-After that is obeyed. A request fails when the server asks for more. */
  maxMs: number
}

/** Exponential with full jitter, so that many clients do not come back at once. */
export function backOffMs(attempt: number, { baseMs, maxMs }: RetrySettings): number {
  return Math.round(Math.min(maxMs, baseMs * 2 ** attempt) * (0.5 + Math.random() / 2))
}

/** RFC 9110 section 10.2.3: seconds or a date; undefined for anything else. */
export function retryAfterMs(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000
  const time = Date.parse(value)
  return Number.isNaN(time) ? undefined : Math.max(0, time - now)
}
