/** Groups of crashes as people read them. */
import { type RawBuilder, sql } from 'kysely'
import { type Position, selectPage, types } from '../../platform/db/keyset-paging.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { StackFrame } from './stack.ts'

interface VersionName {
  id: string
  name: string
}

export interface GroupRow {
  id: string
  firmware: { id: string; slug: string; name: string } | null
  reason: string
  frames: string[]
  buildId: string | null
  closedAt: Date | null
  closedByEmail: string | null
  fixedIn: string | null
  fixedInVersionId: string | null
  reopenedAt: Date | null
  firstSeenAt: Date
  firstVersion: VersionName | null
  lastSeenAt: Date
  lastVersion: VersionName | null
  crashCount: number
  deviceCount: number
}

export const GROUP_SORT_COLUMNS = [
  'lastSeenAt',
  'firstSeenAt',
  'crashCount',
  'deviceCount',
] as const
export type GroupSort = (typeof GROUP_SORT_COLUMNS)[number]

const SORT_VALUES: Record<GroupSort, { value: RawBuilder<unknown>; type: RawBuilder<unknown> }> = {
  lastSeenAt: { value: sql`totals.last_seen_at`, type: types.time },
  firstSeenAt: { value: sql`totals.first_seen_at`, type: types.time },
  crashCount: { value: sql`totals.crash_count`, type: types.integer },
  deviceCount: { value: sql`reach.device_count`, type: types.integer },
}

interface GroupFilter {
  workspaceId: string
  groupId?: string | undefined
  firmwareId?: string | undefined
  /** Crashed in this version. */
  firmwareVersionId?: string | undefined
  /** Crashed in this version or in a later one, and in none before. */
  newSinceVersionId?: string | undefined
  isClosed?: boolean | undefined
  /** In the reason or in a frame. */
  text?: string | undefined
}

/** One row for each group of the filter, as `crash`, `totals` and `reach`. */
function selectGroups(filter: GroupFilter): RawBuilder<unknown> {
  const { workspaceId, groupId, firmwareId, firmwareVersionId, newSinceVersionId } = filter
  const { isClosed, text } = filter
  const crashed = (condition: RawBuilder<unknown>) => sql`
    select from crash_stacks as stack
    join crash_versions as counted on counted.workspace_id = ${workspaceId} and counted.stack_id = stack.id
    join firmware_versions as version
      on version.workspace_id = ${workspaceId} and version.id = counted.firmware_version_id
    where stack.workspace_id = ${workspaceId} and stack.group_id = crash.id and ${condition}`
  const since = sql`(
    select since.created_at, since.id from firmware_versions as since
    where since.workspace_id = ${workspaceId} and since.id = ${newSinceVersionId}::uuid
      and since.firmware_id = version.firmware_id)`
  return sql`
    from crash_groups as crash
    cross join lateral (
      select sum(counted.crash_count)::int as crash_count, min(counted.first_seen_at) as first_seen_at,
        max(counted.last_seen_at) as last_seen_at
      from crash_stacks as stack
      join crash_versions as counted on counted.workspace_id = ${workspaceId} and counted.stack_id = stack.id
      where stack.workspace_id = ${workspaceId} and stack.group_id = crash.id) as totals
    cross join lateral (
      select count(distinct counted.device_id)::int as device_count
      from crash_stacks as stack
      join crash_counts as counted on counted.workspace_id = ${workspaceId} and counted.stack_id = stack.id
      where stack.workspace_id = ${workspaceId} and stack.group_id = crash.id) as reach
    where crash.workspace_id = ${workspaceId} and totals.crash_count is not null
      ${groupId === undefined ? sql`` : sql`and crash.id = ${groupId}::uuid`}
      ${firmwareId === undefined ? sql`` : sql`and crash.firmware_id = ${firmwareId}::uuid`}
      ${firmwareVersionId === undefined ? sql`` : sql`and exists (${crashed(sql`version.id = ${firmwareVersionId}::uuid`)})`}
      ${
        newSinceVersionId === undefined
          ? sql``
          : sql`and exists (${crashed(sql`(version.created_at, version.id) >= ${since}`)})
            and not exists (${crashed(sql`(version.created_at, version.id) < ${since}`)})`
      }
      ${isClosed === undefined ? sql`` : sql`and (crash.closed_at is not null) = ${isClosed}`}
      ${
        text === undefined
          ? sql``
          : sql`and strpos(lower(crash.reason || ' ' || array_to_string(crash.frames, ' ')), lower(${text})) > 0`
      }`
}

