/** Creates notifications in the transaction that makes them true, lists them and deletes the old ones. */
import { addDays, addMs } from '../../formats/instants.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { openPage, type PageRequested } from '../../platform/http/paging.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { findWorkspaceName, listWorkspaceIds } from '../workspaces/index.ts'
import { findNextDigest } from './digest.ts'
import {
  writeConfirmationNotice,
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

/** Creates the notifications of all events. It looks all recipients up together. */
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
  const addresses = await listDueAddresses(tx, { workspaceId, targetIds, now })
  const webhooks = new Set(
    webhookIds.length === 0 ? [] : await store.listEnabledWebhooks(tx, workspaceId, webhookIds),
  )
  const rows = events.map(({ recipients, incidentId, eventKey, notice }) => ({
    kind: 'Incident' as const,
    eventKey,
    incidentId,
    notice,
    recipients: [
      ...keepEarliest(recipients.notificationTargetIds.flatMap((id) => addresses.get(id) ?? [])),
      ...[...new Set(recipients.webhookIds)]
        .filter((id) => webhooks.has(id))
        .map((webhookId) => ({ address: null, webhookId, targetId: null, dueAt: now })),
    ].map(asNewRecipient),
  }))
  await store.insertNotifications(tx, workspaceId, { createdAt: now, events: rows })
}

type DueRecipient = Pick<store.NewRecipient, 'address' | 'webhookId' | 'targetId' | 'dueAt'>

/** The addresses of each target, with the instant after its quiet hours and digest interval. */
async function listDueAddresses(
  tx: Tx,
  { workspaceId, targetIds, now }: { workspaceId: string; targetIds: string[]; now: Date },
): Promise<Map<string, DueRecipient[]>> {
  const byTarget = new Map<string, DueRecipient[]>()
  if (targetIds.length === 0) return byTarget
  for (const row of await store.listDeliverableAddresses(tx, workspaceId, targetIds)) {
    const { targetId, address, quietHours, digest } = row
    const known = byTarget.get(targetId)
    const dueAt =
      known?.[0]?.dueAt ?? endOfQuiet(quietHours, digest ? findNextDigest(digest, now) : now)
    const recipient = { address, webhookId: null, targetId, dueAt }
    if (known) known.push(recipient)
    else byTarget.set(targetId, [recipient])
  }
  return byTarget
}

/** An address of several targets gets one notification: that of the target which is due first. */
function keepEarliest(recipients: readonly DueRecipient[]): DueRecipient[] {
  const earliest = new Map<string | null, DueRecipient>()
  for (const recipient of recipients) {
    const known = earliest.get(recipient.address)
    if (!known || recipient.dueAt < known.dueAt) earliest.set(recipient.address, recipient)
  }
  return [...earliest.values()]
}

function asNewRecipient(recipient: DueRecipient): store.NewRecipient {
  return { id: newId(), ...recipient, giveUpAt: addMs(recipient.dueAt, GIVE_UP_MS) }
}

export interface NotifyRecipient {
  workspaceId: string
  kind: 'Test' | 'Confirmation'
  /** A confirmation may go to an unconfirmed address. The caller decides whether a test may. */
  recipient: { address: string; targetId: string | null } | { webhookId: string }
  /** The name of the target or the webhook. */
  name: string
  /** Who asked for it; undefined when that is not known. */
  askedBy: string | undefined
}

/** Creates a notification that is due at once, and returns its id. */
export async function notifyRecipient(
  ctx: Clock,
  tx: Tx,
  { workspaceId, kind, recipient, name, askedBy }: NotifyRecipient,
): Promise<string> {
  const now = ctx.now()
  const workspaceName = await findWorkspaceName(tx, workspaceId)
  const make = kind === 'Test' ? testNotice : writeConfirmationNotice
  const notice = make({ workspaceName, name, askedBy, at: now.toISOString() })
  const due =
    'address' in recipient
      ? { ...recipient, webhookId: null, dueAt: now }
      : { ...recipient, address: null, targetId: null, dueAt: now }
  const row = asNewRecipient(due)
  const eventKey = `${kind.toLowerCase()}:${row.id}`
  const event = { kind, eventKey, incidentId: null, notice, recipients: [row] }
  await store.insertNotifications(tx, workspaceId, { createdAt: now, events: [event] })
  return row.id
}

interface WebhookNotice {
  workspaceId: string
  webhookId: string
  /** What makes it the same. */
  eventKey: string
  notice: Notice
}

