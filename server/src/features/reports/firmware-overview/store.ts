/** Reads all versions of a workspace with what is kept of them, and what devices run of them. */
import { sql } from 'kysely'
import type { Severity } from '../../../formats/advisories/model.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { markValues, readSboms } from '../../firmware/index.ts'
import type { Rollout } from './grouping.ts'
import { type DailyDevices, severityCounts } from '../overview/store.ts'

export interface VersionRow {
  id: string
  name: string
  firmwareId: string
  createdAt: Date
  devices: number
  counts: Record<Lowercase<Severity>, number>
  readSboms: number
  /** What `readMarkFacts` reads. */
  markValues: number[]
}

/** Newest first. */
export async function listVersions(db: Db, workspaceId: string): Promise<VersionRow[]> {
  const { rows } = await sql<VersionRow>`
    select version.id, version.name, version.firmware_id, version.created_at,
      coalesce(running.devices, 0) as devices, json_build_object(${severityCounts}) as counts,
      coalesce(read.sboms - read.pending_sboms - read.failed_sboms, 0) as read_sboms,
      ${markValues} as mark_values
    from firmware_versions as version
    left join (
      select firmware_version_id, sum(devices)::int as devices
      from firmware_version_device_counts where workspace_id = ${workspaceId}
      group by firmware_version_id
    ) as running on running.firmware_version_id = version.id
    left join firmware_version_counters as counters
      on counters.workspace_id = ${workspaceId} and counters.firmware_version_id = version.id
    left join ${readSboms(workspaceId)} on read.firmware_version_id = version.id
    where version.workspace_id = ${workspaceId}
    order by version.created_at desc, version.id desc`.execute(db)
  return rows
}

export interface FirmwareRow {
  id: string
  slug: string
  name: string
}

export async function listFirmwares(db: Db, workspaceId: string): Promise<FirmwareRow[]> {
  return db
    .selectFrom('firmwares')
    .select(['id', 'slug', 'name'])
    .where('workspaceId', '=', workspaceId)
    .orderBy('name')
    .orderBy('id')
    .execute()
}

/** How many devices run which versions together, of those that are known. */
export async function listDeviceSets(
  db: Db,
  workspaceId: string,
): Promise<{ firmwareVersionIds: string[]; devices: number }[]> {
  return db
    .selectFrom('firmwareSetDeviceCounts')
    .select(['firmwareVersionIds', 'devices'])
    .where('workspaceId', '=', workspaceId)
    .where('devices', '>', 0)
    .execute()
}

/** By firmware, of these days those with data, oldest first, with the devices that ran a version of it. */
export async function listDailyDevices(
  db: Db,
  { workspaceId, days }: { workspaceId: string; days: readonly string[] },
): Promise<DailyDevices[]> {
  const { rows } = await sql<DailyDevices>`
    select version.firmware_id as id, each.day::text, sum(each.devices)::int as devices
    from firmware_set_daily_devices as each cross join unnest(each.firmware_version_ids) as running (id)
    join firmware_versions as version on version.workspace_id = ${workspaceId} and version.id = running.id
    where each.workspace_id = ${workspaceId} and each.day = any(${days}::date[])
    group by version.firmware_id, each.day order by each.day`.execute(db)
  return rows
}

/** Deployments of versions that have not reached all their devices and are not ended. */
export async function listRollouts(
  db: Db,
  workspaceId: string,
): Promise<{ firmwareVersionId: string; rollout: Rollout }[]> {
  const { rows } = await sql<{ firmwareVersionId: string; rollout: Rollout }>`
    select artifact.firmware_version_id, json_build_object(
      'deploymentId', deployment.id, 'deploymentCohortId', cohort.id, 'cohortName', cohort.name,
      'state', deployment.state,
      'unfinished', deployment.pending + deployment.in_progress + deployment.failed) as rollout
    from deployments as deployment
    join deployment_cohorts as cohort
      on cohort.workspace_id = ${workspaceId} and cohort.id = deployment.cohort_id
    join (
      select distinct deployment_id, firmware_version_id from deployment_artifacts
      where workspace_id = ${workspaceId}
    ) as artifact on artifact.deployment_id = deployment.id
    where deployment.workspace_id = ${workspaceId} and deployment.is_active
      and (deployment.state = 'Scheduled'
        or deployment.pending + deployment.in_progress + deployment.failed > 0)
    order by cohort.name, deployment.id`.execute(db)
  return rows
}

/** All devices, and those that never said what they run. */
export async function countDevices(
  db: Db,
  workspaceId: string,
): Promise<{ total: number; silent: number }> {
  return db
    .selectFrom('devices')
    .select([
      sql<number>`count(*)::int`.as('total'),
      sql<number>`(count(*) filter (where reported_at is null))::int`.as('silent'),
    ])
    .where('workspaceId', '=', workspaceId)
    .executeTakeFirstOrThrow()
}
