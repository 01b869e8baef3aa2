/** Compares the devices of running deployments whose phase asks for it, every few minutes. */
import { addMs, MINUTE_MS, SECOND_MS } from '../../formats/instants.ts'
import { startTicker } from '../../platform/ticker.ts'
import { compareDevices, type ComparingContext, endOfWindow } from './comparing-service.ts'
import { describeSoFar, describeState, describeWaiting } from './describe.ts'
import * as store from './due-store.ts'
import { chooseConfidence, decideLook } from './look.ts'
import { decideState, keepDecided } from './outcome.ts'
import { measureSilence } from './silence.ts'
import { listContacts } from './silence-store.ts'
import { placeDevices } from './windows.ts'

const INTERVAL_MS = 20 * SECOND_MS
const CHECK_AGAIN_MS = 3 * MINUTE_MS
/** What is too few changes slowly, and a person was told. */
const TELL_AGAIN_MS = 30 * MINUTE_MS
const MOST_DEVICES = 2_000

/** Every worker looks for due comparisons; a claim lets one of them compare. The result stops it and waits for the current run. */
export function startComparisons(ctx: ComparingContext): () => Promise<void> {
  const stopping = new AbortController()
  const { stop } = startTicker({
    everyMs: INTERVAL_MS,
    work: () => compareDeployments(ctx, stopping.signal),
    log: ctx.log,
    failure: 'comparing devices of deployments failed',
  })
  return () => {
    stopping.abort()
    return stop()
  }
}

/**
 * Compares what is due now. A failure is logged, so that it does not keep other workspaces waiting. A look that is broken off as the worker
 * stops leaves nothing, and is taken again once its claim is old.
 */
export async function compareDeployments(
  ctx: ComparingContext,
  stopping?: AbortSignal,
): Promise<void> {
  const checkedBefore = addMs(ctx.now(), -CHECK_AGAIN_MS)
  const toldBefore = addMs(ctx.now(), -TELL_AGAIN_MS)
  for (const due of await store.listDueComparisons(ctx.db, { checkedBefore, toldBefore })) {
    if (stopping?.aborted) return
    try {
      await compareDeployment(ctx, due, { checkedBefore, stopping })
    } catch (error) {
      if (stopping?.aborted) return
      const { workspaceId, deploymentId } = due
      ctx.log.error({ err: error, workspaceId, deploymentId }, 'a comparison failed')
    }
  }
}

async function compareDeployment(
  ctx: ComparingContext,
  due: store.DueComparison,
  { checkedBefore, stopping }: { checkedBefore: Date; stopping: AbortSignal | undefined },
): Promise<void> {
  const now = ctx.now()
  const claimed = await store.claimComparison(ctx.db, due, { now, checkedBefore })
  if (!claimed) return
  const updatedBy = { until: endOfWindow(now, due.plan), since: due.acceptedAt }
  const progress = await store.countProgress(ctx.db, due, updatedBy)
  const isPhaseOver = now >= addMs(due.phaseBeganAt, due.waitSeconds * SECOND_MS)
  const look = decideLook({ ...claimed, ...progress, isPhaseOver })
  if (look === 'None') {
    const isSoFar = claimed.lookedCount > 0
    const reason = isSoFar
      ? describeSoFar(claimed.lookedCount)
      : describeWaiting(progress, due.plan)
    await store.saveComparison(ctx.db, due, { ...claimed, state: 'Waiting', reason })
    return
  }
  const { windowSeconds } = due.plan
  const updated = await store.listUpdatedDevices(ctx.db, due, {
    ...updatedBy,
    windowSeconds,
    limit: MOST_DEVICES,
  })
  const after = addMs(due.phaseBeganAt, -windowSeconds * SECOND_MS)
  const waiting = await store.listWaitingDevices(ctx.db, due, { after, limit: MOST_DEVICES })
  const devices = placeDevices(
    updated.filter(({ ranIt }) => !ranIt),
    waiting.flatMap(({ deviceId, ranIt }) => (ranIt ? [] : deviceId)),
  )
  const ranIt = { updated: countRan(updated), waiting: countRan(waiting) }
  const { confidencePercent: wanted } = due.plan
  const confidencePercent = chooseConfidence(look, wanted, claimed.looks)
  const { acceptedAt: since } = due
  const contacts = await listContacts(ctx.db, due, { now, since, limit: MOST_DEVICES })
  const silence = measureSilence(contacts, { now, windowSeconds })
  const compared = { devices, silence, ranIt, confidencePercent, stopping }
  const found = await compareDevices(ctx, due, compared)
  const isAgain = claimed.state === 'TooFew'
  const results = isAgain ? keepDecided(claimed.results, found) : found
  const state = decideState(look, results)
  await store.saveComparison(ctx.db, due, {
    state,
    reason:
      state === 'Waiting'
        ? describeSoFar(progress.ready + progress.begun)
        : describeState(state, results, waiting.length > 0),
    looks: look === 'Early' ? claimed.looks + 1 : claimed.looks,
    lookedCount: progress.ready + progress.begun,
    results,
  })
}

const countRan = (devices: readonly { ranIt: boolean }[]): number =>
  devices.filter(({ ranIt }) => ranIt).length
