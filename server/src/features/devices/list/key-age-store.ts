/** Keys with how they stand, and devices by the age of their oldest own key. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import { isOwnKey, type RotationRow, selectRotation } from '../keys/store.ts'
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

export interface KeyFilter {
  /** Keys that this device may use: its own, and those of all devices. */
  deviceId?: string
  isRevoked?: boolean
  /** A part of its name or of the id of its device, or its own id. */
  text?: string
}

interface KeyQuery {
  workspaceId: string
  filter: KeyFilter
  limit: number
  /** Of the last key of the page before: `readKeyPosition`. */
  after: readonly (string | number | boolean | null)[] | undefined
}

export const readKeyPosition = ({ revokedAt, createdAt, id }: ListedKey) => [
  revokedAt !== null,
  createdAt.toISOString(),
  id,
]

/** Those in force before those that ended, each the oldest first: in two statements that each follow an index. */
export async function listDeviceKeys(db: Db, query: KeyQuery): Promise<ListedKey[]> {
  const { filter, limit, after } = query
  const isPast = after?.[0] === true
  const inForce = filter.isRevoked === true || isPast ? [] : await listKeys(db, query, false)
  if (filter.isRevoked === false || inForce.length === limit) return inForce
  const rest = { ...query, limit: limit - inForce.length, after: isPast ? after : undefined }
  return [...inForce, ...(await listKeys(db, rest, true))]
}

const isChosen = ({
  workspaceId,
  filter: { deviceId, text },
}: Pick<KeyQuery, 'workspaceId' | 'filter'>) => sql`
  key.workspace_id = ${workspaceId}
  ${deviceId === undefined ? sql`` : sql`and (key.device_id = ${deviceId} or key.device_id is null)`}
  ${
    text === undefined
      ? sql``
      : sql`and (strpos(lower(key.name || ' ' || coalesce(key.device_id, '')), lower(${text})) > 0 or key.id::text = lower(${text}))`
  }`

const isInState = (isRevoked: boolean) =>
  isRevoked ? sql`key.revoked_at is not null` : sql`key.revoked_at is null`

async function listKeys(db: Db, query: KeyQuery, isRevoked: boolean): Promise<ListedKey[]> {
  const { workspaceId, limit, after } = query
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
    where ${isChosen(query)} and ${isInState(isRevoked)}
      ${after ? sql`and (key.created_at, key.id) > (${after[1]}::timestamptz, ${after[2]}::uuid)` : sql``}
    order by key.created_at, key.id
    limit ${limit}`.execute(db)
  return rows
}

/** Counts no further than `most`. */
export async function countDeviceKeys(
  db: Db,
  query: Pick<KeyQuery, 'workspaceId' | 'filter'>,
  most: number,
): Promise<number> {
  const { isRevoked } = query.filter
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from device_keys as key
      where ${isChosen(query)} ${isRevoked === undefined ? sql`` : sql`and ${isInState(isRevoked)}`}
      limit ${most}
    ) as counted`.execute(db)
  return rows[0]?.count ?? 0
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
