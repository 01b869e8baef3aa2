/** What `admin doctor` examines of customers: whose the devices are. */
import { splitIntoBatches } from '../../formats/batches.ts'
import type { AppContext } from '../../platform/context.ts'
import { readSnapshot, summariseFaults, type WorkspaceCheck } from '../../platform/doctor/check.ts'
import { listMisplaced } from './devices-store.ts'
import { placeDevicesOfCustomers } from './reactions-service.ts'

const list = (ctx: AppContext, workspaceId: string) =>
  readSnapshot(ctx, (db) => listMisplaced(db, workspaceId))

const AT_ONCE = 1_000

async function repairDevices(ctx: AppContext, workspaceId: string): Promise<void> {
  const misplaced = new Set((await list(ctx, workspaceId)).map(({ deviceId }) => deviceId))
  for (const deviceIds of splitIntoBatches([...misplaced].toSorted(), AT_ONCE))
    await ctx.db
      .transaction()
      .execute((tx) => placeDevicesOfCustomers(ctx, tx, { workspaceId, deviceIds }))
}

export const customerChecks: readonly WorkspaceCheck[] = [
  {
    scope: 'Workspace',
    name: 'customer-devices',
    meaning: 'customers have the devices of their cohorts and with their tag, and no others',
    find: async (ctx, workspaceId) =>
      summariseFaults(
        (await list(ctx, workspaceId)).map(({ deviceId, customer, isHeld }) =>
          isHeld
            ? `device ${deviceId} is shown to ${customer}, whose it is not`
            : `device ${deviceId} is not shown to ${customer}, whose it is`,
        ),
      ),
    repair: repairDevices,
  },
]
