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
