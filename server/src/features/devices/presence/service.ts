/** Which node holds whose connection, and what becomes of devices whose node is gone. */
import type { AppContext } from '../../../platform/context.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import { listWorkspaceIds } from '../../workspaces/index.ts'
import { CountMoves, moveDeviceCounts } from '../counts/store.ts'
import { listRunningFirmwares, lockDevices } from '../intake/store.ts'
import * as store from './store.ts'

/** A gateway says that it lives: more often than every half minute, after which it counts as silent. */
export async function beat(
  ctx: Pick<AppContext, 'db'>,
  gateway: { id: string; startedAt: Date },
): Promise<void> {
  await store.beatGateway(ctx.db, gateway)
}

const BATCH = 2_000

/** Devices at gateways that were killed are connected no longer. Any node may call this at any time. */
export async function disconnectSilentGateways(ctx: Pick<AppContext, 'db'>): Promise<number> {
  let devices = 0
  for (const gatewayId of await store.listSilentGateways(ctx.db)) {
    // One that beats again says who is connected, which must not be undone after that.
    const isStillGone = (tx: Tx) => store.lockSilentGateway(tx, gatewayId)
    devices += await disconnectAll(ctx, { gatewayId, isStillGone })
    await ctx.db.transaction().execute(async (tx) => {
      if (await isStillGone(tx)) await store.deleteGateway(tx, gatewayId)
    })
  }
  return devices
}

/** All devices that were connected at this gateway, which ends; how many they were. */
export async function markDisconnected(
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
    const ids = await store.listConnectedDevices(ctx.db, { workspaceId, gatewayId, limit: BATCH })
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
    // One that is connected may say nothing for days: it is away since its gateway is, and no longer.
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
    await moveDeviceCounts(tx, workspaceId, moves)
    return lost.length
  })
}

function later(seenAt: Date | null, beatAt: Date | undefined): Date | null {
  return beatAt && (seenAt === null || beatAt > seenAt) ? beatAt : seenAt
}

/** Upkeep: what is read for every count stays as small as the hours in which devices were last seen. */
export async function sweepDeviceCounts(ctx: Pick<AppContext, 'db'>): Promise<void> {
  for (const workspaceId of await listWorkspaceIds(ctx.db))
    await store.deleteEmptyCounts(ctx.db, workspaceId)
}
