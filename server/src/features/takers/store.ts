/** Which devices could take a firmware version, by cohort and by what is known of them. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

export interface TakerGroup {
  firmwareId: string
  /** null: the devices are in no cohort. */
  cohortId: string | null
  cohortName: string | null
  door: string | null
  client: string | null
  isSilent: boolean
  deviceCount: number
}

/** Devices that report one of the versions; a group is alike in all that decides whether they can take another one. */
export async function listTakerGroups(
  db: Db,
  workspaceId: string,
  { versionIds, heardSince }: { versionIds: readonly string[]; heardSince: Date },
): Promise<TakerGroup[]> {
  const { rows } = await sql<TakerGroup>`
    select version.firmware_id, cohort.id as cohort_id, cohort.name as cohort_name, device.door, device.client,
      not (device.connected or coalesce(device.last_seen_at >= ${heardSince}, false)) as is_silent,
      count(distinct device.id)::int as device_count
    from firmware_versions as version
    join device_firmwares as running
      on running.workspace_id = ${workspaceId} and running.firmware_version_id = version.id
    join devices as device on device.workspace_id = ${workspaceId} and device.id = running.device_id
    left join deployment_cohorts as cohort
      on cohort.workspace_id = ${workspaceId} and cohort.id = device.cohort_id
    where version.workspace_id = ${workspaceId} and version.id = any(${versionIds}::uuid[])
    group by version.firmware_id, cohort.id, cohort.name, device.door, device.client, is_silent
    order by cohort.name, cohort.id, device.door, device.client`.execute(db)
  return rows
}

export interface DeployingCohort {
  cohortId: string
  firmwareVersionId: string
}

/** Cohorts whose active deployment holds one of the versions. */
export async function listDeployingCohorts(
  db: Db,
  workspaceId: string,
  versionIds: readonly string[],
): Promise<DeployingCohort[]> {
  const { rows } = await sql<DeployingCohort>`
    select distinct deployment.cohort_id, artifact.firmware_version_id
    from deployments as deployment
    join deployment_artifacts as artifact
      on artifact.workspace_id = ${workspaceId} and artifact.deployment_id = deployment.id
    where deployment.workspace_id = ${workspaceId} and deployment.is_active
      and artifact.firmware_version_id = any(${versionIds}::uuid[])`.execute(db)
  return rows
}

/** The other versions of the same firmware. */
export async function listOtherVersionIds(
  db: Db,
  workspaceId: string,
  firmwareVersionId: string,
): Promise<string[]> {
  const rows = await db
    .selectFrom('firmwareVersions as version')
    .innerJoin('firmwareVersions as other', (join) =>
      join
        .onRef('other.workspaceId', '=', 'version.workspaceId')
        .onRef('other.firmwareId', '=', 'version.firmwareId')
        .onRef('other.id', '<>', 'version.id'),
    )
    .select('other.id')
    .where('version.workspaceId', '=', workspaceId)
    .where('version.id', '=', firmwareVersionId)
    .execute()
  return rows.map(({ id }) => id)
}
