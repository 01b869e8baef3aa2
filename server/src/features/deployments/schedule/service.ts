/** Advances deployments when something is due, or a person says so: starts, next phases, stops, and deadlines of devices. */
import { SECOND_MS } from '../../../formats/instants.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { AppError } from '../../../platform/errors.ts'
import { startTicker } from '../../../platform/ticker.ts'
import { type AuditAction, recordAudit } from '../../audit/index.ts'
import { signalDesiredChange } from '../../devices/index.ts'
import { tryLockCohort } from '../../cohorts/index.ts'
import { acceptHeld, beginPhase, nameResource } from '../activation-service.ts'
import {
  type DeploymentRow,
  type DeploymentState,
  findDeployment,
  updateDeployment,
} from '../store.ts'
import { listVersionIds } from '../risk/store.ts'
import { createDeploymentEvent } from '../events.ts'
import {
  type Change,
  lockDeployment,
  requireActive,
  showDeployment,
  wrongState,
} from '../service.ts'
import {
  findHeldComparison,
  findNextStep,
  findWindowStart,
  type PhaseStep,
  startDeadline,
} from '../phases.ts'
import {
  countReleased,
  extendStartDeadlines,
  retryFailedUpdates,
} from '../device-updates/bulk-store.ts'
import { CounterChanges, updateCounters } from '../device-updates/counters-store.ts'
import { saveUpdateChanges } from '../device-updates/service.ts'
import * as store from './store.ts'
import { applyUpdateEvent } from '../device-updates/state.ts'
import { lockOverdueUpdates } from '../device-updates/store.ts'

const INTERVAL_MS = 5 * SECOND_MS
const SYSTEM: Actor = { type: 'System', id: undefined, email: undefined, requestId: undefined }

/** Every worker looks for due work; row locks let one of them do it. The result stops the schedule and waits for the current run. */
export function startDeploymentSchedule(ctx: AppContext): () => Promise<void> {
  const { stop } = startTicker({
    everyMs: INTERVAL_MS,
    work: () => advanceDeployments(ctx),
    log: ctx.log,
    failure: 'advancing deployments failed',
  })
  return stop
}

type ScheduleContext = Pick<AppContext, 'db' | 'now' | 'log'>

/** Does everything that is due now. */
export async function advanceDeployments(ctx: ScheduleContext): Promise<void> {
  for (const due of await store.listDueDeployments(ctx.db, ctx.now()))
    await logFailures(ctx, due, () => advanceDeployment(ctx, due))
  for (const workspaceId of await store.listOverdueWorkspaces(ctx.db, ctx.now()))
    await logFailures(ctx, { workspaceId }, () => endOverdueUpdates(ctx, workspaceId))
}

/** Logs a failure, so that one failing deployment does not stop the others. */
async function logFailures(
  ctx: ScheduleContext,
  what: object,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    ctx.log.error({ err: error, ...what }, 'advancing a deployment failed')
  }
}

async function advanceDeployment(
  ctx: ScheduleContext,
  { workspaceId, cohortId, deploymentId: id }: store.DueDeployment,
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await tryLockCohort(tx, workspaceId, cohortId))) return
    const deployment = await findDeployment(tx, workspaceId, { cohortId, id })
    if (!deployment?.isActive) return
    const of = { workspaceId, deploymentId: id }
    const step = findNextStep(deployment, await countReleased(tx, of), ctx.now())
    if (step) await takeStep(ctx, tx, { workspaceId, deployment, step })
    const { maintenanceWindow: hours } = deployment.options
    const began = hours ? findWindowStart(hours, ctx.now()) : undefined
    if (began && (await store.claimWindow(tx, of, began)))
      await signalDesiredChange(tx, workspaceId, 'all')
  })
}

