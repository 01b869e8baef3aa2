import { MINUTE_MS } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import { startTicker } from '../../platform/ticker.ts'
import { sendDueMails } from './delivery-service.ts'

const LOOK_MS = MINUTE_MS / 2

/** Any number of workers may run this; a claim lets one of them send a mail. The result stops it. */
export function startWeeklyMails(ctx: AppContext): () => Promise<void> {
  const stopping = new AbortController()
  const ticker = startTicker({
    everyMs: LOOK_MS,
    work: () => sendDueMails(ctx, stopping.signal),
    log: ctx.log,
    failure: 'sending weekly mails failed',
  })
  return async () => {
    stopping.abort()
    await ticker.stop()
  }
}
