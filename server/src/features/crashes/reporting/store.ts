/** Which devices report crashes: what they say of it, and on which days they were heard from. */
import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'

/** What a device says of itself with the attribute `reportsCrashes`. */
export interface ReportingClaim {
  deviceId: string
  /** null: nothing, or nothing that can be understood. */
  says: boolean | null
  at: Date
}

/** Of existing devices those that say something else than is known, or say no more what they said. */
export async function listChangingClaims(
  tx: Tx,
  workspaceId: string,
  claims: readonly ReportingClaim[],
): Promise<Set<string>> {
  const { rows } = await sql<{ deviceId: string }>`
    select device.id as device_id
    from unnest(
      ${claims.map(({ deviceId }) => deviceId)}::text[], ${claims.map(({ says }) => says)}::boolean[]
    ) as claim (device_id, says)
    join devices as device on device.workspace_id = ${workspaceId} and device.id = claim.device_id
    left join crash_devices as known
      on known.workspace_id = ${workspaceId} and known.device_id = claim.device_id
    where case when claim.says is null then coalesce(known.says_so, false)
      else coalesce(known.says_so, false) <> claim.says or (known.reports_since is not null) <> claim.says
        or known.unknown_since is not null end`.execute(tx)
  return new Set(rows.map(({ deviceId }) => deviceId))
}

/** Of devices whose memory is locked. What they leave out is unknown from then on, as silence is no safety. */
export async function updateClaims(
  tx: Tx,
  workspaceId: string,
  claims: readonly ReportingClaim[],
): Promise<void> {
  await sql`
    update crash_devices as known set
      reports_since = case when given.says then coalesce(known.reports_since, given.at) end,
      unknown_since = case when given.says is null then given.at end, is_crash_old = false,
      says_so = coalesce(given.says, false)
    from json_to_recordset(${JSON.stringify(claims)}::json) as given (
      "deviceId" text, says boolean, at timestamptz)
    where known.workspace_id = ${workspaceId} and known.device_id = given."deviceId"`.execute(tx)
}

/**
 * A device that never said it and sent a crash before that instant may have another client since. Left out are devices that
 * crash just now.
 */
export async function forgetOldCrashes(
  db: Db,
  workspaceId: string,
  { before, days }: { before: Date; days: number },
): Promise<void> {
  await sql`
    with old as (
      select device_id, hour + make_interval(days => ${days}) as known_until from crash_devices
      where workspace_id = ${workspaceId} and reports_since is not null and not says_so and hour < ${before}
      order by device_id for no key update skip locked)
    update crash_devices as known set
      reports_since = null, unknown_since = old.known_until, is_crash_old = true
    from old
    where known.workspace_id = ${workspaceId} and known.device_id = old.device_id`.execute(db)
}

export interface DeviceDay {
  firmwareVersionId: string
  deviceId: string
  day: Date
  /** 0: it was heard from. */
  crashCount: number
}

/** Marks days of devices whose memory is locked, and counts what is new of them. */
export async function addDeviceDays(
  tx: Tx,
  workspaceId: string,
  days: readonly DeviceDay[],
): Promise<void> {
  if (days.length === 0) return
  await sql`
    with given as materialized (
      select given."firmwareVersionId" as firmware_version_id, given."deviceId" as device_id,
        (given.day at time zone 'UTC')::date as day, sum(given."crashCount")::int as crash_count
      from json_to_recordset(${JSON.stringify(days)}::json) as given (
        "firmwareVersionId" uuid, "deviceId" text, day timestamptz, "crashCount" integer)
      group by 1, 2, 3),
    counted as materialized (
      select given.firmware_version_id, given.day, sum(given.crash_count)::int as crash_count,
        count(*) filter (where known.days is null or not known.days @> given.day)::int as device_count,
        count(*) filter (where given.crash_count > 0
          and (known.crashed_days is null or not known.crashed_days @> given.day))::int as crashed_device_count
      from given
      left join crash_device_days as known on known.workspace_id = ${workspaceId}
        and known.firmware_version_id = given.firmware_version_id and known.device_id = given.device_id
      group by given.firmware_version_id, given.day),
    marked as (
      insert into crash_device_days as known (workspace_id, firmware_version_id, device_id, days, crashed_days)
      select ${workspaceId}, given.firmware_version_id, given.device_id,
        range_agg(daterange(given.day, given.day + 1)),
        coalesce(range_agg(daterange(given.day, given.day + 1)) filter (where given.crash_count > 0), '{}')
      from given
      group by given.firmware_version_id, given.device_id
      order by given.firmware_version_id, given.device_id
      on conflict (workspace_id, firmware_version_id, device_id) do update set
        days = known.days + excluded.days, crashed_days = known.crashed_days + excluded.crashed_days)
    insert into crash_version_days as known (
      workspace_id, firmware_version_id, day, device_count, crashed_device_count, crash_count)
    select ${workspaceId}, counted.firmware_version_id, counted.day, counted.device_count,
      counted.crashed_device_count, counted.crash_count
    from counted
    order by counted.firmware_version_id, counted.day
    on conflict (workspace_id, firmware_version_id, day) do update set
      device_count = known.device_count + excluded.device_count,
      crashed_device_count = known.crashed_device_count + excluded.crashed_device_count,
      crash_count = known.crash_count + excluded.crash_count`.execute(tx)
}

