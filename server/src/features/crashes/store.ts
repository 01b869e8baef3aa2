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
  deviceCount: { value: sql`totals.device_count`, type: types.integer },
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

/** One row for each group of the filter, as `crash` and `totals`. Groups of which no version crashed any more have none. */
function selectGroups(filter: GroupFilter): RawBuilder<unknown> {
  const { workspaceId, groupId, firmwareId, firmwareVersionId, newSinceVersionId } = filter
  const { isClosed, text } = filter
  return sql`
    from crash_groups as crash
    join crash_group_totals as totals on totals.workspace_id = ${workspaceId} and totals.group_id = crash.id
    where crash.workspace_id = ${workspaceId}
      ${groupId === undefined ? sql`` : sql`and crash.id = ${groupId}::uuid`}
      ${firmwareId === undefined ? sql`` : sql`and crash.firmware_id = ${firmwareId}::uuid`}
      ${firmwareVersionId === undefined ? sql`` : sql`and crash.id in (${crashedIn(workspaceId, firmwareVersionId)})`}
      ${newSinceVersionId === undefined ? sql`` : sql`and crash.id in (${newSince(workspaceId, newSinceVersionId)})`}
      ${isClosed === undefined ? sql`` : sql`and (crash.closed_at is not null) = ${isClosed}`}
      ${
        text === undefined
          ? sql``
          : sql`and strpos(lower(crash.reason || ' ' || array_to_string(crash.frames, ' ')), lower(${text})) > 0`
      }`
}

const crashedIn = (workspaceId: string, firmwareVersionId: string) => sql`
  select stack.group_id
  from crash_versions as counted
  join crash_stacks as stack on stack.workspace_id = ${workspaceId} and stack.id = counted.stack_id
  where counted.workspace_id = ${workspaceId} and counted.firmware_version_id = ${firmwareVersionId}::uuid`

/** All groups together: one by one takes ten times as long. */
const newSince = (workspaceId: string, firmwareVersionId: string) => sql`
  select stack.group_id
  from firmware_versions as since
  join firmware_versions as version
    on version.workspace_id = ${workspaceId} and version.firmware_id = since.firmware_id
  join crash_versions as counted
    on counted.workspace_id = ${workspaceId} and counted.firmware_version_id = version.id
  join crash_stacks as stack on stack.workspace_id = ${workspaceId} and stack.id = counted.stack_id
  where since.workspace_id = ${workspaceId} and since.id = ${firmwareVersionId}::uuid
  group by stack.group_id
  having bool_and((version.created_at, version.id) >= (since.created_at, since.id))`

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
  crash.fixed_in_version_id, crash.reopened_at, totals.crash_count::int as crash_count,
  totals.first_seen_at, totals.last_seen_at, totals.device_count, (
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
