import { sql } from 'kysely'
import type { Pool } from 'pg'
import type { KeyRotation } from '../../../formats/key-rotation.ts'
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
  /** Whether its device fetched it and did not use it yet. */
  isNext?: boolean
}

export async function insertDeviceKey(tx: Db, row: NewDeviceKey): Promise<void> {
  await tx.insertInto('deviceKeys').values(row).execute()
}

export async function lockDeviceKey(tx: Db, workspaceId: string, id: string) {
  return tx
    .selectFrom('deviceKeys')
    .select(['id', 'deviceId', 'name', 'createdAt', 'revokedAt', 'issuerId', 'serial', 'isNext'])
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

/** Beyond `most` keys that the device fetched and did not use, the oldest end. @returns those that ended. */
export async function revokeOldestNext(
  tx: Db,
  {
    workspaceId,
    deviceId,
    most,
    revokedAt,
  }: { workspaceId: string; deviceId: string; most: number; revokedAt: Date },
): Promise<string[]> {
  const beyond = tx
    .selectFrom('deviceKeys')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('deviceId', '=', deviceId)
    .where('isNext', '=', true)
    .where('revokedAt', 'is', null)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .offset(most)
  const rows = await tx
    .updateTable('deviceKeys')
    .set({ revokedAt })
    .where('workspaceId', '=', workspaceId)
    .where('id', 'in', beyond)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id)
}

