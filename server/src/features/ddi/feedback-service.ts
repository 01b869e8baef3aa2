/** Receives the feedback of devices about their actions. */
import { notFound } from '../../platform/errors.ts'
import { isPart } from '../deployments/index.ts'
import { type Action, isOpen, waitsForConfirmation } from './actions.ts'
import {
  type Feedback,
  chooseFailureReason,
  readAutoConfirm,
  readConfirmation,
  readFeedback,
} from './feedback.ts'
import {
  type Caller,
  actionClosed,
  type DdiContext,
  findActionAndDevice,
  getAction,
  listArtifacts,
  report,
} from './service.ts'
import * as store from './store.ts'

export async function receiveDeploymentFeedback(
  ctx: DdiContext,
  caller: Caller,
  { actionId, body }: { actionId: string; body: unknown },
): Promise<void> {
  const feedback = readFeedback(body)
  const { action, device } = await findActionAndDevice(ctx, caller, actionId)
  if (action.state === 'cancelled' && action.cancelOffered)
    return isFinal(feedback) ? acknowledgeCancel(ctx, caller, { action, feedback }) : undefined
  if (!isOpen(action)) throw actionClosed(action.number)
  if (waitsForConfirmation(action, device)) throw notFound('action', actionId)
  // These lines do not affect the update, so they are stored outside its transaction.
  await store.addFeedbackLines(ctx.db, caller, { number: action.number, lines: feedback.details })
  await reportFeedback(ctx, caller, { action, feedback, device })
}

function isFinal({ execution }: Feedback): boolean {
  return execution === 'closed' || execution === 'canceled'
}

function statedProgress(progress: Feedback['progress']) {
  return progress === undefined ? {} : { progress }
}

async function reportFeedback(
  ctx: DdiContext,
  caller: Caller,
  about: { action: Action; feedback: Feedback; device: store.DdiDevice },
): Promise<void> {
  const { feedback, action, device } = about
  const { updateId, number } = action
  const { execution, finished, progress, details } = feedback
  const before = device.feedbackNumber === number ? device.feedbackLines : []
  switch (execution) {
    case 'closed': {
      const reason = chooseFailureReason(details, before)
      return finished === 'failure'
        ? reportFailure(ctx, caller, { updateId, reason })
        : reportInstalled(ctx, caller, about)
    }
    case 'canceled': {
      const reason = chooseFailureReason(details, before) || 'The device cancelled the update.'
      return reportFailure(ctx, caller, { updateId, reason })
    }
    case 'rejected':
      // In this protocol it means "not now": the action stays open.
      return report(ctx, caller, { kind: 'contact' })
    case 'proceeding':
    case 'scheduled':
    case 'resumed':
    case 'download':
    case 'downloaded':
      return report(ctx, caller, {
        kind: 'update',
        update: { updateId, state: 'inProgress', ...statedProgress(progress) },
      })
  }
}

async function reportFailure(
  ctx: DdiContext,
  caller: Caller,
  { updateId, reason }: { updateId: string; reason: string },
): Promise<void> {
  const why = reason === '' ? {} : { reason }
  await report(ctx, caller, { kind: 'update', update: { updateId, state: 'failed', ...why } })
}

/**
 * If the device reports versions, its update succeeds only when it reports the new ones. For other devices the success
 * report alone decides, and the result is marked as unconfirmed.
 */
async function reportInstalled(
  ctx: DdiContext,
  caller: Caller,
  { action, device }: { action: Action; device: store.DdiDevice },
): Promise<void> {
  const { updateId } = action
  if (device.statesVersions) {
    await report(ctx, caller, { kind: 'update', update: { updateId, state: 'succeeded' } })
  } else {
    const artifacts = await listArtifacts(ctx, caller, action)
    const firmware = artifacts
      .filter((artifact) => !isPart(artifact))
      .map(({ slug, version }) => ({ slug, version }))
    await report(ctx, caller, { kind: 'running', firmware, unconfirmed: true })
  }
  await store.upsertDdiDevice(ctx.db, caller, { attributesWanted: true })
}

/** The device has answered the cancellation. The versions it reports later show whether it stopped in time. */
async function acknowledgeCancel(
  ctx: DdiContext,
  caller: Caller,
  { action, feedback }: { action: Action; feedback: Feedback },
): Promise<void> {
  const { updateId } = action
  await reportFailure(ctx, caller, { updateId, reason: chooseFailureReason(feedback.details, []) })
  await store.upsertDdiDevice(ctx.db, caller, { attributesWanted: true })
}

export async function receiveCancelFeedback(
  ctx: DdiContext,
  caller: Caller,
  { actionId, body }: { actionId: string; body: unknown },
): Promise<void> {
  const feedback = readFeedback(body)
  const action = await getCancelled(ctx, caller, actionId)
  // A rejected cancellation ends too: a client that is asked again would answer the same forever.
  if (isFinal(feedback) || feedback.execution === 'rejected')
    await acknowledgeCancel(ctx, caller, { action, feedback })
  else await report(ctx, caller, { kind: 'contact' })
}

/** Answers the action if it is cancelled and the device has not acknowledged the cancellation. */
export async function getCancelled(
  ctx: DdiContext,
  caller: Caller,
  actionId: string,
): Promise<Action> {
  const action = await getAction(ctx, caller, actionId)
  if (action.state !== 'cancelled') throw notFound('action', actionId)
  if (!action.cancelOffered) throw actionClosed(action.number)
  return action
}

export async function receiveConfirmation(
  ctx: DdiContext,
  caller: Caller,
  { actionId, body }: { actionId: string; body: unknown },
): Promise<void> {
  const { confirmation, details } = readConfirmation(body)
  const { action, device } = await findActionAndDevice(ctx, caller, actionId)
  if (!isOpen(action)) throw actionClosed(action.number)
  // A repeated answer changes nothing.
  const isRepeated = device.answeredNumber === action.number && device.answer === confirmation
  if (!waitsForConfirmation(action, device) && !isRepeated) throw notFound('action', actionId)
  await report(ctx, caller, { kind: 'contact' })
  await store.upsertDdiDevice(ctx.db, caller, {
    answeredNumber: action.number,
    answer: confirmation,
    answerDetails: details.length === 0 ? null : details.join('\n'),
  })
}

export async function activateAutoConfirm(
  ctx: DdiContext,
  caller: Caller,
  body: unknown,
): Promise<void> {
  const { initiator, remark } = readAutoConfirm(body)
  await store.upsertDdiDevice(ctx.db, caller, {
    autoConfirmAt: ctx.now(),
    autoConfirmInitiator: initiator ?? null,
    autoConfirmRemark: remark ?? null,
  })
}

export async function deactivateAutoConfirm(ctx: DdiContext, caller: Caller): Promise<void> {
  await store.upsertDdiDevice(ctx.db, caller, {
    autoConfirmAt: null,
    autoConfirmInitiator: null,
    autoConfirmRemark: null,
  })
}
