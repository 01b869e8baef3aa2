import type { Readable } from 'node:stream'
import { formatCsvLine } from '../../formats/csv.ts'
import { parseOptionalInstant } from '../../formats/instants.ts'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { invalid, notFound } from '../../platform/errors.ts'
import { spoolText } from '../../platform/http/spooled-text.ts'
import { openPage, type PageRequested } from '../../platform/http/paging.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { AUDIT_KINDS, type AuditKind } from './kinds.ts'
import { nameSubjects } from './names-store.ts'
import { AUDIT_ACTIONS, type AuditAction, findSentence } from './sentences.ts'
import * as store from './store.ts'
import {
  type AuditContent,
  findSubjects,
  readSubjectKey,
  type Subject,
  SUBJECT_TYPES,
} from './subjects.ts'
import { tellEntry } from './summary.ts'

export interface AuditEntry extends AuditContent {
  workspaceId: string
  actor: Actor
  /** `<resource>.<verb>`: `firmware.create`, `sbom.delete`. */
  action: AuditAction
}

/** Records a change in the transaction that makes it, so that neither exists without the other. */
export async function recordAudit(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  entry: AuditEntry,
): Promise<void> {
  const { actor, workspaceId, action, resourceType, resourceId, before, after } = entry
  const row = { workspaceId, id: newId(), createdAt: ctx.now() }
  const subjects = await nameSubjects(tx, workspaceId, findSubjects(entry))
  await store.insertAuditRow(tx, {
    ...row,
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
  await store.insertSubjects(
    tx,
    row,
    subjects.map((one) => withOwnName(one, entry)),
  )
}

/** What is deleted is found no more: its entry has the name. */
function withOwnName(subject: Subject, { resourceId, before, after }: AuditEntry): Subject {
  if (subject.name !== null || subject.id !== resourceId) return subject
  return { ...subject, name: readName(after) ?? readName(before) }
}

function readName(state: unknown): string | null {
  if (typeof state !== 'object' || state === null || !('name' in state)) return null
  const whole = 'firmware' in state ? readName(state.firmware) : null
  const { name } = state
  if (typeof name !== 'string') return null
  return whole === null ? name : `${whole} ${name}`
}

export interface LogFilter extends Omit<store.AuditFilter, 'actions' | 'subject'> {
  kind?: AuditKind
  /** The values, with commas between them. */
  kinds?: string
  /** Its type and its id: `vulnerability:CVE-2026-31431`. */
  subject?: string
}

export type ListAuditLog = LogFilter & PageRequested & { workspaceId: string }

export async function listAuditLog(ctx: AppContext, input: ListAuditLog) {
  const { workspaceId, limit, cursor, ...asked } = input
  const filter = readFilter(asked)
  const request = { ...(limit !== undefined && { limit }), ...(cursor !== undefined && { cursor }) }
  const { after, rowLimit, cut } = openPage(ctx, ['audit-log', workspaceId, asked], request)
  const rows = await store.listAuditRows(ctx.db, workspaceId, {
    filter,
    limit: rowLimit,
    after: after && { createdAt: String(after[0]), id: String(after[1]) },
  })
  const { page, next } = cut(rows, ({ createdAt, id }) => [createdAt.toISOString(), id])
  return { entries: await tellRows(ctx.db, workspaceId, page), ...next }
}

export async function readAuditEntry(
  ctx: AppContext,
  { workspaceId, auditEntryId }: { workspaceId: string; auditEntryId: string },
) {
  const row = isUuid(auditEntryId)
    ? await store.findAuditRow(ctx.db, workspaceId, auditEntryId)
    : undefined
  const [entry] = row ? await tellRows(ctx.db, workspaceId, [row]) : []
  if (!entry) throw notFound('audit entry', auditEntryId)
  return entry
}

export function readFilter({ kind, kinds, subject, ...filter }: LogFilter): store.AuditFilter {
  for (const name of ['from', 'to'] as const) parseOptionalInstant(filter[name], `/query/${name}`)
  return {
    ...filter,
    ...((kind ?? kinds) && { actions: listActions(kind, kinds) }),
    ...(subject !== undefined && { subject: requireSubject(subject) }),
  }
}

/** Lists the actions of the kind that are also of one of the kinds, where both are asked for. */
function listActions(kind: AuditKind | undefined, kinds: string | undefined): AuditAction[] {
  const wanted = kinds?.split(',').map(requireKind)
  return AUDIT_ACTIONS.filter((action) => {
    const own = findSentence(action)?.kind
    if (own === undefined || (kind !== undefined && own !== kind)) return false
    return wanted === undefined || wanted.includes(own)
  })
}

function requireKind(text: string): AuditKind {
  const found = AUDIT_KINDS.find((kind) => kind === text.trim())
  if (found) return found
  throw invalid(`The kinds are: ${AUDIT_KINDS.join(', ')}.`, '/query/kinds')
}

function requireSubject(subject: string) {
  const key = readSubjectKey(subject)
  if (key) return key
  throw invalid(
    `A subject is a type and an id, as in vulnerability:CVE-2026-31431. The types are: ${SUBJECT_TYPES.join(', ')}.`,
    '/query/subject',
  )
}

async function tellRows(
  db: Db,
  workspaceId: string,
  rows: readonly Omit<store.AuditRow, 'workspaceId'>[],
) {
  const ids = rows.map(({ id }) => id)
  const named = Map.groupBy(await store.listSubjects(db, workspaceId, ids), (row) => row.entryId)
  return rows.map((row) => {
    const byType = Map.groupBy(named.get(row.id) ?? [], ({ type }) => type)
    const subjects = new Map(
      [...byType].map(([type, first]) => [
        type,
        { first: first.map(asSubject), total: first[0]?.total ?? 0 },
      ]),
    )
    return { ...row, ...tellEntry({ ...row, subjects }) }
  })
}

const asSubject = ({ type, id, name }: Subject): Subject => ({ type, id, name })

const BATCH = 1_000
const COLUMNS = [
  'createdAt',
  'summary',
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

type Row = Awaited<ReturnType<typeof tellRows>>[number]

const LINES = {
  csv: (row: Row) => formatCsvLine(COLUMNS.map((column) => formatValue(row[column]))),
  jsonl: (row: Row) => `${JSON.stringify(row)}\n`,
}

function formatValue(value: unknown): string | null {
  if (value === null || typeof value === 'string') return value
  return value instanceof Date ? value.toISOString() : JSON.stringify(value)
}

export type ExportAuditLog = LogFilter & {
  workspaceId: string
  format: keyof typeof LINES
}

/** All entries that the filter selects, newest first. */
export async function exportAuditLog(ctx: AppContext, input: ExportAuditLog): Promise<Readable> {
  const { workspaceId, format, ...asked } = input
  const filter = readFilter(asked)
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
    yield (await tellRows(ctx.db, workspaceId, rows)).map(LINES[format]).join('')
    const last = rows.at(-1)
    if (!last || rows.length < BATCH) return
    after = { createdAt: last.createdAt.toISOString(), id: last.id }
  }
}
