import type { AppContext } from '../../platform/context.ts'
import { lockFirmwareVersion } from '../firmware/index.ts'
import { markContradicted } from './source-files-store.ts'

const REASON = 'The source files the vulnerable code is in are compiled by now'

/** A decision carried over, or made for an earlier list, may say that code is not present which this list has. */
export async function recheckCompiled(
  ctx: AppContext,
  version: { workspaceId: string; firmwareVersionId: string },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    if (!(await lockFirmwareVersion(tx, version.workspaceId, version.firmwareVersionId))) return
    await markContradicted(tx, { ...version, reason: REASON, at: ctx.now() })
  })
}
