/** What the devices of cohorts run and install, and when versions were last in use. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'

export interface RunningGroup {
  firmwareId: string
  /** null: unknown versions, which no firmware version matches. */
  id: string | null
  name: string | null
  deviceCount: number
}

/** Ordered by number of devices, most first. */
export async function listRunning(
  db: Db,
  workspaceId: string,
  { cohortId, firmwareIds }: { cohortId: string; firmwareIds: readonly string[] },
): Promise<RunningGroup[]> {
  const { rows } = await sql<RunningGroup>`
    select firmware.id as firmware_id, version.id, version.name, count(*)::int as device_count
    from devices as device
    join device_firmwares as running
      on running.workspace_id = device.workspace_id and running.device_id = device.id
    left join firmware_versions as version
      on version.workspace_id = running.workspace_id and version.id = running.firmware_version_id
    join firmwares as firmware on firmware.workspace_id = running.workspace_id
      and case when version.id is null then firmware.slug = running.slug
        else firmware.id = version.firmware_id end
    where device.workspace_id = ${workspaceId} and device.cohort_id = ${cohortId}
      and firmware.id = any(${firmwareIds}::uuid[])
    group by firmware.id, version.id, version.name
    order by device_count desc, version.id`.execute(db)
  return rows
}

export interface LastUse {
  firmwareVersionId: string
  isActive: boolean
  endedAt: Date | null
  runningDeviceCount: number
}

