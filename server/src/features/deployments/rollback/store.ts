/** The history of a cohort that a rollback chooses from, and the devices that it concerns. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import { selectDevicesRunning } from '../risk/store.ts'
import type { PastDeployment } from './target.ts'

interface OfCohort {
  workspaceId: string
  cohortId: string
}

/** The deployments of a cohort up to this one, newest first. */
export async function listHistory(
  db: Db,
  { workspaceId, cohortId }: OfCohort,
  deploymentId: string,
): Promise<PastDeployment[]> {
  const { rows } = await sql<PastDeployment>`
    with reported as materialized (
      select distinct running.firmware_version_id as id
      from devices as device
      join device_firmwares as running
        on running.workspace_id = device.workspace_id and running.device_id = device.id
      where device.workspace_id = ${workspaceId} and device.cohort_id = ${cohortId}
        and running.firmware_version_id is not null)
    select deployment.id, deployment.name, deployment.created_at, deployment.state = 'Cancelled' as is_cancelled,
      deployment.rollback_of_id, deployment.restores_id, held.versions,
      deployment.succeeded > 0 or held.is_reported as is_taken,
      deployment.succeeded + deployment.failed > 0 or exists (
        select from device_updates as updates
        where updates.workspace_id = ${workspaceId} and updates.deployment_id = deployment.id
          and updates.started_at is not null) as is_tried
    from deployments as deployment
    join deployments as latest
      on latest.workspace_id = deployment.workspace_id and latest.id = ${deploymentId}
    cross join lateral (
      select json_agg(json_build_object('firmwareId', version.firmware_id, 'firmwareVersionId', version.id)) as versions,
        bool_and(version.id in (select id from reported)) as is_reported
      from deployment_artifacts as artifact
      join firmware_versions as version
        on version.workspace_id = artifact.workspace_id and version.id = artifact.firmware_version_id
      where artifact.workspace_id = ${workspaceId} and artifact.deployment_id = deployment.id) as held
    where deployment.workspace_id = ${workspaceId} and deployment.cohort_id = ${cohortId}
      and (deployment.created_at, deployment.id) <= (latest.created_at, latest.id)
    order by deployment.created_at desc, deployment.id desc`.execute(db)
  return rows
}

/** The devices of a cohort by what a rollback means for each of them; together they are all of it. */
export interface RollbackDeviceCounts {
  reporting: number
  installing: number
  staying: number
  other: number
  unknown: number
}

/**
 * Devices that report the versions come first; then those that are installing them, as they may end with them; then those that report the
 * restored ones. What others run is known where each of their versions of these firmwares is.
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
      count(*) filter (where kind = 'other')::int as other,
      count(*) filter (where kind = 'unknown')::int as unknown
    from (
      select case
        when updates.state = 'inProgress' and left_by.device_id is null then 'installing'
        when left_by.device_id is not null then 'reporting'
        when restored.device_id is not null then 'staying'
        when known.device_id is not null then 'other'
        else 'unknown' end as kind
      from devices as device
      left join device_updates as updates on updates.workspace_id = device.workspace_id
        and updates.deployment_id = ${deploymentId} and updates.device_id = device.id
      left join (${selectDevicesRunning(workspaceId, from)}) as left_by on left_by.device_id = device.id
      left join (${selectDevicesRunning(workspaceId, to)}) as restored on restored.device_id = device.id
      left join (${devicesKnown(workspaceId, to)}) as known on known.device_id = device.id
      where device.workspace_id = ${workspaceId} and device.cohort_id = ${cohortId}) as device`.execute(
    db,
  )
  return rows[0] ?? { reporting: 0, installing: 0, staying: 0, other: 0, unknown: 0 }
}

/** The devices of the workspace that report a known version of each firmware that these versions are of. */
function devicesKnown(workspaceId: string, versionIds: readonly string[]) {
  const ids = [...new Set(versionIds)]
  return sql`
    select running.device_id from device_firmwares as running
    join firmware_versions as version
      on version.workspace_id = running.workspace_id and version.id = running.firmware_version_id
    where running.workspace_id = ${workspaceId} and version.firmware_id in (
      select wanted.firmware_id from firmware_versions as wanted
      where wanted.workspace_id = ${workspaceId} and wanted.id = any(${ids}::uuid[]))
    group by running.device_id having count(distinct version.firmware_id) = ${ids.length}`
}

/** The newest deployment of the cohort that was not cancelled, and the creation time of the newest one of all. */
export async function findPredecessor(
  db: Db,
  workspaceId: string,
  cohortId: string,
): Promise<{ predecessorId: string | null; newestAt: Date | null }> {
  const ofCohort = db
    .selectFrom('deployments')
    .where('workspaceId', '=', workspaceId)
    .where('cohortId', '=', cohortId)
  return db
    .selectNoFrom([
      ofCohort
        .select('id')
        .where('state', '<>', 'Cancelled')
        .orderBy('createdAt', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .as('predecessorId'),
      ofCohort.select((eb) => eb.fn.max('createdAt').as('at')).as('newestAt'),
    ])
    .executeTakeFirstOrThrow()
}
