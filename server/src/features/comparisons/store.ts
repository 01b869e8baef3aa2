/** What comparisons found, and the deployments that ask for them. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import type { ComparisonPlan } from './plan.ts'
import type { Acceptance, PhaseState, SignalResult } from './result.ts'

export interface DeploymentKey {
  workspaceId: string
  deploymentId: string
}

export interface ComparisonRow {
  phase: number
  checkedAt: Date
  state: Exclude<PhaseState, 'NotAsked'>
  reason: string | null
  looks: number
  lookedCount: number
  results: SignalResult[]
  /** Signals in which hardly anything would have been seen. */
  blindTo: string[]
  accepted: Acceptance | null
}

/** The plans of the phases that ask for a comparison; undefined: the cohort has no such deployment. */
export async function findPlans(
  db: Db,
  { workspaceId, deploymentId }: DeploymentKey,
  cohortId: string,
): Promise<{ phase: number; plan: ComparisonPlan }[] | undefined> {
  const row = await db
    .selectFrom('deployments')
    .select(sql<{ comparison?: ComparisonPlan | null }[]>`phases`.as('phases'))
    .where('workspaceId', '=', workspaceId)
    .where('cohortId', '=', cohortId)
    .where('id', '=', deploymentId)
    .executeTakeFirst()
  return row?.phases.flatMap(({ comparison }, phase) =>
    comparison ? [{ phase, plan: comparison }] : [],
  )
}

export async function listComparisons(
  db: Db,
  { workspaceId, deploymentId }: DeploymentKey,
): Promise<ComparisonRow[]> {
  return db
    .selectFrom('deploymentComparisons')
    .select(['phase', 'checkedAt', 'state', 'reason', 'looks', 'lookedCount', 'blindTo'])
    .select(sql<SignalResult[]>`results`.as('results'))
    .select(sql<Acceptance | null>`accepted`.as('accepted'))
    .where('workspaceId', '=', workspaceId)
    .where('deploymentId', '=', deploymentId)
    .orderBy('phase')
    .$narrowType<{ state: ComparisonRow['state'] }>()
    .execute()
}

/** Forgets what was found of phases from this one on, as something else is to be compared. */
export async function deleteComparisons(
  tx: Db,
  { workspaceId, deploymentId }: DeploymentKey,
  fromPhase: number,
): Promise<void> {
  await tx
    .deleteFrom('deploymentComparisons')
    .where('workspaceId', '=', workspaceId)
    .where('deploymentId', '=', deploymentId)
    .where('phase', '>=', fromPhase)
    .execute()
}

/** Answers whether there was something to accept. */
export async function acceptComparison(
  tx: Db,
  { workspaceId, deploymentId }: DeploymentKey,
  { phase, acceptance }: { phase: number; acceptance: Acceptance },
): Promise<boolean> {
  const changed = await tx
    .updateTable('deploymentComparisons')
    .set({ accepted: JSON.stringify(acceptance) })
    .where('workspaceId', '=', workspaceId)
    .where('deploymentId', '=', deploymentId)
    .where('phase', '=', phase)
    .where('state', '<>', 'Passed')
    .where('accepted', 'is', null)
    .returning('phase')
    .executeTakeFirst()
  return changed !== undefined
}
