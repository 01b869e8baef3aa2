/** What the release gate asks of SSVC: no finding that is as urgent as the workspace says. */
import type { Db } from '../../platform/db/connect.ts'
import { ALL_CONTEXTS, RATED_CLASS_COUNT } from '../../formats/ssvc/classes.ts'
import { readContextsOfVersions } from './conditions-store.ts'
import { areContextsOld } from './contexts-store.ts'
import { type Outcomes, readSettings } from './service.ts'
import { requireTree } from './trees-service.ts'

/** Of all that a finding of a class may be in these versions: what is as urgent as the release gate asks for. */
export interface GateOutcomes {
  from: string
  treeName: string
  classes: {
    firmwareVersionId: string
    ratedClass: number
    outcome: number
    /** Less urgent once all is known, perhaps. */
    isUncertain: boolean
  }[]
  describe: (one: { ratedClass: number; firmwareVersionId: string }) => Outcomes
}

/**
 * undefined: the release gate does not ask for outcomes. Until contexts are counted by what the workspace states now, a version may
 * stand in all of them.
 */
export async function readGateOutcomes(
  db: Db,
  { workspaceId, firmwareVersionIds }: { workspaceId: string; firmwareVersionIds: string[] },
): Promise<GateOutcomes | undefined> {
  const { tree: treeId, gateFrom } = await readSettings(db, workspaceId)
  if (gateFrom === null) return undefined
  const { tree, decisions } = await requireTree(db, workspaceId, treeId)
  const from = tree.outcomes.findIndex(({ name }) => name === gateFrom)
  const contexts = (await areContextsOld(db, workspaceId))
    ? new Map(firmwareVersionIds.map((id) => [id, ALL_CONTEXTS]))
    : await readContextsOfVersions(db, workspaceId, firmwareVersionIds)
  const tell = (outcome: number) => tree.outcomes[outcome]?.name ?? ''
  const classes = [...contexts].flatMap(([firmwareVersionId, some]) =>
    Array.from({ length: RATED_CLASS_COUNT }, (_, ratedClass) => ({
      firmwareVersionId,
      ratedClass,
      outcome: decisions.decide(ratedClass, some),
      isUncertain: decisions.decideLeast(ratedClass, some) < from,
    })),
  )
  return {
    from: gateFrom,
    treeName: tree.name,
    classes: classes.filter(({ outcome }) => outcome >= from),
    describe: ({ ratedClass, firmwareVersionId }) => {
      const some = contexts.get(firmwareVersionId) ?? 0n
      return {
        ssvcOutcome: tell(decisions.decide(ratedClass, some)),
        ssvcLeastOutcome: tell(decisions.decideLeast(ratedClass, some)),
      }
    },
  }
}