/** The key is the present one from now on; its device's older ones and those that it fetched besides end. @returns those. */
export async function replaceOlderKeys(
  tx: Db,
  key: { workspaceId: string; deviceId: string; id: string; createdAt: Date; usedAt: Date },
): Promise<string[]> {
  const { workspaceId, deviceId, id } = key
  await tx
    .updateTable('deviceKeys')
    .set({ isNext: false })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
  const rows = await tx
    .updateTable('deviceKeys')
    .set({ revokedAt: key.usedAt })
    .where('workspaceId', '=', workspaceId)
    .where('deviceId', '=', deviceId)
    .where('id', '<>', id)
    .where('issuerId', 'is', null)
    .where('revokedAt', 'is', null)
    .where((is) => is.or([is('isNext', '=', true), is('createdAt', '<=', key.createdAt)]))
    .returning('id')
    .execute()
  return rows.map((one) => one.id).toSorted()
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
): Promise<(KnownKey & { is_next: boolean }) | undefined> {
  const { rows } = await pool.query<KnownKey & { is_next: boolean }>({
    name: 'find-device-key',
    text: `select key.id, key.device_id, key.revoked_at, key.last_used_at, key.is_next, workspace.device_auto_registration,
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

export interface SeenCertificate {
  workspaceId: string
  id: string
  deviceId: string
  name: string
  keyHash: Buffer
  issuerId: string
  serial: string
  expiresAt: Date
  createdAt: Date
}

/** Two nodes may see it first at the same time. */
export async function insertCertificate(db: Db, row: SeenCertificate): Promise<void> {
  await db
    .insertInto('deviceKeys')
    .values({ ...row, createdByEmail: null })
    .onConflict((conflict) => conflict.columns(['workspaceId', 'keyHash']).doNothing())
    .execute()
}

/** Certificates of the device that ended before: a device that gets one each day has many. */
export async function deleteEndedCertificates(
  db: Db,
  { workspaceId, deviceId, before }: { workspaceId: string; deviceId: string; before: Date },
): Promise<void> {
  await db
    .deleteFrom('deviceKeys')
    .where('workspaceId', '=', workspaceId)
    .where('deviceId', '=', deviceId)
    .where('expiresAt', '<', before)
    .execute()
}

export interface Revocation {
  workspaceId: string
  issuerId: string
  serial: string
  revokedAt: Date
  revokedByEmail: string | null
}

/** By somebody of the team. Whether it is new. */
export async function insertRevocation(tx: Db, row: Revocation): Promise<boolean> {
  const result = await tx
    .insertInto('deviceRevocations')
    .values({ ...row, isListed: false })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n
}

/** The next list of the authority takes the place of the one before. */
export async function replaceListedRevocations(
  tx: Db,
  {
    workspaceId,
    issuerId,
    revoked,
  }: {
    workspaceId: string
    issuerId: string
    revoked: readonly { serial: string; revokedAt: Date }[]
  },
): Promise<void> {
  await tx
    .deleteFrom('deviceRevocations')
    .where('workspaceId', '=', workspaceId)
    .where('issuerId', '=', issuerId)
    .where('isListed', '=', true)
    .execute()
  await sql`
    insert into device_revocations (workspace_id, issuer_id, serial, is_listed, revoked_at)
    select ${workspaceId}, ${issuerId}, listed.serial, true, listed."revokedAt"
    from json_to_recordset(${JSON.stringify(revoked)}::json) as listed (serial text, "revokedAt" timestamptz)`.execute(
    tx,
  )
}

/** Certificates that were seen are shown as revoked from now on; those that a list has no more are not. */
export async function markRevoked(
  tx: Db,
  { workspaceId, issuerId, revokedAt }: { workspaceId: string; issuerId: string; revokedAt: Date },
): Promise<{ revoked: number; restored: number }> {
  const { rows } = await sql<{ isRevoked: boolean }>`
    update device_keys as key
    set revoked_at = case when key.revoked_at is null then ${revokedAt}::timestamptz end
    where key.workspace_id = ${workspaceId} and key.issuer_id = ${issuerId}
      and (key.revoked_at is null) = exists (
        select from device_revocations as revocation
        where revocation.workspace_id = ${workspaceId} and revocation.issuer_id = ${issuerId}
          and revocation.serial = key.serial)
    returning key.revoked_at is not null as is_revoked`.execute(tx)
  const revoked = rows.filter(({ isRevoked }) => isRevoked).length
  return { revoked, restored: rows.length - revoked }
}

/** Of a `rotation` of a `device`: who was told, was in contact for an hour more and fetched nothing seems not to know how. */
const rotationState = sql`case
  when rotation.done_at is not null then 'Done'
  when rotation.fetched_at is not null then 'Fetched'
  when device.door = 'Ddi' or rotation.refused_at is not null
    or device.last_seen_at > rotation.told_at + interval '1 hour' then 'Unable'
  when rotation.told_at is not null then 'Told'
  else 'Asked' end`

/** The newest request that one `device` shall fetch its next key; null: it was never asked. */
export const selectRotation = (workspaceId: string) => sql<RotationRow | null>`(
  select json_build_object('state', ${rotationState}, 'askedAt', rotation.asked_at, 'askedByEmail', rotation.asked_by_email,
    'isScheduled', rotation.is_scheduled,
    'toldAt', rotation.told_at, 'refusedAt', rotation.refused_at, 'fetchedAt', rotation.fetched_at,
    'doneAt', rotation.done_at, 'isHawkbit', coalesce(device.door = 'Ddi', false))
  from device_key_rotations as rotation
  where rotation.workspace_id = ${workspaceId} and rotation.device_id = device.id)`

/** Whether the request of one `device` is in one of the states. */
export const hasRotation = (workspaceId: string, states: readonly string[]) => sql`exists (
  select from device_key_rotations as rotation
  where rotation.workspace_id = ${workspaceId} and rotation.device_id = device.id
    and ${rotationState} = any(${states}::text[]))`

/** A request as PostgreSQL's JSON has it: instants are texts. */
export interface RotationRow extends Pick<
  KeyRotation,
  'state' | 'askedByEmail' | 'isScheduled' | 'isHawkbit'
> {
  askedAt: string
  toldAt: string | null
  refusedAt: string | null
  fetchedAt: string | null
  doneAt: string | null
}

export function readRotation(row: RotationRow): KeyRotation {
  const asInstant = (text: string | null) => (text === null ? null : new Date(text))
  return {
    ...row,
    askedAt: new Date(row.askedAt),
    toldAt: asInstant(row.toldAt),
    refusedAt: asInstant(row.refusedAt),
    fetchedAt: asInstant(row.fetchedAt),
    doneAt: asInstant(row.doneAt),
  }
}

/** Keys of a device `key` that are its own and in force, without certificates and without those that it did not use yet. */
export const isOwnKey = sql`key.device_id is not null and key.issuer_id is null and key.revoked_at is null and not key.is_next`

/** When the oldest own key of one `device` was made; null: it has none. */
export const selectOldestKeyAt = (workspaceId: string) => sql<Date | null>`(
  select min(key.created_at) from device_keys as key
  where key.workspace_id = ${workspaceId} and key.device_id = device.id and ${isOwnKey})`
