/** What was to be sent and what became of it, as people read it. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import type { NoticeEvent } from './notice.ts'
import type { AttemptOutcome, NotificationKind, NotificationState } from './notification-state.ts'

export interface NotificationRow {
  id: string
  kind: NotificationKind
  incidentId: string | null
  event: NoticeEvent
  title: string
  address: string | null
  targetId: string | null
  webhookId: string | null
  /** Of the target or the webhook, while there is one. */
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

/** Newest first. */
export async function listNotifications(
  db: Db,
  workspaceId: string,
  { states, targetId, webhookId, incidentId, before, limit }: Page,
): Promise<NotificationRow[]> {
  const { rows } = await sql<NotificationRow>`
    select one.id, one.kind, one.incident_id, one.notice ->> 'event' as event, one.notice ->> 'title' as title,
      one.address, one.target_id, one.webhook_id, coalesce(target.name, webhook.name) as recipient_name, one.state,
      one.created_at, one.due_at, one.finished_at, one.attempts, one.answer, one.message_id
    from notifications as one
      left join notification_targets as target on target.workspace_id = ${workspaceId} and target.id = one.target_id
      left join webhooks as webhook on webhook.workspace_id = ${workspaceId} and webhook.id = one.webhook_id
    where one.workspace_id = ${workspaceId}
      ${when(states, inStates)}
      ${when(targetId, (id) => sql`and one.target_id = ${id}`)}
      ${when(webhookId, (id) => sql`and one.webhook_id = ${id}`)}
      ${when(incidentId, (id) => sql`and one.incident_id = ${id}`)}
      ${when(before, ({ createdAt, id }) => sql`and (one.created_at, one.id) < (${createdAt}, ${id}::uuid)`)}
    order by one.created_at desc, one.id desc limit ${limit}`.execute(db)
  return rows
}

/** Almost all are delivered: an index has the others, and has to be told that none of those is asked for. */
function inStates(states: readonly NotificationState[]): RawBuilder<unknown> {
  const others = states.includes('Delivered') ? sql`` : sql`and one.state <> 'Delivered'`
  return sql`and one.state = any(${states}::text[]) ${others}`
}

function when<Value>(
  value: Value | undefined,
  condition: (value: Value) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  return value === undefined ? sql`` : condition(value)
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

/** Oldest first; three days hold no more than this. */
const MOST_ATTEMPTS = 1_000

export async function listAttempts(
  db: Db,
  workspaceId: string,
  notificationId: string,
): Promise<AttemptRow[]> {
  const { rows } = await sql<AttemptRow>`
    select id, message_id, attempt, notification_count, began_at, ended_at, outcome, answer
    from delivery_attempts
    where workspace_id = ${workspaceId} and notification_ids @> array[${notificationId}::uuid]
    order by began_at, id limit ${MOST_ATTEMPTS}`.execute(db)
  return rows
}