async function takeStep(
  ctx: ScheduleContext,
  tx: Tx,
  {
    workspaceId,
    deployment,
    step,
  }: { workspaceId: string; deployment: DeploymentRow; step: PhaseStep },
): Promise<void> {
  if (step.type === 'stop') {
    const { id } = deployment
    const entry = { ...nameResource(workspaceId, id), actor: SYSTEM }
    const change = { state: 'Stopped' as const, stateReason: step.reason }
    const event = createDeploymentEvent('Stopped', ctx.now(), { reason: step.reason })
    await updateDeployment(tx, { workspaceId, id }, { ...change, event })
    await signalDesiredChange(tx, workspaceId, 'all')
    await recordAudit(ctx, tx, { ...entry, action: 'deployment.stop', after: change })
    return
  }
  await beginPhase(ctx, tx, { workspaceId, deployment, phase: step.phase, actor: SYSTEM })
}

/** Devices that have begun continue; no further device begins. */
export async function pauseDeployment(ctx: AppContext, input: Change) {
  return changeState(ctx, input, {
    from: ['Running', 'Stopped'],
    to: 'Paused',
    action: 'deployment.pause',
  })
}

/** Continues the roll-out. Failures up to now no longer count for the failure threshold, and what a comparison found is accepted. */
export async function resumeDeployment(
  ctx: AppContext,
  input: Change & { reason?: string | undefined },
) {
  return changeState(ctx, input, {
    from: ['Paused', 'Stopped'],
    to: 'Running',
    action: 'deployment.resume',
  })
}

interface StateChange {
  from: readonly DeploymentState[]
  to: 'Paused' | 'Running'
  action: AuditAction
}

async function changeState(
  ctx: AppContext,
  input: Change & { reason?: string | undefined },
  { from, to, action }: StateChange,
) {
  return ctx.db.transaction().execute(async (tx) => {
    const { workspaceId, actor } = input
    const before = await lockDeployment(tx, input)
    requireActive(before)
    const { id } = before
    if (before.state === to) return showDeployment({ ...ctx, db: tx }, input)
    if (!from.includes(before.state)) throw wrongState(before.state)
    if (to === 'Running') {
      const deadlineAt = startDeadline(before, ctx.now())
      await extendStartDeadlines(tx, { workspaceId, deploymentId: id }, deadlineAt)
    }
    const accepted = to === 'Running' ? { acceptedFailures: before.failed } : {}
    const type = to === 'Running' ? 'Resumed' : 'Paused'
    // What still waits for devices goes on waiting.
    const isAccepted = to === 'Running' && findHeldComparison(before)?.stops === true
    const goingOn = isAccepted
      ? await acceptHeld(ctx, tx, { workspaceId, deployment: before, actor, reason: input.reason })
      : { reason: input.reason?.trim() || null, audited: {} }
    const event = createDeploymentEvent(type, ctx.now(), {
      byEmail: actor.email ?? null,
      reason: goingOn.reason,
    })
    await updateDeployment(
      tx,
      { workspaceId, id },
      { state: to, stateReason: null, ...accepted, event },
    )
    await signalDesiredChange(tx, workspaceId, 'all')
    await recordAudit(ctx, tx, {
      ...nameResource(workspaceId, id),
      actor,
      action,
      before: { state: before.state, stateReason: before.stateReason },
      after: { state: to, ...goingOn.audited },
    })
    return showDeployment({ ...ctx, db: tx }, input)
  })
}

/** Begins the next phase now, whatever the present one waits for: devices that never come would hold it for months. */
export async function beginNextPhase(
  ctx: AppContext,
  input: Change & { phase?: number | undefined; reason?: string | undefined },
) {
  return ctx.db.transaction().execute(async (tx) => {
    const { workspaceId, actor } = input
    const deployment = await lockDeployment(tx, input)
    requireActive(deployment)
    const { state, phaseBeganAt, phases } = deployment
    const phase = deployment.phase + 1
    if (state === 'Scheduled' || phaseBeganAt === null) throw wrongState(state)
    if (phase >= phases.length)
      throw new AppError(
        'conflict',
        'no-next-phase',
        'The last phase has begun: all devices of the cohort have the update.',
      )
    requireMeant(phase, input.phase)
    const { id } = deployment
    if (state !== 'Running') {
      const deadlineAt = startDeadline(deployment, ctx.now())
      await extendStartDeadlines(tx, { workspaceId, deploymentId: id }, deadlineAt)
    }
    await beginPhase(ctx, tx, { workspaceId, deployment, phase, actor, reason: input.reason })
    return showDeployment({ ...ctx, db: tx }, input)
  })
}

