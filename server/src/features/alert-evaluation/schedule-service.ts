import type { AppContext } from '../../platform/context.ts'
import { evaluateWorkspace } from './service.ts'
import { listDueWorkspaces } from './store.ts'
import { sendReminders } from '../incidents/index.ts'

const LOOK_MS = 1_000
/** One with large fleets keeps few others waiting, and leaves database connections to everybody else. */
const WORKSPACES_AT_ONCE = 4

/** Any number of workers look; row locks let one of them do what is due. The result waits for what is under way. */
export function startAlertSchedule(ctx: AppContext): () => Promise<void> {
  const evaluating = new Map<string, Promise<void>>()
  let isStopping = false
  /** All that are due have their turn, before any has it again. */
  const evaluateDue = async () => {
    for (const workspaceId of await listDueWorkspaces(ctx.db, ctx.now())) {
      if (evaluating.has(workspaceId)) continue
      while (evaluating.size >= WORKSPACES_AT_ONCE) await Promise.race(evaluating.values())
      if (isStopping) return
      const evaluation = evaluateWorkspace(ctx, workspaceId).finally(() =>
        evaluating.delete(workspaceId),
      )
      evaluating.set(workspaceId, evaluation)
    }
  }
  const looks = [
    oneAtATime(ctx, 'looking for due alert rules failed', evaluateDue),
    oneAtATime(ctx, 'looking for due reminders failed', () => sendReminders(ctx)),
  ]
  const timer = setInterval(() => {
    for (const { begin } of looks) begin()
  }, LOOK_MS)
  return async () => {
    isStopping = true
    clearInterval(timer)
    await Promise.all(looks.map(({ end }) => end()))
    await Promise.all(evaluating.values())
  }
}

/** Begins unless it is under way; what fails is tried again the next time. */
function oneAtATime({ log }: Pick<AppContext, 'log'>, failure: string, work: () => Promise<void>) {
  let working: Promise<void> | undefined
  return {
    begin: () => {
      working ??= work()
        .catch((error: unknown) => log.error({ err: error }, failure))
        .finally(() => {
          working = undefined
        })
    },
    end: async () => working,
  }
}
