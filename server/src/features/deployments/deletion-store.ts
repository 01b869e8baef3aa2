import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

export async function deleteDeploymentsOfCohort(
  tx: Db,
  workspaceId: string,
  cohortId: string,
): Promise<void> {
  await sql`
    select count(*) from (
      select from device_updates as updates
      join deployments as deployment
        on deployment.workspace_id = updates.workspace_id and deployment.id = updates.deployment_id
      where updates.workspace_id = ${workspaceId} and deployment.cohort_id = ${cohortId}
      order by updates.device_id, updates.deployment_id for update of updates) as locked`.execute(
    tx,
  )
  await sql`
    update firmware_versions as version set first_deployed_at = least(version.first_deployed_at, rolled.first_at)
    from (
      select part.firmware_version_id as id, min(deployment.created_at) as first_at
      from deployments as deployment
      join deployment_artifacts as part on part.workspace_id = ${workspaceId} and part.deployment_id = deployment.id
      where deployment.workspace_id = ${workspaceId} and deployment.cohort_id = ${cohortId}
      group by part.firmware_version_id
    ) as rolled
    where version.workspace_id = ${workspaceId} and version.id = rolled.id`.execute(tx)
  await tx
    .deleteFrom('deployments')
    .where('workspaceId', '=', workspaceId)
    .where('cohortId', '=', cohortId)
    .execute()
}
