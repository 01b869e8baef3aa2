import { sql } from 'kysely'
import { announce, type Topic } from '../../platform/db/announcements.ts'
import type { Actor } from '../../platform/actor.ts'
import type { Db } from '../../platform/db/connect.ts'

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
  'alert-rule': 'alerts',
  'api-key': 'members',
  comment: 'findings',
  'decision-batch': 'findings',
  deployment: 'deployments',
  'deployment-cohort': 'deployments',
  device: 'devices',
  'device-batch': 'devices',
  'device-configuration-change': 'devices',
  'device-key': 'devices',
  firmware: 'firmware',
  'firmware-version': 'firmware',
  member: 'members',
  notification: 'alerts',
  'notification-target': 'alerts',
  'package-override': 'sboms',
  sbom: 'sboms',
  'standing-decision': 'findings',
  vulnerability: 'findings',
  'vulnerability-finding': 'findings',
  webhook: 'alerts',
}

export async function insertAuditRow(db: Db, row: AuditRow): Promise<void> {
  await db
    .insertInto('auditLog')
    .values({ ...row, before: json(row.before), after: json(row.after) })
    .execute()
  await announce(db, row.workspaceId, [TOPICS_OF[row.resourceType] ?? 'settings'])
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
  action?: string
  resourceType?: string
  resourceId?: string
  from?: string
  to?: string
  contains?: string
}

export interface AuditPage {
  filter: AuditFilter
  limit: number
  /** The last row of the previous page. */
  after: { createdAt: string; id: string } | undefined
}

/** An entry has few texts, so that they are searched as one. */
function containing(text: string) {
  return sql<boolean>`strpos(lower(concat_ws(' ', actor_email, actor_id, action, resource_type, resource_id,
    before::text, after::text, request_id)), ${text.toLowerCase()}) > 0`
}

/** Lists the newest first. New entries do not move the rows of later pages. */
export async function listAuditRows(db: Db, workspaceId: string, page: AuditPage) {
  const { filter, after } = page
  let query = db
    .selectFrom('auditLog')
    .select(['id', 'createdAt', 'actorType', 'actorId', 'actorEmail', 'action'])
    .select(['resourceType', 'resourceId', 'before', 'after', 'requestId'])
    .where('workspaceId', '=', workspaceId)
  if (filter.actor !== undefined) {
    const { actor } = filter
    query = query.where((eb) => eb.or([eb('actorEmail', '=', actor), eb('actorId', '=', actor)]))
  }
  if (filter.action !== undefined) query = query.where('action', '=', filter.action)
  if (filter.resourceType !== undefined)
    query = query.where('resourceType', '=', filter.resourceType)
  if (filter.resourceId !== undefined) query = query.where('resourceId', '=', filter.resourceId)
  if (filter.from !== undefined) query = query.where('createdAt', '>=', new Date(filter.from))
  if (filter.to !== undefined) query = query.where('createdAt', '<', new Date(filter.to))
  if (filter.contains !== undefined) query = query.where(containing(filter.contains))
  if (after) {
    const at = new Date(after.createdAt)
    query = query.where((eb) => eb(eb.refTuple('createdAt', 'id'), '<', eb.tuple(at, after.id)))
  }
  return query.orderBy('createdAt', 'desc').orderBy('id', 'desc').limit(page.limit).execute()
}
