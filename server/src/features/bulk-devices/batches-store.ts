/** Commands that changed tags or cohorts of devices, and what each device had before. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'

export type DeviceBatchAct = 'Tag' | 'Move'

interface NamedBatch {
  workspaceId: string
  batchId: string
}

export interface NewBatch extends NamedBatch {
  createdAt: Date
  createdByEmail: string | null
  act: DeviceBatchAct
}

/** The devices are locked, and are as the command finds them. */
export async function insertBatch(
  tx: Tx,
  { workspaceId, batchId, ...row }: NewBatch,
  deviceIds: readonly string[],
): Promise<void> {
  await tx
    .insertInto('deviceBatches')
    .values({ workspaceId, id: batchId, ...row })
    .execute()
  await sql`
    insert into device_batch_devices (workspace_id, batch_id, device_id,
      tags_before, cohort_id_before, cohort_by_rule_before, tags_after, cohort_id_after, cohort_by_rule_after)
    select workspace_id, ${batchId}, id, tags, cohort_id, cohort_by_rule, tags, cohort_id, cohort_by_rule
    from devices where workspace_id = ${workspaceId} and id = any(${[...deviceIds]}::text[])`.execute(
    tx,
  )
}

const differs = sql`(device.tags, device.cohort_id, device.cohort_by_rule)
  is distinct from (entry.tags_before, entry.cohort_id_before, entry.cohort_by_rule_before)`

/** After the command: keeps those of its devices that it changed. Without any there is no batch. @returns whether there is one. */
export async function completeBatch(tx: Tx, { workspaceId, batchId }: NamedBatch) {
  const { rows } = await sql<{ changed: number }>`
    with changed as (
      update device_batch_devices as entry
      set tags_after = device.tags, cohort_id_after = device.cohort_id, cohort_by_rule_after = device.cohort_by_rule
      from devices as device
      where entry.workspace_id = ${workspaceId} and entry.batch_id = ${batchId}
        and device.workspace_id = ${workspaceId} and device.id = entry.device_id and ${differs}
      returning entry.device_id),
    unchanged as (
      delete from device_batch_devices as entry using devices as device
      where entry.workspace_id = ${workspaceId} and entry.batch_id = ${batchId}
        and device.workspace_id = ${workspaceId} and device.id = entry.device_id and not ${differs})
    select count(*)::int as changed from changed`.execute(tx)
  const isAny = rows.some(({ changed }) => changed > 0)
  if (!isAny) await deleteBatch(tx, { workspaceId, batchId })
  return isAny
}

async function deleteBatch(tx: Tx, { workspaceId, batchId }: NamedBatch): Promise<void> {
  await tx
    .deleteFrom('deviceBatches')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', batchId)
    .execute()
}

export async function deleteBatchesBefore(tx: Tx, workspaceId: string, at: Date): Promise<void> {
  await tx
    .deleteFrom('deviceBatches')
    .where('workspaceId', '=', workspaceId)
    .where('createdAt', '<', at)
    .execute()
}

/** So that it is taken back once. */
export async function lockBatch(
  tx: Tx,
  { workspaceId, batchId }: NamedBatch,
  act: DeviceBatchAct,
): Promise<{ undoneAt: Date | null; undoneByEmail: string | null } | undefined> {
  return tx
    .selectFrom('deviceBatches')
    .select(['undoneAt', 'undoneByEmail'])
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', batchId)
    .where('act', '=', act)
    .forUpdate()
    .executeTakeFirst()
}

export async function listBatchDevices(db: Db, { workspaceId, batchId }: NamedBatch) {
  const rows = await db
    .selectFrom('deviceBatchDevices')
    .select('deviceId')
    .where('workspaceId', '=', workspaceId)
    .where('batchId', '=', batchId)
    .orderBy('deviceId')
    .execute()
  return rows.map(({ deviceId }) => deviceId)
}

export interface BatchDevice {
  id: string
  cohortId: string | null
  byRule: boolean
  /** The device is as the command left it, and its cohort of before is still there. */
  isRestorable: boolean
}

/** In order, with what each had before. */
export async function listRestorable(
  tx: Tx,
  { workspaceId, batchId }: NamedBatch,
): Promise<BatchDevice[]> {
  const { rows } = await sql<BatchDevice>`
    select entry.device_id as id, entry.cohort_id_before as cohort_id, entry.cohort_by_rule_before as by_rule,
      device.id is not null
        and (device.tags, device.cohort_id, device.cohort_by_rule)
          is not distinct from (entry.tags_after, entry.cohort_id_after, entry.cohort_by_rule_after)
        and (entry.cohort_id_before is null or cohort.id is not null) as is_restorable
    from device_batch_devices as entry
    left join devices as device on device.workspace_id = entry.workspace_id and device.id = entry.device_id
    left join deployment_cohorts as cohort
      on cohort.workspace_id = entry.workspace_id and cohort.id = entry.cohort_id_before
    where entry.workspace_id = ${workspaceId} and entry.batch_id = ${batchId}
    order by entry.device_id`.execute(tx)
  return rows
}

/** The tags that the devices had before the command. */
export async function restoreTags(
  tx: Tx,
  { workspaceId, batchId }: NamedBatch,
  deviceIds: readonly string[],
): Promise<void> {
  await sql`
    update devices as device set tags = entry.tags_before from device_batch_devices as entry
    where entry.workspace_id = ${workspaceId} and entry.batch_id = ${batchId}
      and entry.device_id = any(${[...deviceIds]}::text[])
      and device.workspace_id = ${workspaceId} and device.id = entry.device_id
      and device.tags <> entry.tags_before`.execute(tx)
}
