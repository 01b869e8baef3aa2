import type { AppContext } from '../../platform/context.ts'
import { evaluateWorkspace } from './engine-service.ts'
import { listDueWorkspaces } from './engine-store.ts'
import { sendReminders } from './reminders-service.ts'

const LOOK_MS = 1_000
/** One with large fleets keeps few others waiting, and leaves database connections to everybody else. */
const WORKSPACES_AT_ONCE = 4

/** Any number of workers look; row locks let one of them do what is due. The result waits for what is under way. */
export function startAlertSchedule(ctx: AppContext): () => Promise<void> {
  const evaluating = new Map<string, Promise<void>>()
  let looking: Promise<void> | undefined
  const look = async () => {
    for (const workspaceId of await listDueWorkspaces(ctx.db, ctx.now())) {
      if (evaluating.has(workspaceId)) continue
      if (evaluating.size >= WORKSPACES_AT_ONCE) break
      const evaluation = evaluateWorkspace(ctx, workspaceId).finally(() =>
        evaluating.delete(workspaceId),
      )
      evaluating.set(workspaceId, evaluation)
    }
    await sendReminders(ctx)
  }
  const timer = setInterval(() => {
    looking ??= look()
      // The next look tries again.
      .catch((error: unknown) =>
        ctx.log.error({ err: error }, 'looking for due alert rules failed'),
      )
      .finally(() => {
        looking = undefined
      })
  }, LOOK_MS)
  return async () => {
    clearInterval(timer)
    await looking
    await Promise.all(evaluating.values())
  }
}
