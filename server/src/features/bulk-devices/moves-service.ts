/** Which devices a change moves from one cohort to another. */
import type { Tx } from '../../platform/db/connect.ts'
import { listMembership, type Member } from '../cohorts/index.ts'

interface NamedCohort {
  id: string
  name: string
}

/** How many devices went from a cohort to another; null: none. */
export interface CohortMoves {
  from: NamedCohort | null
  to: NamedCohort | null
  devices: number
}

/** What `change` does to the cohorts of the devices, whose membership before it is given to it. */
export async function listMovesBy(
  tx: Tx,
  { workspaceId, deviceIds }: { workspaceId: string; deviceIds: readonly string[] },
  change: (before: readonly Member[]) => Promise<void>,
): Promise<CohortMoves[]> {
  const before = await listMembership(tx, workspaceId, deviceIds)
  await change(before)
  const after = await listMembership(tx, workspaceId, deviceIds)
  const cohortsAfter = new Map(after.map((member) => [member.id, readCohort(member)]))
  const moves = new Map<string, CohortMoves>()
  for (const member of before) {
    const from = readCohort(member)
    const to = cohortsAfter.get(member.id) ?? null
    if (from?.id === to?.id) continue
    const key = `${from?.id ?? ''} ${to?.id ?? ''}`
    const move = moves.get(key) ?? { from, to, devices: 0 }
    moves.set(key, { ...move, devices: move.devices + 1 })
  }
  return [...moves.values()].toSorted((a, b) => b.devices - a.devices)
}

const readCohort = ({ cohortId: id, cohortName }: Member): NamedCohort | null =>
  id === null ? null : { id, name: cohortName ?? id }
