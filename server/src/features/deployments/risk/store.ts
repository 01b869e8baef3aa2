/** Which versions the devices of a cohort run, and when versions were last in use. */
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