const describeVersion = (workspaceId: string, order: RawBuilder<unknown>) => sql`(
  select json_build_object('id', version.id, 'name', version.name)
  from crash_stacks as stack
  join crash_versions as counted on counted.workspace_id = ${workspaceId} and counted.stack_id = stack.id
  join firmware_versions as version
    on version.workspace_id = ${workspaceId} and version.id = counted.firmware_version_id
  where stack.workspace_id = ${workspaceId} and stack.group_id = crash.id
  order by version.created_at ${order}, version.id ${order} limit 1)`

const groupColumns = (workspaceId: string) => sql`
  crash.id, crash.reason, crash.frames, crash.build_id, crash.closed_at, crash.closed_by_email, crash.fixed_in,
  crash.fixed_in_version_id, crash.reopened_at, totals.crash_count, totals.first_seen_at, totals.last_seen_at,
  reach.device_count, (
    select json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name)
    from firmwares as firmware
    where firmware.workspace_id = ${workspaceId} and firmware.id = crash.firmware_id) as firmware,
  ${describeVersion(workspaceId, sql`asc`)} as first_version,
  ${describeVersion(workspaceId, sql`desc`)} as last_version`

export async function listGroups(
  db: Db,
  filter: GroupFilter,
  page: { sort: GroupSort; ascending: boolean; after: Position; limit: number },
): Promise<(GroupRow & { sortValues: (string | number)[] })[]> {
  const keys = [SORT_VALUES[page.sort], { value: sql`crash.id`, type: types.uuid }]
  const { columns, order, beyond, sortValues, place } = selectPage(keys, page.ascending, page.after)
  const { rows } = await sql<GroupRow & { sortValues: (string | number)[] }>`
    select paged.id, paged.reason, paged.frames, paged.build_id, paged.closed_at, paged.closed_by_email,
      paged.fixed_in, paged.fixed_in_version_id, paged.reopened_at, paged.crash_count, paged.first_seen_at,
      paged.last_seen_at, paged.device_count, paged.firmware, paged.first_version, paged.last_version,
      ${sortValues} as sort_values
    from (
      select ${groupColumns(filter.workspaceId)}, ${columns} ${selectGroups(filter)} ${beyond}
      order by ${order} limit ${page.limit}) as paged
    order by ${place}`.execute(db)
  return rows
}

