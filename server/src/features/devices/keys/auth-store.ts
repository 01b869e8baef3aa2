import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { Db } from '../../../platform/db/connect.ts'

export interface KnownKey {
  id: string
  device_id: string | null
  revoked_at: Date | null
  last_used_at: Date | null
  is_device_there: boolean
  device_auto_registration: boolean
}

/** A named statement, looked up at every request and connect: revoking acts at once on every node. */
export async function findDeviceKeyByHash(
  pool: Pool,
  { workspaceId, deviceId, keyHash }: { workspaceId: string; deviceId: string; keyHash: Buffer },
): Promise<KnownKey | undefined> {
  const { rows } = await pool.query<KnownKey>({
    name: 'find-device-key',
    text: `select key.id, key.device_id, key.revoked_at, key.last_used_at, workspace.device_auto_registration,
             exists (
               select from devices where devices.workspace_id = key.workspace_id and devices.id = $2
             ) as is_device_there
           from device_keys as key
           join workspaces as workspace on workspace.id = key.workspace_id
           where key.workspace_id = $1 and key.key_hash = $3`,
    values: [workspaceId, deviceId, keyHash],
  })
  return rows[0]
}

interface KeyUse {
  workspaceId: string
  keyId: string
  usedAt: Date
  /** Written down later than this, it stays as it is. */
  unusedSince: Date
}

/** A fleet that comes back shares a key: one of its devices writes it down, those that meanwhile do so leave it to that. */
export async function updateDeviceKeyUse(
  db: Db,
  { workspaceId, keyId, usedAt, unusedSince }: KeyUse,
): Promise<void> {
  await sql`
    update device_keys as key set last_used_at = ${usedAt}
    from (
      select id from device_keys
      where workspace_id = ${workspaceId} and id = ${keyId}
        and (last_used_at is null or last_used_at <= ${unusedSince})
      for no key update skip locked
    ) as free
    where key.workspace_id = ${workspaceId} and key.id = free.id`.execute(db)
}

export interface NewDevice {
  workspaceId: string
  id: string
  description: string | null
  tags: readonly string[]
  attributes: Readonly<Record<string, unknown>>
  createdAt: Date
}

/** Those that were not there before. The workspace's default is what their configuration begins with. */
export async function insertDevices(
  db: Db,
  workspaceId: string,
  devices: readonly NewDevice[],
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    insert into devices (workspace_id, id, description, tags, attributes, created_at, effective_log_severity)
    select workspace.id, device.id, device.description, array(select json_array_elements_text(device.tags)),
      device.attributes, device."createdAt", workspace.default_log_severity
    from workspaces as workspace,
      json_to_recordset(${JSON.stringify(devices)}::json)
        as device (id text, description text, tags json, attributes jsonb, "createdAt" timestamptz)
    where workspace.id = ${workspaceId}
    order by device.id collate "C"
    on conflict (workspace_id, id) do nothing
    returning id`.execute(db)
  return rows.map(({ id }) => id)
}
