/** Recipients of notifications, new rows, and the delivery log as people read it. */
import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { Digest } from './digest.ts'
import type {
  AttemptOutcome,
  Notice,
  NoticeEvent,
  NotificationKind,
  NotificationState,
} from './notification.ts'
import type { QuietHours } from './quiet-hours.ts'

export interface DeliverableAddress {
  targetId: string
  quietHours: QuietHours | null
  digest: Digest | null
  address: string
}

/** The addresses of enabled targets that are confirmed, and neither unsubscribed nor refused by their server. */
export async function listDeliverableAddresses(
  db: Db,
  workspaceId: string,
  targetIds: readonly string[],
): Promise<DeliverableAddress[]> {
  return db
    .selectFrom('notificationTargets as target')
    .innerJoin('notificationTargetAddresses as held', (join) =>
      join.on('held.workspaceId', '=', workspaceId).onRef('held.targetId', '=', 'target.id'),
    )
    .innerJoin('notificationAddresses as reader', (join) =>
      join.on('reader.workspaceId', '=', workspaceId).onRef('reader.address', '=', 'held.address'),
    )
    .select(['target.id as targetId', 'held.address'])
    .select(sql<QuietHours | null>`target.quiet_hours`.as('quietHours'))
    .select(sql<Digest | null>`target.digest`.as('digest'))
    .where('target.workspaceId', '=', workspaceId)
    .where(sql<boolean>`target.id = any(${targetIds}::uuid[])`)
    .where('target.state', '=', 'Enabled')
    .where('reader.confirmedAt', 'is not', null)
    .where('reader.unsubscribedAt', 'is', null)
    .where('reader.deadAt', 'is', null)
    .orderBy('target.id')
    .orderBy('held.position')
    .execute()
}

