/** Creates notifications in the transaction that makes them true, lists them and deletes the old ones. */
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { notFound } from '../../platform/errors.ts'
import { decodeCursor, encodeCursor } from '../../platform/http/cursor.ts'
import { DEFAULT_LIMIT } from '../../platform/http/schemas.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { findWorkspaceName, listWorkspaceIds } from '../workspaces/index.ts'
import { nextDigest } from './digest.ts'
import {
  confirmationNotice,
  GIVE_UP_MS,
  type Notice,
  type NotificationState,
  testNotice,
} from './notification.ts'
import * as outbox from './outbox-store.ts'
import { endOfQuiet } from './quiet-hours.ts'
import * as store from './store.ts'

type Clock = Pick<AppContext, 'now'>

/** What happened to an incident, and who is notified of it. */
export interface IncidentEvent {
  recipients: {
    notificationTargetIds: readonly string[]
    webhookIds: readonly string[]
  }
  incidentId: string
  /** `<incidentId>:fired`, `:reminder:<instant>`, `:resolved`. A recipient gets one notification for each key. */
  eventKey: string
  notice: Notice
}

/** Looks the recipients of all events up at once. */
export async function createNotifications(
  ctx: Clock,
  tx: Tx,
  { workspaceId, events }: { workspaceId: string; events: readonly IncidentEvent[] },
): Promise<void> {
  const now = ctx.now()
  const idsOf = (of: (one: IncidentEvent['recipients']) => readonly string[]) => [
    ...new Set(events.flatMap(({ recipients }) => of(recipients))),
  ]
  const targetIds = idsOf(({ notificationTargetIds }) => notificationTargetIds)
  const webhookIds = idsOf(({ webhookIds: ids }) => ids)
  const addresses = await turnsOf(tx, { workspaceId, targetIds, now })
  const webhooks = new Set(
    webhookIds.length === 0 ? [] : await store.listEnabledWebhooks(tx, workspaceId, webhookIds),
  )
  const rows = events.map(({ recipients, incidentId, eventKey, notice }) => ({
    kind: 'Incident' as const,
    eventKey,
    incidentId,
    notice,
    recipients: [
      ...earliestOf(recipients.notificationTargetIds.flatMap((id) => addresses.get(id) ?? [])),
      ...[...new Set(recipients.webhookIds)]
        .filter((id) => webhooks.has(id))
        .map((webhookId) => ({ address: null, webhookId, targetId: null, dueAt: now })),
    ].map(withEnd),
  }))
  await store.insertNotifications(tx, workspaceId, { createdAt: now, events: rows })
}

type Turn = Pick<store.NewRecipient, 'address' | 'webhookId' | 'targetId' | 'dueAt'>

/** When each address of each target may be written to. */
async function turnsOf(
  tx: Tx,
  { workspaceId, targetIds, now }: { workspaceId: string; targetIds: string[]; now: Date },
): Promise<Map<string, Turn[]>> {
  const turns = new Map<string, Turn[]>()
  if (targetIds.length === 0) return turns
  for (const row of await store.listDeliverableAddresses(tx, workspaceId, targetIds)) {
    const { targetId, address, quietHours, digest } = row
    const known = turns.get(targetId)
    const dueAt =
      known?.[0]?.dueAt ?? endOfQuiet(quietHours, digest ? nextDigest(digest, now) : now)
    const turn = { address, webhookId: null, targetId, dueAt }
    if (known) known.push(turn)
    else turns.set(targetId, [turn])
  }
  return turns
}

/** An address that several targets have is written to once, when the first of them would. */
function earliestOf(turns: readonly Turn[]): Turn[] {
  const earliest = new Map<string | null, Turn>()
  for (const turn of turns) {
    const known = earliest.get(turn.address)
    if (!known || turn.dueAt < known.dueAt) earliest.set(turn.address, turn)
  }
  return [...earliest.values()]
}

function withEnd(turn: Turn): store.NewRecipient {
  return { id: newId(), ...turn, giveUpAt: new Date(turn.dueAt.getTime() + GIVE_UP_MS) }
}

