/** Workers delete what deleted devices have left: the transaction that deletes devices would take too long with it. */
import { splitIntoBatches } from '../../../formats/batches.ts'
import { addMs, MINUTE_MS } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { findPackableEnd } from '../rollup/service.ts'
import { insertPacking, lockPacking } from '../rollup/store.ts'
import * as store from './store.ts'

type DeletionContext = Pick<AppContext, 'db' | 'log' | 'now'>

/** Reports that were being stored when the device was deleted have ended then. */
const GRACE_MS = MINUTE_MS
const DEVICES_AT_ONCE = 50
const SERIES_AT_ONCE = 1_000
const LINES_AT_ONCE = 10_000

/** Several workers may do it at once. A failure is logged, so that it does not keep other workspaces waiting. */
export async function deleteDataOfDevices(ctx: DeletionContext): Promise<void> {
  const before = addMs(ctx.now(), -GRACE_MS)
  for (const workspaceId of await store.listWorkspacesWithDeletions(ctx.db, before)) {
    try {
      await insertPacking(ctx.db, workspaceId, findPackableEnd(ctx.now()))
      while (await deleteNext(ctx, workspaceId, before));
    } catch (error) {
      ctx.log.error({ err: error, workspaceId }, 'deleting data of deleted devices failed')
    }
  }
}

/** false: nothing is left, or hours of the workspace are being packed, and the next run goes on. */
async function deleteNext(
  { db }: DeletionContext,
  workspaceId: string,
  before: Date,
): Promise<boolean> {
  return db.transaction().execute(async (tx) => {
    const limit = DEVICES_AT_ONCE
    const devices = await store.takeDeletedDevices(tx, workspaceId, { before, limit })
    if (devices.length === 0) return false
    for (const { deviceId } of devices)
      if (!(await deleteLines(tx, { workspaceId, deviceId }))) return true
    const seriesIds = devices.flatMap((one) => one.seriesIds)
    // Whoever packs holds points that would be written afterwards.
    if (seriesIds.length > 0 && !(await lockPacking(tx, workspaceId))) return false
    for (const batch of splitIntoBatches(seriesIds, SERIES_AT_ONCE))
      await store.deleteValues(tx, workspaceId, batch)
    const deviceIds = devices.map(({ deviceId }) => deviceId)
    await store.deleteDeletedDevices(tx, workspaceId, deviceIds)
    return true
  })
}

/** false: lines are left, and the transaction is long enough. */
async function deleteLines(
  tx: Tx,
  device: { workspaceId: string; deviceId: string },
): Promise<boolean> {
  return (await store.deleteLines(tx, device, LINES_AT_ONCE)) < LINES_AT_ONCE
}
