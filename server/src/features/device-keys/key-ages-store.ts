/** How old the keys of devices are, by what the workspace and their cohorts want. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'

/** How a device stands to the age that is wanted of its keys. Each device has one. */
const KEY_AGE_STATES = [
  'young',
  'due',
  'away',
  'asked',
  'told',
  'fetched',
  'unable',
  'hawkbit',
  'withoutOwnKey',
] as const
export type KeyAgeState = (typeof KEY_AGE_STATES)[number]

/** Instead of what is saved, for the devices of one cohort, or for those that go by the workspace. 0: nothing is wanted. */
interface WantedDays {
  cohortId: string | null
  days: number
}

interface KeyAgesQuery {
  workspaceId: string
  now: Date
  instead?: WantedDays | undefined
  /** Of these devices alone; undefined: of all. */
  deviceIds?: readonly string[]
}

/**
 * A row for each device of which an age is wanted. Its age is that of its oldest key in force, without those that it did not use
 * yet. Whoever was not in contact for a day is asked once it is, so that devices that come back together were not all asked before.
 * Keys are grouped once: looked up for each device, the planner walks the index by age for each of them (112 s for 100,000 devices).
 */
const selectAges = ({ workspaceId, now, instead, deviceIds }: KeyAgesQuery) => sql`
  select device.id, wanted.days, key.oldest_at,
    case
      when device.door = 'Ddi' then 'hawkbit'
      when key.oldest_at is null then 'withoutOwnKey'
      when rotation.fetched_at is not null then 'fetched'
      when key.oldest_at > ${now}::timestamptz - wanted.days * interval '1 day' then 'young'
      when rotation.refused_at is not null or device.last_seen_at > rotation.told_at + interval '1 hour' then 'unable'
      when rotation.told_at is not null then 'told'
      when rotation.asked_at is not null then 'asked'
      when device.connected or device.last_seen_at > ${now}::timestamptz - interval '1 day' then 'due'
      else 'away' end as state
  from devices as device
  join workspaces as workspace on workspace.id = device.workspace_id
  left join deployment_cohorts as cohort
    on cohort.workspace_id = ${workspaceId} and cohort.id = device.cohort_id
  cross join lateral (
    select case
      when ${instead !== undefined} and device.cohort_id is not distinct from ${instead?.cohortId ?? null}::uuid
        or ${instead !== undefined && instead.cohortId === null} and cohort.key_rotation_days is null
        then ${instead?.days ?? 0}::int
      else coalesce(cohort.key_rotation_days, workspace.device_key_rotation_days, 0) end as days
  ) as wanted
  left join device_key_rotations as rotation
    on rotation.workspace_id = ${workspaceId} and rotation.device_id = device.id and rotation.done_at is null
  left join (
    select own.device_id, min(own.created_at) as oldest_at
    from device_keys as own
    where own.workspace_id = ${workspaceId} and own.device_id is not null and own.issuer_id is null
      and own.revoked_at is null and not own.is_next
      ${deviceIds === undefined ? sql`` : sql`and own.device_id = any(${deviceIds}::text[])`}
    group by own.device_id
  ) as key on key.device_id = device.id
  where device.workspace_id = ${workspaceId} and wanted.days > 0
    ${deviceIds === undefined ? sql`` : sql`and device.id = any(${deviceIds}::text[])`}`

interface CountedAge {
  state: KeyAgeState
  devices: number
  oldestAt: Date | null
}

export async function countKeyAges(db: Db, query: KeyAgesQuery): Promise<CountedAge[]> {
  const { rows } = await sql<CountedAge>`
    select age.state, count(*)::int as devices, min(age.oldest_at) as oldest_at
    from (${selectAges(query)}) as age
    group by age.state`.execute(db)
  return rows
}

interface Batch {
  workspaceId: string
  limit: number
}

/** A place in the order of keys by age. */
export interface KeyPosition {
  madeAt: Date
  deviceId: string
}

/** Own keys in force that were made until the instant, the oldest first. */
export async function listOldKeys(
  db: Db,
  {
    workspaceId,
    madeUntil,
    after,
    limit,
  }: Batch & { madeUntil: Date; after: KeyPosition | undefined },
): Promise<KeyPosition[]> {
  const { rows } = await sql<KeyPosition>`
    select key.created_at as made_at, key.device_id from device_keys as key
    where key.workspace_id = ${workspaceId} and key.device_id is not null and key.issuer_id is null
      and key.revoked_at is null and not key.is_next and key.created_at <= ${madeUntil}
      ${after ? sql`and (key.created_at, key.device_id) > (${after.madeAt}::timestamptz, ${after.deviceId}::text collate "C")` : sql``}
    order by key.created_at, key.device_id
    limit ${limit}`.execute(db)
  return rows
}

