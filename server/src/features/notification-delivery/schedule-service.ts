import type { AppContext } from '../../platform/context.ts'
import { outbox } from '../notifications/index.ts'
import { deliverTo } from './service.ts'

const LOOK_MS = 1_000
/** Servers are spoken to side by side, so that a slow one does not hold up the others. */
const AT_ONCE: Readonly<Record<outbox.Channel, number>> = { mail: 4, webhook: 8 }
/** Nor may one workspace take all the turns. */
const OF_A_WORKSPACE = 2
const LOOKED_AT = 500

interface Lane {
  workspaceId: string
  delivery: Promise<void>
}

/** For what is under way when the service stops: cut off, a mail might arrive and be sent again. */
const STOP_PATIENCE_MS = 3_000

/** Any number of workers look; a claim lets one of them deliver. The result waits for what is under way. */
export function startDeliveries(ctx: AppContext): () => Promise<void> {
  const stopping = new AbortController()
  const cut = new AbortController()
  const signals = { stopping: stopping.signal, cut: cut.signal }
  const lanes = { mail: new Map<string, Lane>(), webhook: new Map<string, Lane>() }
  let looking: Promise<void> | undefined
  const look = async () => {
    // Without a mail server, mail waits for one.
    const channels: outbox.Channel[] = ctx.mailer ? ['mail', 'webhook'] : ['webhook']
    for (const channel of channels)
      await fill(ctx, { channel, busy: lanes[channel], signals, lookAgain: begin })
  }
  const begin = (before: () => Promise<unknown> = () => Promise.resolve()) => {
    if (stopping.signal.aborted) return
    looking ??= before()
      .then(look)
      // The next look tries again.
      .catch((error: unknown) => ctx.log.error({ err: error }, 'looking for notifications failed'))
      .finally(() => {
        looking = undefined
      })
  }
  const timer = setInterval(() => begin(() => giveUp(ctx)), LOOK_MS)
  return async () => {
    clearInterval(timer)
    stopping.abort()
    await looking
    const patience = setTimeout(() => cut.abort(), STOP_PATIENCE_MS)
    const underWay = [...lanes.mail.values(), ...lanes.webhook.values()]
    await Promise.all(underWay.map(({ delivery }) => delivery))
    clearTimeout(patience)
  }
}

async function giveUp({ db, mailer, now }: AppContext): Promise<void> {
  await outbox.failOverdue(db, now())
  if (!mailer) await outbox.settleWithoutServer(db, now())
}

/** Nothing more is begun; what is under way is left. */
interface Signals {
  stopping: AbortSignal
  cut: AbortSignal
}

/** Then others have their turn. */
const MESSAGES_IN_A_TURN = 20

/** Whether anything was sent, or tried: false where somebody else is at it. */
async function deliverSome(
  ctx: AppContext,
  recipient: outbox.Recipient,
  { stopping, cut }: Signals,
): Promise<boolean> {
  for (let count = 0; count < MESSAGES_IN_A_TURN && !stopping.aborted; count++)
    if (!(await deliverTo(ctx, recipient, cut))) return count > 0
  return true
}

interface Filling {
  channel: outbox.Channel
  busy: Map<string, Lane>
  signals: Signals
  lookAgain: () => void
}

async function fill(ctx: AppContext, filling: Filling): Promise<void> {
  const { channel, busy, signals, lookAgain } = filling
  if (busy.size >= AT_ONCE[channel]) return
  const due = { channel, now: ctx.now(), limit: LOOKED_AT }
  for (const recipient of await outbox.listDueRecipients(ctx.db, due)) {
    if (signals.stopping.aborted || busy.size >= AT_ONCE[channel]) return
    const { workspaceId, address, webhookId } = recipient
    const key = `${workspaceId} ${address ?? webhookId}`
    const ofWorkspace = [...busy.values()].filter((lane) => lane.workspaceId === workspaceId)
    if (busy.has(key) || ofWorkspace.length >= OF_A_WORKSPACE) continue
    const delivery = deliverSome(ctx, recipient, signals)
      // Its claim expires, and then it has another turn.
      .catch((error: unknown) => {
        ctx.log.error({ err: error, workspaceId }, 'delivering notifications failed')
        return false
      })
      .then((isSent) => {
        busy.delete(key)
        // What is free now is taken at once, as long as that brings something.
        if (isSent) lookAgain()
      })
    busy.set(key, { workspaceId, delivery })
  }
}
