/** Sends reminders of incidents that are open and not acknowledged, and what waited for the end of a silence. */
import type { AppContext } from '../../../platform/context.ts'
import { notifyIncidents } from '../notices/service.ts'
import * as store from './store.ts'

const BATCH_SIZE = 200

export async function sendReminders(ctx: Pick<AppContext, 'db' | 'now' | 'log'>): Promise<void> {
  for (const workspaceId of await store.listWorkspacesToRemind(ctx.db, ctx.now())) {
    try {
      while ((await sendBatch(ctx, workspaceId)) === BATCH_SIZE);
    } catch (error) {
      // The failure of one workspace does not stop the others; the schedule tries again.
      ctx.log.error({ err: error, workspaceId }, 'reminding of incidents failed')
    }
  }
}

/** The number of due incidents. */
async function sendBatch(
  ctx: Pick<AppContext, 'db' | 'now'>,
  workspaceId: string,
): Promise<number> {
  return ctx.db.transaction().execute(async (tx) => {
    const now = ctx.now()
    const due = await store.lockDueReminders(tx, workspaceId, { now, limit: BATCH_SIZE })
    if (due.length === 0) return 0
    for (const event of ['Fired', 'StillFiring'] as const) {
      const incidentIds = due.filter((one) => chooseEvent(one) === event).map(({ id }) => id)
      await notifyIncidents(ctx, tx, { workspaceId, incidentIds, event })
    }
    const next = due.map((one) => ({ id: one.id, reminderAt: nextReminder(one, now) }))
    await store.updateReminders(tx, workspaceId, next)
    return due.length
  })
}

/** undefined: nobody wants to be told. */
function chooseEvent({ isHeld, notifiedAt, repeatIntervalSeconds }: store.DueReminder) {
  if (isHeld) return notifiedAt === null ? 'Fired' : 'StillFiring'
  return repeatIntervalSeconds === null ? undefined : 'StillFiring'
}

/** After a pause one reminder replaces all that were missed. */
function nextReminder(
  { reminderAt, repeatIntervalSeconds }: store.DueReminder,
  now: Date,
): Date | null {
  if (repeatIntervalSeconds === null || reminderAt === null) return null
  if (reminderAt > now) return reminderAt
  const step = repeatIntervalSeconds * 1_000
  const missed = Math.floor((now.getTime() - reminderAt.getTime()) / step)
  return new Date(reminderAt.getTime() + (missed + 1) * step)
}
