/** What `admin doctor` examines of cohorts: their members. */
import { splitIntoBatches } from '../../formats/batches.ts'
import type { AppContext } from '../../platform/context.ts'
import { summariseFaults, readSnapshot, type WorkspaceCheck } from '../../platform/doctor/check.ts'
import { placeDevicesByTags } from './members/moves-service.ts'
import { listMovesByRule } from './members/store.ts'

const listMoves = (ctx: AppContext, workspaceId: string) =>
  readSnapshot(ctx, (db) => listMovesByRule(db, workspaceId))

const AT_ONCE = 1_000

async function repairMembers(ctx: AppContext, workspaceId: string): Promise<void> {
  const misplaced = (await listMoves(ctx, workspaceId)).map(({ deviceId }) => deviceId)
  for (const deviceIds of splitIntoBatches(misplaced.toSorted(), AT_ONCE))
    await ctx.db
      .transaction()
      .execute((tx) => placeDevicesByTags(ctx, tx, { workspaceId, deviceIds }))
}

export const cohortChecks: readonly WorkspaceCheck[] = [
  {
    scope: 'Workspace',
    name: 'cohort-members',
    meaning:
      'devices are in the cohorts whose tag rules they meet, unless they were picked by hand',
    find: async (ctx, workspaceId) =>
      summariseFaults(
        (await listMoves(ctx, workspaceId)).map(
          ({ deviceId, before, after }) =>
            `device ${deviceId} is in cohort ${before ?? 'none'} instead of ${after ?? 'none'}`,
        ),
      ),
    repair: repairMembers,
  },
]