/**
 * Devices that report crashes and were heard from, with a version and a day that is not marked yet. A device that is connected
 * is heard from today, another one on the day when it was seen last: today or yesterday.
 */
export const selectUnmarkedDays = (
  { workspaceId, now }: { workspaceId: string; now: Date },
  condition: RawBuilder<unknown> = sql``,
) => sql`
  select running.firmware_version_id, device.id as device_id, device.cohort_id, heard.day
  from crash_devices as reporter
  join devices as device on device.workspace_id = ${workspaceId} and device.id = reporter.device_id
  cross join lateral (
    select (case when device.connected then ${now}::timestamptz else device.last_seen_at end
      at time zone 'UTC')::date as day) as heard
  join device_firmwares as running
    on running.workspace_id = ${workspaceId} and running.device_id = device.id
      and running.firmware_version_id is not null
  left join crash_device_days as marked
    on marked.workspace_id = ${workspaceId} and marked.firmware_version_id = running.firmware_version_id
      and marked.device_id = device.id
  where reporter.workspace_id = ${workspaceId} and reporter.reports_since is not null
    and heard.day >= (${now}::timestamptz at time zone 'UTC')::date - 1
    and (marked.days is null or not marked.days @> heard.day) ${condition}`

/** The next ones by device. */
export async function listUnmarkedDays(
  db: Db,
  at: { workspaceId: string; now: Date },
  { after, limit }: { after: string; limit: number },
): Promise<Omit<DeviceDay, 'crashCount'>[]> {
  const { rows } = await sql<Omit<DeviceDay, 'crashCount'>>`
    select unmarked.firmware_version_id, unmarked.device_id, (unmarked.day::timestamp at time zone 'UTC') as day
    from (${selectUnmarkedDays(at, sql`and reporter.device_id > ${after}`)}) as unmarked
    order by unmarked.device_id fetch first ${limit} rows with ties`.execute(db)
  return rows
}

/** Locks what is remembered of devices that still exist and report crashes, in the order of their ids. */
export async function lockReporters(
  tx: Tx,
  workspaceId: string,
  deviceIds: readonly string[],
): Promise<Set<string>> {
  const { rows } = await sql<{ deviceId: string }>`
    select reporter.device_id from crash_devices as reporter
    where reporter.workspace_id = ${workspaceId} and reporter.device_id = any(${deviceIds}::text[])
      and reporter.reports_since is not null
    order by reporter.device_id
    for no key update of reporter`.execute(tx)
  return new Set(rows.map(({ deviceId }) => deviceId))
}

export interface CrashReporting {
  /** Devices that report crashes. */
  reportingDeviceCount: number
  /** Devices of which nothing says that they do. */
  otherDeviceCount: number
  /** Of these, devices that said so earlier, or sent a crash long ago. */
  unknownDeviceCount: number
}

