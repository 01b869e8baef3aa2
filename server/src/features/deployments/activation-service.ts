/** Makes a deployment the active one of its cohort, and ends the previous one. The caller has locked the cohort's row. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { signalDesiredChange } from '../devices/index.ts'
import type { PlannedArtifact } from './readiness/planned-artifacts.ts'
import { createDeploymentEvent } from './events.ts'
import * as store from './store.ts'
import { startDeadline } from './phases.ts'
import { countDeviceStates, describeTarget } from './risk/store.ts'
import {
  cancelUpdatesOfDeployment,
  insertUpdatesOfCohort,
  lockUpdatesOfDeployment,
  releaseUpdates,
} from './device-updates/bulk-store.ts'

type Settings = Pick<
  store.NewDeployment,
  | 'cohortId'
  | 'name'
  | 'startsAt'
  | 'phases'
  | 'options'
  | 'startDeadlineSeconds'
  | 'deviceDeadlineSeconds'
  | 'maxAttempts'
  | 'rollbackOfId'
  | 'restoresId'
  | 'note'
  | 'gate'
>

export interface ActivateDeployment extends Settings {
  workspaceId: string
  actor: Actor
  artifacts: readonly PlannedArtifact[]
  /** undefined: the newest deployment of the cohort that was not cancelled. */
  predecessorId: string | null | undefined
  action: 'deployment.create' | 'deployment.roll-back'
  /** The reason that the replaced deployment and its cancelled updates show. */
  supersededReason: string
}

export async function activateDeployment(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  input: ActivateDeployment,
): Promise<string> {
  const { workspaceId, actor, artifacts, action, supersededReason, ...settings } = input
  const { cohortId, startsAt } = settings
  const now = ctx.now()
  const { predecessorId, newestAt } = await store.findPredecessor(tx, workspaceId, cohortId)
  const id = newId()
  await supersede(ctx, tx, { workspaceId, cohortId, supersededReason, actor, replacedBy: id })
  const isScheduled = startsAt !== null && startsAt > now
  const row = {
    ...settings,
    workspaceId,
    id,
    createdAt: laterThan(newestAt, now),
    createdByEmail: actor.email ?? null,
    state: isScheduled ? ('Scheduled' as const) : ('Running' as const),
    predecessorId: input.predecessorId === undefined ? predecessorId : input.predecessorId,
    phaseBeganAt: isScheduled ? null : now,
    events: isScheduled
      ? []
      : [createDeploymentEvent('PhaseBegan', now, { phase: 0, byEmail: actor.email ?? null })],
  }
  await store.insertDeployment(tx, row)
  const rows = artifacts.map((artifact) => ({ ...artifact, id: newId() }))
  await store.insertArtifacts(tx, { workspaceId, deploymentId: id }, rows)
  const pending = await addUpdates(tx, row, now)
  await store.updateDeployment(tx, { workspaceId, id }, { pending })
  await signalDesiredChange(tx, workspaceId, 'all')
  const after = { ...settings, artifacts, devices: pending }
  await recordAudit(ctx, tx, { ...nameResource(workspaceId, id), actor, action, after })
  return id
}

/** Clocks of nodes differ, but a newer deployment must have a later creation time. */
function laterThan(newestAt: Date | null, now: Date): Date {
  return newestAt === null || newestAt < now ? now : new Date(newestAt.getTime() + 1)
}

async function addUpdates(tx: Tx, row: store.NewDeployment, now: Date): Promise<number> {
  const { workspaceId, id, cohortId, phaseBeganAt } = row
  const percent = row.phases[0]?.percent ?? 100
  const of = { workspaceId, deploymentId: id }
  const release = { releasedAt: now, deadlineAt: startDeadline(row, now) }
  const isForAll = phaseBeganAt !== null && percent === 100
  const asInserted = isForAll ? release : { releasedAt: null, deadlineAt: null }
  const devices = await insertUpdatesOfCohort(tx, of, { cohortId, now, ...asInserted })
  if (phaseBeganAt !== null && !isForAll) await releaseUpdates(tx, of, { percent, ...release })
  return devices
}

interface Supersede {
  workspaceId: string
  cohortId: string
  supersededReason: string
  actor: Actor
  /** The deployment that comes. */
  replacedBy: string
}

async function supersede(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, cohortId, supersededReason, actor, replacedBy }: Supersede,
): Promise<void> {
  const [active] = await store.findActiveDeployments(tx, workspaceId, [cohortId])
  if (!active) return
  await deactivateDeployment(ctx, tx, {
    workspaceId,
    deployment: active,
    ended: { state: 'Superseded', stateReason: supersededReason },
    reason: supersededReason,
    actor,
    replacedBy,
  })
}

interface DeactivateDeployment {
  workspaceId: string
  deployment: store.DeploymentRow
  ended: { state: 'Superseded' | 'Cancelled'; stateReason: string | null }
  /** The reason that the cancelled device updates show. */
  reason: string
  actor: Actor
  /** The deployment that comes; null: none. */
  replacedBy: string | null
}

export async function deactivateDeployment(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, deployment, ended, reason, actor, replacedBy }: DeactivateDeployment,
): Promise<void> {
  const of = { workspaceId, deploymentId: deployment.id }
  const now = ctx.now()
  await lockUpdatesOfDeployment(tx, of)
  await cancelUpdatesOfDeployment(tx, of, { reason, now })
  const endedDeviceCounts = await countDeviceStates(tx, describeTarget(workspaceId, deployment))
  const event = createDeploymentEvent(ended.state, now, {
    byEmail: actor.email ?? null,
    reason: ended.stateReason,
    deploymentId: replacedBy,
  })
  await store.endDeployment(
    tx,
    { workspaceId, id: deployment.id },
    { ...ended, endedAt: now, event, endedDeviceCounts },
  )
}

interface BeginPhase {
  workspaceId: string
  deployment: Pick<store.DeploymentRow, 'id' | 'phases' | 'startDeadlineSeconds' | 'failed'>
  phase: number
  actor: Actor
}

/** Releases the update to the devices of a later phase. A person who begins it early accepts the failures so far. */
export async function beginPhase(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, deployment, phase, actor }: BeginPhase,
): Promise<void> {
  const { id, phases } = deployment
  const now = ctx.now()
  const of = { workspaceId, deploymentId: id }
  const percent = phases[phase]?.percent ?? 100
  const deadlineAt = startDeadline(deployment, now)
  const released = await releaseUpdates(tx, of, { percent, releasedAt: now, deadlineAt })
  const event = createDeploymentEvent('PhaseBegan', now, { phase, byEmail: actor.email ?? null })
  const begun = { state: 'Running' as const, stateReason: null, phase, phaseBeganAt: now, event }
  const isByHand = actor.type !== 'System'
  const accepted = isByHand ? { acceptedFailures: deployment.failed } : {}
  await store.updateDeployment(tx, { workspaceId, id }, { ...begun, ...accepted })
  await signalDesiredChange(tx, workspaceId, 'all')
  const entry = {
    ...nameResource(workspaceId, id),
    actor,
    action: 'deployment.begin-phase' as const,
  }
  await recordAudit(ctx, tx, { ...entry, after: { phase, percent, released } })
}

export function nameResource(workspaceId: string, resourceId: string) {
  return { workspaceId, resourceType: 'deployment', resourceId }
}
