/** Fetches sources when they are due. Every worker looks; a claim in the database lets one of them fetch. */
import { MINUTE_MS } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import { startTicker } from '../../platform/ticker.ts'
import { syncSource } from './sync-service.ts'

/** The result stops running syncs and waits for their end. They continue at the next start. */
export function startFeedSchedule(ctx: AppContext): () => Promise<void> {
  const { enabled, sources } = ctx.config.feeds
  if (!enabled) return () => Promise.resolve()
  const stopping = new AbortController()
  const running = new Map<string, Promise<void>>()
  const look = () => {
    for (const source of sources) {
      if (running.has(source)) continue
      const run = syncSource(ctx, { source, signal: stopping.signal, isByHand: false })
        .then(({ state, ...outcome }) => {
          if (state === 'Succeeded') ctx.log.info(outcome, 'source fetched')
        })
        // The claim is released or runs out, and a later look tries again.
        .catch((error: unknown) =>
          ctx.log.error({ err: error, source }, 'fetching a source failed'),
        )
        .finally(() => running.delete(source))
      running.set(source, run)
    }
  }
  const ticker = startTicker({
    everyMs: MINUTE_MS,
    work: async () => look(),
    log: ctx.log,
    failure: 'looking for due sources failed',
  })
  ticker.runNow()
  return async () => {
    await ticker.stop()
    stopping.abort()
    await Promise.all(running.values())
  }
}