/** Two people, or one key pressed twice, begin one phase and not two. */
function requireMeant(phase: number, meant: number | undefined): void {
  if (meant === undefined || meant === phase) return
  throw new AppError(
    'conflict',
    'phase-changed',
    `Phase ${phase + 1} would begin now, and not phase ${meant + 1}, which has begun or comes later. Nothing was changed.`,
  )
}

interface RetryFilter {
  reasons?: readonly string[] | undefined
  changedOnly?: boolean | undefined
}

/**
 * Has devices that failed try again, those that failed for one of the reasons or all. A stopped deployment goes on with it; the other
 * failures up to now no longer count.
 */
export async function retryDeviceUpdates(
  ctx: AppContext,
  { reasons, changedOnly = false, ...input }: Change & RetryFilter,
) {
  return ctx.db.transaction().execute(async (tx) => {
    const { workspaceId, actor } = input
    const deployment = await lockDeployment(tx, input)
    requireActive(deployment)
    const { id, cohortId, state } = deployment
    const of = { workspaceId, deploymentId: id }
    const now = ctx.now()
    const deadlineAt = startDeadline(deployment, now)
    const changedOf = changedOnly ? listVersionIds(deployment) : undefined
    const again = await retryFailedUpdates(tx, of, {
      cohortId,
      reasons,
      changedOf,
      now,
      deadlineAt,
    })
    if (again === 0) return showDeployment({ ...ctx, db: tx }, input)
    const counters = new CounterChanges()
    counters.move(id, { from: 'failed', to: 'pending', devices: again })
    await updateCounters(tx, workspaceId, counters)
    if (state === 'Stopped') await extendStartDeadlines(tx, of, deadlineAt)
    const byEmail = actor.email ?? null
    const change =
      state === 'Stopped'
        ? {
            state: 'Running' as const,
            stateReason: null,
            acceptedFailures: deployment.failed - again,
            event: createDeploymentEvent('Resumed', now, { byEmail, reason: describeRetry(again) }),
          }
        : { acceptedFailures: Math.max(0, deployment.acceptedFailures - again) }
    await updateDeployment(tx, { workspaceId, id }, change)
    await signalDesiredChange(tx, workspaceId, 'all')
    const entry = { ...nameResource(workspaceId, id), actor, action: 'deployment.retry' as const }
    await recordAudit(ctx, tx, { ...entry, after: { devices: again, reasons: reasons ?? null } })
    return showDeployment({ ...ctx, db: tx }, input)
  })
}

const describeRetry = (devices: number) =>
  `${devices} failed ${devices === 1 ? 'device tries' : 'devices try'} again`

const BATCH_SIZE = 1000

async function endOverdueUpdates(ctx: ScheduleContext, workspaceId: string): Promise<void> {
  let ended: number
  do {
    ended = await ctx.db.transaction().execute(async (tx) => {
      const now = ctx.now()
      const due = await lockOverdueUpdates(tx, workspaceId, { now, limit: BATCH_SIZE })
      const moves = due.flatMap((before) => {
        const after = applyUpdateEvent(before, { type: 'deadlinePassed' }, { limits: before, now })
        return after ? [{ before, after }] : []
      })
      await saveUpdateChanges(tx, workspaceId, moves)
      return moves.length
    })
  } while (ended === BATCH_SIZE)
}
