/** Devices come to cohorts and leave them, and with them the device updates of the cohorts' active deployments. */
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { announceDesired, type DeviceHooks } from '../devices/index.ts'
import { shareCohorts } from './cohort-store.ts'
import * as members from './cohort-members-store.ts'
import { findActiveDeployments } from './store.ts'
import { releaseForJoining } from './phases.ts'
import {
  cancelUpdatesOfDevices,
  insertJoiningUpdates,
  lockStatesOfDevices,
} from './device-updates/bulk-store.ts'
import { CounterChanges, updateCounters } from './device-updates/counters-store.ts'

type MemberContext = Pick<AppContext, 'now'>

/** The caller holds the devices' rows, and the rules of the workspace at least shared. */
export async function moveDevices(
  ctx: MemberContext,
  tx: Tx,
  { workspaceId, moves }: { workspaceId: string; moves: readonly members.Move[] },
): Promise<void> {
  if (moves.length === 0) return
  const cohortIds = moves.flatMap(({ before, after }) => [before, after])
  const ids = [...new Set(cohortIds.filter((id) => id !== null))]
  await shareCohorts(tx, workspaceId, ids)
  await members.updateMembership(tx, workspaceId, moves)
  const changed = moves.filter(({ before, after }) => before !== after)
  const now = ctx.now()
  const counts = new CounterChanges()
  const left = changed.filter(({ before }) => before !== null).map(({ deviceId }) => deviceId)
  const reason = 'the device left the cohort'
  const ended =
    left.length === 0
      ? []
      : await cancelUpdatesOfDevices(tx, workspaceId, { deviceIds: left, reason, now })
  for (const { deploymentId, state, devices } of ended)
    counts.move(deploymentId, { from: state, to: 'cancelled', devices })
  for (const deployment of await findActiveDeployments(tx, workspaceId, ids)) {
    const joined = changed.filter(({ after }) => after === deployment.cohortId)
    if (joined.length === 0) continue
    const deviceIds = joined.map(({ deviceId }) => deviceId)
    const known = await insertJoiningUpdates(
      tx,
      { workspaceId, deploymentId: deployment.id },
      { deviceIds, now, ...releaseForJoining(deployment, now) },
    )
    for (const { deploymentId, state, devices } of known)
      counts.move(deploymentId, { from: state, devices })
    counts.move(deployment.id, { to: 'pending', devices: deviceIds.length })
  }
  await updateCounters(tx, workspaceId, counts)
  await announceDesired(
    tx,
    workspaceId,
    changed.map(({ deviceId }) => deviceId),
  )
}

/** The caller holds the devices' rows, and the rules of the workspace at least shared. */
export async function applyTagRules(
  ctx: MemberContext,
  tx: Tx,
  { workspaceId, deviceIds }: { workspaceId: string; deviceIds: readonly string[] },
): Promise<void> {
  const moves = await members.listMovesByRule(tx, workspaceId, deviceIds)
  await moveDevices(ctx, tx, { workspaceId, moves })
}

export const deviceHooks: DeviceHooks = {
  tagsChanged: async (ctx, tx, { workspaceId, deviceIds }) => {
    if (deviceIds.length === 0) return
    await members.lockDevices(tx, workspaceId, deviceIds)
    await members.shareRules(tx, workspaceId)
    await applyTagRules(ctx, tx, { workspaceId, deviceIds })
  },
  leaving: async (_ctx, tx, { workspaceId, deviceIds }) => {
    await members.lockDevices(tx, workspaceId, deviceIds)
    const memberships = await members.listMembership(tx, workspaceId, deviceIds)
    const cohortIds = memberships.flatMap(({ cohortId }) => cohortId ?? [])
    // A deployment that is just being created counts the device before it goes.
    await shareCohorts(tx, workspaceId, [...new Set(cohortIds)])
    const counts = new CounterChanges()
    for (const { deploymentId, state, devices } of await lockStatesOfDevices(
      tx,
      workspaceId,
      deviceIds,
    ))
      counts.move(deploymentId, { from: state, devices })
    await updateCounters(tx, workspaceId, counts)
  },
}
