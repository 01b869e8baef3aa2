/**
 * Totals of groups: kept in the transactions that change what they count, while the group is locked (`lockGroups`).
 */
import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import type { DerivedRows } from '../../../platform/doctor/check.ts'

interface TotalCrash {
  groupId: string
  deviceId: string
  time: Date
  day: Date
}

/** Before the crashes are counted for their devices: a device is new to a group, or to its day, while nothing of it is there. */
export async function addTotals(
  tx: Tx,
  workspaceId: string,
  crashes: readonly TotalCrash[],
): Promise<void> {
  const given = sql`
    select given."groupId" as group_id, given."deviceId" as device_id, given.time,
      (given.day at time zone 'UTC')::date as day
    from json_to_recordset(${JSON.stringify(crashes)}::json) as given (
      "groupId" uuid, "deviceId" text, time timestamptz, day timestamptz)`
  const known = (condition: RawBuilder<unknown>) => sql`exists (
    select from crash_stacks as stack
    join crash_counts as counted on counted.workspace_id = ${workspaceId}
      and counted.device_id = given.device_id and counted.stack_id = stack.id
    where stack.workspace_id = ${workspaceId} and stack.group_id = given.group_id ${condition})`
  await sql`
    with given as materialized (${given}),
    of_device as (
      select given.group_id, given.device_id, count(*) as crash_count, min(given.time) as first_seen_at,
        max(given.time) as last_seen_at
      from given group by given.group_id, given.device_id)
    insert into crash_group_totals as kept (
      workspace_id, group_id, crash_count, device_count, first_seen_at, last_seen_at)
    select ${workspaceId}, given.group_id, sum(given.crash_count),
      count(*) filter (where not ${known(sql``)})::int, min(given.first_seen_at), max(given.last_seen_at)
    from of_device as given
    group by given.group_id
    order by given.group_id
    on conflict (workspace_id, group_id) do update set
      crash_count = kept.crash_count + excluded.crash_count,
      device_count = kept.device_count + excluded.device_count,
      first_seen_at = least(kept.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(kept.last_seen_at, excluded.last_seen_at)`.execute(tx)
  await sql`
    with given as materialized (${given}),
    of_device as (
      select given.group_id, given.day, given.device_id, count(*) as crash_count
      from given group by given.group_id, given.day, given.device_id)
    insert into crash_group_days as kept (workspace_id, group_id, day, crash_count, device_count)
    select ${workspaceId}, given.group_id, given.day, sum(given.crash_count)::int,
      count(*) filter (where not ${known(sql`and counted.day = given.day`)})::int
    from of_device as given
    group by given.group_id, given.day
    order by given.group_id, given.day
    on conflict (workspace_id, group_id, day) do update set
      crash_count = kept.crash_count + excluded.crash_count,
      device_count = kept.device_count + excluded.device_count`.execute(tx)
}

/** What the totals have to be, by group; without those of which no crash is counted any more. */
const selectTotals = (workspaceId: string, condition: RawBuilder<unknown> = sql``) => sql`
  select counted.group_id, counted.crash_count, coalesce(reach.device_count, 0) as device_count,
    counted.first_seen_at, counted.last_seen_at
  from (
    select stack.group_id, sum(versioned.crash_count)::bigint as crash_count,
      min(versioned.first_seen_at) as first_seen_at, max(versioned.last_seen_at) as last_seen_at
    from crash_stacks as stack
    join crash_versions as versioned
      on versioned.workspace_id = ${workspaceId} and versioned.stack_id = stack.id
    where stack.workspace_id = ${workspaceId} ${condition}
    group by stack.group_id) as counted
  left join (
    select stack.group_id, count(distinct daily.device_id)::int as device_count
    from crash_stacks as stack
    join crash_counts as daily on daily.workspace_id = ${workspaceId} and daily.stack_id = stack.id
    where stack.workspace_id = ${workspaceId} ${condition}
    group by stack.group_id) as reach using (group_id)`

const selectDays = (workspaceId: string, condition: RawBuilder<unknown> = sql``) => sql`
  select stack.group_id, daily.day, sum(daily.crash_count)::int as crash_count,
    count(distinct daily.device_id)::int as device_count
  from crash_stacks as stack
  join crash_counts as daily on daily.workspace_id = ${workspaceId} and daily.stack_id = stack.id
  where stack.workspace_id = ${workspaceId} ${condition}
  group by stack.group_id, daily.day`

export const GROUP_TOTALS: DerivedRows = {
  table: 'crash_group_totals',
  keys: ['group_id'],
  values: ['crash_count', 'device_count', 'first_seen_at', 'last_seen_at'],
  states: sql`true`,
  expected: (workspaceId) => selectTotals(workspaceId),
}

export const GROUP_DAYS: DerivedRows = {
  table: 'crash_group_days',
  keys: ['group_id', 'day'],
  values: ['crash_count', 'device_count'],
  states: sql`true`,
  expected: (workspaceId) => selectDays(workspaceId),
}

