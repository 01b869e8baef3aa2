/** Devices by the age of their oldest own key. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import { isOwnKey } from '../keys/age-store.ts'
import { buildConditions, type ChosenDevice, type DeviceQuery, readDirection } from './store.ts'

/** Sorts devices without an own key behind all others, whatever the direction: nothing is known of the age of what they use. */
const NONE = 'none'

/** In two statements that each follow an index: one that sorts all devices looks up the keys of each of them first. */
export async function listByKeyAge(db: Db, query: DeviceQuery): Promise<ChosenDevice[]> {
  const { limit, after } = query
  const kept = await buildConditions(db, query)
  if (after?.[0] === NONE) return listWithoutKey(db, query, kept)
  const rows = await listWithKey(db, query, kept)
  if (rows.length === limit) return rows
  const rest = { ...query, limit: limit - rows.length, after: undefined }
  return [...rows, ...(await listWithoutKey(db, rest, kept))]
}

async function listWithKey(
  db: Db,
  { workspaceId, ascending, limit, after }: DeviceQuery,
  kept: RawBuilder<unknown>,
): Promise<ChosenDevice[]> {
  const { direction, beyond } = readDirection(ascending)
  const { rows } = await sql<ChosenDevice>`
    select device.id, json_build_array(key.created_at::text, device.id) as sort_values
    from device_keys as key
    join devices as device on device.workspace_id = ${workspaceId} and device.id = key.device_id
    where key.workspace_id = ${workspaceId} and ${isOwnKey} ${kept}
      and not exists (
        select from device_keys as older
        where older.workspace_id = ${workspaceId} and older.device_id = key.device_id and older.issuer_id is null
          and older.revoked_at is null and not older.is_next and (older.created_at, older.id) < (key.created_at, key.id))
      ${after ? sql`and (key.created_at, key.device_id) ${beyond} (${after[0]}::timestamptz, ${after[1]}::text collate "C")` : sql``}
    order by key.created_at ${direction}, key.device_id ${direction} limit ${limit}`.execute(db)
  return rows
}

async function listWithoutKey(
  db: Db,
  { workspaceId, ascending, limit, after }: DeviceQuery,
  kept: RawBuilder<unknown>,
): Promise<ChosenDevice[]> {
  const { direction, beyond } = readDirection(ascending)
  const { rows } = await sql<ChosenDevice>`
    select device.id, json_build_array(${NONE}::text, device.id) as sort_values
    from devices as device
    where device.workspace_id = ${workspaceId} ${kept}
      and not exists (
        select from device_keys as key
        where key.workspace_id = ${workspaceId} and key.device_id = device.id and ${isOwnKey})
      ${after ? sql`and device.id ${beyond} ${after[1]}::text collate "C"` : sql``}
    order by device.id ${direction} limit ${limit}`.execute(db)
  return rows
}
