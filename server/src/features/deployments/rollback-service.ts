import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import { activateDeployment } from './activation-service.ts'
import { getDeployment, lockDeployment, requirePredecessor, showDeployment } from './service.ts'
import { recordGate } from './gate.ts'
import { assessGate } from '../release-gate/index.ts'
import { ROLLED_BACK } from './events.ts'
import { ONE_PHASE } from './phases.ts'

export interface RollBackDeployment {
  workspaceId: string
  actor: Actor
  deploymentCohortId: string
  deploymentId: string
}

/** Restores the predecessor on all devices at once. The release gate is recorded but never blocks a rollback. */
export async function rollBackDeployment(ctx: AppContext, input: RollBackDeployment) {
  const { workspaceId, actor } = input
  return ctx.db.transaction().execute(async (tx) => {
    const deployment = await lockDeployment(tx, input)
    const { cohortId } = deployment
    const predecessorId = requirePredecessor(deployment)
    const restored = await getDeployment(tx, {
      workspaceId,
      deploymentCohortId: cohortId,
      deploymentId: predecessorId,
    })
    const artifacts = restored.artifacts.map(({ firmware }) => ({
      firmwareVersionId: firmware.firmwareVersion.id,
      isMain: firmware.isMain,
    }))
    const firmwareVersionIds = artifacts.map(({ firmwareVersionId }) => firmwareVersionId)
    const { blocked: _, ...gate } = await assessGate(tx, { workspaceId, firmwareVersionIds })
    const { startDeadlineSeconds, deviceDeadlineSeconds, maxAttempts } = deployment
    const id = await activateDeployment(ctx, tx, {
      workspaceId,
      actor,
      cohortId,
      name: nameRollback(restored.name),
      artifacts,
      startsAt: null,
      phases: ONE_PHASE,
      options: { forced: true, maintenanceWindow: null, confirmationRequired: false },
      startDeadlineSeconds,
      deviceDeadlineSeconds,
      maxAttempts,
      predecessorId: restored.predecessorId,
      rollbackOfId: deployment.id,
      restoresId: restored.id,
      note: null,
      gate: recordGate(gate, undefined, actor),
      action: 'deployment.roll-back',
      supersededReason: ROLLED_BACK,
    })
    return showDeployment(tx, { workspaceId, deploymentCohortId: cohortId, deploymentId: id })
  })
}

const LONGEST_NAME = 200
const PREFIX = 'Roll back to '

/** The rollback of a rollback is named after the deployment that it restores. */
function nameRollback(restored: string): string {
  const name = restored.startsWith(PREFIX) ? restored : `${PREFIX}${restored}`
  return name.slice(0, LONGEST_NAME)
}
