import { readName } from '../../formats/one-line-name.ts'
import type { Actor } from '../../platform/actor.ts'
import { DAY_SECONDS, parseInstant } from '../../formats/instants.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../platform/errors.ts'
import { openPage, type PageRequested } from '../../platform/http/paging.ts'
import { isUuid } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { signalDesiredChange } from '../devices/index.ts'
import { listMarks, type Mark, type MarkReader, UNKNOWN_MARK } from '../firmware/index.ts'
import { getCohort, lockCohort } from '../cohorts/index.ts'
import { requireArtifacts, requireCapableClients } from './readiness/service.ts'
import { listVersions } from './readiness/store.ts'
import {
  listRequestedVersionIds,
  planArtifacts,
  type RequestedArtifact,
} from './readiness/planned-artifacts.ts'
import { type Acknowledgement, passGate, readGate } from './gate.ts'
import { activateDeployment, deactivateDeployment, nameResource } from './activation-service.ts'
import { lowerWords } from '../../formats/words.ts'
import { endSentence } from './events.ts'
import * as store from './store.ts'
import {
  countDeviceStates,
  countFailureReasons,
  describeTarget,
  listVersionIds,
} from './risk/store.ts'
import { assessGate } from '../release-gate/index.ts'
import { type AskedComparison, describePhases, readComparison } from '../comparisons/index.ts'
import { findPhaseFault, type MaintenanceWindow, ONE_PHASE, type Phase } from './phases.ts'

export interface DeploymentNamed {
  workspaceId: string
  deploymentCohortId: string
  deploymentId: string
}
export type Change = DeploymentNamed & { actor: Actor }