/** Which of these devices are asked next, those with the oldest keys first. */
export async function listDueDevices(
  db: Db,
  { most, ...query }: KeyAgesQuery & { deviceIds: readonly string[]; most: number },
): Promise<KeyPosition[]> {
  const { rows } = await sql<KeyPosition>`
    select age.id as device_id, age.oldest_at as made_at from (${selectAges(query)}) as age
    where age.state = 'due'
    order by age.oldest_at, age.id
    limit ${most}`.execute(db)
  return rows
}

interface WorkspaceWithAges {
  workspaceId: string
  /** The fewest days that the workspace or one of its cohorts wants; null: nothing is wanted, and requests of before are open. */
  fewestDays: number | null
}

export async function listWorkspacesWithAges(db: Db): Promise<WorkspaceWithAges[]> {
  const { rows } = await sql<WorkspaceWithAges>`
    select workspace.id as workspace_id, wanted.days as fewest_days
    from workspaces as workspace
    cross join lateral (
      select least(workspace.device_key_rotation_days, min(cohort.key_rotation_days)) as days
      from deployment_cohorts as cohort
      where cohort.workspace_id = workspace.id and cohort.key_rotation_days > 0
    ) as wanted
    where wanted.days is not null
      or exists (
        select from device_key_rotations as rotation
        where rotation.workspace_id = workspace.id and rotation.done_at is null and rotation.is_scheduled)
    order by workspace.id`.execute(db)
  return rows
}

/** False: another worker asks devices of the workspace at this moment. */
export async function tryLockAsking(tx: Tx, workspaceId: string): Promise<boolean> {
  const { rows } = await sql<{ isLocked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`key-ages ${workspaceId}`}, 0)) as is_locked`.execute(
    tx,
  )
  return rows[0]?.isLocked === true
}

/** Devices with an own key in force among the next so many in the order of their ids, and the last one. */
export async function countKeyOwners(
  db: Db,
  { workspaceId, after, limit }: Batch & { after: string },
): Promise<{ devices: number; lastId: string | null }> {
  const { rows } = await sql<{ devices: number; lastId: string | null }>`
    select count(*)::int as devices, max(owner.device_id) as last_id
    from (
      select distinct key.device_id from device_keys as key
      where key.workspace_id = ${workspaceId} and key.device_id > ${after}::text collate "C" and key.issuer_id is null
        and key.revoked_at is null
      order by key.device_id
      limit ${limit}
    ) as owner`.execute(db)
  return rows[0] ?? { devices: 0, lastId: null }
}

/** How many devices were asked for the age of their keys since. */
export async function countAskedSince(
  db: Db,
  { workspaceId, since }: { workspaceId: string; since: Date },
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from device_key_rotations as rotation
    where rotation.workspace_id = ${workspaceId} and rotation.is_scheduled and rotation.asked_at > ${since}`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** Devices that were asked for the age of their keys and are not done yet, in the order of their ids. */
export async function listOpenScheduled(
  db: Db,
  { workspaceId, after, limit }: Batch & { after: string },
): Promise<string[]> {
  const { rows } = await sql<{ deviceId: string }>`
    select rotation.device_id from device_key_rotations as rotation
    where rotation.workspace_id = ${workspaceId} and rotation.device_id > ${after}::text collate "C"
      and rotation.done_at is null and rotation.is_scheduled
    order by rotation.device_id
    limit ${limit}`.execute(db)
  return rows.map(({ deviceId }) => deviceId)
}

/** Those of these devices of whom no younger key is wanted any more, unless they fetched one. @returns their ids. */
export async function deleteUnwanted(
  tx: Tx,
  query: KeyAgesQuery & { deviceIds: readonly string[] },
): Promise<string[]> {
  const { workspaceId, deviceIds } = query
  const { rows } = await sql<{ deviceId: string }>`
    delete from device_key_rotations as rotation
    where rotation.workspace_id = ${workspaceId} and rotation.device_id = any(${deviceIds}::text[]) and rotation.is_scheduled
      and rotation.done_at is null and rotation.fetched_at is null
      and not exists (
        select from (${selectAges(query)}) as age
        where age.id = rotation.device_id and age.state not in ('young', 'hawkbit', 'withoutOwnKey'))
    returning rotation.device_id`.execute(tx)
  return rows.map(({ deviceId }) => deviceId).toSorted()
}
