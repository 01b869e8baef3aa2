import { sql } from 'kysely'
import { announce, type Topic } from '../../platform/db/announcements.ts'
import type { Actor } from '../../platform/actor.ts'
import type { Db } from '../../platform/db/connect.ts'
import type { Subject, SubjectKey } from './subjects.ts'

export interface AuditRow {
  id: string
  workspaceId: string
  createdAt: Date
  actorType: Actor['type']
  actorId: string | null
  actorEmail: string | null
  action: string
  resourceType: string
  resourceId: string
  before: unknown
  after: unknown
  requestId: string | null
}

/** By the kind of what people change; settings, if none is named. */
const TOPICS_OF: Readonly<Record<string, Topic>> = {
  'alert-incident': 'alerts',
  'alert-incident-batch': 'alerts',
  'alert-rule': 'alerts',
  'api-key': 'members',
  case: 'cases',
  comment: 'findings',
  'crash-build': 'devices',
  'crash-group': 'devices',
  customer: 'customers',
  'decision-batch': 'findings',
  deployment: 'deployments',
  'deployment-cohort': 'deployments',
  device: 'devices',
  'device-batch': 'devices',
  'device-configuration-change': 'devices',
  'device-issuer': 'devices',
  'device-key': 'devices',
  'disclosure-report': 'cases',
  firmware: 'firmware',
  'firmware-version': 'firmware',
  member: 'members',
  notification: 'alerts',
  'notification-target': 'alerts',
  obligation: 'cases',
  'package-override': 'sboms',
  'product-line': 'cases',
  sbom: 'sboms',
  'security-advisory': 'cases',
  'standing-address': 'customers',
  'support-statement': 'sboms',
  'standing-decision': 'findings',
  'upstream-report': 'cases',
  vulnerability: 'findings',
  'vulnerability-finding': 'findings',
  webhook: 'alerts',
}

export async function insertAuditRow(db: Db, row: AuditRow): Promise<void> {
  await db
    .insertInto('auditLog')
    .values({ ...row, before: json(row.before), after: json(row.after) })
    .execute()
  await announce(db, row.workspaceId, [TOPICS_OF[row.resourceType] ?? 'settings', 'audit'])
}

/** They find the entry by its time, as lists are in that order. */
export async function insertSubjects(
  db: Db,
  { workspaceId, id, createdAt }: Pick<AuditRow, 'workspaceId' | 'id' | 'createdAt'>,
  subjects: readonly Subject[],
): Promise<void> {
  if (subjects.length === 0) return
  await sql`
    insert into audit_subjects (workspace_id, entry_id, created_at, subject_type, subject_id, name, position)
    select ${workspaceId}, ${id}::uuid, ${createdAt}::timestamptz, subject.type, subject.id, subject.name,
      subject.position
    from unnest(
      ${subjects.map(({ type }) => type)}::text[],
      ${subjects.map((one) => one.id)}::text[],
      ${subjects.map(({ name }) => name)}::text[]
    ) with ordinality as subject (type, id, name, position)`.execute(db)
}

/** So many of each type are named. */
const MOST_NAMED = 5

interface SubjectRow extends Subject {
  entryId: string
  /** How many of this type the entry has. */
  total: number
}

/** Lists the first subjects of each entry and type. */
export async function listSubjects(
  db: Db,
  workspaceId: string,
  entryIds: readonly string[],
): Promise<SubjectRow[]> {
  if (entryIds.length === 0) return []
  const { rows } = await sql<SubjectRow>`
    select entry_id, type, id, name, total
    from (
      select entry_id, subject_type as type, subject_id as id, name, position,
        row_number() over (partition by entry_id, subject_type order by position) as place,
        (count(*) over (partition by entry_id, subject_type))::integer as total
      from audit_subjects
      where workspace_id = ${workspaceId} and entry_id = any(${[...entryIds]}::uuid[])
    ) as subject
    where place <= ${MOST_NAMED}
    order by entry_id, position`.execute(db)
  return rows
}

export async function hasWorkspace(db: Db, workspaceId: string): Promise<boolean> {
  const query = db.selectFrom('workspaces').select('id').where('id', '=', workspaceId)
  return (await query.executeTakeFirst()) !== undefined
}

function json(value: unknown) {
  return value === undefined ? null : sql<null>`${JSON.stringify(value)}::jsonb`
}

export interface AuditFilter {
  actor?: string
  actorType?: Actor['type']
  action?: string
  resourceType?: string
  resourceId?: string
  from?: string
  to?: string
  contains?: string
  /** One of these. */
  actions?: readonly string[]
  subject?: SubjectKey
}

export interface AuditPage {
  filter: AuditFilter
  limit: number
  /** The last row of the previous page. */
  after: { createdAt: string; id: string } | undefined
}

