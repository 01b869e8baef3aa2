import { sql } from 'kysely'
import type { LogSeverity } from '../../../formats/device-messages/model.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'

export interface Selection {
  deploymentCohortId: string | null
  /** undefined: all devices in the cohort. */
  deviceIds: readonly string[] | undefined
}

interface NewChange {
  workspaceId: string
  id: string
  logSeverity: LogSeverity | null
  createdAt: Date
  createdByEmail: string | null
}

/** Records the change with the devices that the selection means now. Answers how many there are. */
export async function insertChange(
  tx: Tx,
  change: NewChange,
  { deploymentCohortId, deviceIds }: Selection,
): Promise<number> {
  const { workspaceId, id } = change
  const selection = JSON.stringify({ deploymentCohortId })
  await tx
    .insertInto('deviceConfigurationChanges')
    .values({ ...change, selection, state: 'InProgress', total: 0 })
    .execute()
  const meant = deviceIds
    ? sql`device.id = any(${deviceIds}::text[])`
    : sql`device.cohort_id = ${deploymentCohortId}::uuid`
  const { numAffectedRows } = await sql`
    insert into device_configuration_change_devices (workspace_id, change_id, device_id)
    select device.workspace_id, ${id}, device.id from devices as device
    where device.workspace_id = ${workspaceId} and ${meant}
    order by device.id`.execute(tx)
  const total = Number(numAffectedRows ?? 0)
  await tx
    .updateTable('deviceConfigurationChanges')
    .set({ total })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
  return total
}

export async function listKnownDevices(
  db: Db,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('devices')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${deviceIds}::text[])`)
    .execute()
  return rows.map(({ id }) => id)
}

export async function isCohortThere(db: Db, workspaceId: string, id: string): Promise<boolean> {
  const row = await db
    .selectFrom('deploymentCohorts')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}

function selectChanges(db: Db, workspaceId: string) {
  return db
    .selectFrom('deviceConfigurationChanges as change')
    .select(['change.id', 'change.state', 'change.logSeverity', 'change.createdAt'])
    .select(['change.createdByEmail', 'change.finishedAt'])
    .select(['change.total', 'change.changed', 'change.failed'])
    .select(sql<string | null>`change.selection->>'deploymentCohortId'`.as('deploymentCohortId'))
    .select(
      sql<number>`(
        select count(*)::int from device_configuration_change_devices as named
        join devices as device on device.workspace_id = named.workspace_id and device.id = named.device_id
        where named.workspace_id = ${workspaceId} and named.change_id = change.id and named.version
          <= (device.reported_configuration->>'acknowledgedDesiredConfigurationVersion')::bigint
      )`.as('acknowledged'),
    )
    .where('change.workspaceId', '=', workspaceId)
    .$narrowType<{
      logSeverity: LogSeverity | null
      state: 'InProgress' | 'Completed' | 'Failed'
    }>()
}

export async function findChange(db: Db, workspaceId: string, id: string) {
  return selectChanges(db, workspaceId).where('change.id', '=', id).executeTakeFirst()
}

export async function listNewestChanges(db: Db, workspaceId: string, limit: number) {
  return selectChanges(db, workspaceId)
    .orderBy('change.createdAt', 'desc')
    .orderBy('change.id', 'desc')
    .limit(limit)
    .execute()
}

/** One job at a time works on a change. */
export async function lockChange(tx: Db, workspaceId: string, id: string) {
  return tx
    .selectFrom('deviceConfigurationChanges')
    .select(['state', 'logSeverity', 'doneThrough'])
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .$narrowType<{ logSeverity: LogSeverity | null }>()
    .forNoKeyUpdate()
    .executeTakeFirst()
}

/** The next devices in the order of their ids, in which they are locked. */
export async function listNextDeviceIds(
  db: Db,
  workspaceId: string,
  { changeId, after, limit }: { changeId: string; after: string | null; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('deviceConfigurationChangeDevices')
    .select('deviceId')
    .where('workspaceId', '=', workspaceId)
    .where('changeId', '=', changeId)
    .where('deviceId', '>', after ?? '')
    .orderBy('deviceId')
    .limit(limit)
    .execute()
  return rows.map(({ deviceId }) => deviceId)
}

/** Records the desired version of each device that holds the change. */
export async function recordVersions(
  tx: Db,
  workspaceId: string,
  { changeId, deviceIds }: { changeId: string; deviceIds: readonly string[] },
): Promise<void> {
  await tx
    .updateTable('deviceConfigurationChangeDevices as named')
    .from('devices as device')
    .set((eb) => ({ version: eb.ref('device.desiredVersion') }))
    .where('named.workspaceId', '=', workspaceId)
    .where('named.changeId', '=', changeId)
    .where(sql<boolean>`named.device_id = any(${deviceIds}::text[])`)
    .where('device.workspaceId', '=', workspaceId)
    .whereRef('device.id', '=', 'named.deviceId')
    .execute()
}

export async function recordProgress(
  tx: Db,
  workspaceId: string,
  done: { changeId: string; doneThrough: string; changed: number; failed: number },
): Promise<void> {
  await tx
    .updateTable('deviceConfigurationChanges')
    .set((row) => ({
      doneThrough: done.doneThrough,
      changed: row('changed', '+', done.changed),
      failed: row('failed', '+', done.failed),
    }))
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', done.changeId)
    .execute()
}

export async function finishChange(
  db: Db,
  workspaceId: string,
  end: { changeId: string; state: 'Completed' | 'Failed'; at: Date },
): Promise<void> {
  await db
    .updateTable('deviceConfigurationChanges')
    .set({ state: end.state, finishedAt: end.at })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', end.changeId)
    .where('state', '=', 'InProgress')
    .execute()
}
