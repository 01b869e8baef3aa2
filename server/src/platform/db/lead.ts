/** Lets one node at a time lead some work: the node that holds an advisory lock of the database. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import type { Logger } from 'pino'

export interface LeaderOptions {
  pool: Pool
  log: Logger
  /** Names the work and its lock. */
  name: string
  /** Has to end when the signal is aborted: the node does not lead any more. */
  lead: (signal: AbortSignal) => Promise<void>
}

const RETRY_MS = 2_000

/** The result ends the leadership and stops trying. */
export function leadWhenFree(leading: LeaderOptions): () => Promise<void> {
  const closing = new AbortController()
  const running = tryAgainAndAgain(leading, closing.signal)
  return async () => {
    closing.abort()
    await running
  }
}

async function tryAgainAndAgain(leading: LeaderOptions, signal: AbortSignal): Promise<void> {
  const { log, name } = leading
  while (!signal.aborted) {
    try {
      await leadOnce(leading, signal)
    } catch (error) {
      log.warn({ err: error, work: name }, 'leading failed')
    }
    if (!signal.aborted) await delay(RETRY_MS, undefined, { signal }).catch(() => undefined)
  }
}

async function leadOnce({ pool, name, lead }: LeaderOptions, signal: AbortSignal): Promise<void> {
  const client = await pool.connect()
  try {
    if (!(await tryLock(client, name))) return
    const lost = new AbortController()
    const lose = () => lost.abort()
    client.on('error', lose)
    client.on('end', lose)
    await lead(AbortSignal.any([signal, lost.signal]))
  } finally {
    // Closing the connection releases the lock.
    client.release(true)
  }
}

async function tryLock(client: PoolClient, name: string): Promise<boolean> {
  const { rows } = await client.query<{ is_held: boolean }>(
    'select pg_try_advisory_lock(hashtextextended($1, 0)) as is_held',
    [name],
  )
  return rows[0]?.is_held === true
}
