/** What a webhook's server said, and what follows from it. */
import type { AttemptOutcome } from '../../notifications/index.ts'

export interface WebhookAnswer {
  outcome: AttemptOutcome
  answer: string
  /** Not before; undefined: the server did not say. */
  retryAfterMs?: number
}

interface Answered {
  status: number
  /** How the body begins. */
  text: string
  location: string | undefined
  retryAfterMs: number | undefined
}

/** Longer is not waited for: an outage announced for a week may end sooner. */
const LONGEST_WAIT_MS = 86_400_000

export function readAnswer({ status, text, location, retryAfterMs }: Answered): WebhookAnswer {
  const isRedirect = status >= 300 && status < 400 && location !== undefined
  const shown = plainText(isRedirect ? `a redirect, which is not followed, to ${location}` : text)
  const answer = shown === '' ? `HTTP ${status}` : `HTTP ${status}: ${shown}`
  if (status >= 200 && status < 300) return { outcome: 'Delivered', answer }
  // RFC 9110 section 15.5.11: gone, and likely for good.
  if (status === 410) return { outcome: 'Refused', answer }
  const isAskedToWait = status === 429 || status === 503
  if (!isAskedToWait || retryAfterMs === undefined) return { outcome: 'Deferred', answer }
  return { outcome: 'Deferred', answer, retryAfterMs: Math.min(retryAfterMs, LONGEST_WAIT_MS) }
}

const MOST_CHARACTERS = 200

/** One line, without what would steer a terminal or turn the text around. */
export function plainText(text: string): string {
  const line = text.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return Array.from(line).slice(0, MOST_CHARACTERS).join('')
}