export async function countGroups(db: Db, filter: GroupFilter, most: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (select ${selectGroups(filter)} limit ${most}) as counted`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

export async function findGroup(
  db: Db,
  workspaceId: string,
  groupId: string,
): Promise<GroupRow | undefined> {
  const { rows } = await sql<GroupRow>`
    select ${groupColumns(workspaceId)} ${selectGroups({ workspaceId, groupId })}`.execute(db)
  return rows[0]
}

interface GroupVersionRow {
  firmwareVersion: VersionName | null
  crashCount: number
  deviceCount: number
  firstSeenAt: Date
  lastSeenAt: Date
}

/** Newest version first; those of an unknown version at the end. */
export async function listGroupVersions(
  db: Db,
  workspaceId: string,
  groupId: string,
): Promise<GroupVersionRow[]> {
  const { rows } = await sql<GroupVersionRow>`
    select counted.crash_count, counted.first_seen_at, counted.last_seen_at,
      case when version.id is not null then json_build_object('id', version.id, 'name', version.name) end
        as firmware_version, (
        select count(distinct daily.device_id)::int
        from crash_stacks as stack
        join crash_counts as daily on daily.workspace_id = ${workspaceId} and daily.stack_id = stack.id
        where stack.workspace_id = ${workspaceId} and stack.group_id = ${groupId}
          and daily.firmware_version_id is not distinct from counted.firmware_version_id) as device_count
    from (
      select counted.firmware_version_id, sum(counted.crash_count)::int as crash_count,
        min(counted.first_seen_at) as first_seen_at, max(counted.last_seen_at) as last_seen_at
      from crash_stacks as stack
      join crash_versions as counted on counted.workspace_id = ${workspaceId} and counted.stack_id = stack.id
      where stack.workspace_id = ${workspaceId} and stack.group_id = ${groupId}
      group by counted.firmware_version_id) as counted
    left join firmware_versions as version
      on version.workspace_id = ${workspaceId} and version.id = counted.firmware_version_id
    order by version.created_at desc nulls last, version.id desc limit 200`.execute(db)
  return rows
}

interface GroupDeviceRow {
  deviceId: string
  crashCount: number
  lastAt: Date
  droppedCount: number
}

/** The devices that crashed last. */
export async function listGroupDevices(
  db: Db,
  workspaceId: string,
  groupId: string,
): Promise<GroupDeviceRow[]> {
  const { rows } = await sql<GroupDeviceRow>`
    select named.device_id, named.crash_count, named.last_at, (
      select coalesce(sum(hours.dropped_count), 0)::int from crash_device_hours as hours
      where hours.workspace_id = ${workspaceId} and hours.device_id = named.device_id) as dropped_count
    from (
      select daily.device_id, sum(daily.crash_count)::int as crash_count, max(daily.last_at) as last_at
      from crash_stacks as stack
      join crash_counts as daily on daily.workspace_id = ${workspaceId} and daily.stack_id = stack.id
      where stack.workspace_id = ${workspaceId} and stack.group_id = ${groupId}
      group by daily.device_id
      order by last_at desc, daily.device_id limit 100) as named
    order by named.last_at desc, named.device_id`.execute(db)
  return rows
}

export interface ReportRow {
  id: string
  groupId: string
  deviceId: string
  reason: string
  time: Date
  deviceTime: Date | null
  firmwareVersion: VersionName | null
  buildId: string | null
  runId: string | null
  thread: string | null
  frames: StackFrame[]
}

/** The newest reports of a group or of a device. */
export async function listReports(
  db: Db,
  {
    workspaceId,
    groupId,
    deviceId,
    limit,
  }: {
    workspaceId: string
    groupId?: string
    deviceId?: string
    limit: number
  },
): Promise<ReportRow[]> {
  const { rows } = await sql<ReportRow>`
    select report.id, stack.group_id, report.device_id, stack.reason, report.time, report.device_time, report.build_id,
      report.run_id, report.thread, report.frames, (
        select json_build_object('id', version.id, 'name', version.name) from firmware_versions as version
        where version.workspace_id = ${workspaceId} and version.id = report.firmware_version_id)
        as firmware_version
    from crash_reports as report
    join crash_stacks as stack on stack.workspace_id = ${workspaceId} and stack.id = report.stack_id
    where report.workspace_id = ${workspaceId}
      ${groupId === undefined ? sql`` : sql`and stack.group_id = ${groupId}::uuid`}
      ${deviceId === undefined ? sql`` : sql`and report.device_id = ${deviceId}`}
    order by report.time desc, report.id desc limit ${limit}`.execute(db)
  return rows
}

export async function hasDevice(db: Db, workspaceId: string, deviceId: string): Promise<boolean> {
  const found = await db
    .selectFrom('devices')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', deviceId)
    .executeTakeFirst()
  return found !== undefined
}

interface IntakeCounts {
  keptCount: number
  droppedCount: number
  malformedCount: number
  lastFault: string | null
}

/** What was sent, also what was not kept: of a device, or of all. */
export async function sumDeviceHours(
  db: Db,
  { workspaceId, deviceId }: { workspaceId: string; deviceId?: string },
): Promise<IntakeCounts> {
  const { rows } = await sql<IntakeCounts>`
    select coalesce(sum(kept_count), 0)::int as kept_count, coalesce(sum(dropped_count), 0)::int as dropped_count,
      coalesce(sum(malformed_count), 0)::int as malformed_count,
      (array_agg(last_fault order by last_at desc) filter (where last_fault is not null))[1] as last_fault
    from crash_device_hours
    where workspace_id = ${workspaceId}
      ${deviceId === undefined ? sql`` : sql`and device_id = ${deviceId}`}`.execute(db)
  return rows[0] ?? { keptCount: 0, droppedCount: 0, malformedCount: 0, lastFault: null }
}

export const NOVELTIES = ['New', 'Known', 'Unknown'] as const

export interface VersionCrashRow {
  firmwareVersionId: string
  versionName: string
  firmware: { id: string; slug: string; name: string | null }
  groupId: string
  reason: string
  frames: string[]
  buildId: string | null
  closedAt: Date | null
  crashCount: number
  deviceCount: number
  firstSeenAt: Date
  lastSeenAt: Date
  firstReceivedAt: Date
  novelty: (typeof NOVELTIES)[number]
}

/**
 * The groups that crashed in versions, those of the most devices first. New: no version that was created before crashed
 * alike. Unknown: it cannot be compared, as addresses stand in place of names and an earlier version crashed for the same reason.
 */
export async function listVersionCrashes(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<VersionCrashRow[]> {
  const earlier = (condition: RawBuilder<unknown>) => sql`
    select from crash_stacks as stack
    join crash_versions as counted on counted.workspace_id = ${workspaceId} and counted.stack_id = stack.id
    join firmware_versions as earlier
      on earlier.workspace_id = ${workspaceId} and earlier.id = counted.firmware_version_id
    where stack.workspace_id = ${workspaceId} and earlier.firmware_id = version.firmware_id
      and (earlier.created_at, earlier.id) < (version.created_at, version.id) and ${condition}`
  const { rows } = await sql<VersionCrashRow>`
    select found.firmware_version_id, version.name as version_name,
      json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name) as firmware,
      crash.id as group_id, crash.reason, crash.frames, crash.build_id, crash.closed_at,
      found.crash_count, found.first_seen_at, found.last_seen_at, found.first_received_at, (
        select count(distinct daily.device_id)::int
        from crash_stacks as stack
        join crash_counts as daily on daily.workspace_id = ${workspaceId} and daily.stack_id = stack.id
        where stack.workspace_id = ${workspaceId} and stack.group_id = crash.id
          and daily.firmware_version_id = found.firmware_version_id) as device_count,
      case
        when exists (${earlier(sql`stack.group_id = crash.id`)}) then 'Known'
        when crash.build_id is not null and exists (${earlier(sql`stack.reason = crash.reason`)}) then 'Unknown'
        else 'New' end as novelty
    from (
      select counted.firmware_version_id, stack.group_id, sum(counted.crash_count)::int as crash_count,
        min(counted.first_seen_at) as first_seen_at, max(counted.last_seen_at) as last_seen_at,
        min(counted.first_received_at) as first_received_at
      from crash_versions as counted
      join crash_stacks as stack on stack.workspace_id = ${workspaceId} and stack.id = counted.stack_id
      where counted.workspace_id = ${workspaceId}
        and counted.firmware_version_id = any(${firmwareVersionIds}::uuid[])
      group by counted.firmware_version_id, stack.group_id) as found
    join crash_groups as crash on crash.workspace_id = ${workspaceId} and crash.id = found.group_id
    join firmware_versions as version
      on version.workspace_id = ${workspaceId} and version.id = found.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    order by device_count desc, found.crash_count desc, crash.id limit 1000`.execute(db)
  return rows
}

interface ClosingFields {
  closedAt: Date | null
  closedByEmail: string | null
  fixedInVersionId: string | null
  fixedIn: string | null
}

export async function lockGroup(tx: Tx, workspaceId: string, groupId: string): Promise<void> {
  await sql`
    select from crash_groups where workspace_id = ${workspaceId} and id = ${groupId} for no key update`.execute(
    tx,
  )
}

export async function updateClosing(
  tx: Tx,
  { workspaceId, groupId }: { workspaceId: string; groupId: string },
  fields: ClosingFields,
): Promise<void> {
  await tx
    .updateTable('crashGroups')
    .set(fields)
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', groupId)
    .execute()
}

interface CrashTotals {
  deviceId: string
  crashCount: number
}

/**
 * How often each device crashed in a window, also what was not kept; devices that did not are left out. Crashes count by
 * the time of receipt, those of an hour together where the last of them lies.
 */
export async function listCrashCounts(
  db: Db,
  {
    workspaceId,
    deviceIds,
    from,
    to,
  }: { workspaceId: string; deviceIds: readonly string[]; from: Date; to: Date },
): Promise<CrashTotals[]> {
  const { rows } = await sql<CrashTotals>`
    select hours.device_id, sum(hours.kept_count + hours.dropped_count)::int as crash_count
    from unnest(${deviceIds}::text[]) as asked (id)
    join crash_device_hours as hours on hours.workspace_id = ${workspaceId} and hours.device_id = asked.id
    where hours.last_at >= ${from} and hours.last_at < ${to}
    group by hours.device_id
    having sum(hours.kept_count + hours.dropped_count) > 0
    order by hours.device_id`.execute(db)
  return rows
}

/** The groups that versions showed first in a window, by the time of receipt. */
export async function listRecentCrashes(
  db: Db,
  workspaceId: string,
  { from, to }: { from: Date; to: Date },
): Promise<VersionCrashRow[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct firmware_version_id as id from crash_versions
    where workspace_id = ${workspaceId} and firmware_version_id is not null
      and first_received_at >= ${from} and first_received_at < ${to}`.execute(db)
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  return (await listVersionCrashes(db, workspaceId, ids)).filter(
    ({ firstReceivedAt }) => firstReceivedAt >= from && firstReceivedAt < to,
  )
}

/** Of workspaces that have any. */
export async function sumNotKept(
  db: Db,
): Promise<{ workspaceId: string; dropped: number; malformed: number }[]> {
  const { rows } = await sql<{ workspaceId: string; dropped: number; malformed: number }>`
    select workspace_id, sum(dropped_count)::int as dropped, sum(malformed_count)::int as malformed
    from crash_device_hours
    group by workspace_id
    having sum(dropped_count + malformed_count) > 0
    order by workspace_id`.execute(db)
  return rows
}
