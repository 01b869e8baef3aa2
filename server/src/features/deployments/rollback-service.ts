import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import { beginDeployment } from './activation-service.ts'
import { getDeployment, lockedDeployment, requirePredecessor, showDeployment } from './service.ts'
import { recordGate } from './gate/gate.ts'
import { assessGate } from './gate/service.ts'
import { ONE_PHASE } from './phases.ts'

export interface RollBackDeployment {
  workspaceId: string
  actor: Actor
  deploymentCohortId: string
  deploymentId: string
}

/** To all devices at once, whatever the gate finds: what is known to run is wanted back. */
export async function rollBackDeployment(ctx: AppContext, input: RollBackDeployment) {
  const { workspaceId, actor } = input
  return ctx.db.transaction().execute(async (tx) => {
    const deployment = await lockedDeployment(tx, input)
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
    const id = await beginDeployment(ctx, tx, {
      workspaceId,
      actor,
      cohortId,
      name: nameOf(restored.name),
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
      gate: recordGate(gate, undefined, actor),
      action: 'deployment.roll-back',
      superseding: 'rolled back',
    })
    return showDeployment(tx, { workspaceId, deploymentCohortId: cohortId, deploymentId: id })
  })
}

const LONGEST_NAME = 200
const PREFIX = 'Roll back to '

/** A roll back of a roll back still names what is restored. */
function nameOf(restored: string): string {
  const name = restored.startsWith(PREFIX) ? restored : `${PREFIX}${restored}`
  return name.slice(0, LONGEST_NAME)
}
