import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'

interface OneDevice {
  workspaceId: string
  deviceId: string
}

interface Devices {
  workspaceId: string
  deviceIds: readonly string[]
}

/** What stands in the way of each device, which are in the order of their ids. */
export interface Candidate {
  id: string
  isHawkbit: boolean
  isOpen: boolean
  /** Keys of its own that are in force, without those that it did not use yet. */
  ownKeys: number
}

export async function listCandidates(
  db: Db,
  { workspaceId, deviceIds }: Devices,
): Promise<Candidate[]> {
  const { rows } = await sql<Candidate>`
    select device.id, coalesce(device.door = 'Ddi', false) as is_hawkbit,
      exists (
        select from device_key_rotations as rotation
        where rotation.workspace_id = ${workspaceId} and rotation.device_id = device.id and rotation.done_at is null
      ) as is_open,
      (select count(*)::int from device_keys as key
        where key.workspace_id = ${workspaceId} and key.device_id = device.id and key.issuer_id is null
          and key.revoked_at is null and not key.is_next) as own_keys
    from devices as device
    where device.workspace_id = ${workspaceId} and device.id = any(${deviceIds}::text[])
    order by device.id`.execute(db)
  return rows
}

/** Leaves open requests as they are. @returns the devices that are asked now. */
export async function insertRotations(
  tx: Tx,
  {
    workspaceId,
    deviceIds,
    ...asked
  }: Devices & {
    batchId: string
    isScheduled: boolean
    askedAt: Date
    askedByEmail: string | null
  },
): Promise<string[]> {
  const { rows } = await sql<{ deviceId: string }>`
    insert into device_key_rotations as rotation (workspace_id, device_id, batch_id, is_scheduled, asked_at, asked_by_email)
    select ${workspaceId}, device.id, ${asked.batchId}, ${asked.isScheduled}, ${asked.askedAt}, ${asked.askedByEmail}
    from devices as device
    where device.workspace_id = ${workspaceId} and device.id = any(${deviceIds}::text[])
    order by device.id
    on conflict (workspace_id, device_id) do update set
      batch_id = excluded.batch_id, is_scheduled = excluded.is_scheduled, asked_at = excluded.asked_at, asked_by_email = excluded.asked_by_email,
      told_at = null, refused_at = null, fetched_at = null, done_at = null
      where rotation.done_at is not null
    returning rotation.device_id`.execute(tx)
  return rows.map(({ deviceId }) => deviceId)
}

/** Whoever fetches or uses a next key waits here, so that one device does one thing after the other. */
export async function lockRotation(tx: Tx, { workspaceId, deviceId }: OneDevice) {
  return tx
    .selectFrom('deviceKeyRotations')
    .select(['batchId', 'fetchedAt', 'doneAt'])
    .where('workspaceId', '=', workspaceId)
    .where('deviceId', '=', deviceId)
    .forUpdate()
    .executeTakeFirst()
}

export async function deleteRotation(tx: Tx, { workspaceId, deviceId }: OneDevice): Promise<void> {
  await tx
    .deleteFrom('deviceKeyRotations')
    .where('workspaceId', '=', workspaceId)
    .where('deviceId', '=', deviceId)
    .execute()
}

interface Batch {
  workspaceId: string
  batchId: string
}

/** Requests of which nothing was fetched. @returns their devices. */
export async function deleteUnfetched(tx: Tx, { workspaceId, batchId }: Batch): Promise<string[]> {
  const rows = await tx
    .deleteFrom('deviceKeyRotations')
    .where('workspaceId', '=', workspaceId)
    .where('batchId', '=', batchId)
    .where('fetchedAt', 'is', null)
    .returning('deviceId')
    .execute()
  return rows.map(({ deviceId }) => deviceId).toSorted()
}

export async function countRotations(db: Db, { workspaceId, batchId }: Batch): Promise<number> {
  const { count } = await db
    .selectFrom('deviceKeyRotations')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('workspaceId', '=', workspaceId)
    .where('batchId', '=', batchId)
    .executeTakeFirstOrThrow()
  return count
}

/** Open requests of these devices. */
export async function listOpenRotations(
  db: Db,
  { workspaceId, deviceIds }: Devices,
): Promise<{ deviceId: string; toldAt: Date | null }[]> {
  return db
    .selectFrom('deviceKeyRotations')
    .select(['deviceId', 'toldAt'])
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`device_id = any(${deviceIds}::text[])`)
    .where('doneAt', 'is', null)
    .execute()
}

export async function updateTold(
  db: Db,
  { workspaceId, deviceIds }: Devices,
  toldAt: Date,
): Promise<void> {
  await db
    .updateTable('deviceKeyRotations')
    .set({ toldAt })
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`device_id = any(${deviceIds}::text[])`)
    .where('toldAt', 'is', null)
    .execute()
}

interface RotationChange {
  refusedAt?: Date | null
  fetchedAt?: Date
  doneAt?: Date
}

export async function updateRotation(
  db: Db,
  { workspaceId, deviceId }: OneDevice,
  change: RotationChange,
): Promise<void> {
  await db
    .updateTable('deviceKeyRotations')
    .set(change)
    .where('workspaceId', '=', workspaceId)
    .where('deviceId', '=', deviceId)
    .where('doneAt', 'is', null)
    .execute()
}
