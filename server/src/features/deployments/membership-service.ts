/** Device updates follow the devices: those that join a cohort get its active deployment, those that leave lose it. */
import type { AppContext } from '../../platform/context.ts'
import type { Tx } from '../../platform/db/connect.ts'
import { type CohortMove, lockLeavingDevices } from '../cohorts/index.ts'
import { signalDesiredChange, type DevicesChanged } from '../devices/index.ts'
import {
  cancelUpdatesOfDevices,
  insertJoiningUpdates,
  lockStatesOfDevices,
} from './device-updates/bulk-store.ts'
import { CounterChanges, updateCounters } from './device-updates/counters-store.ts'
import { releaseForJoining } from './phases.ts'
import { findActiveDeployments } from './store.ts'

/** The caller has locked the devices and shares the lock of their cohorts. Each move is one to another cohort. */
export async function moveDeviceUpdates(
  ctx: Pick<AppContext, 'now'>,
  tx: Tx,
  { workspaceId, moves }: { workspaceId: string; moves: readonly CohortMove[] },
): Promise<void> {
  const now = ctx.now()
  const counters = new CounterChanges()
  await cancelLeaving(tx, { workspaceId, moves, now, counters })
  await addJoining(tx, { workspaceId, moves, now, counters })
  await updateCounters(tx, workspaceId, counters)
  const deviceIds = moves.map(({ deviceId }) => deviceId)
  await signalDesiredChange(tx, workspaceId, deviceIds)
}

interface MembershipMoves {
  workspaceId: string
  moves: readonly CohortMove[]
  now: Date
  counters: CounterChanges
}

async function cancelLeaving(
  tx: Tx,
  { workspaceId, moves, now, counters }: MembershipMoves,
): Promise<void> {
  const deviceIds = moves.filter(({ before }) => before !== null).map(({ deviceId }) => deviceId)
  if (deviceIds.length === 0) return
  const reason = 'the device left the cohort'
  const cancelled = await cancelUpdatesOfDevices(tx, workspaceId, { deviceIds, reason, now })
  for (const { deploymentId, state, devices } of cancelled)
    counters.move(deploymentId, { from: state, to: 'cancelled', devices })
}

async function addJoining(
  tx: Tx,
  { workspaceId, moves, now, counters }: MembershipMoves,
): Promise<void> {
  const cohortIds = [...new Set(moves.flatMap(({ after }) => after ?? []))]
  for (const deployment of await findActiveDeployments(tx, workspaceId, cohortIds)) {
    const joined = moves.filter(({ after }) => after === deployment.cohortId)
    const deviceIds = joined.map(({ deviceId }) => deviceId)
    const replaced = await insertJoiningUpdates(
      tx,
      { workspaceId, deploymentId: deployment.id },
      { deviceIds, now, ...releaseForJoining(deployment, now) },
    )
    for (const { deploymentId, state, devices } of replaced)
      counters.move(deploymentId, { from: state, devices })
    counters.move(deployment.id, { to: 'pending', devices: deviceIds.length })
  }
}

/** Takes devices that are about to be deleted out of the counters of their deployments. */
export async function removeFromCounters(
  tx: Tx,
  { workspaceId, deviceIds }: DevicesChanged,
): Promise<void> {
  await lockLeavingDevices(tx, { workspaceId, deviceIds })
  const counters = new CounterChanges()
  for (const { deploymentId, state, devices } of await lockStatesOfDevices(
    tx,
    workspaceId,
    deviceIds,
  ))
    counters.move(deploymentId, { from: state, devices })
  await updateCounters(tx, workspaceId, counters)
}
