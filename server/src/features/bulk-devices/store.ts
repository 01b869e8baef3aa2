/** Many devices at once. */
import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'

interface Devices {
  workspaceId: string
  deviceIds: readonly string[]
}

/** @returns those of the devices that still exist, in order. */
export async function listPresent(
  db: Db,
  { workspaceId, deviceIds }: Devices,
): Promise<{ id: string; connected: boolean }[]> {
  return db
    .selectFrom('devices')
    .select(['id', 'connected'])
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${deviceIds}::text[])`)
    .orderBy('id')
    .execute()
}

export interface TagChange {
  add: readonly string[]
  remove: readonly string[]
}

/** The tags that a device has afterwards, in order. */
const tagsAfter = ({ add, remove }: TagChange): RawBuilder<unknown> => sql`array(
  select distinct tag collate "C" from unnest(device.tags || ${[...add]}::text[]) as tag
  where tag <> all(${[...remove]}::text[]) order by 1)`

/** Finds a device that would have more tags than `most`. */
export async function findOverfull(
  tx: Tx,
  { workspaceId, deviceIds }: Devices,
  change: TagChange & { most: number },
): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select device.id from devices as device
    where device.workspace_id = ${workspaceId} and device.id = any(${[...deviceIds]}::text[])
      and cardinality(${tagsAfter(change)}) > ${change.most}
    order by device.id limit 1`.execute(tx)
  return rows[0]?.id
}

/** @returns the ids of the devices whose tags are others now. */
export async function changeTags(
  tx: Tx,
  { workspaceId, deviceIds }: Devices,
  change: TagChange,
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with changed as materialized (
      select device.id, ${tagsAfter(change)} as tags from devices as device
      where device.workspace_id = ${workspaceId} and device.id = any(${[...deviceIds]}::text[]))
    update devices as device set tags = changed.tags from changed
    where device.workspace_id = ${workspaceId} and device.id = changed.id
      and not (device.tags @> changed.tags and changed.tags @> device.tags)
    returning device.id`.execute(tx)
  return rows.map(({ id }) => id)
}
