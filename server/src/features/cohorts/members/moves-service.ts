/** Devices change cohorts, by hand or by tag rules. */
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import type { CohortMove } from '../reactions.ts'
import { lockCohortsShared } from '../store.ts'
import * as store from './store.ts'

type MoveContext = Pick<AppContext, 'now' | 'reactions'>

interface MovedDevices {
  workspaceId: string
  moves: readonly CohortMove[]
}

interface ChangedDevices {
  workspaceId: string
  deviceIds: readonly string[]
}

/** The caller has locked the devices, and at least shares the lock of the workspace's tag rules. */
async function moveDevices(
  ctx: MoveContext,
  tx: Tx,
  { workspaceId, moves }: MovedDevices,
): Promise<void> {
  if (moves.length === 0) return
  const cohortIds = moves.flatMap(({ before, after }) => [before, after])
  const ids = [...new Set(cohortIds.filter((id) => id !== null))]
  await lockCohortsShared(tx, workspaceId, ids)
  await store.updateMembership(tx, workspaceId, moves)
  const left = moves.filter(({ before, after }) => before !== after)
  if (left.length > 0) await ctx.reactions.cohortMembersMoved(ctx, tx, { workspaceId, moves: left })
}

/** The caller has locked the devices, and at least shares the lock of the workspace's tag rules. */
export async function applyTagRules(
  ctx: MoveContext,
  tx: Tx,
  { workspaceId, deviceIds }: ChangedDevices,
): Promise<void> {
  const moves = await store.listMovesByRule(tx, workspaceId, deviceIds)
  await moveDevices(ctx, tx, { workspaceId, moves })
}

/** Picks devices for a cohort by hand. The caller has locked the devices and the tag rules. */
export async function pickForCohort(
  ctx: MoveContext,
  tx: Tx,
  picked: { workspaceId: string; members: readonly store.Member[]; cohortId: string },
): Promise<void> {
  const { workspaceId, members, cohortId } = picked
  const moves = members
    .filter((device) => device.cohortId !== cohortId || device.byRule)
    .map(({ id, cohortId: before }) => ({ deviceId: id, before, after: cohortId, byRule: false }))
  await moveDevices(ctx, tx, { workspaceId, moves })
}

/** The devices are no longer picked by hand. The caller has locked the devices and the tag rules. */
export async function releaseToTagRules(
  ctx: MoveContext,
  tx: Tx,
  { workspaceId, deviceIds }: ChangedDevices,
): Promise<void> {
  await store.releaseToRules(tx, workspaceId, deviceIds)
  await applyTagRules(ctx, tx, { workspaceId, deviceIds })
}

/**
 * Gives devices the cohorts that they had, which are still there; tag rules then decide about those that nobody picked by hand. The
 * caller has locked the devices and the tag rules.
 */
export async function restoreMembership(
  ctx: MoveContext,
  tx: Tx,
  restored: { workspaceId: string; members: readonly Omit<store.Member, 'cohortName'>[] },
): Promise<void> {
  const { workspaceId, members } = restored
  const deviceIds = members.map(({ id }) => id)
  const now = new Map(
    (await store.listMembership(tx, workspaceId, deviceIds)).map((member) => [member.id, member]),
  )
  const moves = members.flatMap(({ id, cohortId: after, byRule }) => {
    const { cohortId: before = null, byRule: wasByRule } = now.get(id) ?? {}
    if (before === after && byRule === wasByRule) return []
    return [{ deviceId: id, before, after, byRule }]
  })
  await moveDevices(ctx, tx, { workspaceId, moves })
  await applyTagRules(ctx, tx, { workspaceId, deviceIds })
}

/** Moves devices that are new or whose tags changed to the cohorts of matching tag rules. */
export async function placeDevicesByTags(
  ctx: MoveContext,
  tx: Tx,
  { workspaceId, deviceIds }: ChangedDevices,
): Promise<void> {
  if (deviceIds.length === 0) return
  await store.lockDevices(tx, workspaceId, deviceIds)
  await store.lockRulesShared(tx, workspaceId)
  await applyTagRules(ctx, tx, { workspaceId, deviceIds })
}

/** Locks devices that are about to be deleted, and their cohorts, so that no deployment is created for them meanwhile. */
export async function lockLeavingDevices(
  tx: Tx,
  { workspaceId, deviceIds }: ChangedDevices,
): Promise<void> {
  await store.lockDevices(tx, workspaceId, deviceIds)
  const memberships = await store.listMembership(tx, workspaceId, deviceIds)
  const cohortIds = memberships.flatMap(({ cohortId }) => cohortId ?? [])
  await lockCohortsShared(tx, workspaceId, [...new Set(cohortIds)])
}
