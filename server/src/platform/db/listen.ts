/** Listens to notifications of PostgreSQL, on a connection of its own that is opened again when it is lost. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Pool } from 'pg'
import type { Logger } from 'pino'

export interface ListenOptions {
  pool: Pool
  log: Logger
  channel: string
  onPayload: (payload: string) => void
  /** Called when it listens again after a loss. Notifications of the time between are lost. */
  onRegained: () => void
}

const RETRY_MS = 1_000

/** Resolves when it listens. The result stops it. */
export async function listen(listening: ListenOptions): Promise<() => Promise<void>> {
  const end = new AbortController()
  const first = Promise.withResolvers<undefined>()
  const running = keepListening(listening, end.signal, () => first.resolve(undefined))
  await Promise.race([first.promise, running])
  return async () => {
    end.abort()
    await running
  }
}

async function keepListening(
  listening: ListenOptions,
  signal: AbortSignal,
  onListening: () => void,
): Promise<void> {
  let wasLost = false
  while (!signal.aborted) {
    try {
      await listenOnce(listening, signal, () => {
        onListening()
        if (wasLost) listening.onRegained()
      })
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      listening.log.warn({ err: { message }, channel: listening.channel }, 'not listening')
    }
    wasLost = true
    if (!signal.aborted) await delay(RETRY_MS, undefined, { signal }).catch(() => undefined)
  }
}

/** Resolves when the connection ends or the signal is aborted. */
async function listenOnce(
  { pool, channel, onPayload }: ListenOptions,
  signal: AbortSignal,
  onListening: () => void,
): Promise<void> {
  const client = await pool.connect()
  const ended = Promise.withResolvers<undefined>()
  const finish = () => ended.resolve(undefined)
  const notified = ({ payload }: { payload?: string | undefined }) => onPayload(payload ?? '')
  client.on('notification', notified)
  client.on('error', finish)
  client.on('end', finish)
  signal.addEventListener('abort', finish, { once: true })
  try {
    await client.query(`listen "${channel}"`)
    onListening()
    await ended.promise
  } finally {
    signal.removeEventListener('abort', finish)
    client.off('notification', notified)
    // Closed instead of released, so that the next user of the connection does not listen.
    client.release(true)
  }
}
