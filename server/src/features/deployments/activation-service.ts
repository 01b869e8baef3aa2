/** Makes a deployment the active one of its cohort, and ends the previous one. The caller has locked the cohort's row. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { signalDesiredChange } from '../devices/index.ts'
import type { PlannedArtifact } from './readiness/planned-artifacts.ts'
import { createDeploymentEvent } from './events.ts'
import { findPredecessor } from './rollback/store.ts'
import * as store from './store.ts'
import { acceptComparison } from '../comparisons/index.ts'
import { findHeldComparison, startDeadline } from './phases.ts'
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
  const { predecessorId, newestAt } = await findPredecessor(tx, workspaceId, cohortId)
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
  deployment: HeldDeployment & Pick<store.DeploymentRow, 'startDeadlineSeconds' | 'failed'>
  phase: number
  actor: Actor
  /** Of a person, why. */
  reason?: string | undefined
}

/**
 * Releases the update to the devices of a later phase. A person who begins it early accepts the failures so far, and what the comparison
 * found.
 */
export async function beginPhase(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, deployment, phase, actor, reason }: BeginPhase,
): Promise<void> {
  const { id, phases } = deployment
  const now = ctx.now()
  const of = { workspaceId, deploymentId: id }
  const percent = phases[phase]?.percent ?? 100
  const deadlineAt = startDeadline(deployment, now)
  const released = await releaseUpdates(tx, of, { percent, releasedAt: now, deadlineAt })
  const isByHand = actor.type !== 'System'
  const goingOn = isByHand
    ? await acceptHeld(ctx, tx, { workspaceId, deployment, actor, reason })
    : NOTHING_ACCEPTED
  const byEmail = actor.email ?? null
  const event = createDeploymentEvent('PhaseBegan', now, { phase, byEmail, reason: goingOn.reason })
  const begun = { state: 'Running' as const, stateReason: null, phase, phaseBeganAt: now, event }
  const accepted = isByHand ? { acceptedFailures: deployment.failed } : {}
  await store.updateDeployment(tx, { workspaceId, id }, { ...begun, ...accepted })
  await signalDesiredChange(tx, workspaceId, 'all')
  const entry = {
    ...nameResource(workspaceId, id),
    actor,
    action: 'deployment.begin-phase' as const,
  }
  await recordAudit(ctx, tx, { ...entry, after: { phase, percent, released, ...goingOn.audited } })
}

type HeldDeployment = Pick<store.DeploymentRow, 'id' | 'phases' | 'phase' | 'comparisons'>

interface GoingOn {
  workspaceId: string
  deployment: HeldDeployment
  actor: Actor
  reason: string | undefined
}

const NOTHING_ACCEPTED = { reason: null, audited: {} }

/** A person who has the roll-out go on accepts what the comparison found: it holds this phase no longer. Answers what to tell of it. */
export async function acceptHeld(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, deployment, actor, reason }: GoingOn,
): Promise<{ reason: string | null; audited: object }> {
  const { id: deploymentId, phase } = deployment
  const said = reason?.trim() || null
  const held = findHeldComparison(deployment)
  if (!held) return { reason: said, audited: said === null ? {} : { reason: said } }
  const at = ctx.now().toISOString()
  const acceptance = { at, byEmail: actor.email ?? null, reason: said }
  await acceptComparison(tx, { workspaceId, deploymentId }, { phase, acceptance })
  const found = held.reason === null ? 'nothing was compared yet' : held.reason
  return {
    reason: said ?? `although: ${found}`,
    audited: {
      acceptedComparison: { state: held.state, found: held.reason },
      ...(said !== null && { reason: said }),
    },
  }
}

export function nameResource(workspaceId: string, resourceId: string) {
  return { workspaceId, resourceType: 'deployment', resourceId }
}
