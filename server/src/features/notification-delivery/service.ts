/**
 * Delivers notifications. A worker claims them and commits before it connects to a server, so that no other worker sends
 * them too, and records the result afterwards. When a worker ends in between, its claim expires, and the same message is
 * sent again. A database that is away meanwhile is waited for, at every step: the claim lasts longer than that.
 */
import { addMs, MINUTE_MS } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { outlastOutage } from '../../platform/db/outlasting-outage.ts'
import { newId } from '../../platform/ids.ts'
import { findEnabledWebhook } from '../notification-targets/index.ts'
import { outbox } from '../notifications/index.ts'
import { takeMails } from '../mails/index.ts'
import { takeInWindow, findWindow } from '../quotas/index.ts'
import type { Claim, DeliveryOutcome, PreparedAttempt } from './claim.ts'
import { prepareMail } from './mail/service.ts'
import { deliverWebhook } from './webhooks/service.ts'
import { findMax, findMin } from '../../formats/extremes.ts'

/** Longer than the time limit of any server. */
const CLAIM_MS = 3 * MINUTE_MS

/** Sends the next message of a recipient. False: nothing is due, or another worker is sending to the recipient. */
export async function deliverTo(
  ctx: AppContext,
  recipient: outbox.Recipient,
  signal: AbortSignal,
): Promise<boolean> {
  const beganAt = ctx.now()
  let isRetry = false
  const claim = await outlastOutage(async () => {
    // The commit may have arrived though its answer did not.
    const mine = isRetry ? await findClaim(ctx, recipient, beganAt) : undefined
    isRetry = true
    return mine ?? (await claimNextMessage(ctx, recipient, beganAt))
  }, signal)
  if (!claim) return false
  const prepared = await outlastOutage(() => prepareAttempt(ctx, claim), signal)
  const outcome = typeof prepared === 'function' ? await prepared(signal) : prepared
  const end = { id: newId(), at: ctx.now(), chance: Math.random() }
  await outlastOutage(() => recordOutcome(ctx, { claim, outcome, end }), signal)
  return true
}

async function claimNextMessage(
  ctx: Pick<AppContext, 'db' | 'now' | 'config' | 'memory' | 'log'>,
  recipient: outbox.Recipient,
  beganAt: Date,
): Promise<Claim | undefined> {
  return ctx.db.transaction().execute(async (tx) => {
    if (!(await outbox.tryLockRecipient(tx, recipient))) return undefined
    const rows = await outbox.lockNextMessage(tx, recipient, beganAt)
    const [first] = rows
    if (!first) return undefined
    if (!(await takeDelivery(ctx, tx, { ...recipient, kind: first.kind }))) return undefined
    const messageId = first.messageId ?? newId()
    const ids = rows.map(({ id }) => id)
    const { workspaceId } = recipient
    await outbox.claim(tx, { workspaceId, ids, messageId, until: endOfClaim(beganAt) })
    return { recipient, messageId, rows, beganAt }
  })
}

const endOfClaim = (beganAt: Date) => addMs(beganAt, CLAIM_MS)

/** The claim that began at this instant, if it was committed. */
async function findClaim(
  { db }: Pick<AppContext, 'db'>,
  recipient: outbox.Recipient,
  beganAt: Date,
): Promise<Claim | undefined> {
  const rows = await outbox.listClaimed(db, recipient, endOfClaim(beganAt))
  const messageId = rows[0]?.messageId
  return messageId ? { recipient, messageId, rows, beganAt } : undefined
}

/** Reads what the attempt needs. */
async function prepareAttempt(ctx: AppContext, claim: Claim): Promise<PreparedAttempt<Tx>> {
  return claim.recipient.webhookId === null ? prepareMail(ctx, claim) : prepareCall(ctx, claim)
}

/** False: what may be sent in this hour was sent. All that is due for that bound waits for the next hour. */
async function takeDelivery(
  ctx: Pick<AppContext, 'now' | 'config' | 'memory' | 'log'>,
  tx: Tx,
  { kind, ...recipient }: outbox.Recipient & Pick<outbox.ClaimedRow, 'kind'>,
): Promise<boolean> {
  const { workspaceId, address } = recipient
  const spent =
    address === null
      ? await takeCall(ctx, tx, workspaceId)
      : // Whoever asked for a test or a confirmation had it counted then.
        kind === 'Incident' &&
        (await takeMails(ctx, tx, { kind: 'Alert', workspaceId, addresses: [address] }))
  if (!spent) return true
  const { endsAt: dueAt, answer } = spent
  const isOfAddress = spent.bound === 'Address' || spent.bound === 'WorkspaceAddress'
  await outbox.putOffDue(tx, {
    workspaceId,
    channel: address === null ? 'webhook' : 'mail',
    address: isOfAddress ? address : null,
    now: ctx.now(),
    dueAt,
    answer,
  })
  return false
}

