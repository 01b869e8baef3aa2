import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import { decodeCursor, encodeCursor } from '../../platform/http/cursor.ts'
import { DEFAULT_LIMIT } from '../../platform/http/schemas.ts'
import { isUuid } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { announceDesired } from '../devices/index.ts'
import { getCohort, lockCohort } from '../cohorts/index.ts'
import { requireArtifacts, requireCapableClients } from './readiness/service.ts'
import { listVersions } from './readiness/store.ts'
import {
  versionIdsOf,
  planArtifacts,
  type RequestedArtifact,
} from './readiness/planned-artifacts.ts'
import { type Acknowledgement, passGate } from './gate/gate.ts'
import { activateDeployment, deactivateDeployment, resourceOf } from './activation-service.ts'
import * as store from './store.ts'
import { assessGate } from './gate/service.ts'
import type { MaintenanceWindow } from './maintenance-window.ts'
import { findPhaseFault, ONE_PHASE, type Phase, startDeadline } from './phases.ts'
import { extendStartDeadlines } from './device-updates/bulk-store.ts'

const DAY = 86_400

interface Named {
  workspaceId: string
  deploymentCohortId: string
  deploymentId: string
}
type Change = Named & { actor: Actor }

export async function getDeployment(
  db: Db,
  { workspaceId, deploymentCohortId, deploymentId }: Named,
) {
  const deployment =
    isUuid(deploymentCohortId) && isUuid(deploymentId)
      ? await store.findDeployment(db, workspaceId, {
          cohortId: deploymentCohortId,
          id: deploymentId,
        })
      : undefined
  if (!deployment) throw notFound('deployment', deploymentId)
  return deployment
}

/** The deployment as the API shows it. */
export async function showDeployment(db: Db, named: Named) {
  const deployment = await getDeployment(db, named)
  const { workspaceId } = named
  const failureReasons =
    deployment.failed === 0
      ? []
      : await store.countFailureReasons(db, { workspaceId, id: deployment.id })
  return { ...asDeployment(deployment), failureReasons }
}

function asDeployment(row: store.DeploymentRow) {
  const { cohortId, pending, inProgress, succeeded, failed, cancelled, options, ...shown } = row
  const { acceptedFailures: _, phaseBeganAt, phase, artifacts, ...deployment } = shown
  return {
    ...deployment,
    ...options,
    artifacts: artifacts ?? [],
    phase: phaseBeganAt === null ? null : phase,
    deploymentCohortId: cohortId,
    deviceUpdateStateCounts: { pending, inProgress, succeeded, failed, cancelled },
  }
}

export async function listDeployments(
  ctx: Pick<AppContext, 'db' | 'now' | 'signingKey'>,
  input: { workspaceId: string; deploymentCohortId: string; limit?: number; cursor?: string },
) {
  const { workspaceId, deploymentCohortId, limit = DEFAULT_LIMIT, cursor } = input
  const { id: cohortId } = await getCohort(ctx.db, workspaceId, deploymentCohortId)
  const scope = ['deployments', workspaceId, cohortId]
  const position = cursor === undefined ? undefined : decodeCursor(ctx.signingKey, scope, cursor)
  const after = position && { createdAt: String(position.after[0]), id: String(position.after[1]) }
  const page = { cohortId, limit: limit + 1, after }
  const rows = await store.listDeployments(ctx.db, workspaceId, page)
  const deployments = rows.slice(0, limit).map(asDeployment)
  const last = deployments.at(-1)
  if (rows.length <= limit || !last) return { deployments, hasMore: false }
  const asOf = position?.asOf ?? ctx.now().getTime()
  const next = { after: [last.createdAt.toISOString(), last.id], asOf }
  return { deployments, hasMore: true, nextCursor: encodeCursor(ctx.signingKey, scope, next) }
}

export interface CreateDeployment {
  workspaceId: string
  actor: Actor
  deploymentCohortId: string
  name: string
  artifacts: readonly RequestedArtifact[]
  startsAt?: string | null
  phases?: readonly (Partial<Phase> & { percent: number })[]
  startDeadlineSeconds?: number
  deviceDeadlineSeconds?: number
  maxAttempts?: number
  forced?: boolean
  maintenanceWindow?: MaintenanceWindow | null
  confirmationRequired?: boolean
  acknowledgement?: Acknowledgement
}

/** Ends the active deployment of the cohort, if there is one. */
export async function createDeployment(ctx: AppContext, input: CreateDeployment) {
  const { workspaceId, actor, deploymentCohortId, name, acknowledgement } = input
  const settings = settingsOf(input)
  return ctx.db.transaction().execute(async (tx) => {
    await getCohort(tx, workspaceId, deploymentCohortId)
    const known = await listVersions(tx, workspaceId, versionIdsOf(input.artifacts))
    const artifacts = planArtifacts(input.artifacts, known)
    const firmwareVersionIds = artifacts.map(({ firmwareVersionId }) => firmwareVersionId)
    await requireArtifacts(tx, workspaceId, { firmwareVersionIds, known })
    const assessed = await assessGate(tx, { workspaceId, firmwareVersionIds })
    const gate = passGate(assessed, acknowledgement, actor)
    const cohort = await lockCohort(tx, workspaceId, deploymentCohortId)
    if (!cohort) throw notFound('deployment cohort', deploymentCohortId)
    await requireCapableClients(tx, { workspaceId, cohortId: cohort.id, firmwareVersionIds })
    const id = await activateDeployment(ctx, tx, {
      workspaceId,
      actor,
      cohortId: cohort.id,
      name,
      artifacts,
      ...settings,
      gate,
      action: 'deployment.create',
      supersededReason: `superseded by "${name}"`,
    })
    return showDeployment(tx, { workspaceId, deploymentCohortId: cohort.id, deploymentId: id })
  })
}

