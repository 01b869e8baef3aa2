import { setTimeout as delay } from 'node:timers/promises'
import { isDatabaseAway } from './failures.ts'

const RETRY_MS = 1_000
const RETRIES = 30

/** Retries work that fails because the database is away, for about half a minute or until the signal is aborted. */
export async function outlastOutage<Result>(
  work: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (let retries = 0; ; retries++)
    try {
      return await work()
    } catch (error) {
      if (!isDatabaseAway(error) || retries >= RETRIES || signal.aborted) throw error
      await delay(RETRY_MS, undefined, { signal }).catch(() => undefined)
    }
}