async function takeCall(
  ctx: Pick<AppContext, 'now' | 'config' | 'memory'>,
  tx: Tx,
  workspaceId: string,
) {
  const quota = 'webhookCallsPerHour'
  if ((await takeInWindow(ctx, tx, { workspaceId, quota, amount: 1 })) > 0) return undefined
  const { endsAt } = findWindow(quota, ctx.now())
  const answer = `The limit of the workspace is reached (${quota}); it is sent in the next hour.`
  return { bound: 'Workspace', endsAt, answer } as const
}

async function prepareCall(
  ctx: AppContext,
  { recipient: { workspaceId, webhookId }, rows: [notification] }: Claim,
): Promise<PreparedAttempt<Tx>> {
  const webhook = webhookId && (await findEnabledWebhook(ctx.db, workspaceId, webhookId))
  if (!webhook || !notification)
    return { outcome: 'Dropped', answer: 'The webhook was disabled or deleted.' }
  return async (signal) => {
    try {
      return await deliverWebhook(ctx, { workspaceId, webhook, notification }, signal)
    } catch (error) {
      if (!signal.aborted) throw error
      return { outcome: 'Deferred', answer: 'The service stopped.', mayHaveArrived: true }
    }
  }
}

interface EndedAttempt {
  claim: Claim
  outcome: DeliveryOutcome<Tx>
  /** The same each time that recording is tried. */
  end: { id: string; at: Date; chance: number }
}

async function recordOutcome(ctx: AppContext, ended: EndedAttempt): Promise<void> {
  const { id, at } = ended.end
  const { recipient, messageId, rows, beganAt } = ended.claim
  const { outcome, answer, recordAnswer } = ended.outcome
  await ctx.db.transaction().execute(async (tx) => {
    if (outcome !== 'Dropped') {
      const isNew = await outbox.insertAttempt(tx, {
        ...recipient,
        id,
        messageId,
        notificationIds: rows.map((row) => row.id),
        attempt: findMax(rows.map(({ attempts }) => attempts + 1)),
        beganAt,
        endedAt: at,
        outcome,
        answer,
      })
      // All was recorded before, and the answer to that was lost.
      if (!isNew) return
    }
    await recordAnswer?.(tx, at)
    await recordResults(tx, ended)
  })
}

async function recordResults(tx: Tx, { claim, outcome: delivered, end }: EndedAttempt) {
  const { at, chance } = end
  const { recipient, rows } = claim
  const { outcome, answer } = delivered
  const result = { workspaceId: recipient.workspaceId, answer, at }
  if (outcome !== 'Deferred') {
    const state = outcome === 'Refused' ? 'Failed' : outcome
    await outbox.recordResult(tx, { ...result, ids: rows.map(({ id }) => id), state })
    return
  }
  const isOverdue = ({ giveUpAt }: outbox.ClaimedRow) => giveUpAt <= at
  const overdue = rows.filter(isOverdue).map(({ id }) => id)
  const again = rows.filter((row) => !isOverdue(row)).map(({ id }) => id)
  await outbox.recordResult(tx, { ...result, ids: overdue, state: 'Failed' })
  const dueAt = addMs(at, waitMs(claim, delivered, chance))
  const keepsMessage = delivered.mayHaveArrived === true
  await outbox.recordResult(tx, { ...result, ids: again, state: 'Pending', dueAt, keepsMessage })
}

function waitMs(
  { rows }: Claim,
  { retryAfterMs = 0 }: DeliveryOutcome<Tx>,
  chance: number,
): number {
  // Of notifications that wait together, the one with the fewest attempts decides.
  const attempts = findMin(rows.map((row) => row.attempts + 1))
  return Math.max(retryAfterMs, backOffMs(attempts, chance))
}

const FIRST_MS = 30_000
const LONGEST_MS = 3_600_000
/** Spreads the next attempts of messages that failed at the same time. */
const SPREAD = 0.1

/** The wait before the next attempt: it doubles after each attempt, up to an hour. `chance` is from 0 to 1. */
export function backOffMs(attempts: number, chance: number): number {
  const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, attempts - 1))
  return Math.round(wait * (1 + SPREAD * (2 * chance - 1)))
}