export async function getDeployment(
  db: Db,
  { workspaceId, deploymentCohortId, deploymentId }: DeploymentNamed,
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
export async function showDeployment(ctx: MarkReader, named: DeploymentNamed) {
  const { db } = ctx
  const deployment = await getDeployment(db, named)
  const marks = await listMarks(ctx, named.workspaceId, listVersionIds(deployment))
  const target = describeTarget(named.workspaceId, deployment)
  const failureReasons = deployment.failed === 0 ? [] : await countFailureReasons(db, target)
  const deviceCounts = await countDeviceStates(db, target)
  return { ...asDeployment(deployment, marks), failureReasons, deviceCounts }
}

/** Those of today; `gate` keeps what was known when the deployment was created. */
type Marks = ReadonlyMap<string, Mark>

function withMark({ firmware, ...artifact }: store.DeploymentArtifact, marks: Marks) {
  const { firmwareVersion } = firmware
  const mark = marks.get(firmwareVersion.id) ?? UNKNOWN_MARK
  return { ...artifact, firmware: { ...firmware, firmwareVersion: { ...firmwareVersion, mark } } }
}

function asDeployment(row: store.DeploymentRow, marks: Marks) {
  const { cohortId, pending, inProgress, succeeded, failed, cancelled, options, ...shown } = row
  const { phaseBeganAt, phase, artifacts, events, gate, ...rest } = shown
  const { acceptedFailures: _, endedDeviceCounts: _ended, comparisons, ...deployment } = rest
  return {
    ...deployment,
    comparisons: describePhases(deployment.phases, comparisons ?? []),
    ...options,
    artifacts: (artifacts ?? []).map((artifact) => withMark(artifact, marks)),
    events: events.map((event) => ({ ...event, at: new Date(event.at) })),
    phase: phaseBeganAt === null ? null : phase,
    gate: gate && readGate(gate),
    deploymentCohortId: cohortId,
    deviceUpdateStateCounts: { pending, inProgress, succeeded, failed, cancelled },
  }
}

export async function listDeployments(
  ctx: MarkReader & Pick<AppContext, 'signingKey'>,
  input: { workspaceId: string; deploymentCohortId: string } & PageRequested,
) {
  const { workspaceId, deploymentCohortId } = input
  const { id: cohortId } = await getCohort(ctx.db, workspaceId, deploymentCohortId)
  const page = openPage(ctx, ['deployments', workspaceId, cohortId], input)
  const after = page.after && { createdAt: String(page.after[0]), id: String(page.after[1]) }
  const rows = await store.listDeployments(ctx.db, workspaceId, {
    cohortId,
    limit: page.rowLimit,
    after,
  })
  const { page: shown, next } = page.cut(rows, ({ createdAt, id }) => [createdAt.toISOString(), id])
  const marks = await listMarks(ctx, workspaceId, shown.flatMap(listVersionIds))
  const active = shown.find(({ isActive }) => isActive)
  const activeCounts =
    active && (await countDeviceStates(ctx.db, describeTarget(workspaceId, active)))
  const deployments = shown.map((row) => ({
    ...asDeployment(row, marks),
    deviceCounts: (row === active ? activeCounts : row.endedDeviceCounts) ?? null,
  }))
  return { deployments, ...next }
}

type PlannedPhase = Partial<Omit<Phase, 'comparison'>> & {
  percent: number
  comparison?: AskedComparison | null
}

export interface PlannedDeployment {
  name: string
  startsAt?: string | null
  phases?: readonly PlannedPhase[]
  startDeadlineSeconds?: number
  deviceDeadlineSeconds?: number
  maxAttempts?: number
  forced?: boolean
  maintenanceWindow?: MaintenanceWindow | null
  confirmationRequired?: boolean
  note?: string | null
}

export interface CreateDeployment extends PlannedDeployment {
  workspaceId: string
  actor: Actor
  deploymentCohortId: string
  artifacts: readonly RequestedArtifact[]
  acknowledgement?: Acknowledgement
}

/** Ends the active deployment of the cohort, if there is one. */
export async function createDeployment(ctx: AppContext, input: CreateDeployment) {
  const { workspaceId, actor, deploymentCohortId, acknowledgement } = input
  const plan = readPlan(input)
  const { name } = plan
  return ctx.db.transaction().execute(async (tx) => {
    await getCohort(tx, workspaceId, deploymentCohortId)
    const known = await listVersions(tx, workspaceId, listRequestedVersionIds(input.artifacts))
    const artifacts = planArtifacts(input.artifacts, known)
    const firmwareVersionIds = artifacts.map(({ firmwareVersionId }) => firmwareVersionId)
    await requireArtifacts(tx, workspaceId, { firmwareVersionIds, known })
    const at = { db: tx, now: ctx.now }
    const assessed = await assessGate(at, { workspaceId, firmwareVersionIds })
    const gate = passGate(assessed, acknowledgement, actor)
    const cohort = await lockCohort(tx, workspaceId, deploymentCohortId)
    if (!cohort) throw notFound('deployment cohort', deploymentCohortId)
    await requireCapableClients(tx, { workspaceId, cohortId: cohort.id, firmwareVersionIds })
    const id = await activateDeployment(ctx, tx, {
      workspaceId,
      actor,
      cohortId: cohort.id,
      artifacts,
      ...plan,
      predecessorId: undefined,
      rollbackOfId: null,
      restoresId: null,
      gate,
      action: 'deployment.create',
      supersededReason: `superseded by "${name}"`,
    })
    return showDeployment(
      { ...ctx, db: tx },
      { workspaceId, deploymentCohortId: cohort.id, deploymentId: id },
    )
  })
}

function readPhases({ phases: asked = ONE_PHASE }: PlannedDeployment) {
  const phases = asked.map(
    (
      {
        percent,
        waitSeconds = 0,
        failureThresholdPercent = null,
        successThresholdPercent = null,
        comparison,
      },
      index,
    ) => ({
      percent,
      waitSeconds,
      failureThresholdPercent,
      successThresholdPercent,
      comparison: comparison ? readComparison(comparison, `/phases/${index}/comparison`) : null,
    }),
  )
  const fault = findPhaseFault(phases)
  if (fault) throw invalid(fault.detail, `/phases/${fault.index}/${fault.member}`)
  return phases
}

export function readPlan(input: PlannedDeployment): store.DeploymentPlan {
  const { startsAt = null, forced = true, maintenanceWindow = null } = input
  const { confirmationRequired = false } = input
  const phases = readPhases(input)
  return {
    name: readName(input.name),
    note: input.note?.trim() || null,
    startsAt: startsAt === null ? null : parseInstant(startsAt, '/startsAt'),
    phases,
    options: { forced, maintenanceWindow, confirmationRequired },
    startDeadlineSeconds: input.startDeadlineSeconds ?? 90 * DAY_SECONDS,
    deviceDeadlineSeconds: input.deviceDeadlineSeconds ?? DAY_SECONDS,
    maxAttempts: input.maxAttempts ?? 1,
  }
}

/** Locks the cohort's row, so that the deployment does not change before the transaction writes it. */
export async function lockDeployment(tx: Tx, named: DeploymentNamed) {
  const { workspaceId, deploymentCohortId } = named
  if (isUuid(deploymentCohortId)) await lockCohort(tx, workspaceId, deploymentCohortId)
  return getDeployment(tx, named)
}

export function requireActive(deployment: store.DeploymentRow): void {
  const { name, isActive } = deployment
  if (isActive) return
  throw new AppError(
    'conflict',
    'deployment-not-active',
    `${name} is not the active deployment of its cohort any more. ${endSentence(deployment)}`,
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
      deployment: before,
      ended: { state: 'Cancelled', stateReason: null },
      reason,
      actor,
      replacedBy: null,
    })
    await signalDesiredChange(tx, workspaceId, 'all')
    const after = await showDeployment({ ...ctx, db: tx }, input)
    const entry = {
      ...nameResource(workspaceId, before.id),
      actor,
      action: 'deployment.cancel' as const,
    }
    await recordAudit(ctx, tx, {
      ...entry,
      before: { state: before.state },
      after: { state: after.state, deviceUpdateStateCounts: after.deviceUpdateStateCounts },
    })
    return after
  })
}

export function wrongState(state: store.DeploymentState): AppError {
  return new AppError(
    'conflict',
    'deployment-state',
    `This is not possible while the deployment is ${lowerWords(state)}.`,
  )
}
