import type { AppContext } from '../../platform/context.ts'
import { evaluateDueRules } from './engine-service.ts'
import { sendReminders } from './reminders-service.ts'

const LOOK_MS = 1_000

/** Any number of workers look; row locks let one of them do what is due. The result waits for the look under way. */
export function startAlertSchedule(ctx: AppContext): () => Promise<void> {
  let looking: Promise<void> | undefined
  const timer = setInterval(() => {
    looking ??= look(ctx)
      // The next look tries again.
      .catch((error: unknown) => ctx.log.error({ err: error }, 'evaluating alert rules failed'))
      .finally(() => {
        looking = undefined
      })
  }, LOOK_MS)
  return async () => {
    clearInterval(timer)
    await looking
  }
}

async function look(ctx: AppContext): Promise<void> {
  await evaluateDueRules(ctx)
  await sendReminders(ctx)
}
