import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { AppError, notFound } from '../../../platform/errors.ts'
import { isUuid } from '../../../platform/ids.ts'
import { assessGate } from '../../release-gate/index.ts'
import { activateDeployment } from '../activation-service.ts'
import { ROLLED_BACK } from '../events.ts'
import { recordGate } from '../gate.ts'
import { ONE_PHASE } from '../phases.ts'
import { listVersions } from '../readiness/store.ts'
import { getDeployment, lockDeployment, requireActive, showDeployment } from '../service.ts'
import type { DeploymentRow } from '../store.ts'
import { listHistory } from './store.ts'
import { findRollbackTarget, type Obstacle, type PastDeployment } from './target.ts'
import { cutText } from '../../../formats/shorten.ts'

export interface RollBackDeployment {
  workspaceId: string
  actor: Actor
  deploymentCohortId: string
  deploymentId: string
  /** The deployment whose versions the caller was shown. */
  restores?: string | undefined
  /** A version that comes back; undefined: the previous one. */
  firmwareVersionId?: string | undefined
}

/** Restores the previous firmware version on all devices at once. The release gate is recorded but never blocks a rollback. */
export async function rollBackDeployment(ctx: AppContext, input: RollBackDeployment) {
  const { workspaceId, actor } = input
  return ctx.db.transaction().execute(async (tx) => {
    const deployment = await lockDeployment(tx, input)
    const { cohortId } = deployment
    const { restored: target } = await requireRollback(tx, input, deployment)
    requireShown(target, input.restores)
    const restored = await getDeployment(tx, {
      workspaceId,
      deploymentCohortId: cohortId,
      deploymentId: target.id,
    })
    const artifacts = restored.artifacts.map(({ firmware }) => ({
      firmwareVersionId: firmware.firmwareVersion.id,
      isMain: firmware.isMain,
    }))
    const firmwareVersionIds = artifacts.map(({ firmwareVersionId }) => firmwareVersionId)
    const at = { db: tx, now: ctx.now }
    const { blocked: _, ...gate } = await assessGate(at, { workspaceId, firmwareVersionIds })
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
    return showDeployment(
      { ...ctx, db: tx },
      { workspaceId, deploymentCohortId: cohortId, deploymentId: id },
    )
  })
}

/** What a rollback of the deployment would leave and restore. Throws unless it is active and something can be restored. */
export async function requireRollback(
  db: Db,
  {
    workspaceId,
    firmwareVersionId,
  }: { workspaceId: string; firmwareVersionId?: string | undefined },
  deployment: DeploymentRow,
): Promise<{ left: PastDeployment; restored: PastDeployment }> {
  requireActive(deployment)
  const { cohortId, id } = deployment
  const history = await listHistory(db, { workspaceId, cohortId }, id)
  const [left] = history
  if (!left) throw new Error(`the history of the cohort lacks its deployment ${id}`)
  const wanted =
    firmwareVersionId === undefined
      ? undefined
      : await getVersionName(db, workspaceId, firmwareVersionId)
  const target = findRollbackTarget(left, history, firmwareVersionId?.toLowerCase())
  if (target.restored) return { left, restored: target.restored }
  if (wanted !== undefined) throw notToThat(wanted, target.refused)
  if (target.refused.length > 0) throw nothingToRollBack(target.refused)
  throw new AppError(
    'conflict',
    'no-predecessor',
    'The cohort has no earlier deployment to roll back to.',
  )
}

/** What was shown may be out of date: another deployment was made, or a device took one that none had. */
function requireShown({ id, name }: PastDeployment, shown: string | undefined): void {
  if (shown === undefined || shown.toLowerCase() === id) return
  throw new AppError(
    'conflict',
    'rollback-target-changed',
    `The rollback would restore “${name}” (${id}) now, and not ${shown}. Nothing was changed.`,
  )
}

/** `gateway 2.4.1` */
async function getVersionName(db: Db, workspaceId: string, id: string): Promise<string> {
  const [version] = isUuid(id) ? await listVersions(db, workspaceId, [id]) : []
  if (!version) throw notFound('firmware version', id)
  return `${version.slug} ${version.name}`
}

const MOST_REFUSED = 5

const REFUSALS: Record<Obstacle, string> = {
  'same versions': 'has the same versions',
  'left by a rollback': 'has versions that a rollback left, and that were not deployed again since',
}

type Refused = readonly { deployment: PastDeployment; obstacle: Obstacle }[]

function notToThat(wanted: string, refused: Refused): AppError {
  const reason =
    refused.length === 0
      ? 'no earlier deployment of the cohort that was not cancelled brought it'
      : listRefused(refused)
  return new AppError(
    'conflict',
    'nothing-to-roll-back',
    `There is no way back to ${wanted}: ${reason}. To have devices run it, create a deployment with it.`,
  )
}

function nothingToRollBack(refused: Refused): AppError {
  return new AppError(
    'conflict',
    'nothing-to-roll-back',
    `No earlier deployment of the cohort holds other versions to go back to: ${listRefused(refused)}. To change what the devices run, create a deployment with the wanted versions.`,
  )
}

function listRefused(refused: Refused): string {
  const each = refused
    .slice(0, MOST_REFUSED)
    .map(
      ({ deployment: { name, createdAt }, obstacle }) =>
        `“${name}” of ${createdAt.toISOString()} ${REFUSALS[obstacle]}`,
    )
  const more = refused.length - each.length
  return each.join('; ') + (more > 0 ? `; and ${more} more` : '')
}

const LONGEST_NAME = 200
const PREFIX = 'Roll back to '

/** The rollback of a rollback is named after the deployment that it restores. */
function nameRollback(restored: string): string {
  const name = restored.startsWith(PREFIX) ? restored : `${PREFIX}${restored}`
  return cutText(name, LONGEST_NAME)
}
