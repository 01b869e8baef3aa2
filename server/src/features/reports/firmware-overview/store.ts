/** Reads all versions of a workspace with what is kept of them, and what devices run of them. */
import { sql } from 'kysely'
import type { Severity } from '../../../formats/advisories/model.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { describeLineOf, markValues, readSboms } from '../../firmware/index.ts'
import type { Rollout } from './grouping.ts'
import { severityCounts } from '../overview/store.ts'

export interface VersionRow {
  id: string
  name: string
  firmwareId: string
  line: { id: string; name: string } | null
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
      ${describeLineOf(workspaceId)} as line,
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

/** Names alone: the slice firmware counts the versions of each. */
export async function listFirmwareNames(db: Db, workspaceId: string): Promise<FirmwareRow[]> {
  return db
    .selectFrom('firmwares')
    .select(['id', 'slug', 'name'])
    .where('workspaceId', '=', workspaceId)
    .orderBy('name')
    .orderBy('id')
    .execute()
}

export interface UnregisteredVersion {
  slug: string
  version: string
  buildId: string | null
  deviceCount: number
}

/** Versions that devices report and nobody registered, by devices; `versions` and `devices` are of all of them. */
export async function listUnregistered(
  db: Db,
  { workspaceId, limit }: { workspaceId: string; limit: number },
): Promise<{ listed: UnregisteredVersion[]; versions: number; devices: number }> {
  const { rows } = await sql<UnregisteredVersion & { versions: number; devices: number }>`
    with reported as materialized (
      select device_id, slug, version, build_id from device_firmwares
      where workspace_id = ${workspaceId} and firmware_version_id is null
    )
    select slug, version, build_id, count(*)::int as device_count, (count(*) over ())::int as versions,
      (select count(distinct device_id)::int from reported) as devices
    from reported group by slug, version, build_id
    order by count(*) desc, slug, version, coalesce(build_id, '') limit ${limit}`.execute(db)
  const [first] = rows
  return { listed: rows, versions: first?.versions ?? 0, devices: first?.devices ?? 0 }
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
