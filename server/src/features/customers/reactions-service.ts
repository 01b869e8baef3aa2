/** Keeps whose devices are up to date when devices change in lower slices. */
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import * as store from './devices-store.ts'

interface Changed {
  workspaceId: string
  deviceIds: readonly string[]
}

/** Devices are new, or their tags or cohorts changed. */
export async function placeDevicesOfCustomers(
  { now }: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, deviceIds }: Changed,
): Promise<void> {
  if (deviceIds.length === 0) return
  await store.lockPlacingShared(tx, workspaceId)
  await store.placeDevices(tx, { workspaceId, deviceIds, at: now() })
}

/** Devices are about to be deleted. */
export async function removeDevicesOfCustomers(
  tx: Tx,
  { workspaceId, deviceIds }: Changed,
): Promise<void> {
  await store.lockPlacingShared(tx, workspaceId)
  await store.deleteOfDevices(tx, workspaceId, deviceIds)
}