export async function listEnabledWebhooks(
  db: Db,
  workspaceId: string,
  webhookIds: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('webhooks')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${webhookIds}::uuid[])`)
    .where('state', '=', 'Enabled')
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** One event with all its recipients, so that its notice travels to the database once. */
export interface NewEvent {
  kind: NotificationKind
  eventKey: string
  incidentId: string | null
  notice: Notice
  recipients: readonly NewRecipient[]
}

export interface NewRecipient {
  id: string
  address: string | null
  webhookId: string | null
  targetId: string | null
  dueAt: Date
  giveUpAt: Date
}

/** Skips recipients that have a notification of the same event. */
export async function insertNotifications(
  tx: Tx,
  workspaceId: string,
  { createdAt, events }: { createdAt: Date; events: readonly NewEvent[] },
): Promise<void> {
  const rows = events.flatMap(({ recipients }, event) =>
    recipients.map((recipient) => ({ ...recipient, event: event + 1 })),
  )
  if (rows.length === 0) return
  const column = <Value>(of: (row: (typeof rows)[number]) => Value) => rows.map((row) => of(row))
  const eventColumn = <Value>(of: (event: NewEvent) => Value) => events.map((event) => of(event))
  await sql`
    insert into notifications (workspace_id, id, kind, event_key, incident_id, address, webhook_id, target_id, notice,
      state, created_at, due_at, give_up_at)
    select ${workspaceId}, row.id, event.kind, event.event_key, event.incident_id, row.address, row.webhook_id,
      row.target_id, event.notice::jsonb, 'Pending', ${createdAt}, row.due_at, row.give_up_at
    from unnest(
      ${column(({ id }) => id)}::uuid[], ${column(({ event }) => event)}::int[],
      ${column(({ address }) => address)}::text[], ${column(({ webhookId }) => webhookId)}::uuid[],
      ${column(({ targetId }) => targetId)}::uuid[],
      ${column(({ dueAt }) => dueAt.toISOString())}::timestamptz[],
      ${column(({ giveUpAt }) => giveUpAt.toISOString())}::timestamptz[]
    ) as row (id, event, address, webhook_id, target_id, due_at, give_up_at)
    join unnest(
      ${eventColumn(({ kind }) => kind)}::text[], ${eventColumn(({ eventKey }) => eventKey)}::text[],
      ${eventColumn(({ incidentId }) => incidentId)}::uuid[], ${eventColumn(({ notice }) => JSON.stringify(notice))}::text[]
    ) with ordinality as event (kind, event_key, incident_id, notice, number) on event.number = row.event
    order by row.address, row.webhook_id, event.event_key
    on conflict do nothing`.execute(tx)
}

export interface NotificationRow {
  id: string
  kind: NotificationKind
  incidentId: string | null
  event: NoticeEvent
  title: string
  address: string | null
  targetId: string | null
  webhookId: string | null
  /** The name of the target or the webhook; null when it was deleted. */
  recipientName: string | null
  state: NotificationState
  createdAt: Date
  dueAt: Date
  finishedAt: Date | null
  attempts: number
  answer: string | null
  messageId: string | null
}

interface NotificationFilter {
  states: readonly NotificationState[] | undefined
  targetId: string | undefined
  webhookId: string | undefined
  incidentId: string | undefined
}

interface Page extends NotificationFilter {
  before: { createdAt: string; id: string } | undefined
  limit: number
}

/** Lists the newest first. */
export async function listNotifications(
  db: Db,
  workspaceId: string,
  { states, targetId, webhookId, incidentId, before, limit }: Page,
): Promise<NotificationRow[]> {
  let query = selectNotifications(db, workspaceId)
  if (states) query = query.where(inStates(states))
  if (targetId !== undefined) query = query.where('one.targetId', '=', targetId)
  if (webhookId !== undefined) query = query.where('one.webhookId', '=', webhookId)
  if (incidentId !== undefined) query = query.where('one.incidentId', '=', incidentId)
  if (before) {
    const { createdAt, id } = before
    query = query.where(sql<boolean>`(one.created_at, one.id) < (${createdAt}, ${id}::uuid)`)
  }
  return query.orderBy('one.createdAt', 'desc').orderBy('one.id', 'desc').limit(limit).execute()
}

function selectNotifications(db: Db, workspaceId: string) {
  return db
    .selectFrom('notifications as one')
    .leftJoin('notificationTargets as target', (join) =>
      join.on('target.workspaceId', '=', workspaceId).onRef('target.id', '=', 'one.targetId'),
    )
    .leftJoin('webhooks as webhook', (join) =>
      join.on('webhook.workspaceId', '=', workspaceId).onRef('webhook.id', '=', 'one.webhookId'),
    )
    .select([
      'one.id',
      'one.kind',
      'one.incidentId',
      'one.address',
      'one.targetId',
      'one.webhookId',
    ])
    .select(sql<NoticeEvent>`one.notice ->> 'event'`.as('event'))
    .select(sql<string>`one.notice ->> 'title'`.as('title'))
    .select(({ fn }) => fn.coalesce('target.name', 'webhook.name').as('recipientName'))
    .select(['one.state', 'one.createdAt', 'one.dueAt', 'one.finishedAt', 'one.attempts'])
    .select(['one.answer', 'one.messageId'])
    .where('one.workspaceId', '=', workspaceId)
    .$narrowType<Pick<NotificationRow, 'kind' | 'state'>>()
}

/**
 * Almost all notifications are delivered. A partial index holds the others; the planner uses it only when the condition
 * excludes the delivered ones.
 */
function inStates(states: readonly NotificationState[]): RawBuilder<boolean> {
  const others = states.includes('Delivered') ? sql`` : sql`and one.state <> 'Delivered'`
  return sql`one.state = any(${states}::text[]) ${others}`
}

export async function getNotification(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<NotificationRow> {
  return selectNotifications(db, workspaceId).where('one.id', '=', id).executeTakeFirstOrThrow()
}

export interface LockedNotification {
  id: string
  kind: NotificationKind
  state: NotificationState
  attempts: number
  webhookId: string | null
  /** A worker is sending it until then. */
  claimedUntil: Date | null
}

export async function lockNotification(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<LockedNotification | undefined> {
  return tx
    .selectFrom('notifications')
    .select(['id', 'kind', 'state', 'attempts', 'webhookId', 'claimedUntil'])
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .$narrowType<Pick<LockedNotification, 'kind' | 'state'>>()
    .executeTakeFirst()
}

/** As a message of its own: a mail server may throw away one whose Message-ID it knows. */
export async function makeDueAgain(
  tx: Tx,
  again: { workspaceId: string; id: string; dueAt: Date; giveUpAt: Date },
): Promise<void> {
  const { workspaceId, id, dueAt, giveUpAt } = again
  await tx
    .updateTable('notifications')
    .set({ state: 'Pending', dueAt, giveUpAt, finishedAt: null, claimedUntil: null })
    .set({ messageId: null })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

interface WebhookNotice {
  webhookId: string | null
  url: string | null
  format: 'Plimsoll' | 'Slack' | 'Teams' | null
  notice: Notice
}

/** What a webhook is sent, and where to; undefined when there is no such notification. */
export async function findWebhookNotice(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<WebhookNotice | undefined> {
  return db
    .selectFrom('notifications as one')
    .leftJoin('webhooks as webhook', (join) =>
      join.on('webhook.workspaceId', '=', workspaceId).onRef('webhook.id', '=', 'one.webhookId'),
    )
    .select(['one.webhookId', 'webhook.url'])
    .select(sql<WebhookNotice['format']>`webhook.format`.as('format'))
    .select(sql<Notice>`one.notice`.as('notice'))
    .where('one.workspaceId', '=', workspaceId)
    .where('one.id', '=', id)
    .executeTakeFirst()
}

export async function hasNotification(db: Db, workspaceId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('notifications')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}

export interface AttemptRow {
  id: string
  messageId: string
  attempt: number
  notificationCount: number
  beganAt: Date
  endedAt: Date
  outcome: AttemptOutcome
  answer: string
}

/** More than the attempts of three days, after which delivery is given up. */
const MOST_ATTEMPTS = 1_000

/** Lists the oldest first. */
export async function listAttempts(
  db: Db,
  workspaceId: string,
  notificationId: string,
): Promise<AttemptRow[]> {
  return db
    .selectFrom('deliveryAttempts')
    .select(['id', 'messageId', 'attempt', 'notificationCount', 'beganAt', 'endedAt'])
    .select(['outcome', 'answer'])
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`notification_ids @> array[${notificationId}::uuid]`)
    .orderBy('beganAt')
    .orderBy('id')
    .limit(MOST_ATTEMPTS)
    .$narrowType<{ outcome: AttemptOutcome }>()
    .execute()
}
