/** The delivery log: who was told what, and what their servers answered. */
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { notFound } from '../../platform/errors.ts'
import { decodeCursor, encodeCursor } from '../../platform/http/cursor.ts'
import { DEFAULT_LIMIT } from '../../platform/http/schemas.ts'
import { isUuid } from '../../platform/ids.ts'
import * as store from './delivery-log-store.ts'
import type { NotificationState } from './notification-state.ts'

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
