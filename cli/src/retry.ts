/** Repeats requests while the service is away for a moment or asks to wait. */
import { setTimeout as sleep } from 'node:timers/promises'
import { ApiProblem, UnexpectedAnswer } from '../../api-client/src/index.ts'
import { EXIT } from './exit-codes.ts'
import { CliError, isCutOff } from './failure.ts'

const DELAYS_MS = [500, 1000, 2000]
/** For requests that take long by themselves: a service that restarts meanwhile is back by then. */
export const PATIENT_DELAYS_MS = [...DELAYS_MS, 4000, 8000, 15_000, 15_000]
const LONGEST_DELAY_MS = 30_000
const HEADERS_WITHIN_MS = 60_000

/** The service did not accept the request: 429 and 503 (RFC 9110, section 15.6.4). */
const NOT_TAKEN = new Set([429, 503])
/** Answers of a proxy that does not know whether the service accepted the request. */
const UNCERTAIN = new Set([502, 504])

export interface RetryOptions {
  /** Repeating the request does no harm. */
  repeatable: boolean
  origin: string
  delaysMs?: readonly number[]
}

export async function withRetries(
  send: () => Promise<Response>,
  { repeatable, origin, delaysMs = DELAYS_MS }: RetryOptions,
): Promise<Response> {
  for (const delay of delaysMs) {
    const outcome = await send().catch((error: unknown) => asUnreachable(origin, error))
    const again =
      outcome instanceof Response
        ? NOT_TAKEN.has(outcome.status) || (repeatable && UNCERTAIN.has(outcome.status))
        : repeatable && outcome.exitCode === EXIT.unavailable
    if (!again) return orThrow(outcome)
    const wait = outcome instanceof Response ? await retryAfterMs(outcome) : undefined
    await sleep(Math.min(wait ?? delay, LONGEST_DELAY_MS))
  }
  return orThrow(await send().catch((error: unknown) => asUnreachable(origin, error)))
}

function orThrow(outcome: Response | CliError): Response {
  if (outcome instanceof CliError) throw outcome
  return outcome
}

/** RFC 9110, section 10.2.3; the service sends seconds. */
async function retryAfterMs(response: Response): Promise<number | undefined> {
  await response.body?.cancel()
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) && seconds >= 0 ? seconds * 1000 : undefined
}

function asUnreachable(origin: string, error: unknown): CliError {
  const own = error instanceof Error && error.cause instanceof CliError ? error.cause : error
  if (own instanceof CliError) return own
  return new CliError(
    EXIT.unavailable,
    `Cannot reach ${origin}: ${findCause(error)}.\nIs --url (or PLIMSOLL_URL) right?`,
  )
}

/** Whether a request that may be repeated failed because nobody answered, or only somebody in front of the service. */
export function isAway(error: unknown): boolean {
  if (error instanceof CliError) return error.exitCode === EXIT.unavailable
  if (error instanceof ApiProblem) return isAwayStatus(error.problem.status)
  return error instanceof UnexpectedAnswer ? isAwayStatus(error.status) : isCutOff(error)
}

const isAwayStatus = (status: number) => NOT_TAKEN.has(status) || UNCERTAIN.has(status)

/** The cause of `fetch failed`, which may be wrapped in the errors of several attempts. */
function findCause(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return findCause(error.errors[0])
  if (!(error instanceof Error)) return String(error)
  // The message of OpenSSL has addresses and lines of its source.
  if ('reason' in error && typeof error.reason === 'string') return `TLS: ${error.reason}`
  return error.cause === undefined ? error.message.replace(/\.$/, '') : findCause(error.cause)
}

/** POST requests that change nothing. */
const READING = /\/(?:list|query|dry-run)$/

/** The fetch of all requests except uploads. */
export function fetchPatiently(url: string, init: RequestInit): Promise<Response> {
  const { origin, pathname } = new URL(url)
  const repeatable = init.method === 'GET' || READING.test(pathname)
  return withRetries(() => fetchHeadersInTime(url, init), { repeatable, origin })
}

/** Sending a body may take any time. A service that does not begin to answer in time is away. */
async function fetchHeadersInTime(url: string, init: RequestInit): Promise<Response> {
  const late = new AbortController()
  const timer = setTimeout(
    () => late.abort(new Error(`no answer within ${HEADERS_WITHIN_MS / 1000} seconds`)),
    HEADERS_WITHIN_MS,
  )
  try {
    return await fetch(url, { ...init, signal: late.signal })
  } finally {
    clearTimeout(timer)
  }
}
