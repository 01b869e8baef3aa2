import type { Pool } from 'pg'
import type { Db } from '../../../platform/db/connect.ts'

export interface NewDeviceKey {
  workspaceId: string
  id: string
  /** null: a key of the fleet. */
  deviceId: string | null
  name: string
  keyHash: Buffer
  createdByEmail: string | null
  createdAt: Date
}

export async function insertDeviceKey(tx: Db, row: NewDeviceKey): Promise<void> {
  await tx.insertInto('deviceKeys').values(row).execute()
}

/** Includes revoked keys; the oldest first. */
export async function listDeviceKeys(db: Db, workspaceId: string, deviceId: string | undefined) {
  return db
    .selectFrom('deviceKeys')
    .select(['id', 'deviceId', 'name', 'createdByEmail', 'createdAt', 'revokedAt', 'lastUsedAt'])
    .where('workspaceId', '=', workspaceId)
    .$if(deviceId !== undefined, (query) =>
      query.where((is) => is.or([is('deviceId', '=', deviceId ?? ''), is('deviceId', 'is', null)])),
    )
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

export async function lockDeviceKey(tx: Db, workspaceId: string, id: string) {
  return tx
    .selectFrom('deviceKeys')
    .select(['id', 'deviceId', 'name', 'revokedAt'])
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

export async function revokeDeviceKey(
  tx: Db,
  { workspaceId, id, revokedAt }: { workspaceId: string; id: string; revokedAt: Date },
): Promise<void> {
  await tx
    .updateTable('deviceKeys')
    .set({ revokedAt })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export interface KnownKey {
  id: string
  device_id: string | null
  revoked_at: Date | null
  last_used_at: Date | null
  is_device_there: boolean
  device_auto_registration: boolean
}

/** A named statement. It runs for every request and connection, so that a revoked key is refused at once on every node. */
export async function findDeviceKeyByHash(
  pool: Pool,
  { workspaceId, deviceId, keyHash }: { workspaceId: string; deviceId: string; keyHash: Buffer },
): Promise<KnownKey | undefined> {
  const { rows } = await pool.query<KnownKey>({
    name: 'find-device-key',
    text: `select key.id, key.device_id, key.revoked_at, key.last_used_at, workspace.device_auto_registration,
             exists (
               select from devices where devices.workspace_id = $1 and devices.id = $2
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
  /** A later recorded use is not changed. */
  unusedSince: Date
}

/** Skips a locked row: devices of a fleet share a key, and one of them records its use. */
export async function updateDeviceKeyUse(
  db: Db,
  { workspaceId, keyId, usedAt, unusedSince }: KeyUse,
): Promise<void> {
  const free = db
    .selectFrom('deviceKeys')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', keyId)
    .where((eb) => eb.or([eb('lastUsedAt', 'is', null), eb('lastUsedAt', '<=', unusedSince)]))
    .forNoKeyUpdate()
    .skipLocked()
  await db
    .updateTable('deviceKeys as key')
    .from(free.as('free'))
    .set({ lastUsedAt: usedAt })
    .where('key.workspaceId', '=', workspaceId)
    .whereRef('key.id', '=', 'free.id')
    .execute()
}
