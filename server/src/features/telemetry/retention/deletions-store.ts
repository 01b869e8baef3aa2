/** What is left of deleted devices: values of their series, and their log lines. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { createFirstId } from '../../../platform/ids.ts'

export interface DeletedDevice {
  deviceId: string
  seriesIds: readonly number[]
}

/** A device that is deleted again before its data was has the series of both. */
export async function insertDeletedDevices(
  tx: Tx,
  { workspaceId, at }: { workspaceId: string; at: Date },
  devices: readonly DeletedDevice[],
): Promise<void> {
  await sql`
    insert into deleted_devices (workspace_id, device_id, deleted_at, series_ids, first_later_line)
    select ${workspaceId}, given.device_id, ${at}, given.series_ids::bigint[], ${createFirstId(at)}
    from unnest(
      ${devices.map(({ deviceId }) => deviceId)}::text[],
      ${devices.map(({ seriesIds }) => `{${seriesIds.join(',')}}`)}::text[]
    ) as given (device_id, series_ids)
    on conflict (workspace_id, device_id) do update
    set deleted_at = excluded.deleted_at, series_ids = deleted_devices.series_ids || excluded.series_ids,
      first_later_line = excluded.first_later_line`.execute(tx)
}

export async function listWorkspacesWithDeletions(db: Db, before: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('deletedDevices')
    .select('workspaceId')
    .distinct()
    .where('deletedAt', '<', before)
    .orderBy('workspaceId')
    .execute()
  return rows.map(({ workspaceId }) => workspaceId)
}

/** Until the transaction ends, no other worker gets these devices. */
export async function takeDeletedDevices(
  tx: Tx,
  workspaceId: string,
  { before, limit }: { before: Date; limit: number },
): Promise<DeletedDevice[]> {
  return tx
    .selectFrom('deletedDevices')
    .select(['deviceId', 'seriesIds'])
    .where('workspaceId', '=', workspaceId)
    .where('deletedAt', '<', before)
    .orderBy('deviceId')
    .limit(limit)
    .forUpdate()
    .skipLocked()
    .execute()
}

export async function deleteDeletedDevices(
  tx: Tx,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom('deletedDevices')
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`device_id = any(${deviceIds}::text[])`)
    .execute()
}

export async function deleteValues(
  tx: Tx,
  workspaceId: string,
  seriesIds: readonly number[],
): Promise<void> {
  for (const table of ['metric_points', 'metric_packed_hours', 'metric_hours'])
    await sql`
      delete from ${sql.table(table)}
      where workspace_id = ${workspaceId} and series_id = any(${seriesIds}::bigint[])`.execute(tx)
}

/**
 * Deletes a batch of lines of a device that was deleted; a device that has its id now keeps its own. Answers how many.
 */
export async function deleteLines(
  tx: Tx,
  { workspaceId, deviceId }: { workspaceId: string; deviceId: string },
  limit: number,
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from device_logs
    where workspace_id = ${workspaceId} and (time, id) in (
      select line.time, line.id from device_logs as line
      where line.workspace_id = ${workspaceId} and line.device_id = ${deviceId} and (
        not exists (select from devices where workspace_id = ${workspaceId} and id = ${deviceId})
        or line.id < (select first_later_line from deleted_devices
          where workspace_id = ${workspaceId} and device_id = ${deviceId}))
      limit ${limit})`.execute(tx)
  return Number(numAffectedRows ?? 0)
}
