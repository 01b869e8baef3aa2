/** Changes of a deployment that is not over: what has begun stays as it was. */
import { isDeepStrictEqual } from 'node:util'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import type { Precondition } from '../../platform/http/editing.ts'
import { recordAudit } from '../audit/index.ts'
import { deleteComparisons } from '../comparisons/index.ts'
import { signalDesiredChange } from '../devices/index.ts'
import { nameResource } from './activation-service.ts'
import {
  type Change,
  lockDeployment,
  type PlannedDeployment,
  readPlan,
  requireActive,
  showDeployment,
} from './service.ts'
import { type DeploymentPlan, type DeploymentRow, updatePlan } from './store.ts'

export type ChangeDeployment = Change &
  PlannedDeployment & { precondition?: Precondition | undefined }

export async function changeDeployment(ctx: AppContext, input: ChangeDeployment) {
  const { workspaceId, actor } = input
  const wanted = readPlan(input)
  return ctx.db.transaction().execute(async (tx) => {
    const deployment = await lockDeployment(tx, input)
    requireActive(deployment)
    input.precondition?.({ ...deployment, ...deployment.options })
    const { id, state } = deployment
    const before = pickPlan(deployment)
    // The schedule looks for a time that has come.
    const startsAt = wanted.startsAt ?? (state === 'Scheduled' ? ctx.now() : null)
    const after = { ...wanted, startsAt }
    if (isDeepStrictEqual(after, before)) return showDeployment({ ...ctx, db: tx }, input)
    refuseBegun(deployment, after)
    await updatePlan(tx, { workspaceId, id }, after)
    const compared = before.phases.findIndex(
      (phase, index) => !isDeepStrictEqual(phase.comparison, after.phases[index]?.comparison),
    )
    if (compared >= 0) await deleteComparisons(tx, { workspaceId, deploymentId: id }, compared)
    await signalDesiredChange(tx, workspaceId, 'all')
    await recordAudit(ctx, tx, {
      ...nameResource(workspaceId, id),
      actor,
      action: 'deployment.update',
      before: flatten(before),
      after: flatten(after),
    })
    return showDeployment({ ...ctx, db: tx }, input)
  })
}

function pickPlan(row: DeploymentRow): DeploymentPlan {
  const { name, note, startsAt, phases, options, startDeadlineSeconds } = row
  const { deviceDeadlineSeconds, maxAttempts } = row
  return {
    name,
    note,
    startsAt,
    phases,
    options,
    startDeadlineSeconds,
    deviceDeadlineSeconds,
    maxAttempts,
  }
}

const flatten = ({ options, ...plan }: DeploymentPlan) => ({ ...plan, ...options })

/** Of the present phase its percentage has begun; how long it lasts and when it stops have not. */
function refuseBegun(before: DeploymentRow, after: DeploymentPlan): void {
  if (before.phaseBeganAt === null) return
  if (after.startsAt?.getTime() !== before.startsAt?.getTime())
    throw hasBegun('The deployment has begun: it cannot start at another time.', '/startsAt')
  for (const [index, was] of before.phases.slice(0, before.phase + 1).entries()) {
    const isPresent = index === before.phase
    const wanted = after.phases[index]
    if (isPresent ? wanted?.percent === was.percent : isDeepStrictEqual(wanted, was)) continue
    const stays = isPresent ? `its ${was.percent} % stay` : 'it is over, and stays as it was'
    throw hasBegun(`Phase ${index + 1} has begun: ${stays}.`, `/phases/${index}`)
  }
}

function hasBegun(detail: string, pointer: string): AppError {
  const text = `${detail} Nothing was changed.`
  return new AppError('conflict', 'deployment-begun', text, [{ pointer, detail }])
}
