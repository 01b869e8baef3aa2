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
}

/**
 * A row for each device of which an age is wanted. Its age is that of its oldest key in force, without those that it did not use
 * yet. Whoever was not in contact for a day is asked once it is, so that devices that come back together were not all asked before.
 */
const selectAges = ({ workspaceId, now, instead }: KeyAgesQuery) => sql`
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
  cross join lateral (
    select min(own.created_at) as oldest_at
    from device_keys as own
    where own.workspace_id = ${workspaceId} and own.device_id = device.id
      and own.issuer_id is null and own.revoked_at is null and not own.is_next
  ) as key
  where device.workspace_id = ${workspaceId} and wanted.days > 0`

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

/** Who is asked next, those with the oldest keys first. */
export async function listDueDevices(
  db: Db,
  { most, ...query }: KeyAgesQuery & { most: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select age.id from (${selectAges(query)}) as age
    where age.state = 'due'
    order by age.oldest_at, age.id
    limit ${most}`.execute(db)
  return rows.map(({ id }) => id)
}

/** Workspaces that want an age of keys, or have devices that were asked for one. */
export async function listWorkspacesWithAges(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select workspace.id from workspaces as workspace
    where workspace.device_key_rotation_days is not null
      or exists (
        select from deployment_cohorts as cohort
        where cohort.workspace_id = workspace.id and cohort.key_rotation_days > 0)
      or exists (
        select from device_key_rotations as rotation
        where rotation.workspace_id = workspace.id and rotation.done_at is null and rotation.is_scheduled)
    order by workspace.id`.execute(db)
  return rows.map(({ id }) => id)
}

/** False: another worker asks the devices of the workspace at this moment. */
export async function tryLockAsking(tx: Tx, workspaceId: string): Promise<boolean> {
  const { rows } = await sql<{ isLocked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${`key-ages ${workspaceId}`}, 0)) as is_locked`.execute(
    tx,
  )
  return rows[0]?.isLocked === true
}

/** Devices with an own key, and how many were asked for its age since. */
export async function countAskable(
  db: Db,
  { workspaceId, since }: { workspaceId: string; since: Date },
): Promise<{ devices: number; askedSince: number }> {
  const { rows } = await sql<{ devices: number; askedSince: number }>`
    select
      (select count(distinct key.device_id)::int from device_keys as key
        where key.workspace_id = ${workspaceId} and key.device_id is not null and key.issuer_id is null
          and key.revoked_at is null) as devices,
      (select count(*)::int from device_key_rotations as rotation
        where rotation.workspace_id = ${workspaceId} and rotation.is_scheduled and rotation.asked_at > ${since}) as asked_since`.execute(
    db,
  )
  return rows[0] ?? { devices: 0, askedSince: 0 }
}

/** Those asked for the age of their key of whom none is wanted any more, unless they fetched a key. @returns their ids. */
export async function deleteUnwanted(tx: Tx, query: KeyAgesQuery): Promise<string[]> {
  const { workspaceId } = query
  const { rows } = await sql<{ deviceId: string }>`
    delete from device_key_rotations as rotation
    where rotation.workspace_id = ${workspaceId} and rotation.is_scheduled
      and rotation.done_at is null and rotation.fetched_at is null
      and not exists (
        select from (${selectAges(query)}) as age
        where age.id = rotation.device_id and age.state not in ('young', 'hawkbit', 'withoutOwnKey'))
    returning rotation.device_id`.execute(tx)
  return rows.map(({ deviceId }) => deviceId).toSorted()
}
