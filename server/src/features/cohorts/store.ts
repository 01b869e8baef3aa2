import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import type { TagRule } from './tag-rule.ts'

export interface CohortFields {
  name: string
  description: string | null
  tagRule: TagRule | null
}

export interface CohortRow extends CohortFields {
  id: string
  createdAt: Date
  updatedAt: Date
  deviceCount: number
  activeDeploymentId: string | null
}

const columns = sql`
  cohort.id, cohort.name, cohort.description, cohort.tag_rule, cohort.created_at, cohort.updated_at, (
    select count(*)::int from devices
    where devices.workspace_id = cohort.workspace_id and devices.cohort_id = cohort.id) as device_count, (
    select deployment.id from deployments as deployment
    where deployment.workspace_id = cohort.workspace_id and deployment.cohort_id = cohort.id
      and deployment.is_active) as active_deployment_id`

export async function listCohorts(db: Db, workspaceId: string): Promise<CohortRow[]> {
  const { rows } = await sql<CohortRow>`
    select ${columns} from deployment_cohorts as cohort
    where cohort.workspace_id = ${workspaceId} order by cohort.created_at, cohort.id`.execute(db)
  return rows
}

export async function findCohort(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<CohortRow | undefined> {
  const { rows } = await sql<CohortRow>`
    select ${columns} from deployment_cohorts as cohort
    where cohort.workspace_id = ${workspaceId} and cohort.id = ${id}`.execute(db)
  return rows[0]
}

export async function insertCohort(
  db: Db,
  row: CohortFields & { workspaceId: string; id: string; createdAt: Date },
): Promise<void> {
  const { tagRule, ...fields } = row
  await db
    .insertInto('deploymentCohorts')
    .values({ ...fields, tagRule: tagRule && JSON.stringify(tagRule), updatedAt: row.createdAt })
    .execute()
}

export async function updateCohort(
  db: Db,
  row: CohortFields & { workspaceId: string; id: string; updatedAt: Date },
): Promise<void> {
  const { workspaceId, id, tagRule, ...fields } = row
  await db
    .updateTable('deploymentCohorts')
    .set({ ...fields, tagRule: tagRule && JSON.stringify(tagRule) })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function deleteCohort(db: Db, workspaceId: string, id: string): Promise<void> {
  await db
    .deleteFrom('deploymentCohorts')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** Locks a cohort to create or end a deployment, so that its members and deployments do not change meanwhile. */
export async function lockCohort(
  tx: Db,
  workspaceId: string,
  id: string,
): Promise<{ id: string; name: string } | undefined> {
  return tx
    .selectFrom('deploymentCohorts')
    .select(['id', 'name'])
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** False: another transaction holds the cohort. The schedule tries again later. */
export async function tryLockCohort(tx: Db, workspaceId: string, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('deploymentCohorts')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst()
  return row !== undefined
}

/** Locks cohorts to change their members; several transactions may do so at once. */
export async function lockCohortsShared(
  tx: Db,
  workspaceId: string,
  ids: readonly string[],
): Promise<void> {
  await tx
    .selectFrom('deploymentCohorts')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .orderBy('id')
    .forShare()
    .execute()
}
