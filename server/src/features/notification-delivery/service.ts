/**
 * Delivers notifications. A worker claims them and commits before it connects to a server, so that no other worker sends
 * them too, and records the result afterwards. When a worker ends in between, its claim expires, and the same message is
 * sent again.
 */
import { addMs, MINUTE_MS } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { outlastOutage } from '../../platform/db/outlasting-outage.ts'
import { newId } from '../../platform/ids.ts'
import { findEnabledWebhook } from '../notification-targets/index.ts'
import { outbox } from '../notifications/index.ts'
import { takeInWindow, findWindow } from '../quotas/index.ts'
import type { Claim, DeliveryOutcome } from './claim.ts'
import { sendMail } from './mail/service.ts'
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
  const claim = await claimNextMessage(ctx, recipient)
  if (!claim) return false
  const result =
    recipient.webhookId === null
      ? await sendMail(ctx, claim, signal)
      : await callWebhook(ctx, claim, signal)
  // While the claim lasts nobody else sends the message, so there is time to wait for the database.
  await outlastOutage(() => recordOutcome(ctx, claim, result), signal)
  return true
}

async function claimNextMessage(
  ctx: Pick<AppContext, 'db' | 'now' | 'config' | 'memory'>,
  recipient: outbox.Recipient,
): Promise<Claim | undefined> {
  return ctx.db.transaction().execute(async (tx) => {
    if (!(await outbox.tryLockRecipient(tx, recipient))) return undefined
    const beganAt = ctx.now()
    const rows = await outbox.lockNextMessage(tx, recipient, beganAt)
    const [first] = rows
    if (!first) return undefined
    if (!(await takeDelivery(ctx, tx, recipient))) return undefined
    const messageId = first.messageId ?? newId()
    const ids = rows.map(({ id }) => id)
    const until = addMs(beganAt, CLAIM_MS)
    const { workspaceId } = recipient
    await outbox.claim(tx, { workspaceId, ids, messageId, until })
    return { recipient, messageId, rows, beganAt }
  })
}

/** False: the workspace has sent what it may send in this hour. All that is due waits for the next one. */
async function takeDelivery(
  ctx: Pick<AppContext, 'now' | 'config' | 'memory'>,
  tx: Tx,
  { workspaceId, webhookId }: outbox.Recipient,
): Promise<boolean> {
  const quota = webhookId === null ? 'mailsPerHour' : 'webhookCallsPerHour'
  if ((await takeInWindow(ctx, tx, { workspaceId, quota, amount: 1 })) > 0) return true
  const now = ctx.now()
  await outbox.putOffDue(tx, {
    workspaceId,
    channel: webhookId === null ? 'mail' : 'webhook',
    now,
    dueAt: findWindow(quota, now).endsAt,
    answer: `The limit of the workspace is reached (${quota}); it is sent in the next hour.`,
  })
  return false
}

async function callWebhook(
  ctx: AppContext,
  { recipient: { workspaceId, webhookId }, rows: [row] }: Claim,
  signal: AbortSignal,
): Promise<DeliveryOutcome> {
  const webhook = webhookId && (await findEnabledWebhook(ctx.db, workspaceId, webhookId))
  if (!webhook || !row)
    return { outcome: 'Dropped', answer: 'The webhook was disabled or deleted.' }
  try {
    return await deliverWebhook(ctx, { workspaceId, webhook, notification: row }, signal)
  } catch (error) {
    if (!signal.aborted) throw error
    return { outcome: 'Deferred', answer: 'The service stopped.', mayHaveArrived: true }
  }
}

async function recordOutcome(
  ctx: AppContext,
  claim: Claim,
  delivered: DeliveryOutcome,
): Promise<void> {
  const { recipient, messageId, rows, beganAt } = claim
  const { workspaceId } = recipient
  const at = ctx.now()
  const { outcome, answer } = delivered
  await ctx.db.transaction().execute(async (tx) => {
    if (outcome !== 'Dropped')
      await outbox.insertAttempt(tx, {
        ...recipient,
        id: newId(),
        messageId,
        notificationIds: rows.map(({ id }) => id),
        attempt: findMax(rows.map(({ attempts }) => attempts + 1)),
        beganAt,
        endedAt: at,
        outcome,
        answer,
      })
    const result = { workspaceId, answer, at }
    if (outcome !== 'Deferred') {
      const state = outcome === 'Refused' ? 'Failed' : outcome
      await outbox.recordResult(tx, { ...result, ids: rows.map(({ id }) => id), state })
      return
    }
    const isOverdue = ({ giveUpAt }: outbox.ClaimedRow) => giveUpAt <= at
    const overdue = rows.filter(isOverdue).map(({ id }) => id)
    const again = rows.filter((row) => !isOverdue(row)).map(({ id }) => id)
    await outbox.recordResult(tx, { ...result, ids: overdue, state: 'Failed' })
    const dueAt = addMs(at, waitMs(claim, delivered))
    const keepsMessage = delivered.mayHaveArrived === true
    await outbox.recordResult(tx, { ...result, ids: again, state: 'Pending', dueAt, keepsMessage })
  })
}

function waitMs({ rows }: Claim, { retryAfterMs = 0 }: DeliveryOutcome): number {
  // Of notifications that wait together, the one with the fewest attempts decides.
  const attempts = findMin(rows.map((row) => row.attempts + 1))
  return Math.max(retryAfterMs, backOffMs(attempts, Math.random()))
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