/** Of the devices that run each of the versions now; versions that no device runs are left out. */
export async function listReportingOfVersions(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<(CrashReporting & { firmwareVersionId: string })[]> {
  const { rows } = await sql<CrashReporting & { firmwareVersionId: string }>`
    select running.firmware_version_id,
      count(*) filter (where reporter.reports_since is not null)::int as reporting_device_count,
      count(*) filter (where reporter.reports_since is null)::int as other_device_count,
      count(*) filter (where reporter.unknown_since is not null)::int as unknown_device_count
    from device_firmwares as running
    left join crash_devices as reporter
      on reporter.workspace_id = ${workspaceId} and reporter.device_id = running.device_id
    where running.workspace_id = ${workspaceId} and running.firmware_version_id = any(${firmwareVersionIds}::uuid[])
    group by running.firmware_version_id`.execute(db)
  return rows
}

/** Of the devices of the workspace, or of those that run the firmware. */
export async function countReporting(
  db: Db,
  { workspaceId, firmwareId }: { workspaceId: string; firmwareId?: string | undefined },
): Promise<CrashReporting> {
  const { rows } = await sql<CrashReporting>`
    select count(*) filter (where reporter.reports_since is not null)::int as reporting_device_count,
      count(*) filter (where reporter.reports_since is null)::int as other_device_count,
      count(*) filter (where reporter.unknown_since is not null)::int as unknown_device_count
    from devices as device
    left join crash_devices as reporter
      on reporter.workspace_id = ${workspaceId} and reporter.device_id = device.id
    where device.workspace_id = ${workspaceId} ${
      firmwareId === undefined
        ? sql``
        : sql`and exists (
            select from device_firmwares as running
            join firmware_versions as version
              on version.workspace_id = ${workspaceId} and version.id = running.firmware_version_id
            where running.workspace_id = ${workspaceId} and running.device_id = device.id
              and version.firmware_id = ${firmwareId}::uuid)`
    }`.execute(db)
  return rows[0] ?? { reportingDeviceCount: 0, otherDeviceCount: 0, unknownDeviceCount: 0 }
}

/** Whether any device that runs one of the firmwares reports crashes. Without firmwares: any device. */
export async function hasCrashReporters(
  db: Db,
  workspaceId: string,
  firmwareIds: readonly string[],
): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (
      select from crash_devices as reporter
      where reporter.workspace_id = ${workspaceId} and reporter.reports_since is not null
        and (cardinality(${firmwareIds}::uuid[]) = 0 or exists (
          select from device_firmwares as running
          join firmware_versions as version
            on version.workspace_id = ${workspaceId} and version.id = running.firmware_version_id
          where running.workspace_id = ${workspaceId} and running.device_id = reporter.device_id
            and version.firmware_id = any(${firmwareIds}::uuid[])))) as has`.execute(db)
  return rows[0]?.has ?? false
}

/** Whether a version that was created before another one, of the same firmware, ever ran on a device that reports crashes. */
export const wasMeasuredBefore = (workspaceId: string) => sql`exists (
  select from firmware_versions as earlier
  where earlier.workspace_id = ${workspaceId} and earlier.firmware_id = version.firmware_id
    and (earlier.created_at, earlier.id) < (version.created_at, version.id)
    and (exists (
        select from crash_version_days as measured
        where measured.workspace_id = ${workspaceId} and measured.firmware_version_id = earlier.id)
      or exists (
        select from crash_versions as crashed
        where crashed.workspace_id = ${workspaceId} and crashed.firmware_version_id = earlier.id)))`

export const isFirstVersion = (workspaceId: string) => sql`not exists (
  select from firmware_versions as earlier
  where earlier.workspace_id = ${workspaceId} and earlier.firmware_id = version.firmware_id
    and (earlier.created_at, earlier.id) < (version.created_at, version.id))`

/** Whether what crashed before a version is known: it is the first of its firmware, or an earlier one was measured. */
export async function isComparable(
  db: Db,
  workspaceId: string,
  firmwareVersionId: string,
): Promise<boolean> {
  const { rows } = await sql<{ isComparable: boolean }>`
    select ${isFirstVersion(workspaceId)} or ${wasMeasuredBefore(workspaceId)} as is_comparable
    from firmware_versions as version
    where version.workspace_id = ${workspaceId} and version.id = ${firmwareVersionId}::uuid`.execute(
    db,
  )
  return rows[0]?.isComparable ?? false
}

/** A claim of the device itself, or a crash that it sent. */
export const KNOWN_BY = ['Claim', 'Crash'] as const

export interface DeviceReporting {
  /** At most one of both instants is known. */
  reportsSince: Date | null
  unknownSince: Date | null
  saysSo: boolean
  isCrashOld: boolean
  /** The hour of its last crash; of one that never crashed, of its first claim. */
  hour: Date
}

export async function findDeviceReporting(
  db: Db,
  workspaceId: string,
  deviceId: string,
): Promise<DeviceReporting | undefined> {
  return db
    .selectFrom('crashDevices')
    .select(['reportsSince', 'unknownSince', 'saysSo', 'isCrashOld', 'hour'])
    .where('workspaceId', '=', workspaceId)
    .where('deviceId', '=', deviceId)
    .executeTakeFirst()
}

/** Of workspaces with devices that report crashes. */
export async function listReportingWorkspaces(db: Db): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select workspace.id from workspaces as workspace
    where exists (
      select from crash_devices as reporter
      where reporter.workspace_id = workspace.id and reporter.reports_since is not null)
    order by workspace.id`.execute(db)
  return rows.map(({ id }) => id)
}
