import type { Readable } from 'node:stream'
import { formatCsvLine } from '../../formats/csv.ts'
import { parseOptionalInstant } from '../../formats/instants.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { spoolText } from '../../platform/http/spooled-text.ts'
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
  checkInstants(filter)
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

function checkInstants(filter: store.AuditFilter): void {
  for (const name of ['from', 'to'] as const) parseOptionalInstant(filter[name], `/query/${name}`)
}

const BATCH = 1_000
const COLUMNS = [
  'createdAt',
  'actorType',
  'actorEmail',
  'actorId',
  'action',
  'resourceType',
  'resourceId',
  'before',
  'after',
  'requestId',
  'id',
] as const

type Row = Awaited<ReturnType<typeof store.listAuditRows>>[number]

const LINES = {
  csv: (row: Row) => formatCsvLine(COLUMNS.map((column) => formatValue(row[column]))),
  jsonl: (row: Row) => `${JSON.stringify(row)}\n`,
}

function formatValue(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value
  return value instanceof Date ? value.toISOString() : JSON.stringify(value)
}

export type ExportAuditLog = store.AuditFilter & {
  workspaceId: string
  format: keyof typeof LINES
}

/** All entries that the filter selects, newest first. */
export async function exportAuditLog(ctx: AppContext, input: ExportAuditLog): Promise<Readable> {
  const { workspaceId, format, ...filter } = input
  checkInstants(filter)
  return spoolText(exportedLines(ctx, { workspaceId, format, filter }))
}

async function* exportedLines(
  ctx: AppContext,
  asked: { workspaceId: string; format: keyof typeof LINES; filter: store.AuditFilter },
): AsyncGenerator<string> {
  const { workspaceId, format, filter } = asked
  if (format === 'csv') yield formatCsvLine(COLUMNS)
  let after: store.AuditPage['after']
  for (;;) {
    const rows = await store.listAuditRows(ctx.db, workspaceId, { filter, limit: BATCH, after })
    yield rows.map(LINES[format]).join('')
    const last = rows.at(-1)
    if (!last || rows.length < BATCH) return
    after = { createdAt: last.createdAt.toISOString(), id: last.id }
  }
}
