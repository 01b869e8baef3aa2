/** Who is told, and the rows that say so. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { Digest } from './digest.ts'
import type { Notice } from './notice.ts'
import type { NotificationKind } from './notification-state.ts'
import type { QuietHours } from './quiet-hours.ts'

export interface DeliverableAddress {
  targetId: string
  quietHours: QuietHours | null
  digest: Digest | null
  address: string
}

/** Of enabled targets, those whose readers agreed to get mail and still do, as far as servers took it. */
export async function listDeliverableAddresses(
  db: Db,
  workspaceId: string,
  targetIds: readonly string[],
): Promise<DeliverableAddress[]> {
  const { rows } = await sql<DeliverableAddress>`
    select target.id as target_id, target.quiet_hours, target.digest, held.address
    from notification_targets as target
      join notification_target_addresses as held
        on held.workspace_id = ${workspaceId} and held.target_id = target.id
      join notification_addresses as reader
        on reader.workspace_id = ${workspaceId} and reader.address = held.address
    where target.workspace_id = ${workspaceId} and target.id = any(${targetIds}::uuid[]) and target.state = 'Enabled'
      and reader.confirmed_at is not null and reader.unsubscribed_at is null and reader.dead_at is null
    order by target.id, held.position`.execute(db)
  return rows
}

export async function listEnabledWebhooks(
  db: Db,
  workspaceId: string,
  webhookIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from webhooks
    where workspace_id = ${workspaceId} and id = any(${webhookIds}::uuid[]) and state = 'Enabled'
    order by id`.execute(db)
  return rows.map(({ id }) => id)
}

export async function findWorkspaceName(db: Db, workspaceId: string): Promise<string> {
  const { name } = await db
    .selectFrom('workspaces')
    .select('name')
    .where('id', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return name
}

/** Said to one recipient or many: the notice is sent to the database once. */
export interface NewNotifications {
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

/** What a recipient is told already is left as it is. */
export async function insertNotifications(
  tx: Tx,
  workspaceId: string,
  { createdAt, events }: { createdAt: Date; events: readonly NewNotifications[] },
): Promise<void> {
  const rows = events.flatMap(({ recipients }, event) =>
    recipients.map((recipient) => ({ ...recipient, event: event + 1 })),
  )
  if (rows.length === 0) return
  const column = <Value>(of: (row: (typeof rows)[number]) => Value) => rows.map((row) => of(row))
  const said = <Value>(of: (event: NewNotifications) => Value) => events.map((event) => of(event))
  await sql`
    insert into notifications (workspace_id, id, kind, event_key, incident_id, address, webhook_id, target_id, notice,
      state, created_at, due_at, give_up_at)
    select ${workspaceId}, row.id, said.kind, said.event_key, said.incident_id, row.address, row.webhook_id,
      row.target_id, said.notice::jsonb, 'Pending', ${createdAt}, row.due_at, row.give_up_at
    from unnest(
      ${column(({ id }) => id)}::uuid[], ${column(({ event }) => event)}::int[],
      ${column(({ address }) => address)}::text[], ${column(({ webhookId }) => webhookId)}::uuid[],
      ${column(({ targetId }) => targetId)}::uuid[],
      ${column(({ dueAt }) => dueAt.toISOString())}::timestamptz[],
      ${column(({ giveUpAt }) => giveUpAt.toISOString())}::timestamptz[]
    ) as row (id, event, address, webhook_id, target_id, due_at, give_up_at)
    join unnest(
      ${said(({ kind }) => kind)}::text[], ${said(({ eventKey }) => eventKey)}::text[],
      ${said(({ incidentId }) => incidentId)}::uuid[], ${said(({ notice }) => JSON.stringify(notice))}::text[]
    ) with ordinality as said (kind, event_key, incident_id, notice, event) using (event)
    order by row.address, row.webhook_id, said.event_key
    on conflict do nothing`.execute(tx)
}
