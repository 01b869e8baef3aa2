/** Evaluates due rules and sends due reminders, every second. */
import type { AppContext } from '../../platform/context.ts'
import { startTicker } from '../../platform/ticker.ts'
import { sendReminders, tellFindingOwners } from '../incidents/index.ts'
import { evaluateWorkspace } from './service.ts'
import { listDueWorkspaces } from './store.ts'

const INTERVAL_MS = 1_000
const OWNERS_EVERY_MS = 10_000
/** Workspaces with large fleets delay few others, and leave database connections to the rest of the service. */
const MAX_WORKSPACES = 4

/**
 * Any number of workers may run it; row locks let one of them evaluate a rule. The returned function stops it and waits for
 * what has begun.
 */
export function startAlertSchedule(ctx: AppContext): () => Promise<void> {
  const evaluating = new Map<string, Promise<void>>()
  let isStopping = false
  /** Each due workspace is evaluated before any of them is evaluated again. */
  const evaluateDue = async () => {
    for (const workspaceId of await listDueWorkspaces(ctx.db, ctx.now())) {
      if (evaluating.has(workspaceId)) continue
      while (evaluating.size >= MAX_WORKSPACES) await Promise.race(evaluating.values())
      if (isStopping) return
      const evaluation = evaluateWorkspace(ctx, workspaceId).finally(() =>
        evaluating.delete(workspaceId),
      )
      evaluating.set(workspaceId, evaluation)
    }
  }
  const tickers = [
    startTicker({
      everyMs: INTERVAL_MS,
      work: evaluateDue,
      log: ctx.log,
      failure: 'looking for due alert rules failed',
    }),
    startTicker({
      everyMs: INTERVAL_MS,
      work: () => sendReminders(ctx),
      log: ctx.log,
      failure: 'looking for due reminders failed',
    }),
    startTicker({
      everyMs: OWNERS_EVERY_MS,
      work: () => tellFindingOwners(ctx),
      log: ctx.log,
      failure: 'telling the owners of findings failed',
    }),
  ]
  return async () => {
    isStopping = true
    await Promise.all(tickers.map(({ stop }) => stop()))
    await Promise.all(evaluating.values())
  }
}
