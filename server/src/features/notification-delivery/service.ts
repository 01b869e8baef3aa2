/**
 * Empties the outbox. What is to be sent is claimed before a server is spoken to, so that no other worker sends it; what a
 * server took is taken down after. A worker that dies in between leaves its claim to expire: then it is sent again, as the
 * same message.
 */
import type { AppContext } from '../../platform/context.ts'
import { outlastingOutage } from '../../platform/db/outlasting-outage.ts'
import { newId } from '../../platform/ids.ts'
import { findEnabledWebhook } from '../notification-targets/index.ts'
import { type AttemptOutcome, outbox } from '../notifications/index.ts'
import { sendMail } from './mail/service.ts'
import { deliverWebhook } from './webhooks/service.ts'

/** Longer than any server is given. */
const CLAIM_MS = 3 * 60_000

/** Rows that leave as one message. */
export interface Claim {
  recipient: outbox.Recipient
  messageId: string
  rows: readonly outbox.ClaimedRow[]
  beganAt: Date
}

export interface Result {
  outcome: AttemptOutcome | 'Dropped'
  answer: string
  /** Not earlier. */
  retryAfterMs?: number | undefined
  mayHaveArrived?: boolean
}

/** Sends what one recipient has waiting; false: there is nothing, or somebody else is at it. */
export async function deliverTo(
  ctx: AppContext,
  recipient: outbox.Recipient,
  signal: AbortSignal,
): Promise<boolean> {
  const claim = await claimWaiting(ctx, recipient)
  if (!claim) return false
  const result =
    recipient.webhookId === null
      ? await sendMail(ctx, claim, signal)
      : await callWebhook(ctx, claim, signal)
  // Nobody else sends it while the claim lasts: it is worth waiting for a database that is away for a moment.
  await outlastingOutage(() => takeDown(ctx, claim, result), signal)
  return true
}

async function claimWaiting(
  ctx: Pick<AppContext, 'db' | 'now'>,
  recipient: outbox.Recipient,
): Promise<Claim | undefined> {
  return ctx.db.transaction().execute(async (tx) => {
    if (!(await outbox.tryLockRecipient(tx, recipient))) return undefined
    const beganAt = ctx.now()
    const rows = await outbox.listWaiting(tx, recipient, beganAt)
    const [first] = rows
    if (!first) return undefined
    const messageId = first.messageId ?? newId()
    const ids = rows.map(({ id }) => id)
    const until = new Date(beganAt.getTime() + CLAIM_MS)
    const { workspaceId } = recipient
    await outbox.claim(tx, { workspaceId, ids, messageId, until })
    return { recipient, messageId, rows, beganAt }
  })
}

async function callWebhook(
  ctx: AppContext,
  { recipient: { workspaceId, webhookId }, rows: [row] }: Claim,
  signal: AbortSignal,
): Promise<Result> {
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

async function takeDown(ctx: AppContext, claim: Claim, result: Result): Promise<void> {
  const { recipient, messageId, rows, beganAt } = claim
  const { workspaceId } = recipient
  const at = ctx.now()
  const { outcome, answer } = result
  await ctx.db.transaction().execute(async (tx) => {
    if (outcome !== 'Dropped')
      await outbox.insertAttempt(tx, {
        ...recipient,
        id: newId(),
        messageId,
        notificationIds: rows.map(({ id }) => id),
        attempt: Math.max(...rows.map(({ attempts }) => attempts + 1)),
        beganAt,
        endedAt: at,
        outcome,
        answer,
      })
    const settled = { workspaceId, answer, at }
    if (outcome !== 'Deferred') {
      const state = outcome === 'Refused' ? 'Failed' : outcome
      await outbox.settle(tx, { ...settled, ids: rows.map(({ id }) => id), state })
      return
    }
    const isOver = ({ giveUpAt }: outbox.ClaimedRow) => giveUpAt <= at
    const over = rows.filter(isOver).map(({ id }) => id)
    const again = rows.filter((row) => !isOver(row)).map(({ id }) => id)
    await outbox.settle(tx, { ...settled, ids: over, state: 'Failed' })
    const dueAt = new Date(at.getTime() + waitMs(claim, result))
    const keepsMessage = result.mayHaveArrived === true
    await outbox.settle(tx, { ...settled, ids: again, state: 'Pending', dueAt, keepsMessage })
  })
}

function waitMs({ rows }: Claim, { retryAfterMs = 0 }: Result): number {
  // What waits together is as patient as what was tried least.
  const attempts = Math.min(...rows.map((row) => row.attempts + 1))
  return Math.max(retryAfterMs, backOffMs(attempts, Math.random()))
}

const FIRST_MS = 30_000
const LONGEST_MS = 3_600_000
/** So that what failed together does not come back together. */
const SPREAD = 0.1

/** How long the next attempt waits: twice as long after each, up to an hour. `chance` is from 0 to 1. */
export function backOffMs(attempts: number, chance: number): number {
  const wait = Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, attempts - 1))
  return Math.round(wait * (1 + SPREAD * (2 * chance - 1)))
}
