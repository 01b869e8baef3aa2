import type { AppContext } from '../../platform/context.ts'
import { lockFirmwareVersion } from '../firmware/index.ts'
import { markContradicted } from './source-files-store.ts'

const REASON = 'The source files the vulnerable code is in are compiled by now'

/** A decision carried over, or made for an earlier list, may say that code is not present which this list has. */
export async function recheckCompiled(
  ctx: AppContext,
  change: { workspaceId: string; firmwareVersionId: string; deletedAt?: string },
): Promise<void> {
  const { workspaceId, firmwareVersionId, deletedAt = null } = change
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await lockFirmwareVersion(tx, workspaceId, firmwareVersionId))) return
    const version = { workspaceId, firmwareVersionId, deletedAt }
    await markContradicted(tx, { ...version, reason: REASON, at: ctx.now() })
  })
}
