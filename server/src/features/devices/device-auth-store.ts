import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { Db } from '../../platform/db/connect.ts'

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

export async function updateDeviceKeyUse(
  db: Db,
  { workspaceId, keyId, usedAt }: { workspaceId: string; keyId: string; usedAt: Date },
): Promise<void> {
  await db
    .updateTable('deviceKeys')
    .set({ lastUsedAt: usedAt })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', keyId)
    .execute()
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
  const rows = await db
    .insertInto('devices')
    .columns([
      'workspaceId',
      'id',
      'description',
      'tags',
      'attributes',
      'createdAt',
      'effectiveLogSeverity',
    ])
    .expression((from) =>
      from
        .selectFrom(
          sql<{
            id: string
            description: string | null
            tags: unknown
            attributes: unknown
            created_at: Date
          }>`json_to_recordset(${JSON.stringify(
            devices.map((device) => ({ ...device, created_at: device.createdAt })),
          )}::json)
            as device (id text, description text, tags json, attributes jsonb, created_at timestamptz)`.as(
            'device',
          ),
        )
        .innerJoin('workspaces', (join) => join.on('workspaces.id', '=', workspaceId))
        .select([
          'workspaces.id as workspaceId',
          sql<string>`device.id`.as('id'),
          sql<string | null>`device.description`.as('description'),
          sql<string[]>`array(select json_array_elements_text(device.tags))`.as('tags'),
          sql<string>`device.attributes`.as('attributes'),
          sql<Date>`device.created_at`.as('createdAt'),
          'workspaces.defaultLogSeverity',
        ])
        .orderBy(sql`device.id collate "C"`),
    )
    .onConflict((conflict) => conflict.columns(['workspaceId', 'id']).doNothing())
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}
