import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { createFirstId } from '../../../platform/ids.ts'

export interface Retention {
  workspaceId: string
  metricRetentionDays: number
  /** Sums of hours are kept at least as long as points. */
  metricHourRetentionDays: number
  logRetentionDays: number
}

export async function listRetentions(db: Db): Promise<Retention[]> {
  return db
    .selectFrom('workspaces')
    .select(['id as workspaceId', 'metricRetentionDays', 'logRetentionDays'])
    .select(({ fn }) =>
      fn<number>('greatest', ['metricRetentionDays', 'metricHourRetentionDays']).as(
        'metricHourRetentionDays',
      ),
    )
    .orderBy('id')
    .execute()
}

/** Deletes series that were not seen since then: they received no points since, and the sums of their hours are deleted. */
export async function deleteSeriesUnseenSince(
  db: Db,
  { workspaceId, before }: { workspaceId: string; before: Date },
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('metricSeries')
    .where('workspaceId', '=', workspaceId)
    .where('seenAt', '<', before)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

const RUNS_KEPT = 50

/** Deletes runs that sent nothing since then, all but the newest runs of each device, and runs of deleted devices. */
export async function deleteOldRuns(
  db: Db,
  { workspaceId, before }: { workspaceId: string; before: Date },
): Promise<void> {
  await sql`
    delete from device_run_sequences as run
    where run.workspace_id = ${workspaceId} and (run.updated_at < ${before}
      or not exists (select from devices where workspace_id = ${workspaceId} and id = run.device_id)
      or (run.device_id, run.run_id) in (
        select device_id, run_id from (
          select device_id, run_id,
            row_number() over (partition by device_id order by updated_at desc, run_id) as place
          from device_run_sequences where workspace_id = ${workspaceId}) as placed
        where place > ${RUNS_KEPT}))`.execute(db)
}

/** What is left of a deleted device: values of its series, and its log lines. */
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
  for (const table of [
    'metric_points',
    'metric_packed_hours',
    'metric_hours',
    'metric_packed_days',
  ])
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
