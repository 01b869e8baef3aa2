/** Crashes by day (UTC), and on how many devices they stand. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import { selectUnmarkedDays } from './reporting/store.ts'

/** The last days, with the one of `now`. */
export interface DaySpan {
  now: Date
  days: number
}

const firstDay = ({ now, days }: DaySpan) =>
  sql`(${now}::timestamptz at time zone 'UTC')::date - ${days - 1}::int`

interface GroupDay {
  groupId: string
  day: string
  crashCount: number
  deviceCount: number
}

/** Days without a crash are left out. */
export async function listGroupDays(
  db: Db,
  workspaceId: string,
  groupIds: readonly string[],
  span: DaySpan,
): Promise<GroupDay[]> {
  const { rows } = await sql<GroupDay>`
    select group_id, day::text as day, crash_count, device_count
    from crash_group_days
    where workspace_id = ${workspaceId} and group_id = any(${groupIds}::uuid[]) and day >= ${firstDay(span)}`.execute(
    db,
  )
  return rows
}

interface FirmwareDay {
  firmwareId: string
  day: string
  deviceCount: number
}

/** On how many devices that report crashes each firmware was heard from; a device with two versions on a day counts for both. */
export async function listMeasuredDays(
  db: Db,
  workspaceId: string,
  span: DaySpan,
): Promise<FirmwareDay[]> {
  const { rows } = await sql<FirmwareDay>`
    select version.firmware_id, measured.day::text as day, sum(measured.device_count)::int as device_count
    from crash_version_days as measured
    join firmware_versions as version
      on version.workspace_id = ${workspaceId} and version.id = measured.firmware_version_id
    where measured.workspace_id = ${workspaceId} and measured.day >= ${firstDay(span)} and measured.device_count > 0
    group by version.firmware_id, measured.day`.execute(db)
  return rows
}

export interface VersionDay {
  firmwareVersionId: string
  name: string
  day: string
  reportingDeviceCount: number
  crashedDeviceCount: number
  crashCount: number
}

/** A version and those before it that were measured within the days, the newest first; days that were not are left out. */
export async function listVersionDays(
  db: Db,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
  { most, ...span }: DaySpan & { most: number },
): Promise<VersionDay[]> {
  const { rows } = await sql<VersionDay>`
    with measured as materialized (
      select firmware_version_id, day, device_count, crashed_device_count, crash_count
      from crash_version_days where workspace_id = ${workspaceId} and day >= ${firstDay(span)}
      union all
      select unmarked.firmware_version_id, unmarked.day, 1, 0, 0
      from (${selectUnmarkedDays({ workspaceId, now: span.now })}) as unmarked),
    compared as materialized (
      select other.id, other.name, other.created_at
      from firmware_versions as version
      join firmware_versions as other on other.workspace_id = ${workspaceId} and other.firmware_id = version.firmware_id
        and (other.created_at, other.id) <= (version.created_at, version.id)
      where version.workspace_id = ${workspaceId} and version.id = ${firmwareVersionId}::uuid
        and exists (select from measured where measured.firmware_version_id = other.id)
      order by other.created_at desc, other.id desc limit ${most})
    select compared.id as firmware_version_id, compared.name, measured.day::text as day,
      sum(measured.device_count)::int as reporting_device_count,
      sum(measured.crashed_device_count)::int as crashed_device_count, sum(measured.crash_count)::int as crash_count
    from compared
    join measured on measured.firmware_version_id = compared.id
    group by compared.id, compared.name, compared.created_at, measured.day
    having sum(measured.device_count) > 0
    order by compared.created_at desc, compared.id desc, measured.day`.execute(db)
  return rows
}