export interface NotifyRecipient {
  workspaceId: string
  kind: 'Test' | 'Confirmation'
  /** A confirmation may go to an address nobody confirmed. Whether a test may is for the caller to tell. */
  recipient: { address: string; targetId: string | null } | { webhookId: string }
  /** Of the target or the webhook. */
  name: string
  /** Who asked for it; undefined: not known. */
  askedBy: string | undefined
}

/** Creates a notification that is due at once. The result is its id. */
export async function notifyRecipient(
  ctx: Clock,
  tx: Tx,
  { workspaceId, kind, recipient, name, askedBy }: NotifyRecipient,
): Promise<string> {
  const now = ctx.now()
  const workspaceName = await findWorkspaceName(tx, workspaceId)
  const make = kind === 'Test' ? testNotice : confirmationNotice
  const notice = make({ workspaceName, name, askedBy, at: now.toISOString() })
  const turn =
    'address' in recipient
      ? { ...recipient, webhookId: null, dueAt: now }
      : { ...recipient, address: null, targetId: null, dueAt: now }
  const row = withEnd(turn)
  const eventKey = `${kind.toLowerCase()}:${row.id}`
  const event = { kind, eventKey, incidentId: null, notice, recipients: [row] }
  await store.insertNotifications(tx, workspaceId, { createdAt: now, events: [event] })
  return row.id
}

export interface ListNotifications {
  workspaceId: string
  limit?: number
  cursor?: string
  filter?: {
    states?: NotificationState[]
    notificationTargetId?: string
    webhookId?: string
    incidentId?: string
  }
}

export async function listNotifications(
  ctx: Pick<AppContext, 'db' | 'now' | 'signingKey'>,
  { workspaceId, limit = DEFAULT_LIMIT, cursor, filter = {} }: ListNotifications,
) {
  const scope = ['notifications', workspaceId, filter]
  const position = cursor === undefined ? undefined : decodeCursor(ctx.signingKey, scope, cursor)
  const { states, notificationTargetId: targetId, webhookId, incidentId } = filter
  // What is no id is the id of nothing.
  if (![targetId, webhookId, incidentId].every((id) => id === undefined || isUuid(id)))
    return { notifications: [], hasMore: false }
  const rows = await store.listNotifications(ctx.db, workspaceId, {
    states,
    targetId,
    webhookId,
    incidentId,
    before: position && { createdAt: String(position.after[0]), id: String(position.after[1]) },
    limit: limit + 1,
  })
  const page = rows.slice(0, limit)
  const notifications = page.map(asShown)
  const last = page.at(-1)
  if (rows.length <= limit || !last) return { notifications, hasMore: false }
  const asOf = position?.asOf ?? ctx.now().getTime()
  const next = { after: [last.createdAt.toISOString(), last.id], asOf }
  return { notifications, hasMore: true, nextCursor: encodeCursor(ctx.signingKey, scope, next) }
}

function asShown({ address, targetId, webhookId, recipientName, ...row }: store.NotificationRow) {
  const type = webhookId === null ? ('Email' as const) : ('Webhook' as const)
  const ids = { notificationTargetId: targetId, webhookId }
  return { ...row, recipient: { type, emailAddress: address, ...ids, name: recipientName } }
}

export async function listAttempts(
  db: Db,
  { workspaceId, notificationId }: { workspaceId: string; notificationId: string },
): Promise<store.AttemptRow[]> {
  const isThere =
    isUuid(notificationId) && (await store.hasNotification(db, workspaceId, notificationId))
  if (!isThere) throw notFound('notification', notificationId)
  return store.listAttempts(db, workspaceId, notificationId)
}

const KEPT_MS = 90 * 86_400_000

/** Several workers may do it at once. */
export async function sweepNotifications({
  db,
  now,
}: Pick<AppContext, 'db' | 'now'>): Promise<void> {
  const before = new Date(now().getTime() - KEPT_MS)
  for (const workspaceId of await listWorkspaceIds(db)) {
    while (await outbox.deleteOldNotifications(db, workspaceId, before));
    while (await outbox.deleteOldAttempts(db, workspaceId, before));
  }
}
