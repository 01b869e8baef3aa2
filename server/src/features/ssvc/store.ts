import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { DecisionTable } from '../../formats/ssvc/decision-table.ts'

interface StatedProduct {
  missionPrevalence: string | null
  publicWellBeing: string | null
}

/** Keys of values, by firmware and by cohort. */
export interface SettingsRow {
  revision: number
  /** The revision that changed what contexts of versions are counted by. */
  inputsRevision: number
  tree: string
  manyDevices: number
  products: Record<string, StatedProduct>
  exposures: Record<string, string>
  /** By the name of the outcome. */
  targetDays: Record<string, number>
  /** The name of the outcome; null: the release gate does not ask. */
  gateFrom: string | null
  changedAt: Date | null
}

/** The newest ones; undefined: nobody stated any. */
export async function findSettings(db: Db, workspaceId: string): Promise<SettingsRow | undefined> {
  return db
    .selectFrom('ssvcSettings')
    .select(['revision', 'inputsRevision', 'tree', 'manyDevices', 'gateFrom', 'changedAt'])
    .select(sql<SettingsRow['products']>`products`.as('products'))
    .select(sql<SettingsRow['exposures']>`exposures`.as('exposures'))
    .select(sql<SettingsRow['targetDays']>`target_days`.as('targetDays'))
    .where('workspaceId', '=', workspaceId)
    .orderBy('revision', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Settings and trees of the workspace change one after another. */
export async function lockSettings(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('ssvc'), hashtext(${workspaceId}))`.execute(tx)
}

export async function insertSettings(
  tx: Tx,
  workspaceId: string,
  { products, exposures, targetDays, changedAt, ...row }: SettingsRow & { changedAt: Date },
): Promise<void> {
  const stated = {
    products: JSON.stringify(products),
    exposures: JSON.stringify(exposures),
    targetDays: JSON.stringify(targetDays),
  }
  await tx
    .insertInto('ssvcSettings')
    .values({ workspaceId, ...row, ...stated, changedAt })
    .execute()
}

export interface TreeRow {
  number: number
  tables: DecisionTable[]
  addedAt: Date
  addedBy: string | null
}

const selectTrees = (db: Db, workspaceId: string) =>
  db
    .selectFrom('ssvcTrees')
    .select(['number', 'addedAt', 'addedBy'])
    .select(sql<DecisionTable[]>`tables`.as('tables'))
    .where('workspaceId', '=', workspaceId)
    .orderBy('number')

export const listTrees = (db: Db, workspaceId: string): Promise<TreeRow[]> =>
  selectTrees(db, workspaceId).execute()

export const findTree = (
  db: Db,
  workspaceId: string,
  number: number,
): Promise<TreeRow | undefined> =>
  selectTrees(db, workspaceId).where('number', '=', number).executeTakeFirst()

export async function insertTree(
  tx: Tx,
  workspaceId: string,
  { tables, ...row }: TreeRow,
): Promise<void> {
  await tx
    .insertInto('ssvcTrees')
    .values({ workspaceId, ...row, tables: JSON.stringify(tables) })
    .execute()
}

/** Which of these firmwares and cohorts the workspace has. */
export async function findStated(
  db: Db,
  workspaceId: string,
  { firmwareIds, cohortIds }: { firmwareIds: string[]; cohortIds: string[] },
): Promise<Set<string>> {
  const { rows } = await sql<{ id: string }>`
    select id from firmwares where workspace_id = ${workspaceId} and id = any(${firmwareIds}::uuid[])
    union all
    select id from deployment_cohorts where workspace_id = ${workspaceId} and id = any(${cohortIds}::uuid[])`.execute(
    db,
  )
  return new Set(rows.map(({ id }) => id))
}

export interface FleetVersion {
  firmwareVersionId: string
  firmwareId: string
  number: number
  devices: number
}

/** The versions that hold packages, with the devices that run each. */
export async function listFleetVersions(db: Db, workspaceId: string): Promise<FleetVersion[]> {
  const { rows } = await sql<FleetVersion>`
    select numbered.firmware_version_id, version.firmware_id, numbered.number, coalesce(running.devices, 0)::int as devices
    from workspace_versions as numbered
    join firmware_versions as version
      on version.workspace_id = ${workspaceId} and version.id = numbered.firmware_version_id
    left join (
      select held.id, sum(counts.devices) as devices
      from firmware_set_device_counts as counts cross join unnest(counts.firmware_version_ids) as held (id)
      where counts.workspace_id = ${workspaceId} group by held.id
    ) as running on running.id = numbered.firmware_version_id
    where numbered.workspace_id = ${workspaceId}`.execute(db)
  return rows
}

/** By version, the cohorts of the devices that run it; null: some are in none. Of a million devices this takes seconds. */
export async function listVersionCohorts(
  db: Db,
  workspaceId: string,
): Promise<Map<string, (string | null)[]>> {
  const { rows } = await sql<{ firmwareVersionId: string; cohortIds: (string | null)[] }>`
    select running.firmware_version_id, array_agg(distinct device.cohort_id) as cohort_ids
    from device_firmwares as running
    join devices as device on device.workspace_id = ${workspaceId} and device.id = running.device_id
    where running.workspace_id = ${workspaceId} and running.firmware_version_id is not null
    group by running.firmware_version_id`.execute(db)
  return new Map(rows.map(({ firmwareVersionId, cohortIds }) => [firmwareVersionId, cohortIds]))
}
