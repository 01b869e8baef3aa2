/** The history of a cohort that a rollback chooses from. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
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
