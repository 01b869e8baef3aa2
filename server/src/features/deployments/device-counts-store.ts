/**
 * The devices of a cohort by what they report and install. They are no counters of updates: an update waits for the device's next
 * contact, and stays what it was when the device is given another version by hand.
 */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

interface OfCohort {
  workspaceId: string
  cohortId: string
}

export interface DeploymentDeviceCounts {
  reporting: number
  installing: number
  staying: number
}

/** Each device of the cohort once: it reports the versions of the deployment, installs them, or stays on what it runs. */
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
