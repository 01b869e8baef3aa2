/** Which gateway holds which connections, and disconnecting devices of gateways that ended. */
import { addDays } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { listWorkspaceIds } from '../../workspaces/index.ts'
import {
  CountMoves,
  deleteEmptyCounts,
  moveDeviceCounts,
  repairImageCounts,
} from '../counts/store.ts'
import { listRunningFirmwares, lockDevices } from '../intake/store.ts'
import * as store from './store.ts'

/** Records that the gateway lives. It counts as silent after half a minute without a beat. */
export async function beat(
  ctx: Pick<AppContext, 'db'>,
  gateway: { id: string; startedAt: Date },
): Promise<void> {
  await store.beatGateway(ctx.db, gateway)
}

const DEVICES_AT_ONCE = 2_000

/** Disconnects the devices of gateways that were killed. Any node may call this at any time. */
export async function disconnectSilentGateways(ctx: Pick<AppContext, 'db'>): Promise<number> {
  let devices = 0
  for (const gatewayId of await store.listSilentGateways(ctx.db)) {
    // A gateway that beats again reports its connections, which must not be undone afterwards.
    const isStillGone = (tx: Tx) => store.lockSilentGateway(tx, gatewayId)
    devices += await disconnectAll(ctx, { gatewayId, isStillGone })
    await ctx.db.transaction().execute(async (tx) => {
      if (await isStillGone(tx)) await store.deleteGateway(tx, gatewayId)
    })
  }
  return devices
}

/** Disconnects all devices of a gateway that ends. Answers how many there were. */
export async function disconnectGateway(
  ctx: Pick<AppContext, 'db'>,
  gatewayId: string,
): Promise<number> {
  return disconnectAll(ctx, { gatewayId, isStillGone: () => Promise.resolve(true) })
}

interface GoneGateway {
  gatewayId: string
  isStillGone: (tx: Tx) => Promise<boolean>
}

async function disconnectAll(ctx: Pick<AppContext, 'db'>, gateway: GoneGateway): Promise<number> {
  let devices = 0
  for (const workspaceId of await listWorkspaceIds(ctx.db))
    devices += await disconnectIn(ctx, { ...gateway, workspaceId })
  return devices
}

type GatewayIn = GoneGateway & { workspaceId: string }

async function disconnectIn(ctx: Pick<AppContext, 'db'>, whose: GatewayIn): Promise<number> {
  for (let total = 0; ;) {
    const { workspaceId, gatewayId } = whose
    const ids = await store.listConnectedDevices(ctx.db, {
      workspaceId,
      gatewayId,
      limit: DEVICES_AT_ONCE,
    })
    if (ids.length === 0) return total
    const devices = await disconnectLocked(ctx, whose, ids)
    if (devices === undefined) return total
    total += devices
  }
}

/** undefined: the gateway lives. */
async function disconnectLocked(
  ctx: Pick<AppContext, 'db'>,
  { workspaceId, gatewayId, isStillGone }: GatewayIn,
  ids: readonly string[],
): Promise<number | undefined> {
  return ctx.db.transaction().execute(async (tx) => {
    if (!(await isStillGone(tx))) return undefined
    const locked = await lockDevices(tx, workspaceId, ids)
    const lost = locked.filter((one) => one.connected && one.gatewayId === gatewayId)
    const lostIds = lost.map(({ id }) => id)
    const running = await listRunningFirmwares(tx, workspaceId, lostIds)
    // A connected device may report nothing for days. It was there until the last beat of its gateway.
    const beatAt = await store.findBeat(tx, gatewayId)
    const moves = new CountMoves()
    for (const state of lost) {
      const firmwareVersionIds = (running.get(state.id) ?? []).flatMap(
        (one) => one.firmwareVersionId ?? [],
      )
      moves.remove({ ...state, firmwareVersionIds })
      const lastSeenAt = later(state.lastSeenAt, beatAt)
      moves.add({ ...state, firmwareVersionIds, lastSeenAt, connected: false })
    }
    await store.disconnectDevices(tx, workspaceId, { deviceIds: lostIds, beatAt })
    const at = beatAt ?? new Date()
    const changes = lostIds.map((deviceId) => ({ deviceId, at, kind: 'Disconnected' as const }))
    await store.insertPresenceChanges(tx, workspaceId, changes)
    await moveDeviceCounts(tx, workspaceId, moves)
    return lost.length
  })
}

function later(seenAt: Date | null, beatAt: Date | undefined): Date | null {
  return beatAt && (seenAt === null || beatAt > seenAt) ? beatAt : seenAt
}

/** Deletes rows of counts without devices, as every count reads all rows. */
export async function sweepDeviceCounts(ctx: Pick<AppContext, 'db'>): Promise<void> {
  for (const workspaceId of await listWorkspaceIds(ctx.db)) {
    await repairImageCounts(ctx.db, workspaceId)
    await deleteEmptyCounts(ctx.db, workspaceId)
  }
}

/** Comparisons of roll-outs look back over twice their longest window, from updates of some days ago. */
const KEPT_DAYS = 75

export async function sweepPresenceChanges(ctx: Pick<AppContext, 'db' | 'now'>): Promise<void> {
  const before = addDays(ctx.now(), -KEPT_DAYS)
  for (const workspaceId of await listWorkspaceIds(ctx.db))
    await store.deletePresenceChanges(ctx.db, workspaceId, before)
}