/** Counts locked groups anew, after rows of them went or came. */
export async function recountGroups(
  tx: Tx,
  workspaceId: string,
  groupIds: readonly string[],
): Promise<void> {
  if (groupIds.length === 0) return
  const asked = sql`and stack.group_id = any(${groupIds}::uuid[])`
  await sql`
    delete from crash_group_totals
    where workspace_id = ${workspaceId} and group_id = any(${groupIds}::uuid[])`.execute(tx)
  await sql`
    delete from crash_group_days
    where workspace_id = ${workspaceId} and group_id = any(${groupIds}::uuid[])`.execute(tx)
  await sql`
    insert into crash_group_totals (
      workspace_id, group_id, crash_count, device_count, first_seen_at, last_seen_at)
    select ${workspaceId}, counted.group_id, counted.crash_count, counted.device_count, counted.first_seen_at,
      counted.last_seen_at
    from (${selectTotals(workspaceId, asked)}) as counted`.execute(tx)
  await sql`
    insert into crash_group_days (workspace_id, group_id, day, crash_count, device_count)
    select ${workspaceId}, counted.group_id, counted.day, counted.crash_count, counted.device_count
    from (${selectDays(workspaceId, asked)}) as counted`.execute(tx)
}

/** The groups of which devices crashed. */
export async function listGroupsOfDevices(
  tx: Tx,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ groupId: string }>`
    select distinct stack.group_id
    from crash_counts as counted
    join crash_stacks as stack on stack.workspace_id = ${workspaceId} and stack.id = counted.stack_id
    where counted.workspace_id = ${workspaceId} and counted.device_id = any(${deviceIds}::text[])`.execute(
    tx,
  )
  return rows.map(({ groupId }) => groupId)
}

/** Deletes what is counted of devices, whose groups are locked. */
export async function deleteCountsOfDevices(
  tx: Tx,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<void> {
  await sql`
    with gone as (
      delete from crash_counts
      where workspace_id = ${workspaceId} and device_id = any(${deviceIds}::text[])
      returning stack_id, device_id, day, crash_count),
    placed as materialized (
      select stack.group_id, gone.device_id, gone.day, gone.crash_count
      from gone
      join crash_stacks as stack on stack.workspace_id = ${workspaceId} and stack.id = gone.stack_id),
    days as (
      update crash_group_days as kept set
        crash_count = kept.crash_count - taken.crash_count, device_count = kept.device_count - taken.device_count
      from (
        select group_id, day, sum(crash_count)::int as crash_count, count(distinct device_id)::int as device_count
        from placed group by group_id, day) as taken
      where kept.workspace_id = ${workspaceId} and kept.group_id = taken.group_id and kept.day = taken.day
      returning kept.group_id)
    update crash_group_totals as kept set device_count = kept.device_count - taken.device_count
    from (
      select group_id, count(distinct device_id)::int as device_count from placed group by group_id) as taken
    where kept.workspace_id = ${workspaceId} and kept.group_id = taken.group_id`.execute(tx)
  await sql`
    delete from crash_group_days where workspace_id = ${workspaceId} and crash_count = 0`.execute(
    tx,
  )
}

export async function listGroupsOfVersions(
  tx: Tx,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<string[]> {
  const { rows } = await sql<{ groupId: string }>`
    select distinct stack.group_id
    from crash_versions as counted
    join crash_stacks as stack on stack.workspace_id = ${workspaceId} and stack.id = counted.stack_id
    where counted.workspace_id = ${workspaceId}
      and counted.firmware_version_id = any(${firmwareVersionIds}::uuid[])`.execute(tx)
  return rows.map(({ groupId }) => groupId)
}

/** Deletes what is counted of versions, whose groups are locked. */
export async function deleteCountsOfVersions(
  tx: Tx,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<void> {
  await sql`
    delete from crash_counts
    where workspace_id = ${workspaceId} and firmware_version_id = any(${firmwareVersionIds}::uuid[])`.execute(
    tx,
  )
  await sql`
    delete from crash_versions
    where workspace_id = ${workspaceId} and firmware_version_id = any(${firmwareVersionIds}::uuid[])`.execute(
    tx,
  )
}

interface Aged {
  workspaceId: string
  /** Its day (UTC) and those after it stay. */
  before: Date
}

const isAged = ({ before }: Aged, of: string) =>
  sql`${sql.ref(`${of}.day`)} < (${before}::timestamptz at time zone 'UTC')::date`

/** The next groups with counts of devices that are older. */
export async function listAgedGroups(db: Db, aged: Aged, limit: number): Promise<string[]> {
  const { rows } = await sql<{ groupId: string }>`
    select distinct stack.group_id
    from crash_counts as counted
    join crash_stacks as stack on stack.workspace_id = ${aged.workspaceId} and stack.id = counted.stack_id
    where counted.workspace_id = ${aged.workspaceId} and ${isAged(aged, 'counted')}
    order by stack.group_id limit ${limit}`.execute(db)
  return rows.map(({ groupId }) => groupId)
}

/** Of locked groups. */
export async function deleteAgedCounts(
  tx: Tx,
  aged: Aged,
  groupIds: readonly string[],
): Promise<void> {
  await sql`
    delete from crash_counts as counted
    using crash_stacks as stack
    where counted.workspace_id = ${aged.workspaceId} and ${isAged(aged, 'counted')}
      and stack.workspace_id = ${aged.workspaceId} and stack.id = counted.stack_id
      and stack.group_id = any(${groupIds}::uuid[])`.execute(tx)
}
