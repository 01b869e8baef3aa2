/** The outbox as those see it who empty it. */
import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import {
  type AttemptOutcome,
  GIVE_UP_MS,
  type Notice,
  type NotificationKind,
  type NotificationState,
} from './notification.ts'

export interface Recipient {
  workspaceId: string
  address: string | null
  webhookId: string | null
}

export type Channel = 'mail' | 'webhook'

/** Those that something is due for: of each workspace the one that waits longest, then of each the next. */
export async function listDueRecipients(
  db: Db,
  { channel, now, limit }: { channel: Channel; now: Date; limit: number },
): Promise<Recipient[]> {
  const { rows } = await sql<Recipient>`
    select workspace_id, address, webhook_id from (
      select workspace_id, address, webhook_id, min(due_at) as due_at,
        row_number() over (partition by workspace_id order by min(due_at)) as place
      from notifications
      where state = 'Pending' and due_at <= ${now} and (claimed_until is null or claimed_until <= ${now})
        and ${channel === 'mail' ? sql`address` : sql`webhook_id`} is not null
      group by workspace_id, address, webhook_id
    ) as waiting
    order by place, due_at limit ${limit}`.execute(db)
  return rows
}

export interface ClaimedRow {
  id: string
  kind: NotificationKind
  incidentId: string | null
  targetId: string | null
  notice: Notice
  messageId: string | null
  attempts: number
  giveUpAt: Date
}

const ofRecipient = ({ workspaceId, address, webhookId }: Recipient) => sql`
  workspace_id = ${workspaceId} and state = 'Pending'
  and ${address === null ? sql`webhook_id = ${webhookId}` : sql`address = ${address}`}`