function settingsOf(input: CreateDeployment) {
  const { startsAt = null, forced = true, maintenanceWindow = null } = input
  const { confirmationRequired = false } = input
  const phases = (input.phases ?? ONE_PHASE).map(
    ({
      percent,
      waitSeconds = 0,
      failureThresholdPercent = null,
      successThresholdPercent = null,
    }) => ({ percent, waitSeconds, failureThresholdPercent, successThresholdPercent }),
  )
  const fault = findPhaseFault(phases)
  if (fault) throw invalid(fault.detail, `/phases/${fault.index}/percent`)
  if (startsAt !== null && Number.isNaN(Date.parse(startsAt)))
    throw invalid('startsAt is not a valid date-time.', '/startsAt')
  return {
    startsAt: startsAt === null ? null : new Date(startsAt),
    phases,
    options: { forced, maintenanceWindow, confirmationRequired },
    startDeadlineSeconds: input.startDeadlineSeconds ?? 90 * DAY,
    deviceDeadlineSeconds: input.deviceDeadlineSeconds ?? DAY,
    maxAttempts: input.maxAttempts ?? 1,
    predecessorId: undefined,
    rollbackOfId: null,
    restoresId: null,
  }
}

/** Locks the cohort's row, so that the deployment does not change before the transaction writes it. */
export async function lockDeployment(tx: Tx, named: Named) {
  const { workspaceId, deploymentCohortId } = named
  if (isUuid(deploymentCohortId)) await lockCohort(tx, workspaceId, deploymentCohortId)
  return getDeployment(tx, named)
}

function requireActive({ id, isActive, state }: store.DeploymentRow): void {
  if (isActive) return
  throw new AppError(
    'conflict',
    'deployment-not-active',
    `The deployment ${id} is not the active one of its cohort. Its state is ${state}.`,
  )
}

/** The deployment that a rollback restores. Throws unless `deployment` is active and has a predecessor. */
export function requirePredecessor(deployment: store.DeploymentRow): string {
  requireActive(deployment)
  if (deployment.predecessorId !== null) return deployment.predecessorId
  throw new AppError(
    'conflict',
    'no-predecessor',
    'The cohort has no earlier deployment to roll back to.',
  )
}

/** Ends the deployment; devices that work on it get a cancel notice. */
export async function cancelDeployment(ctx: AppContext, input: Change) {
  return ctx.db.transaction().execute(async (tx) => {
    const { workspaceId, actor } = input
    const before = await lockDeployment(tx, input)
    requireActive(before)
    const reason = 'the deployment was cancelled'
    await deactivateDeployment(ctx, tx, {
      workspaceId,
      deploymentId: before.id,
      ended: { state: 'Cancelled', stateReason: null },
      reason,
    })
    await announceDesired(tx, workspaceId, 'all')
    const after = await showDeployment(tx, input)
    const entry = { ...resourceOf(workspaceId, before.id), actor, action: 'deployment.cancel' }
    await recordAudit(ctx, tx, {
      ...entry,
      before: { state: before.state },
      after: countsOf(after),
    })
    return after
  })
}

function countsOf({ state, deviceUpdateStateCounts }: Awaited<ReturnType<typeof showDeployment>>) {
  return { state, deviceUpdateStateCounts }
}

/** Devices that have begun continue; no further device begins. */
export async function pauseDeployment(ctx: AppContext, input: Change) {
  return changeState(ctx, input, {
    from: ['Running', 'Stopped'],
    to: 'Paused',
    action: 'deployment.pause',
  })
}

/** Continues the roll-out. Failures up to now no longer count for the failure threshold. */
export async function resumeDeployment(ctx: AppContext, input: Change) {
  return changeState(ctx, input, {
    from: ['Paused', 'Stopped'],
    to: 'Running',
    action: 'deployment.resume',
  })
}

interface StateChange {
  from: readonly store.DeploymentState[]
  to: 'Paused' | 'Running'
  action: string
}

async function changeState(ctx: AppContext, input: Change, { from, to, action }: StateChange) {
  return ctx.db.transaction().execute(async (tx) => {
    const { workspaceId, actor } = input
    const before = await lockDeployment(tx, input)
    requireActive(before)
    const { id } = before
    if (before.state === to) return showDeployment(tx, input)
    if (!from.includes(before.state))
      throw new AppError(
        'conflict',
        'deployment-state',
        `This is not possible while the deployment is ${before.state}.`,
      )
    if (to === 'Running') {
      const deadlineAt = startDeadline(before, ctx.now())
      await extendStartDeadlines(tx, { workspaceId, deploymentId: id }, deadlineAt)
    }
    const accepted = to === 'Running' ? { acceptedFailures: before.failed } : {}
    await store.updateDeployment(
      tx,
      { workspaceId, id },
      { state: to, stateReason: null, ...accepted },
    )
    await announceDesired(tx, workspaceId, 'all')
    await recordAudit(ctx, tx, {
      ...resourceOf(workspaceId, id),
      actor,
      action,
      before: { state: before.state, stateReason: before.stateReason },
      after: { state: to },
    })
    return showDeployment(tx, input)
  })
}
