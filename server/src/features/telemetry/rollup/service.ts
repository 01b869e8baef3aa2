/** Rolls up metrics: workers add up the points of each hour, which makes queries over long times fast. */
import { addMs, MINUTE_MS, startOfHour } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import { isLockBusy } from '../retention/partitions-store.ts'
import * as store from './store.ts'

type RollupContext = Pick<AppContext, 'db' | 'log' | 'now'>

/** An hour stays open for this long, as the last points of it arrive late. Points that arrive later cost more. */
const GRACE_MS = 5 * MINUTE_MS

/** Several workers may do it at once. */
export async function rollUpMetrics(ctx: RollupContext): Promise<void> {
  const until = startOfHour(addMs(ctx.now(), -GRACE_MS))
  for (const workspaceId of await store.listWorkspacesWithMetrics(ctx.db))
    await rollUpWorkspace(ctx, workspaceId, until)
}

/** A failure is logged, so that it does not keep other workspaces from being rolled up. */
async function rollUpWorkspace(ctx: RollupContext, workspaceId: string, until: Date) {
  try {
    await close(ctx, workspaceId, until)
    while (await rollUpNext(ctx, workspaceId));
  } catch (error) {
    ctx.log.error({ err: error, workspaceId }, 'rolling up metrics failed')
  }
}

async function close({ db, log }: RollupContext, workspaceId: string, until: Date): Promise<void> {
  try {
    await db.transaction().execute((tx) => store.closeHours(tx, workspaceId, until))
  } catch (error) {
    if (!isLockBusy(error)) throw error
    log.info({ workspaceId }, 'hours of metrics stay open, as points are being stored')
  }
}

const LATE_AT_ONCE = 5_000

/** Rolls up one hour, or a batch of hours with late points. false: nothing is left, or another worker rolls up. */
async function rollUpNext({ db }: RollupContext, workspaceId: string): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const rollup = await store.lockRollup(tx, workspaceId)
    if (!rollup) return false
    const { rolledUntil, closedUntil } = rollup
    if (rolledUntil < closedUntil) {
      await store.rollUpHour(tx, workspaceId, rolledUntil)
      return true
    }
    const page = { before: rolledUntil, limit: LATE_AT_ONCE }
    const late = await store.listLateHours(tx, workspaceId, page)
    if (late.length > 0) await store.rollUpLateHours(tx, workspaceId, late)
    return late.length === LATE_AT_ONCE
  })
}