/** The last use of each version in the whole workspace. `endedAt` is that of the last ended deployment that held it. */
export async function listLastUses(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<LastUse[]> {
  const { rows } = await sql<LastUse>`
    select version.id as firmware_version_id, held.is_active, held.ended_at, (
      select coalesce(sum(counted.devices), 0)::int from firmware_version_device_counts as counted
      where counted.workspace_id = ${workspaceId} and counted.firmware_version_id = version.id
    ) as running_device_count
    from firmware_versions as version
    cross join lateral (
      select coalesce(bool_or(deployment.is_active), false) as is_active, max(deployment.ended_at) as ended_at
      from deployment_artifacts as artifact
      join deployments as deployment
        on deployment.workspace_id = artifact.workspace_id and deployment.id = artifact.deployment_id
      where artifact.workspace_id = ${workspaceId} and artifact.firmware_version_id = version.id) as held
    where version.workspace_id = ${workspaceId} and version.id = any(${firmwareVersionIds}::uuid[])`.execute(
    db,
  )
  return rows
}

export interface RunningSet {
  cohortId: string
  /** The known versions, in order; empty where all are unknown. */
  firmwareVersionIds: string[]
  versions: { id: string; firmwareId: string }[]
  /** The firmwares that they report, also in unknown versions. */
  firmwareIds: string[]
  devices: number
}

/** Devices that are alike are one row. Those that never reported a firmware are left out. */
export async function listRunningSets(
  db: Db,
  workspaceId: string,
  cohortIds: readonly string[],
): Promise<RunningSet[]> {
  const { rows } = await sql<RunningSet>`
    select grouped.*, (
      select coalesce(json_agg(json_build_object('id', version.id, 'firmwareId', version.firmware_id)), '[]')
      from firmware_versions as version
      where version.workspace_id = ${workspaceId} and version.id = any(grouped.firmware_version_ids)) as versions
    from (select cohort_id, firmware_version_ids, firmware_ids, count(*)::int as devices from (
      select device.cohort_id,
        coalesce(array_agg(distinct version.id) filter (where version.id is not null), '{}') as firmware_version_ids,
        coalesce(array_agg(distinct firmware.id) filter (where firmware.id is not null), '{}') as firmware_ids
      from devices as device
      join device_firmwares as running
        on running.workspace_id = device.workspace_id and running.device_id = device.id
      left join firmware_versions as version
        on version.workspace_id = running.workspace_id and version.id = running.firmware_version_id
      left join firmwares as firmware on firmware.workspace_id = running.workspace_id
        and case when version.id is null then firmware.slug = running.slug
          else firmware.id = version.firmware_id end
      where device.workspace_id = ${workspaceId} and device.cohort_id = any(${cohortIds}::uuid[])
      group by device.cohort_id, device.id
    ) as each
    group by cohort_id, firmware_version_ids, firmware_ids) as grouped`.execute(db)
  return rows
}

interface OfCohort {
  workspaceId: string
  cohortId: string
}

export interface DeploymentDeviceCounts {
  reporting: number
  installing: number
  staying: number
}

/**
 * Each device of the cohort once: it reports the versions of the deployment, installs them, or stays on what it runs. Counters of
 * updates do not tell: an update waits for the next contact of a device that runs the versions already.
 */
export async function countDeploymentDevices(
  db: Db,
  { workspaceId, cohortId }: OfCohort,
  { deploymentId, versionIds }: { deploymentId: string; versionIds: readonly string[] },
): Promise<DeploymentDeviceCounts> {
  const { rows } = await sql<DeploymentDeviceCounts>`
    select count(*) filter (where reported)::int as reporting,
      count(*) filter (where not reported and installs)::int as installing,
      count(*) filter (where not reported and not installs)::int as staying
    from (
      select running.device_id is not null as reported, coalesce(updates.state = 'inProgress', false) as installs
      from devices as device
      left join device_updates as updates on updates.workspace_id = device.workspace_id
        and updates.deployment_id = ${deploymentId} and updates.device_id = device.id
      left join (${devicesRunning(workspaceId, versionIds)}) as running on running.device_id = device.id
      where device.workspace_id = ${workspaceId} and device.cohort_id = ${cohortId}) as device`.execute(
    db,
  )
  return rows[0] ?? { reporting: 0, installing: 0, staying: 0 }
}

/** The devices of a cohort by what a rollback means for each of them; together they are all of it. */
export interface RollbackDeviceCounts {
  reporting: number
  installing: number
  staying: number
  other: number
}

/**
 * Devices that are installing the versions come first, as they may end with them; then those that report them, and those that report
 * the restored ones.
 */
export async function countRollbackDevices(
  db: Db,
  { workspaceId, cohortId }: OfCohort,
  {
    deploymentId,
    from,
    to,
  }: { deploymentId: string; from: readonly string[]; to: readonly string[] },
): Promise<RollbackDeviceCounts> {
  const { rows } = await sql<RollbackDeviceCounts>`
    select count(*) filter (where kind = 'installing')::int as installing,
      count(*) filter (where kind = 'reporting')::int as reporting,
      count(*) filter (where kind = 'staying')::int as staying,
      count(*) filter (where kind = 'other')::int as other
    from (
      select case
        when updates.state = 'inProgress' and left_by.device_id is null then 'installing'
        when left_by.device_id is not null then 'reporting'
        when restored.device_id is not null then 'staying'
        else 'other' end as kind
      from devices as device
      left join device_updates as updates on updates.workspace_id = device.workspace_id
        and updates.deployment_id = ${deploymentId} and updates.device_id = device.id
      left join (${devicesRunning(workspaceId, from)}) as left_by on left_by.device_id = device.id
      left join (${devicesRunning(workspaceId, to)}) as restored on restored.device_id = device.id
      where device.workspace_id = ${workspaceId} and device.cohort_id = ${cohortId}) as device`.execute(
    db,
  )
  return rows[0] ?? { reporting: 0, installing: 0, staying: 0, other: 0 }
}

/** The devices of the workspace that report all of these versions. */
function devicesRunning(workspaceId: string, versionIds: readonly string[]) {
  const ids = [...new Set(versionIds)]
  return sql`
    select running.device_id from device_firmwares as running
    where running.workspace_id = ${workspaceId} and running.firmware_version_id = any(${ids}::uuid[])
    group by running.device_id having count(distinct running.firmware_version_id) = ${ids.length}`
}
