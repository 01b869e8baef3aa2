/** Takes what goes out of the totals of groups: devices, versions, and what is older than the retention. */
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import {
  findDifferences,
  listDifferingKeys,
  readSnapshot,
  withoutTimeLimit,
  type WorkspaceCheck,
} from '../../../platform/doctor/check.ts'
import { lockGroups } from '../groups-store.ts'
import { listCrashRetentions } from '../retention/store.ts'
import * as store from './store.ts'

/** Devices are about to be deleted. */
export async function takeBackCrashesOfDevices(
  tx: Tx,
  { workspaceId, deviceIds }: { workspaceId: string; deviceIds: readonly string[] },
): Promise<void> {
  const groupIds = await lockListed(tx, workspaceId, () =>
    store.listGroupsOfDevices(tx, workspaceId, deviceIds),
  )
  if (groupIds.length === 0) return
  await store.deleteCountsOfDevices(tx, workspaceId, deviceIds)
}

/** Versions are about to be deleted, and are locked. */
export async function takeBackCrashesOfVersions(
  tx: Tx,
  {
    workspaceId,
    firmwareVersionIds,
  }: { workspaceId: string; firmwareVersionIds: readonly string[] },
): Promise<void> {
  const groupIds = await lockListed(tx, workspaceId, () =>
    store.listGroupsOfVersions(tx, workspaceId, firmwareVersionIds),
  )
  if (groupIds.length === 0) return
  await store.deleteCountsOfVersions(tx, workspaceId, firmwareVersionIds)
  await store.recountGroups(tx, workspaceId, groupIds)
}

/** While one waits for a lock, uploaded lines may move what it is about to another group. */
async function lockListed(
  tx: Tx,
  workspaceId: string,
  list: () => Promise<string[]>,
): Promise<string[]> {
  const locked = new Set<string>()
  for (;;) {
    const groupIds = (await list()).filter((id) => !locked.has(id))
    if (groupIds.length === 0) return [...locked]
    await lockGroups(tx, workspaceId, { groupIds })
    for (const id of groupIds) locked.add(id)
  }
}

/** Devices that crash meanwhile wait for so many groups at most. */
const GROUPS_AT_ONCE = 100

export async function deleteAgedCrashes(
  { db }: Pick<AppContext, 'db'>,
  aged: { workspaceId: string; before: Date },
): Promise<void> {
  const { workspaceId } = aged
  for (;;) {
    const groupIds = await store.listAgedGroups(db, aged, GROUPS_AT_ONCE)
    if (groupIds.length === 0) return
    await db.transaction().execute(async (tx) => {
      await lockGroups(tx, workspaceId, { groupIds })
      await store.deleteAgedCounts(tx, aged, groupIds)
      await store.recountGroups(tx, workspaceId, groupIds)
    })
  }
}

const KEPT = [store.GROUP_TOTALS, store.GROUP_DAYS]

/** What differs is counted anew. */
async function repairTotals({ db }: Pick<AppContext, 'db'>, workspaceId: string): Promise<void> {
  await db.transaction().execute(async (tx) => {
    await withoutTimeLimit(tx)
    const groupIds = new Set<string>()
    for (const rows of KEPT)
      for (const id of await listDifferingKeys(tx, rows, workspaceId, 'group_id')) groupIds.add(id)
    if (groupIds.size === 0) return
    await lockGroups(tx, workspaceId, { groupIds: [...groupIds] })
    await store.recountGroups(tx, workspaceId, [...groupIds])
  })
}

/** While an upgrade rolls, nodes of the release before count crashes and no totals. */
export async function repairCrashTotals({ db }: Pick<AppContext, 'db'>): Promise<void> {
  for (const { workspaceId } of await listCrashRetentions(db))
    await repairTotals({ db }, workspaceId)
}

export const crashChecks: readonly WorkspaceCheck[] = [
  {
    scope: 'Workspace',
    name: 'crash-totals',
    meaning: 'totals of crashes by group and by day are those of the counted crashes',
    find: (ctx, workspaceId) =>
      readSnapshot(ctx, async (db) => {
        const found = []
        for (const rows of KEPT) found.push(await findDifferences(db, rows, workspaceId))
        return {
          faultCount: found.reduce((sum, { faultCount }) => sum + faultCount, 0),
          faults: found.flatMap(({ faults }) => faults),
        }
      }),
    repair: repairTotals,
  },
]