/** Held until the transaction ends by whoever chooses what a recipient gets next. */
export async function tryLockRecipient(tx: Tx, recipient: Recipient): Promise<boolean> {
  const name = `${recipient.workspaceId} ${recipient.address ?? recipient.webhookId}`
  const { rows } = await sql<{ isLocked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`notifications ${name}`}, 0)) as is_locked`.execute(
    tx,
  )
  return rows[0]?.isLocked === true
}

const MOST_TOGETHER = 100

/**
 * What may leave with the first that is due, oldest first; nothing while somebody is at it. Incidents of an address go
 * together, those that were tried before with them: a resolution must not overtake what it resolves. A message that may
 * have arrived is sent again as it was, at its own time. Everything else goes alone.
 */
export async function listWaiting(tx: Tx, recipient: Recipient, now: Date): Promise<ClaimedRow[]> {
  const { rows } = await sql<ClaimedRow>`
    with first as materialized (
      select id, kind, message_id from notifications
      where ${ofRecipient(recipient)} and due_at <= ${now}
        and not exists (select from notifications where ${ofRecipient(recipient)} and claimed_until > ${now})
      order by created_at, id limit 1
    ), together as (
      select id, kind, incident_id, target_id, notice, message_id, attempts, give_up_at, created_at
      from notifications
      where ${ofRecipient(recipient)} and (
        id = (select id from first)
        or address is not null and kind = 'Incident' and (due_at <= ${now} or attempts > 0)
          and exists (select from first
            where first.kind = 'Incident' and first.message_id is not distinct from notifications.message_id))
      order by due_at <= ${now} desc, created_at, id limit ${MOST_TOGETHER}
      for update
    )
    select id, kind, incident_id, target_id, notice, message_id, attempts, give_up_at
    from together order by created_at, id`.execute(tx)
  return rows
}

export async function claim(
  tx: Tx,
  claimed: { workspaceId: string; ids: readonly string[]; messageId: string; until: Date },
): Promise<void> {
  const { workspaceId, ids, messageId, until } = claimed
  await sql`
    update notifications set claimed_until = ${until}, message_id = ${messageId}, attempts = attempts + 1
    where workspace_id = ${workspaceId} and id = any(${ids}::uuid[])`.execute(tx)
}

export interface Settled {
  workspaceId: string
  ids: readonly string[]
  state: NotificationState
  answer: string
  at: Date
  /** Of what stays pending. */
  dueAt?: Date
  /** It may have arrived: when it is sent again, it is the same message. */
  keepsMessage?: boolean
}

export async function settle(db: Db, settled: Settled): Promise<void> {
  const { workspaceId, ids, state, answer, at, dueAt = at, keepsMessage = true } = settled
  const isOver = state !== 'Pending'
  await sql`
    update notifications set state = ${state}, answer = ${answer}, claimed_until = null,
      finished_at = ${isOver ? at : null}, due_at = ${isOver ? sql`due_at` : dueAt},
      message_id = ${keepsMessage ? sql`message_id` : null}
    where workspace_id = ${workspaceId} and id = any(${ids}::uuid[]) and state = 'Pending'`.execute(
    db,
  )
}

export interface Attempt {
  workspaceId: string
  id: string
  messageId: string
  address: string | null
  webhookId: string | null
  notificationIds: readonly string[]
  attempt: number
  beganAt: Date
  endedAt: Date
  outcome: AttemptOutcome
  answer: string
}

export async function insertAttempt(db: Db, attempt: Attempt): Promise<void> {
  const { notificationIds, ...row } = attempt
  await db
    .insertInto('deliveryAttempts')
    .values({
      ...row,
      notificationCount: notificationIds.length,
      notificationIds: sql`${notificationIds}::uuid[]`,
    })
    .execute()
}

/** What was tried, and has no time left: also what no attempt came to the end of. */
export async function failOverdue(db: Db, now: Date): Promise<void> {
  const isOverdue = sql`state = 'Pending' and attempts > 0 and due_at <= ${now} and give_up_at <= ${now}`
  for (const workspaceId of await workspacesWith(db, isOverdue))
    await sql`
      update notifications set state = 'Failed', finished_at = ${now}, claimed_until = null
      where workspace_id = ${workspaceId} and ${isOverdue} and (claimed_until is null or claimed_until <= ${now})`.execute(
      db,
    )
}

const NO_SERVER = 'No mail server is configured; it waits for one.'

/** Mail says what it waits for, and for how long it did. */
export async function settleWithoutServer(db: Db, now: Date): Promise<void> {
  const isStuck = sql`state = 'Pending' and address is not null and due_at <= ${now}
    and (answer is null or give_up_at <= ${now})`
  for (const workspaceId of await workspacesWith(db, isStuck))
    await sql`
      update notifications set answer = coalesce(answer, ${NO_SERVER}),
        state = case when give_up_at <= ${now} then 'Failed' else state end,
        finished_at = case when give_up_at <= ${now} then ${now}::timestamptz end
      where workspace_id = ${workspaceId} and ${isStuck} and (claimed_until is null or claimed_until <= ${now})`.execute(
      db,
    )
}

async function workspacesWith(db: Db, condition: RawBuilder<unknown>): Promise<string[]> {
  const { rows } = await sql<{ workspaceId: string }>`
    select distinct workspace_id from notifications where ${condition}`.execute(db)
  return rows.map(({ workspaceId }) => workspaceId)
}

/** Rows of one statement: locks are held for moments only. */
const AT_ONCE = 10_000

/** Those that finished before; whether there may be more. */
export async function deleteOldNotifications(
  db: Db,
  workspaceId: string,
  before: Date,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from notifications as one using (
      select id from notifications
      where workspace_id = ${workspaceId} and created_at < ${before} and finished_at < ${before}
        and state <> 'Pending'
      limit ${AT_ONCE}
    ) as gone
    where one.workspace_id = ${workspaceId} and one.id = gone.id`.execute(db)
  return numAffectedRows >= AT_ONCE
}

/** Those that tell of no notification any more; whether there may be more. */
export async function deleteOldAttempts(
  db: Db,
  workspaceId: string,
  before: Date,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from delivery_attempts as one using (
      select id from delivery_attempts as old
      where old.workspace_id = ${workspaceId} and old.began_at < ${before} and not exists (
        select from notifications as kept
        where kept.workspace_id = ${workspaceId} and kept.id = any(old.notification_ids))
      limit ${AT_ONCE}
    ) as gone
    where one.workspace_id = ${workspaceId} and one.id = gone.id`.execute(db)
  return numAffectedRows >= AT_ONCE
}

export interface NotificationHealth {
  /** Also those whose hour has yet to come. */
  pending: number
  /** How long what waits longest could have been sent; 0: nothing waits. */
  oldestPendingSeconds: number
  failedLastDay: number
}

const DAY_MS = 86_400_000

/** Of all workspaces together. */
export async function readNotificationHealth(db: Db, now: Date): Promise<NotificationHealth> {
  const yesterday = new Date(now.getTime() - DAY_MS)
  const { rows } = await sql<NotificationHealth>`
    select count(*)::int as pending,
      greatest(0, coalesce(
        extract(epoch from ${now}::timestamptz - min(give_up_at)) + ${GIVE_UP_MS / 1_000}::float8, 0
      ))::float8 as oldest_pending_seconds,
      (select count(*)::int from notifications where state = 'Failed' and finished_at >= ${yesterday})
        as failed_last_day
    from notifications where state = 'Pending'`.execute(db)
  return rows[0] ?? { pending: 0, oldestPendingSeconds: 0, failedLastDay: 0 }
}
