import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { lockFirmwareVersion } from '../firmware/index.ts'
import { takeUpReidentified } from './carry-over-store.ts'
import { recountFirmwareVersion } from './counters-store.ts'
import { writeLocked } from './decisions-service.ts'
import { lockPackagesShared } from './decisions-store.ts'
import { decideBegun } from './begun-service.ts'
import { listInvolvedPackageIds, replaceInventory } from './inventory-store.ts'
import { SbomsRelinked } from './schemas.ts'

export interface InventoryChange {
  workspaceId: string
  firmwareVersionId: string
  /** `SbomParsed`, `SbomDeleted`, `OverrideChanged`, `RulesChanged`. */
  cause: string
}

/**
 * Moves the facts a firmware version's findings rest on, in the transaction that changes its SBOMs. Changes of one
 * version happen one after the other, and each reads what the one before has committed. All its packages, old and
 * new, are shared until the counters are written, so that no match of theirs changes meanwhile.
 */
export async function inventoryChanged(
  ctx: AppContext,
  tx: Tx,
  change: InventoryChange,
): Promise<void> {
  const { workspaceId, firmwareVersionId } = change
  if (!(await lockFirmwareVersion(tx, workspaceId, firmwareVersionId))) return
  await lockPackagesShared(tx, await listInvolvedPackageIds(tx, change))
  const at = ctx.now()
  await replaceInventory(tx, { ...change, at })
  const decisions = await takeUpReidentified(tx, { ...change, at })
  await writeLocked(ctx, tx, { workspaceId, decisions })
  await decideBegun(ctx, tx, { workspaceId, firmwareVersionId, at })
  await recountFirmwareVersion(tx, { workspaceId, firmwareVersionId, at })
  // A parsed SBOM announces itself; links made anew may have given components other packages.
  if (change.cause !== 'SbomParsed')
    await ctx.queue.enqueue(tx, SbomsRelinked, { workspaceId, firmwareVersionId })
}
