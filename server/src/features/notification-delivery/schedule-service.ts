/** Looks for due notifications and delivers them, to several recipients at once. */
import { SECOND_MS } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import { startTicker } from '../../platform/ticker.ts'
import { outbox } from '../notifications/index.ts'
import { deliverTo } from './service.ts'

const LOOK_MS = SECOND_MS
/** Recipients of a channel that are served at once, so that a slow server does not hold up the others. */
const AT_ONCE: Readonly<Record<outbox.Channel, number>> = { mail: 4, webhook: 8 }
/** How many of these may be recipients of one workspace. */
const AT_ONCE_OF_A_WORKSPACE = 2
const LOOKED_AT = 500
/** A recipient with more messages gives way to others. */
const MESSAGES_IN_A_ROUND = 20
/** How long a stop waits for attempts that are under way. A mail that is cut off may arrive and be sent again. */
const STOP_PATIENCE_MS = 3 * SECOND_MS

interface DeliveryRound {
  workspaceId: string
  ended: Promise<void>
}

interface Signals {
  /** No attempt begins any more. */
  stopping: AbortSignal
  /** Ends the attempts that are under way. */
  cut: AbortSignal
}

/** Any number of workers may run this; a claim lets one of them deliver. The result stops it. */
export function startDeliveries(ctx: AppContext): () => Promise<void> {
  const stopping = new AbortController()
  const cut = new AbortController()
  const signals = { stopping: stopping.signal, cut: cut.signal }
  const rounds = {
    mail: new Map<string, DeliveryRound>(),
    webhook: new Map<string, DeliveryRound>(),
  }
  let gaveUpAt = 0
  const ticker = startTicker({
    everyMs: LOOK_MS,
    log: ctx.log,
    failure: 'looking for notifications failed',
    work: async () => {
      // Once a second is enough, however often a delivery leads to another look.
      if (performance.now() - gaveUpAt >= LOOK_MS / 2) {
        await giveUp(ctx)
        gaveUpAt = performance.now()
      }
      // Without a mail server, mail waits.
      const channels: outbox.Channel[] = ctx.mailer ? ['mail', 'webhook'] : ['webhook']
      for (const channel of channels)
        await fill(ctx, { channel, busy: rounds[channel], signals, lookAgain: ticker.runNow })
    },
  })
  return async () => {
    stopping.abort()
    await ticker.stop()
    const patience = setTimeout(() => cut.abort(), STOP_PATIENCE_MS)
    const underWay = [...rounds.mail.values(), ...rounds.webhook.values()]
    await Promise.all(underWay.map(({ ended }) => ended))
    clearTimeout(patience)
  }
}

async function giveUp({ db, mailer, now }: AppContext): Promise<void> {
  await outbox.failOverdue(db, now())
  if (!mailer) await outbox.recordMissingServer(db, now())
}

interface ChannelWork {
  channel: outbox.Channel
  busy: Map<string, DeliveryRound>
  signals: Signals
  lookAgain: () => void
}

/** Begins rounds until as many are under way as the channel allows. */
async function fill(ctx: AppContext, filling: ChannelWork): Promise<void> {
  const { channel, busy, signals, lookAgain } = filling
  if (busy.size >= AT_ONCE[channel]) return
  const due = { channel, now: ctx.now(), limit: LOOKED_AT }
  for (const recipient of await outbox.listDueRecipients(ctx.db, due)) {
    if (signals.stopping.aborted || busy.size >= AT_ONCE[channel]) return
    const { workspaceId, address, webhookId } = recipient
    const key = `${workspaceId} ${address ?? webhookId}`
    const ofWorkspace = [...busy.values()].filter((round) => round.workspaceId === workspaceId)
    if (busy.has(key) || ofWorkspace.length >= AT_ONCE_OF_A_WORKSPACE) continue
    const ended = deliverRound(ctx, recipient, signals)
      // Its claim expires, and another round tries again.
      .catch((error: unknown) => {
        ctx.log.error({ err: error, workspaceId }, 'delivering notifications failed')
        return false
      })
      .then((hasSent) => {
        busy.delete(key)
        // Fills the free place at once. Where another worker serves the recipient, the next tick is soon enough.
        if (hasSent) lookAgain()
      })
    busy.set(key, { workspaceId, ended })
  }
}

/** Whether any attempt was made. */
async function deliverRound(
  ctx: AppContext,
  recipient: outbox.Recipient,
  { stopping, cut }: Signals,
): Promise<boolean> {
  for (let count = 0; count < MESSAGES_IN_A_ROUND && !stopping.aborted; count++)
    if (!(await deliverTo(ctx, recipient, cut))) return count > 0
  return true
}