/** Tells a webhook of accepted risks, unless it is disabled or deleted. */
export async function notifyWebhook(
  ctx: Clock,
  tx: Tx,
  { workspaceId, webhookId, eventKey, notice }: WebhookNotice,
): Promise<void> {
  const [enabled] = await store.listEnabledWebhooks(tx, workspaceId, [webhookId])
  if (enabled === undefined) return
  const now = ctx.now()
  const row = asNewRecipient({ webhookId, address: null, targetId: null, dueAt: now })
  const kind = 'Acceptance' as const
  const event = { kind, eventKey, incidentId: null, notice, recipients: [row] }
  await store.insertNotifications(tx, workspaceId, { createdAt: now, events: [event] })
}

export type ListNotifications = PageRequested & {
  workspaceId: string
  filter?: {
    states?: NotificationState[]
    notificationTargetId?: string
    webhookId?: string
    incidentId?: string
  }
}

export async function listNotifications(
  ctx: Pick<AppContext, 'db' | 'now' | 'signingKey'>,
  { workspaceId, filter = {}, ...request }: ListNotifications,
) {
  const { after, rowLimit, cut } = openPage(ctx, ['notifications', workspaceId, filter], request)
  const { states, notificationTargetId: targetId, webhookId, incidentId } = filter
  // An id that is not a UUID belongs to nothing.
  if (![targetId, webhookId, incidentId].every((id) => id === undefined || isUuid(id)))
    return { notifications: [], hasMore: false }
  const rows = await store.listNotifications(ctx.db, workspaceId, {
    states,
    targetId,
    webhookId,
    incidentId,
    before: after && { createdAt: String(after[0]), id: String(after[1]) },
    limit: rowLimit,
  })
  const { page, next } = cut(rows, ({ createdAt, id }) => [createdAt.toISOString(), id])
  return { notifications: page.map(asShown), ...next }
}

function asShown({ address, targetId, webhookId, recipientName, ...row }: store.NotificationRow) {
  const type = webhookId === null ? ('Email' as const) : ('Webhook' as const)
  const ids = { notificationTargetId: targetId, webhookId }
  return { ...row, recipient: { type, emailAddress: address, ...ids, name: recipientName } }
}

export interface SendAgain {
  workspaceId: string
  notificationId: string
  actor: Actor
}

/** Makes it due now. What the address or the webhook allows is checked again when it is sent. */
export async function sendNotificationAgain(
  ctx: Pick<AppContext, 'db' | 'now'>,
  { workspaceId, notificationId, actor }: SendAgain,
) {
  const now = ctx.now()
  return ctx.db.transaction().execute(async (tx) => {
    const known = isUuid(notificationId)
      ? await store.lockNotification(tx, workspaceId, notificationId)
      : undefined
    if (!known) throw notFound('notification', notificationId)
    await refuseSending(tx, { workspaceId, now, ...known })
    const { id, state, attempts } = known
    const due = { dueAt: now, giveUpAt: addMs(now, GIVE_UP_MS) }
    await store.makeDueAgain(tx, { workspaceId, id, ...due })
    await recordAudit(ctx, tx, {
      workspaceId,
      actor,
      action: 'notification.send-again',
      resourceType: 'notification',
      resourceId: id,
      before: { state, attempts },
    })
    return asShown(await store.getNotification(tx, workspaceId, id))
  })
}

/** A confirmation has a limit of its own, so that nobody is pressed to confirm. */
async function refuseSending(
  tx: Tx,
  known: store.LockedNotification & { workspaceId: string; now: Date },
): Promise<void> {
  const { workspaceId, now, kind, state, webhookId, claimedUntil } = known
  if (kind === 'Confirmation')
    throw new AppError(
      'conflict',
      'notification-is-confirmation',
      'A mail that asks its reader to confirm is not sent again here. Ask for another one at its target.',
    )
  if (state === 'Pending' && claimedUntil !== null && claimedUntil > now)
    throw new AppError(
      'conflict',
      'notification-under-way',
      'The notification is being sent at this moment. Look at its outcome first.',
    )
  if (webhookId === null) return
  const [enabled] = await store.listEnabledWebhooks(tx, workspaceId, [webhookId])
  if (enabled === undefined)
    throw new AppError(
      'conflict',
      'webhook-disabled',
      'The webhook is disabled or deleted, so nothing is sent to it.',
    )
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

const KEPT_DAYS = 90

/** Deletes finished notifications and their attempts. Several workers may do so at once. */
export async function sweepNotifications({
  db,
  now,
}: Pick<AppContext, 'db' | 'now'>): Promise<void> {
  const before = addDays(now(), -KEPT_DAYS)
  for (const workspaceId of await listWorkspaceIds(db)) {
    while (await outbox.deleteOldNotifications(db, workspaceId, before));
    while (await outbox.deleteOldAttempts(db, workspaceId, before));
  }
}
