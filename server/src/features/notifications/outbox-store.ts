/** The outbox: claims notifications for delivery, records the outcome and deletes what is old. */
import { type RawBuilder, sql } from 'kysely'
import { addDays } from '../../formats/instants.ts'
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

/**
 * Lists the recipients to whom a message may be sent now. One to whom another is being sent is left out: after the end of a worker
 * it would take the place of those who can be served, until its claim expires. Workspaces take turns: first the recipient of
 * each workspace that waits longest, then the second of each, and so on.
 */
export async function listDueRecipients(
  db: Db,
  { channel, now, limit }: { channel: Channel; now: Date; limit: number },
): Promise<Recipient[]> {
  const { rows } = await sql<Recipient>`
    select workspace_id, address, webhook_id from (
      select workspace_id, address, webhook_id, min(due_at) as due_at,
        row_number() over (partition by workspace_id order by min(due_at)) as place
      from notifications
      where state = 'Pending' and due_at <= ${now}
        and ${channel === 'mail' ? sql`address` : sql`webhook_id`} is not null
      group by workspace_id, address, webhook_id
      having bool_or(claimed_until > ${now}) is not true
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

/** Two workers must not choose what to send to the same recipient. The lock lasts until the end of the transaction. */
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
 * Locks and lists the notifications of the next message, oldest first. There is none while a claim is in force.
 *
 * Incidents of an address form one message, together with those that were tried before: a resolution must not overtake
 * what it resolves. A message that may have arrived is repeated unchanged. Any other notification is a message by itself.
 */
export async function lockNextMessage(
  tx: Tx,
  recipient: Recipient,
  now: Date,
): Promise<ClaimedRow[]> {
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

/** As `lockNextMessage` answered, of the claim that ends at this instant. */
export async function listClaimed(
  db: Db,
  recipient: Recipient,
  until: Date,
): Promise<ClaimedRow[]> {
  const { rows } = await sql<ClaimedRow>`
    select id, kind, incident_id, target_id, notice, message_id, attempts - 1 as attempts, give_up_at
    from notifications where ${ofRecipient(recipient)} and claimed_until = ${until}
    order by created_at, id`.execute(db)
  return rows
}

export async function claim(
  tx: Tx,
  claimed: { workspaceId: string; ids: readonly string[]; messageId: string; until: Date },
): Promise<void> {
  const { workspaceId, ids, messageId, until } = claimed
  await tx
    .updateTable('notifications')
    .set({ claimedUntil: until, messageId, attempts: sql<number>`attempts + 1` })
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
}

/**
 * Puts off what is due and nobody is delivering. Whoever has locked the others, and waits for the same count, decides about those
 * after this transaction.
 */
export async function putOffDue(
  tx: Tx,
  put: {
    workspaceId: string
    channel: Channel
    /** null: all addresses. */
    address: string | null
    now: Date
    dueAt: Date
    answer: string
  },
): Promise<void> {
  const { workspaceId, channel, address, now, dueAt, answer } = put
  const free = tx
    .selectFrom('notifications')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('state', '=', 'Pending')
    .where(channel === 'mail' ? 'address' : 'webhookId', 'is not', null)
    .$if(address !== null, (query) => query.where('address', '=', address))
    .where('dueAt', '<=', now)
    .where(isFree(now))
    .forUpdate()
    .skipLocked()
  await tx
    .updateTable('notifications')
    .set({ dueAt, answer })
    .where('workspaceId', '=', workspaceId)
    .where('id', 'in', free)
    .execute()
}

export interface DeliveryResult {
  workspaceId: string
  ids: readonly string[]
  state: NotificationState
  answer: string
  at: Date
  /** When a pending notification is tried again. */
  dueAt?: Date
  /** The message may have arrived, so the next attempt repeats it unchanged. */
  keepsMessage?: boolean
}

/** Ends the claim. Notifications that another worker has finished meanwhile stay as they are. */
export async function recordResult(db: Db, result: DeliveryResult): Promise<void> {
  const { workspaceId, ids, state, answer, at, dueAt = at, keepsMessage = true } = result
  const isFinished = state !== 'Pending'
  await db
    .updateTable('notifications')
    .set({
      state,
      answer,
      claimedUntil: null,
      finishedAt: isFinished ? at : null,
      ...(isFinished ? {} : { dueAt }),
      ...(keepsMessage ? {} : { messageId: null }),
    })
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .where('state', '=', 'Pending')
    .execute()
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

/** False: it is there already. */
export async function insertAttempt(db: Db, attempt: Attempt): Promise<boolean> {
  const { notificationIds, ...row } = attempt
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('deliveryAttempts')
    .values({
      ...row,
      notificationCount: notificationIds.length,
      notificationIds: sql`${notificationIds}::uuid[]`,
    })
    .onConflict((conflict) => conflict.columns(['workspaceId', 'id']).doNothing())
    .executeTakeFirst()
  return numInsertedOrUpdatedRows === 1n
}

/** Fails notifications that were tried until their time was over, including those whose worker ended in between. */
export async function failOverdue(db: Db, now: Date): Promise<void> {
  const isOverdue = sql<boolean>`state = 'Pending' and attempts > 0 and due_at <= ${now} and give_up_at <= ${now}`
  for (const workspaceId of await workspacesWith(db, isOverdue))
    await db
      .updateTable('notifications')
      .set({ state: 'Failed', finishedAt: now, claimedUntil: null })
      .where('workspaceId', '=', workspaceId)
      .where(isOverdue)
      .where(isFree(now))
      .execute()
}

const NO_SERVER = 'No mail server is configured. The mail waits for one.'

/** Records on due mail that it waits for a mail server, and fails it when its time is over. */
export async function recordMissingServer(db: Db, now: Date): Promise<void> {
  const isStuck = sql<boolean>`state = 'Pending' and address is not null and due_at <= ${now}
    and (answer is null or give_up_at <= ${now})`
  for (const workspaceId of await workspacesWith(db, isStuck))
    await db
      .updateTable('notifications')
      .set({
        answer: sql<string>`coalesce(answer, ${NO_SERVER})`,
        state: sql<string>`case when give_up_at <= ${now} then 'Failed' else state end`,
        finishedAt: sql<Date | null>`case when give_up_at <= ${now} then ${now}::timestamptz end`,
      })
      .where('workspaceId', '=', workspaceId)
      .where(isStuck)
      .where(isFree(now))
      .execute()
}

/** No worker is delivering it. */
const isFree = (now: Date) => sql<boolean>`(claimed_until is null or claimed_until <= ${now})`

async function workspacesWith(db: Db, condition: RawBuilder<boolean>): Promise<string[]> {
  const rows = await db
    .selectFrom('notifications')
    .select('workspaceId')
    .distinct()
    .where(condition)
    .execute()
  return rows.map(({ workspaceId }) => workspaceId)
}

/** Rows that one statement deletes, so that it holds its locks for a moment only. */
const BATCH_ROWS = 10_000

/** Deletes a batch of notifications that finished before the instant. True: there may be more. */
export async function deleteOldNotifications(
  db: Db,
  workspaceId: string,
  before: Date,
): Promise<boolean> {
  const gone = db
    .selectFrom('notifications')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('createdAt', '<', before)
    .where('finishedAt', '<', before)
    .where('state', '<>', 'Pending')
    .limit(BATCH_ROWS)
  const { numDeletedRows } = await db
    .deleteFrom('notifications as one')
    .using(gone.as('gone'))
    .where('one.workspaceId', '=', workspaceId)
    .whereRef('one.id', '=', 'gone.id')
    .executeTakeFirstOrThrow()
  return numDeletedRows >= BATCH_ROWS
}

/** Deletes a batch of attempts whose notifications are all deleted. True: there may be more. */
export async function deleteOldAttempts(
  db: Db,
  workspaceId: string,
  before: Date,
): Promise<boolean> {
  const gone = db
    .selectFrom('deliveryAttempts as old')
    .select('old.id')
    .where('old.workspaceId', '=', workspaceId)
    .where('old.beganAt', '<', before)
    .where(
      sql<boolean>`not exists (
        select from notifications as kept
        where kept.workspace_id = ${workspaceId} and kept.id = any(old.notification_ids))`,
    )
    .limit(BATCH_ROWS)
  const { numDeletedRows } = await db
    .deleteFrom('deliveryAttempts as one')
    .using(gone.as('gone'))
    .where('one.workspaceId', '=', workspaceId)
    .whereRef('one.id', '=', 'gone.id')
    .executeTakeFirstOrThrow()
  return numDeletedRows >= BATCH_ROWS
}

export interface NotificationHealth {
  /** Includes those that are not due yet. */
  pending: number
  /** The time since the oldest pending notification was first due; 0 when nothing is due. */
  oldestPendingSeconds: number
  failedLastDay: number
}

/** Counts over all workspaces. */
export async function readNotificationHealth(db: Db, now: Date): Promise<NotificationHealth> {
  const yesterday = addDays(now, -1)
  const { rows } = await sql<NotificationHealth>`
    select (count(*) filter (where state = 'Pending'))::int as pending,
      greatest(0, coalesce(
        extract(epoch from ${now}::timestamptz - min(give_up_at) filter (where state = 'Pending'))
          + ${GIVE_UP_MS / 1_000}::float8, 0
      ))::float8 as oldest_pending_seconds,
      (count(*) filter (where state = 'Failed'))::int as failed_last_day
    from notifications where state = 'Pending' or state = 'Failed' and finished_at >= ${yesterday}`.execute(
    db,
  )
  return rows[0] ?? { pending: 0, oldestPendingSeconds: 0, failedLastDay: 0 }
}
