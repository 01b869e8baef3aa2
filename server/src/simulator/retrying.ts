import { setTimeout as delay } from 'node:timers/promises'

/** The service refused the request. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused'
  readonly status: number
  readonly retryAfterSeconds: number

  constructor({ status, headers }: Pick<Response, 'status' | 'headers'>, body: string) {
    super(`answered ${status}: ${body.slice(0, 300)}`)
    this.status = status
    this.retryAfterSeconds = Number(headers.get('retry-after')) || 0
  }

  get isFinal(): boolean {
    return this.status < 500 && this.status !== 429 && this.status !== 408
  }
}

const FIRST_MS = 250
const MOST_MS = 10_000

/** Retries until success or a final refusal; undefined when the signal ended it. */
export async function retryUntilDone<Result>(
  signal: AbortSignal,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  for (let waitMs = FIRST_MS; !signal.aborted; waitMs = Math.min(waitMs * 2, MOST_MS)) {
    try {
      return await work()
    } catch (error) {
      if (signal.aborted) return undefined
      if (error instanceof RequestRefused && error.isFinal) throw error
      // fetch reports a lost connection as a TypeError.
      if (!(error instanceof RequestRefused) && !(error instanceof TypeError)) throw error
      const asked = error instanceof RequestRefused ? error.retryAfterSeconds * 1_000 : 0
      const ms = Math.max(asked, waitMs * (0.5 + Math.random() / 2))
      await delay(ms, undefined, { signal }).catch(() => undefined)
    }
  }
  return undefined
}
