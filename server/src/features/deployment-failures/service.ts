/** Why devices of a deployment failed, what they have in common, and whether something has changed for them since. */
import type { AppContext } from '../../platform/context.ts'
import { describeTarget, getDeployment } from '../deployments/index.ts'
import { countTraits, listFailureGroups } from './store.ts'
import { findTraits, TRAIT_KINDS } from './traits.ts'

interface DeploymentNamed {
  workspaceId: string
  deploymentCohortId: string
  deploymentId: string
}

export async function explainFailures({ db }: Pick<AppContext, 'db'>, named: DeploymentNamed) {
  const target = describeTarget(named.workspaceId, await getDeployment(db, named))
  const [{ failedCount, groups }, { comparedFailedCount, comparedOtherCount, counts }] =
    await Promise.all([listFailureGroups(db, target), countTraits(db, target)])
  const traits = findTraits(counts)
  const kinds = new Set(counts.flatMap(({ reason, kind }) => (reason === null ? [] : [kind])))
  return {
    failedCount,
    comparedFailedCount,
    comparedOtherCount,
    comparedKinds: TRAIT_KINDS.filter((kind) => kinds.has(kind)),
    groups: groups.map((group) => ({ ...group, traits: traits.get(group.reason) ?? [] })),
  }
}
