/** Reads the answer of a webhook's server: whether the message was delivered, and when to try again. */
import { DAY_MS } from '../../../formats/instants.ts'
import { cleanLine } from '../../../platform/plain-line.ts'
import type { AttemptOutcome } from '../../notifications/index.ts'

export interface WebhookAnswer {
  outcome: AttemptOutcome
  answer: string
  /** The wait the server asks for, if it asks for one. */
  retryAfterMs?: number
}

interface ReceiverAnswer {
  status: number
  /** The beginning of the body. */
  text: string
  location: string | undefined
  retryAfterMs: number | undefined
}

/** A longer wait is cut to this: an outage may end sooner than the server expects. */
const LONGEST_WAIT_MS = DAY_MS

export function readAnswer({
  status,
  text,
  location,
  retryAfterMs,
}: ReceiverAnswer): WebhookAnswer {
  const isRedirect = status >= 300 && status < 400 && location !== undefined
  const shown = shortenLine(isRedirect ? `a redirect, which is not followed, to ${location}` : text)
  const answer = shown === '' ? `HTTP ${status}` : `HTTP ${status}: ${shown}`
  if (status >= 200 && status < 300) return { outcome: 'Delivered', answer }
  // RFC 9110 section 15.5.11: gone, probably permanently.
  if (status === 410) return { outcome: 'Refused', answer }
  const isAskedToWait = status === 429 || status === 503
  if (!isAskedToWait || retryAfterMs === undefined) return { outcome: 'Deferred', answer }
  return { outcome: 'Deferred', answer, retryAfterMs: Math.min(retryAfterMs, LONGEST_WAIT_MS) }
}

const MOST_CHARACTERS = 200

export function shortenLine(text: string): string {
  return cleanLine(text, MOST_CHARACTERS)
}
