/** Finds due work in all workspaces. The callers lock and change one workspace at a time. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'

export interface DueDeployment {
  workspaceId: string
  cohortId: string
  deploymentId: string
}

/** As many failures stop the roll-out, times 100; null without a threshold. Counts as `countReleased` does. */
const releasedAtThreshold = sql`
  (phases -> phase ->> 'failureThresholdPercent')::float8 * (
    select count(*) from device_updates as updates
    where updates.workspace_id = deployments.workspace_id and updates.deployment_id = deployments.id
      and updates.released_at is not null and updates.state <> 'cancelled')`

/**
 * Active deployments that may be due: to start, to begin their next phase, to stop after failures, or because of a maintenance
 * window. Most only wait for their devices, and are left alone.
 */
export async function listDueDeployments(db: Db, now: Date): Promise<DueDeployment[]> {
  return db
    .selectFrom('deployments')
    .select(['workspaceId', 'cohortId', 'id as deploymentId'])
    .where(sql<boolean>`is_active`)
    .where((eb) =>
      eb.or([
        eb.and([eb('state', '=', 'Scheduled'), eb('startsAt', '<=', now)]),
        eb.and([
          eb('state', '=', 'Running'),
          sql<boolean>`(phase < jsonb_array_length(phases) - 1
              and phase_began_at + make_interval(secs => coalesce(phases -> phase ->> 'waitSeconds', '0')::float8) <= ${now}
            or failed > accepted_failures and (failed - accepted_failures) * 100 >= ${releasedAtThreshold}
            or exists (select from deployment_comparisons as compared
              where compared.workspace_id = deployments.workspace_id and compared.deployment_id = deployments.id
                and compared.phase = deployments.phase and compared.state in ('Worse', 'TooFew')
                and compared.accepted is null)
            or options ->> 'maintenanceWindow' is not null)`,
        ]),
      ]),
    )
    .orderBy('workspaceId')
    .orderBy('id')
    .execute()
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
  const claimed = await tx
    .updateTable('deployments')
    .set({ windowSignalledAt: began })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', deploymentId)
    .where((eb) =>
      eb.or([eb('windowSignalledAt', 'is', null), eb('windowSignalledAt', '<', began)]),
    )
    .returning('id')
    .executeTakeFirst()
  return claimed !== undefined
}
