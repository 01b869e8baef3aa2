/** What the intake of crashes reads and writes. */
import { sql } from 'kysely'
import { normaliseBuildId } from '../../../formats/build-id.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import type { StackFrame } from '../stack.ts'
import type { CrashMemory, RunSeen } from './reported.ts'

export interface CrashingDevice {
  id: string
  runIds: string[]
  logRetentionDays: number
}

/** Those that exist, in the order of their ids. Those that are being deleted are left out, so that nobody waits for them. */
export async function lockCrashingDevices(
  tx: Tx,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<CrashingDevice[]> {
  const { rows } = await sql<CrashingDevice>`
    select device.id, device.run_ids[1:2] as run_ids, (
      select log_retention_days from workspaces where id = ${workspaceId}) as log_retention_days
    from unnest(${deviceIds}::text[]) as asked (id)
    join devices as device on device.workspace_id = ${workspaceId} and device.id = asked.id
    order by device.id
    for key share of device skip locked`.execute(tx)
  return rows
}

/** Locks what is remembered of the devices, in the order of their ids. */
export async function lockMemories(
  tx: Tx,
  { workspaceId, hour }: { workspaceId: string; hour: Date },
  deviceIds: readonly string[],
): Promise<(CrashMemory & { deviceId: string })[]> {
  await sql`
    insert into crash_devices (workspace_id, device_id, hour)
    select ${workspaceId}, given.device_id, ${hour}
    from unnest(${deviceIds}::text[]) as given (device_id)
    where not exists (
      select from crash_devices as known
      where known.workspace_id = ${workspaceId} and known.device_id = given.device_id)
    order by given.device_id collate "C"
    on conflict (workspace_id, device_id) do nothing`.execute(tx)
  const { rows } = await sql<CrashMemory & { deviceId: string }>`
    select memory.device_id, memory.runs, memory.hour, memory.taken
    from unnest(${deviceIds}::text[]) as asked (id)
    join crash_devices as memory on memory.workspace_id = ${workspaceId} and memory.device_id = asked.id
    order by memory.device_id
    for no key update of memory`.execute(tx)
  return rows
}

export async function updateMemories(
  tx: Tx,
  { workspaceId, at }: { workspaceId: string; at: Date },
  memories: readonly { deviceId: string; runs: readonly RunSeen[]; hour: Date; taken: number }[],
): Promise<void> {
  await sql`
    update crash_devices as memory set runs = given.runs, hour = given.hour, taken = given.taken,
      reports_since = coalesce(memory.reports_since, ${at}), unknown_since = null
    from json_to_recordset(${JSON.stringify(memories)}::json) as given (
      "deviceId" text, runs jsonb, hour timestamptz, taken integer)
    where memory.workspace_id = ${workspaceId} and memory.device_id = given."deviceId"`.execute(tx)
}

export interface CrashVersion {
  id: string
  firmwareId: string
  slug: string
  name: string
  buildId: string | null
}

/** By build id, in the form that crashes have. They stay until the transaction ends. */
export async function findVersionsOfBuilds(
  tx: Tx,
  workspaceId: string,
  buildIds: readonly string[],
): Promise<Map<string, CrashVersion>> {
  if (buildIds.length === 0) return new Map()
  const { rows } = await sql<CrashVersion & { buildId: string }>`
    select version.id, version.firmware_id, firmware.slug, version.name, version.build_id
    from firmware_versions as version
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    where version.workspace_id = ${workspaceId} and version.build_id = any(${withUpperCase(buildIds)}::text[])
    order by version.id for key share of version`.execute(tx)
  return new Map(rows.map((version) => [normaliseBuildId(version.buildId), version]))
}

/** People may have stated the hash in upper case. */
const withUpperCase = (buildIds: readonly string[]) => [
  ...buildIds,
  ...buildIds.map((buildId) => buildId.toUpperCase()),
]

export type RunningVersion = CrashVersion & { since: Date }

/** What the devices run, by device; versions that the workspace does not know are left out. Versions stay until the transaction ends. */
export async function listRunning(
  tx: Tx,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<Map<string, RunningVersion[]>> {
  const { rows } = await sql<RunningVersion & { deviceId: string }>`
    select running.device_id, running.since, version.id, version.firmware_id, firmware.slug, version.name,
      version.build_id
    from unnest(${deviceIds}::text[]) as asked (id)
    join device_firmwares as running on running.workspace_id = ${workspaceId} and running.device_id = asked.id
    join firmware_versions as version
      on version.workspace_id = ${workspaceId} and version.id = running.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    order by version.id, running.device_id
    for key share of version`.execute(tx)
  const running = new Map<string, RunningVersion[]>()
  for (const { deviceId, ...version } of rows) {
    const list = running.get(deviceId) ?? []
    list.push(version)
    running.set(deviceId, list)
  }
  return running
}

export interface CountedCrash {
  stackId: string
  groupId: string
  firmwareVersionId: string | null
  deviceId: string
  time: Date
  day: Date
}

export async function addVersionCounts(
  tx: Tx,
  { workspaceId, receivedAt }: { workspaceId: string; receivedAt: Date },
  crashes: readonly CountedCrash[],
): Promise<void> {
  await sql`
    insert into crash_versions as counted (
      workspace_id, stack_id, firmware_version_id, crash_count, first_seen_at, last_seen_at, first_received_at)
    select ${workspaceId}, given."stackId", given."firmwareVersionId", count(*), min(given.time), max(given.time),
      ${receivedAt}
    from json_to_recordset(${JSON.stringify(crashes)}::json) as given (
      "stackId" uuid, "firmwareVersionId" uuid, time timestamptz)
    group by given."stackId", given."firmwareVersionId"
    order by given."stackId", given."firmwareVersionId"
    on conflict (workspace_id, stack_id, firmware_version_id) do update set
      crash_count = counted.crash_count + excluded.crash_count,
      first_seen_at = least(counted.first_seen_at, excluded.first_seen_at),
      last_seen_at = greatest(counted.last_seen_at, excluded.last_seen_at)`.execute(tx)
}

export async function addDailyCounts(
  tx: Tx,
  workspaceId: string,
  crashes: readonly CountedCrash[],
): Promise<void> {
  await sql`
    insert into crash_counts as counted (
      workspace_id, stack_id, firmware_version_id, device_id, day, crash_count, last_at)
    select ${workspaceId}, given."stackId", given."firmwareVersionId", given."deviceId",
      (given.day at time zone 'UTC')::date, count(*)::int, max(given.time)
    from json_to_recordset(${JSON.stringify(crashes)}::json) as given (
      "stackId" uuid, "firmwareVersionId" uuid, "deviceId" text, day timestamptz, time timestamptz)
    group by 2, 3, 4, 5
    order by 2, 3, 4, 5
    on conflict (workspace_id, stack_id, firmware_version_id, device_id, day) do update set
      crash_count = counted.crash_count + excluded.crash_count,
      last_at = greatest(counted.last_at, excluded.last_at)`.execute(tx)
}

export interface ReportRow extends CountedCrash {
  id: string
  deviceTime: Date | null
  buildId: string | null
  runId: string | null
  thread: string | null
  frames: readonly StackFrame[]
}

export async function insertReports(
  tx: Tx,
  workspaceId: string,
  reports: readonly ReportRow[],
): Promise<void> {
  await sql`
    insert into crash_reports (
      workspace_id, id, stack_id, device_id, time, device_time, firmware_version_id, build_id, run_id, thread, frames)
    select ${workspaceId}, given.id, given."stackId", given."deviceId", given.time, given."deviceTime",
      given."firmwareVersionId", given."buildId", given."runId", given.thread, given.frames
    from json_to_recordset(${JSON.stringify(reports)}::json) as given (
      id uuid, "stackId" uuid, "deviceId" text, time timestamptz, "deviceTime" timestamptz,
      "firmwareVersionId" uuid, "buildId" text, "runId" text, thread text, frames jsonb)`.execute(
    tx,
  )
}

/** Of each device and stack. More of them say nothing new. */
const REPORTS_KEPT = 5

export async function deleteOlderReports(
  tx: Tx,
  workspaceId: string,
  crashes: readonly CountedCrash[],
): Promise<void> {
  await sql`
    delete from crash_reports as report
    using (
      select distinct device_id, stack_id from unnest(
        ${crashes.map(({ deviceId }) => deviceId)}::text[], ${crashes.map(({ stackId }) => stackId)}::uuid[]
      ) as given (device_id, stack_id)) as given
    cross join lateral (
      select older.id from crash_reports as older
      where older.workspace_id = ${workspaceId} and older.device_id = given.device_id
        and older.stack_id = given.stack_id
      order by older.time desc, older.id desc offset ${REPORTS_KEPT}) as over
    where report.workspace_id = ${workspaceId} and report.id = over.id`.execute(tx)
}

interface DeviceHour {
  deviceId: string
  hour: Date
  keptCount: number
  droppedCount: number
  malformedCount: number
  lastFault: string | null
  lastAt: Date
}

export async function addDeviceHours(
  tx: Tx,
  workspaceId: string,
  hours: readonly DeviceHour[],
): Promise<void> {
  await sql`
    insert into crash_device_hours as counted (
      workspace_id, device_id, hour, kept_count, dropped_count, malformed_count, last_fault, last_at)
    select ${workspaceId}, given."deviceId", given.hour, given."keptCount", given."droppedCount",
      given."malformedCount", given."lastFault", given."lastAt"
    from json_to_recordset(${JSON.stringify(hours)}::json) as given (
      "deviceId" text, hour timestamptz, "keptCount" integer, "droppedCount" integer, "malformedCount" integer,
      "lastFault" text, "lastAt" timestamptz)
    where given."keptCount" + given."droppedCount" + given."malformedCount" > 0
    order by given."deviceId" collate "C"
    on conflict (workspace_id, device_id, hour) do update set
      kept_count = counted.kept_count + excluded.kept_count,
      dropped_count = counted.dropped_count + excluded.dropped_count,
      malformed_count = counted.malformed_count + excluded.malformed_count,
      last_fault = coalesce(excluded.last_fault, counted.last_fault),
      last_at = excluded.last_at`.execute(tx)
}

interface ReturnedGroup {
  id: string
  fixedIn: string | null
  /** The version that crashed. */
  version: string
  title: string
}

/** Opens closed groups of which a stack crashed in the version that was to mend them, or in a later one. */
export async function reopenReturned(
  tx: Tx,
  { workspaceId, at }: { workspaceId: string; at: Date },
  stackIds: readonly string[],
): Promise<ReturnedGroup[]> {
  const { rows } = await sql<ReturnedGroup>`
    update crash_groups as closed set
      closed_at = null, closed_by_email = null, fixed_in_version_id = null, fixed_in = null, reopened_at = ${at}
    from (
      select distinct on (group_of.id) group_of.id, group_of.fixed_in, version.name as version
      from unnest(${stackIds}::uuid[]) as given (id)
      join crash_stacks as stack on stack.workspace_id = ${workspaceId} and stack.id = given.id
      join crash_groups as group_of on group_of.workspace_id = ${workspaceId} and group_of.id = stack.group_id
      join firmware_versions as fixed
        on fixed.workspace_id = ${workspaceId} and fixed.id = group_of.fixed_in_version_id
      join crash_versions as crashed
        on crashed.workspace_id = ${workspaceId} and crashed.stack_id = stack.id
          and crashed.last_seen_at > group_of.closed_at
      join firmware_versions as version
        on version.workspace_id = ${workspaceId} and version.id = crashed.firmware_version_id
          and (version.created_at, version.id) >= (fixed.created_at, fixed.id)
      where group_of.closed_at is not null
      order by group_of.id, version.created_at desc) as returned
    where closed.workspace_id = ${workspaceId} and closed.id = returned.id and closed.closed_at is not null
    returning closed.id, returned.fixed_in, returned.version,
      closed.reason || coalesce(' in ' || closed.frames[1], '') as title`.execute(tx)
  return rows
}
