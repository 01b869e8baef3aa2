import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { lockFirmwareVersion } from '../firmware/index.ts'
import { replaceInventory } from './inventory-store.ts'
import { SbomsRelinked } from './schemas.ts'

export interface InventoryChange {
  workspaceId: string
  firmwareVersionId: string
  /** `SbomParsed`, `SbomDeleted`. */
  cause: string
}

/**
 * Moves the facts a firmware version's findings rest on, in the transaction that changes its SBOMs. Changes of one
 * version happen one after the other, and each reads what the one before has committed.
 */
export async function inventoryChanged(
  ctx: AppContext,
  tx: Tx,
  change: InventoryChange,
): Promise<void> {
  const { workspaceId, firmwareVersionId } = change
  if (!(await lockFirmwareVersion(tx, workspaceId, firmwareVersionId))) return
  await replaceInventory(tx, { ...change, at: ctx.now() })
  // A parsed SBOM announces itself; links made anew may have given components other packages.
  if (change.cause !== 'SbomParsed')
    await ctx.queue.enqueue(tx, SbomsRelinked, { workspaceId, firmwareVersionId })
}
