/** How often devices crash: of the days on which they were heard from while they report crashes. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import { selectUnmarkedDays } from './store.ts'

export interface CrashRate {
  firmwareVersionId: string
  versionName: string
  firmware: { id: string; slug: string; name: string | null }
  deviceDays: number
  crashedDeviceDays: number
}

interface RateFilter {
  workspaceId: string
  /** Empty: any. */
  firmwareIds: readonly string[]
  /** null: all devices. */
  cohortId: string | null
}

/** By version, over the last days (UTC) with the one of `to`. Versions of which no device was heard from are left out. */
export async function listCrashRates(
  db: Db,
  { workspaceId, firmwareIds, cohortId }: RateFilter,
  { to, days }: { to: Date; days: number },
): Promise<CrashRate[]> {
  const last = sql`(${to}::timestamptz at time zone 'UTC')::date`
  const first = sql`${last} - ${days - 1}::int`
  const marked =
    cohortId === null
      ? sql`
        select firmware_version_id, device_count as device_days, crashed_device_count as crashed_days
        from crash_version_days
        where workspace_id = ${workspaceId} and day between ${first} and ${last}`
      : sql`
        select marked.firmware_version_id, counted.device_days, counted.crashed_days
        from devices as device
        join crash_device_days as marked
          on marked.workspace_id = ${workspaceId} and marked.device_id = device.id
        cross join lateral (
          select (
              select coalesce(sum(upper(span) - lower(span)), 0)
              from unnest(marked.days * datemultirange(daterange(${first}, ${last} + 1))) as span) as device_days, (
              select coalesce(sum(upper(span) - lower(span)), 0)
              from unnest(marked.crashed_days * datemultirange(daterange(${first}, ${last} + 1))) as span) as crashed_days
        ) as counted
        where device.workspace_id = ${workspaceId} and device.cohort_id = ${cohortId}::uuid`
  const { rows } = await sql<CrashRate>`
    select version.id as firmware_version_id, version.name as version_name,
      json_build_object('id', firmware.id, 'slug', firmware.slug, 'name', firmware.name) as firmware,
      rate.device_days, rate.crashed_device_days
    from (
      select counted.firmware_version_id, sum(counted.device_days)::int as device_days,
        sum(counted.crashed_days)::int as crashed_device_days
      from (
        ${marked}
        union all
        select unmarked.firmware_version_id, 1, 0
        from (${selectUnmarkedDays({ workspaceId, now: to })}) as unmarked
        where unmarked.day between ${first} and ${last}
          and (${cohortId}::uuid is null or unmarked.cohort_id = ${cohortId}::uuid)) as counted
      group by counted.firmware_version_id
      having sum(counted.device_days) > 0) as rate
    join firmware_versions as version
      on version.workspace_id = ${workspaceId} and version.id = rate.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
    where cardinality(${firmwareIds}::uuid[]) = 0 or version.firmware_id = any(${firmwareIds}::uuid[])
    order by version.id`.execute(db)
  return rows
}
