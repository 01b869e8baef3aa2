import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { invalid } from '../../platform/errors.ts'
import { decodeCursor, encodeCursor } from '../../platform/http/cursor.ts'
import { DEFAULT_LIMIT } from '../../platform/http/schemas.ts'
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

/** Written in the transaction of the change it tells of: the one is never there without the other. */
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

export type ListAuditLog = store.AuditFilter & {
  workspaceId: string
  limit?: number
  cursor?: string
}

export async function listAuditLog(ctx: AppContext, input: ListAuditLog) {
  const { workspaceId, limit = DEFAULT_LIMIT, cursor, ...filter } = input
  for (const name of ['from', 'to'] as const) requireTime(name, filter[name])
  const scope = ['audit-log', workspaceId, filter]
  const position = cursor === undefined ? undefined : decodeCursor(ctx.signingKey, scope, cursor)
  const after = position && { createdAt: String(position.after[0]), id: String(position.after[1]) }
  const rows = await store.listAuditRows(ctx.db, workspaceId, { filter, limit: limit + 1, after })
  const entries = rows.slice(0, limit)
  const last = entries.at(-1)
  const hasMore = rows.length > limit
  if (!hasMore || !last) return { entries, hasMore }
  const asOf = position?.asOf ?? ctx.now().getTime()
  const next = { after: [last.createdAt.toISOString(), last.id], asOf }
  return { entries, hasMore, nextCursor: encodeCursor(ctx.signingKey, scope, next) }
}

/** RFC 3339 knows leap seconds, JavaScript does not. */
function requireTime(name: string, text: string | undefined): void {
  if (text !== undefined && Number.isNaN(Date.parse(text)))
    throw invalid(`${name} is no time this service can compare with.`, `/query/${name}`)
}
