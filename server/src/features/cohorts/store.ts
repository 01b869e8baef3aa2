import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import type { LogSeverity } from '../../formats/device-messages/model.ts'
import type { TagRule } from './tag-rule.ts'

export interface CohortFields {
  name: string
  description: string | null
  tagRule: TagRule | null
  /** What its devices are asked to log, unless they have a value of their own; null: as the workspace has it. */
  logSeverity: LogSeverity | null
  /** How often its hawkBit clients poll; null: as the workspace has it. */
  pollingSeconds: number | null
  /** By how much the interval of a device may be longer or shorter. */
  pollingJitterPercent: number
  /** After how many days its devices are asked to replace their keys; null: as the workspace has it, 0: never. */
  keyRotationDays: number | null
}

function selectCohorts(db: Db, workspaceId: string) {
  return db
    .selectFrom('deploymentCohorts as cohort')
    .select(['cohort.id', 'cohort.name', 'cohort.description'])
    .select(['cohort.createdAt', 'cohort.updatedAt'])
    .select(['cohort.pollingSeconds', 'cohort.pollingJitterPercent', 'cohort.keyRotationDays'])
    .select(sql<TagRule | null>`cohort.tag_rule`.as('tagRule'))
    .select(sql<LogSeverity | null>`cohort.log_severity`.as('logSeverity'))
    .select((eb) => [
      eb
        .selectFrom('devices')
        .select(sql<number>`count(*)::int`.as('count'))
        .where('devices.workspaceId', '=', workspaceId)
        .whereRef('devices.cohortId', '=', 'cohort.id')
        .$asScalar()
        .$notNull()
        .as('deviceCount'),
      eb
        .selectFrom('deployments as deployment')
        .select('deployment.id')
        .where('deployment.workspaceId', '=', workspaceId)
        .whereRef('deployment.cohortId', '=', 'cohort.id')
        .where(sql<boolean>`deployment.is_active`)
        .as('activeDeploymentId'),
    ])
    .where('cohort.workspaceId', '=', workspaceId)
}

export async function listCohorts(db: Db, workspaceId: string) {
  return selectCohorts(db, workspaceId).orderBy('cohort.createdAt').orderBy('cohort.id').execute()
}

export async function findCohort(db: Db, workspaceId: string, id: string) {
  return selectCohorts(db, workspaceId).where('cohort.id', '=', id).executeTakeFirst()
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
