/** Which devices could take a firmware version, by cohort and by what is known of them. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import type { DeploymentState } from '../deployments/index.ts'

export interface TakerGroup {
  firmwareId: string
  /** The release line of what they run; null: none. */
  lineId: string | null
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
    select version.firmware_id, version.line_id, cohort.id as cohort_id, cohort.name as cohort_name, device.door, device.client,
      not (device.connected or coalesce(device.last_seen_at >= ${heardSince}, false)) as is_silent,
      count(distinct device.id)::int as device_count
    from firmware_versions as version
    join device_firmwares as running
      on running.workspace_id = ${workspaceId} and running.firmware_version_id = version.id
    join devices as device on device.workspace_id = ${workspaceId} and device.id = running.device_id
    left join deployment_cohorts as cohort
      on cohort.workspace_id = ${workspaceId} and cohort.id = device.cohort_id
    where version.workspace_id = ${workspaceId} and version.id = any(${versionIds}::uuid[])
    group by version.firmware_id, version.line_id, cohort.id, cohort.name, device.door, device.client, is_silent
    order by cohort.name, cohort.id, device.door, device.client`.execute(db)
  return rows
}

/** The release lines of these versions, without versions that have none. */
export async function listLineIds(
  db: Db,
  workspaceId: string,
  versionIds: readonly string[],
): Promise<{ id: string; lineId: string | null }[]> {
  return db
    .selectFrom('firmwareVersions')
    .select(['id', 'lineId'])
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${versionIds}::uuid[])`)
    .where('lineId', 'is not', null)
    .execute()
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

export interface VersionDeployment {
  id: string
  name: string
  deploymentCohort: { id: string; name: string }
  state: DeploymentState
  isActive: boolean
  isRollback: boolean
  createdAt: Date
  endedAt: Date | null
  deviceCount: number
  succeededCount: number
}

/** Deployments that install the version: active ones first, then the newest. */
export async function listVersionDeployments(
  db: Db,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
  limit: number,
): Promise<VersionDeployment[]> {
  const { rows } = await sql<VersionDeployment>`
    select deployment.id, deployment.name, json_build_object('id', cohort.id, 'name', cohort.name) as deployment_cohort,
      deployment.state, deployment.is_active, deployment.rollback_of_id is not null as is_rollback,
      deployment.created_at, deployment.ended_at, deployment.succeeded as succeeded_count,
      deployment.pending + deployment.in_progress + deployment.succeeded + deployment.failed
        + deployment.cancelled as device_count
    from (
      select distinct deployment_id from deployment_artifacts
      where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}
    ) as artifact
    join deployments as deployment
      on deployment.workspace_id = ${workspaceId} and deployment.id = artifact.deployment_id
    join deployment_cohorts as cohort
      on cohort.workspace_id = ${workspaceId} and cohort.id = deployment.cohort_id
    order by deployment.is_active desc, deployment.created_at desc, deployment.id limit ${limit}`.execute(
    db,
  )
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
