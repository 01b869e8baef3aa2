import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'

/** Uses the clock of the database, as the clocks of nodes differ. */
export async function beatGateway(db: Db, gateway: { id: string; startedAt: Date }): Promise<void> {
  await db
    .insertInto('gateways')
    .values({ ...gateway, beatAt: sql`clock_timestamp()` })
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ beatAt: sql`clock_timestamp()` }))
    .execute()
}

const isSilent = sql<boolean>`beat_at < clock_timestamp() - interval '30 seconds'`

export async function listSilentGateways(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('gateways').select('id').where(isSilent).orderBy('id').execute()
  return rows.map(({ id }) => id)
}

/** Held while its devices are disconnected, so that a beat waits. false: it lives, or another node holds the lock. */
export async function lockSilentGateway(tx: Db, id: string): Promise<boolean> {
  const row = await tx
    .selectFrom('gateways')
    .select('id')
    .where('id', '=', id)
    .where(isSilent)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  return row !== undefined
}

export async function deleteGateway(tx: Db, id: string): Promise<void> {
  await tx.deleteFrom('gateways').where('id', '=', id).execute()
}

/** The last beat. */
export async function findBeat(tx: Db, id: string): Promise<Date | undefined> {
  const row = await tx
    .selectFrom('gateways')
    .select('beatAt')
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.beatAt
}

export async function listConnectedDevices(
  db: Db,
  { workspaceId, gatewayId, limit }: { workspaceId: string; gatewayId: string; limit: number },
): Promise<string[]> {
  const rows = await db
    .selectFrom('devices')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('gatewayId', '=', gatewayId)
    .where('connected', '=', true)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** The rows have to be locked, and still connected at that gateway. */
export async function disconnectDevices(
  tx: Db,
  workspaceId: string,
  { deviceIds, beatAt }: { deviceIds: readonly string[]; beatAt: Date | undefined },
): Promise<void> {
  await tx
    .updateTable('devices')
    .set({
      connected: false,
      connectionId: null,
      gatewayId: null,
      lastSeenAt: sql`greatest(last_seen_at, ${beatAt ?? null}::timestamptz(3))`,
    })
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${deviceIds}::text[])`)
    .execute()
}

export interface PresenceChange {
  deviceId: string
  at: Date
  kind: 'Started' | 'Connected' | 'Disconnected'
}

export async function insertPresenceChanges(
  tx: Db,
  workspaceId: string,
  changes: readonly PresenceChange[],
): Promise<void> {
  if (changes.length === 0) return
  await sql`
    insert into device_presence_changes (workspace_id, device_id, at, kind)
    select ${workspaceId}, change.device_id, change.at, change.kind
    from unnest(${changes.map((one) => one.deviceId)}::text[], ${changes.map((one) => one.at)}::timestamptz[],
      ${changes.map((one) => one.kind)}::text[]) as change (device_id, at, kind)`.execute(tx)
}

export async function deletePresenceChanges(
  db: Db,
  workspaceId: string,
  before: Date,
): Promise<void> {
  await db
    .deleteFrom('devicePresenceChanges')
    .where('workspaceId', '=', workspaceId)
    .where('at', '<', before)
    .execute()
}
