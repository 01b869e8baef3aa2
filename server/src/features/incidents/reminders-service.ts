/** Tells again of incidents that last and that nobody acknowledged. */
import type { AppContext } from '../../platform/context.ts'
import { announceReminders } from './notices-service.ts'
import * as store from './reminders-store.ts'

const TOGETHER = 200

export async function sendReminders(ctx: Pick<AppContext, 'db' | 'now' | 'log'>): Promise<void> {
  for (const workspaceId of await store.listWorkspacesToRemind(ctx.db, ctx.now())) {
    try {
      while ((await remind(ctx, workspaceId)) === TOGETHER);
    } catch (error) {
      // One workspace keeps no other from being told; the next look tries again.
      ctx.log.error({ err: error, workspaceId }, 'reminding of incidents failed')
    }
  }
}

async function remind(ctx: Pick<AppContext, 'db' | 'now'>, workspaceId: string): Promise<number> {
  return ctx.db.transaction().execute(async (tx) => {
    const now = ctx.now()
    const due = await store.lockDueReminders(tx, workspaceId, { now, limit: TOGETHER })
    if (due.length === 0) return 0
    const wanted = due.filter(({ repeatIntervalSeconds }) => repeatIntervalSeconds !== null)
    const incidentIds = wanted.map(({ id }) => id)
    await announceReminders(ctx, tx, { workspaceId, incidentIds })
    const next = due.map((one) => ({ id: one.id, reminderAt: nextReminder(one, now) }))
    await store.updateReminders(tx, workspaceId, next)
    return due.length
  })
}

/** What a pause kept from being told is told once. */
function nextReminder(
  { reminderAt, repeatIntervalSeconds }: store.DueReminder,
  now: Date,
): Date | null {
  if (repeatIntervalSeconds === null) return null
  const step = repeatIntervalSeconds * 1_000
  const missed = Math.floor((now.getTime() - reminderAt.getTime()) / step)
  return new Date(reminderAt.getTime() + (missed + 1) * step)
}
