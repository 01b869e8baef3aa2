import { parseOptionalInstant } from '../../formats/instants.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { openPage, type PageRequested } from '../../platform/http/paging.ts'
import { newId } from '../../platform/ids.ts'
import * as store from './store.ts'

export interface AuditEntry {
  workspaceId: string
  actor: Actor
  /** `<resource>.<verb>`: `firmware.create`, `sbom.delete`. */
  action: string
  resourceType: string
  resourceId: string
  before?: unknown
  after?: unknown
}

/** Records a change in the transaction that makes it, so that neither exists without the other. */
export async function recordAudit(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  entry: AuditEntry,
): Promise<void> {
  const { actor, workspaceId, action, resourceType, resourceId, before, after } = entry
  await store.insertAuditRow(tx, {
    id: newId(),
    workspaceId,
    createdAt: ctx.now(),
    actorType: actor.type,
    actorId: actor.id ?? null,
    actorEmail: actor.email ?? null,
    action,
    resourceType,
    resourceId,
    before,
    after,
    requestId: actor.requestId ?? null,
  })
}

export type ListAuditLog = store.AuditFilter & PageRequested & { workspaceId: string }

export async function listAuditLog(ctx: AppContext, input: ListAuditLog) {
  const { workspaceId, limit, cursor, ...filter } = input
  for (const name of ['from', 'to'] as const) parseOptionalInstant(filter[name], `/query/${name}`)
  const request = { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) }
  const { after, rowLimit, cut } = openPage(ctx, ['audit-log', workspaceId, filter], request)
  const rows = await store.listAuditRows(ctx.db, workspaceId, {
    filter,
    limit: rowLimit,
    after: after && { createdAt: String(after[0]), id: String(after[1]) },
  })
  const { page, next } = cut(rows, ({ createdAt, id }) => [createdAt.toISOString(), id])
  return { entries: page, ...next }
}
