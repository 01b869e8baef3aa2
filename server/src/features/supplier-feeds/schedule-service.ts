/** Looks for feeds that are due. Every worker looks; a claim in the database lets one of them read a feed. */
import type { AppContext } from '../../platform/context.ts'
import { startTicker } from '../../platform/ticker.ts'
import { RUNS_AT_ONCE } from './limits.ts'
import { readDueFeed } from './reading-service.ts'

const LOOK_MS = 15_000

/** The result stops what is being read, and waits for its end. */
export function startSupplierFeeds(ctx: AppContext): () => Promise<void> {
  if (!ctx.config.feeds.enabled) return () => Promise.resolve()
  const stopping = new AbortController()
  const lanes = Array.from({ length: RUNS_AT_ONCE }, () =>
    startTicker({
      everyMs: LOOK_MS,
      work: async () => {
        while (!stopping.signal.aborted && (await readDueFeed(ctx, stopping.signal)));
      },
      log: ctx.log,
      failure: "reading suppliers' feeds failed",
    }),
  )
  return async () => {
    stopping.abort()
    await Promise.all(lanes.map((lane) => lane.stop()))
  }
}
