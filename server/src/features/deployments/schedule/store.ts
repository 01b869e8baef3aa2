/** Finds due work in all workspaces. The callers lock and change one workspace at a time. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'

export interface DueDeployment {
  workspaceId: string
  cohortId: string
  deploymentId: string
}

/** Active deployments that may be due: to start, or because of further phases, thresholds or a maintenance window. */
export async function listDueDeployments(db: Db, now: Date): Promise<DueDeployment[]> {
  const { rows } = await sql<DueDeployment>`
    select workspace_id, cohort_id, id as deployment_id from deployments
    where is_active and (
      (state = 'Scheduled' and starts_at <= ${now})
      or (state = 'Running' and (
        phase < jsonb_array_length(phases) - 1
        or phases -> phase ->> 'failureThresholdPercent' is not null
        or options ->> 'maintenanceWindow' is not null)))
    order by workspace_id, id`.execute(db)
  return rows
}

export async function listOverdueWorkspaces(db: Db, now: Date): Promise<string[]> {
  const { rows } = await sql<{ workspaceId: string }>`
    select active.workspace_id from (select distinct workspace_id from deployments where is_active) as active
    where exists (
      select from device_updates as updates
      join deployments as deployment
        on deployment.workspace_id = updates.workspace_id and deployment.id = updates.deployment_id
      where updates.workspace_id = active.workspace_id and updates.state in ('pending', 'inProgress')
        and updates.deadline_at <= ${now}
        and (updates.state = 'inProgress' or deployment.state = 'Running'))
    order by 1`.execute(db)
  return rows.map(({ workspaceId }) => workspaceId)
}

/** True for the first caller in a window, so that connected devices are signalled once when their window begins. */
export async function claimWindow(
  tx: Db,
  { workspaceId, deploymentId }: { workspaceId: string; deploymentId: string },
  began: Date,
): Promise<boolean> {
  const { rows } = await sql`
    update deployments set window_announced_at = ${began}
    where workspace_id = ${workspaceId} and id = ${deploymentId}
      and (window_announced_at is null or window_announced_at < ${began})
    returning id`.execute(tx)
  return rows.length > 0
}
