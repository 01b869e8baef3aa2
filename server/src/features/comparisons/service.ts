/** Shows what comparisons of a deployment found. */
import type { AppContext } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { isUuid } from '../../platform/ids.ts'
import type { Acceptance, PhaseState } from './result.ts'
import * as store from './store.ts'

export async function showComparison(
  { db }: Pick<AppContext, 'db'>,
  {
    workspaceId,
    deploymentCohortId,
    deploymentId,
  }: { workspaceId: string; deploymentCohortId: string; deploymentId: string },
) {
  const key = { workspaceId, deploymentId }
  const plans =
    isUuid(deploymentCohortId) && isUuid(deploymentId)
      ? await store.findPlans(db, key, deploymentCohortId)
      : undefined
  if (!plans) throw notFound('deployment', deploymentId)
  const rows = new Map((await store.listComparisons(db, key)).map((row) => [row.phase, row]))
  const phases = plans.map(({ phase, plan }) => {
    const row = rows.get(phase)
    return { phase, ...describePhase(row), plan, results: row?.results ?? [] }
  })
  return { phases }
}

export interface StoredPhaseComparison {
  phase: number
  state: PhaseState
  reason: string | null
  checkedAt: Date | string
  accepted: Acceptance | null
}

/** undefined: no worker has looked yet. */
function describePhase(row: StoredPhaseComparison | undefined) {
  if (!row) return { state: 'Waiting' as const, reason: null, checkedAt: null, accepted: null }
  const { state, reason, checkedAt, accepted } = row
  return {
    state,
    reason,
    checkedAt: new Date(checkedAt),
    accepted: accepted && { ...accepted, at: new Date(accepted.at) },
  }
}

/** One for each phase of a deployment. */
export function describePhases(
  phases: readonly { comparison?: object | null }[],
  rows: readonly StoredPhaseComparison[],
) {
  return phases.map(({ comparison }, phase) =>
    comparison
      ? describePhase(rows.find((row) => row.phase === phase))
      : { state: 'NotAsked' as const, reason: null, checkedAt: null, accepted: null },
  )
}
