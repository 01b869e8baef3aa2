import type { Tx } from '../../../platform/db/connect.ts'
import { CountMoves, listAlikeDevices, moveDeviceCounts } from '../counts/store.ts'
import { lockDevices } from '../intake/store.ts'
import { listMislinkedFirmwares, relinkFirmwares } from './store.ts'
import type { VersionsNamed } from '../../firmware/index.ts'

/**
 * Links what devices run to the firmware versions that have these names now. Runs in the transaction that names the
 * versions and holds the lock on names.
 */
export async function relinkDevices(
  tx: Tx,
  { workspaceId, firmwareVersionIds }: VersionsNamed,
): Promise<void> {
  const mislinked = await listMislinkedFirmwares(tx, workspaceId, firmwareVersionIds)
  if (mislinked.length === 0) return
  const deviceIds = [...new Set(mislinked.map(({ deviceId }) => deviceId))]
  await lockDevices(tx, workspaceId, deviceIds)
  const moves = new CountMoves()
  for (const alike of await listAlikeDevices(tx, workspaceId, deviceIds))
    moves.remove(alike, alike.devices)
  await relinkFirmwares(tx, workspaceId, mislinked)
  for (const alike of await listAlikeDevices(tx, workspaceId, deviceIds))
    moves.add(alike, alike.devices)
  await moveDeviceCounts(tx, workspaceId, moves)
}