/**
 * An entry has few texts, so that they are searched as one; and what its subjects are called. The array is read once; looking up the
 * subjects of each entry took longer than all else.
 */
function containing(workspaceId: string, text: string) {
  const sought = text.toLowerCase()
  return sql<boolean>`log.id = any(array(
    select entry.id from audit_log as entry
    where entry.workspace_id = ${workspaceId} and strpos(entry.search_text, ${sought}) > 0
    union
    select named.entry_id from audit_subjects as named
    where named.workspace_id = ${workspaceId} and strpos(lower(concat_ws(' ', named.name, named.subject_id)), ${sought}) > 0))`
}

/** Entries that are about the subject, or that it made. */
function concerning(workspaceId: string, { type, id }: SubjectKey) {
  return sql<boolean>`(log.created_at, log.id) in (
    select about.created_at, about.entry_id from audit_subjects as about
    where about.workspace_id = ${workspaceId} and about.subject_type = ${type} and about.subject_id = ${id})`
}

/** The entries that the filter selects; which columns of them, the caller says. */
function selectEntries(db: Db, workspaceId: string, filter: AuditFilter) {
  const { actor, actions, subject } = filter
  let query = db.selectFrom('auditLog as log').where('log.workspaceId', '=', workspaceId)
  if (actor !== undefined)
    query = query.where((eb) =>
      eb.or([eb('log.actorEmail', '=', actor), eb('log.actorId', '=', actor)]),
    )
  if (filter.actorType !== undefined) query = query.where('log.actorType', '=', filter.actorType)
  if (filter.action !== undefined) query = query.where('log.action', '=', filter.action)
  if (actions)
    query =
      actions.length === 0
        ? query.where(sql<boolean>`false`)
        : query.where('log.action', 'in', actions)
  if (filter.resourceType !== undefined)
    query = query.where('log.resourceType', '=', filter.resourceType)
  if (filter.resourceId !== undefined) query = query.where('log.resourceId', '=', filter.resourceId)
  if (filter.from !== undefined) query = query.where('log.createdAt', '>=', new Date(filter.from))
  if (filter.to !== undefined) query = query.where('log.createdAt', '<', new Date(filter.to))
  if (filter.contains !== undefined) query = query.where(containing(workspaceId, filter.contains))
  if (subject) query = query.where(concerning(workspaceId, subject))
  return query
}

const ROW = [
  'log.id',
  'log.createdAt',
  'log.actorType',
  'log.actorId',
  'log.actorEmail',
  'log.action',
  'log.resourceType',
  'log.resourceId',
  'log.before',
  'log.after',
  'log.requestId',
] as const

/** Lists the newest first. New entries do not move the rows of later pages. */
export async function listAuditRows(db: Db, workspaceId: string, page: AuditPage) {
  const { filter, after } = page
  let query = selectEntries(db, workspaceId, filter).select(ROW)
  if (after) {
    const at = new Date(after.createdAt)
    query = query.where((eb) =>
      eb(eb.refTuple('log.createdAt', 'log.id'), '<', eb.tuple(at, after.id)),
    )
  }
  return query
    .orderBy('log.createdAt', 'desc')
    .orderBy('log.id', 'desc')
    .limit(page.limit)
    .execute()
}

export async function findAuditRow(db: Db, workspaceId: string, entryId: string) {
  const query = selectEntries(db, workspaceId, {}).select(ROW).where('log.id', '=', entryId)
  return query.executeTakeFirst()
}

/** How many entries there are of each act of each person, key or part of the service, and of all devices together: they are many. */
export async function countActs(db: Db, workspaceId: string, filter: AuditFilter) {
  const by = ['log.actorType', 'log.actorEmail', 'log.action'] as const
  const actorId = sql<string | null>`case when log.actor_type <> 'Device' then log.actor_id end`
  return selectEntries(db, workspaceId, filter)
    .select(by)
    .select(actorId.as('actorId'))
    .select(sql<number>`count(*)::integer`.as('count'))
    .groupBy(by)
    .groupBy(actorId)
    .execute()
}

/** The last name of each thing. Things without a recorded name are left out. */
export async function listLastNames(
  db: Db,
  workspaceId: string,
  subjects: readonly SubjectKey[],
): Promise<(SubjectKey & { name: string })[]> {
  if (subjects.length === 0) return []
  const { rows } = await sql<SubjectKey & { name: string }>`
    select subject.type, subject.id, last.name
    from unnest(
      ${subjects.map(({ type }) => type)}::text[],
      ${subjects.map(({ id }) => id)}::text[]
    ) as subject (type, id)
    cross join lateral (
      select named.name
      from audit_subjects as named
      where named.workspace_id = ${workspaceId} and named.subject_type = subject.type
        and named.subject_id = subject.id and named.name is not null
      order by named.created_at desc, named.entry_id desc
      limit 1
    ) as last`.execute(db)
  return rows
}
