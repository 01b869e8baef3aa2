/** Shows what comparisons of a deployment found. */
import type { AppContext } from '../../platform/context.ts'
import { notFound } from '../../platform/errors.ts'
import { isUuid } from '../../platform/ids.ts'
import type { Acceptance, PhaseState, SignalResult } from './result.ts'
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
    return { phase, ...describePhase(row), plan, results: (row?.results ?? []).map(complete) }
  })
  return { phases }
}

/** What was found before it was told what would have been seen. */
const NOT_TOLD = { smallestPercent: null, smallestDevices: null, isBlind: false }
const complete = (result: SignalResult): SignalResult => ({ ...NOT_TOLD, ...result })

export interface StoredPhaseComparison {
  phase: number
  state: PhaseState
  reason: string | null
  checkedAt: Date | string
  blindTo: string[]
  accepted: Acceptance | null
}

const NOTHING_FOUND = { reason: null, checkedAt: null, blindTo: [], accepted: null }

/** undefined: no worker has looked yet. */
function describePhase(row: StoredPhaseComparison | undefined) {
  if (!row) return { state: 'Waiting' as const, ...NOTHING_FOUND }
  const { state, reason, checkedAt, blindTo, accepted } = row
  return {
    state,
    reason,
    checkedAt: new Date(checkedAt),
    blindTo,
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
      : { state: 'NotAsked' as const, ...NOTHING_FOUND },
  )
}
