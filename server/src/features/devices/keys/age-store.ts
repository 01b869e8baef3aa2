/** How keys of devices stand: how old they are, and whether their devices replace them. */
import { sql } from 'kysely'
import type { KeyRotation } from '../../../formats/key-rotation.ts'
import type { Db } from '../../../platform/db/connect.ts'

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

export interface ListedKey {
  id: string
  deviceId: string | null
  name: string
  createdByEmail: string | null
  createdAt: Date
  revokedAt: Date | null
  lastUsedAt: Date | null
  isNext: boolean
  issuerId: string | null
  issuerName: string | null
  serial: string | null
  expiresAt: Date | null
  /** null: no device of the id of the key is registered. */
  holder: { isHawkbit: boolean; lastSeenAt: string | null; wantedDays: number } | null
  /** The newest request to its device. */
  rotation: RotationRow | null
}

/** Includes revoked keys; the oldest first. */
export async function listDeviceKeys(
  db: Db,
  workspaceId: string,
  deviceId: string | undefined,
): Promise<ListedKey[]> {
  const { rows } = await sql<ListedKey>`
    select key.id, key.device_id, key.name, key.created_by_email, key.created_at, key.revoked_at, key.last_used_at,
      key.is_next, key.issuer_id, issuer.name as issuer_name, key.serial, key.expires_at,
      case when device.id is not null then json_build_object(
        'isHawkbit', coalesce(device.door = 'Ddi', false), 'lastSeenAt', device.last_seen_at,
        'wantedDays', coalesce(cohort.key_rotation_days, workspace.device_key_rotation_days, 0)) end as holder,
      ${selectRotation(workspaceId)} as rotation
    from device_keys as key
    join workspaces as workspace on workspace.id = key.workspace_id
    left join device_issuers as issuer on issuer.workspace_id = ${workspaceId} and issuer.id = key.issuer_id
    left join devices as device on device.workspace_id = ${workspaceId} and device.id = key.device_id
    left join deployment_cohorts as cohort on cohort.workspace_id = ${workspaceId} and cohort.id = device.cohort_id
    where key.workspace_id = ${workspaceId}
      ${deviceId === undefined ? sql`` : sql`and (key.device_id = ${deviceId} or key.device_id is null)`}
    order by key.created_at, key.id`.execute(db)
  return rows
}

interface KeyHolders {
  devices: number
  /** Of these, those with a key of their own in force. */
  withOwnKey: number
  /** Keys of all devices in force. */
  fleetKeys: number
}

/** Who has keys of which the age is known. `cohortId`: of its devices alone; null: of all. */
export async function countKeyHolders(
  db: Db,
  { workspaceId, cohortId }: { workspaceId: string; cohortId: string | null },
): Promise<KeyHolders> {
  const { rows } = await sql<KeyHolders>`
    select count(*)::int as devices, count(*) filter (where device.id in (
        select key.device_id from device_keys as key where key.workspace_id = ${workspaceId} and ${isOwnKey}
      ))::int as with_own_key,
      (select count(*)::int from device_keys as fleet
        where fleet.workspace_id = ${workspaceId} and fleet.device_id is null and fleet.revoked_at is null) as fleet_keys
    from devices as device
    where device.workspace_id = ${workspaceId}
      and (${cohortId}::text is null or device.cohort_id::text = ${cohortId})`.execute(db)
  const [counts] = rows
  if (!counts) throw new Error('an aggregate answers one row')
  return counts
}
