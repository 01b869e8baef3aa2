/** Simulated devices that go on where the story's ended: they run what those ran, take the update under way, come and go. */
import { setTimeout as delay } from 'node:timers/promises'
import { issueDeviceKey, listAllDeviceKeys, revokeDeviceKey } from '../features/devices/index.ts'
import type { Actor } from '../platform/actor.ts'
import type { AppContext } from '../platform/context.ts'
import type { SimulatedDevice } from '../simulator/device.ts'
import type { SimulatedStart } from '../simulator/options.ts'
import { startSimulation } from '../simulator/simulation.ts'
import { addDays } from '../formats/instants.ts'
import { SICK_DEVICE } from './story/readings.ts'
import type { Ask } from './visitor.ts'

const KEY = 'Simulated devices'
const MOST = 120
const SYSTEM: Actor = { type: 'Operator', id: undefined, email: undefined, requestId: undefined }

export interface LiveFleet {
  stop: () => Promise<void>
}

/** `ask`: as somebody who may read the devices. */
export async function startLiveFleet(
  ctx: AppContext,
  { workspaceId, ask }: { workspaceId: string; ask: Ask },
): Promise<LiveFleet> {
  const filter = { isRevoked: false, text: KEY }
  for (const { id, name } of await listAllDeviceKeys(ctx, { workspaceId, filter }))
    if (name === KEY) await revokeDeviceKey(ctx, { workspaceId, id, actor: SYSTEM })
  const { deviceKey } = await issueDeviceKey(ctx, { workspaceId, name: KEY, actor: SYSTEM })
  const simulation = startSimulation({
    workspaceId,
    deviceKey,
    fleet: await listStarts(ask),
    url: ctx.config.publicUrl,
    mqttUrl: `mqtt://localhost:${ctx.config.mqtt.port}`,
    firmware: {},
    door: 'mixed',
    rate: 50,
    updateSeconds: 20,
    outcomes: { success: 93, failure: 4, fallback: 2, silence: 1 },
  })
  const end = new AbortController()
  const comings = simulation.started.then(() => comeAndGo(simulation.devices, end.signal))
  return {
    stop: async () => {
      end.abort()
      await comings
      await simulation.stop()
    },
  }
}

const EVERY_MS = 15_000
const MOST_AWAY = 4

/** One is switched off after another; each comes back when it was away for a minute. Those that update are left in peace. */
async function comeAndGo(devices: readonly SimulatedDevice[], signal: AbortSignal): Promise<void> {
  const away: SimulatedDevice[] = []
  // The broker notices at once that one of them left; every second device asks over HTTP.
  const wired = devices.filter((_device, index) => index % 2 === 0)
  for (let turn = 0; wired.length > 0; turn += 1) {
    await delay(EVERY_MS, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return
    const next = wired[(turn * 7) % wired.length]
    if (next && !next.isUpdating && !next.isSilent && !away.includes(next)) {
      away.push(next)
      await next.switchOff()
    }
    // The service may be stopping: a device that finds nobody tries again at its next turn.
    if (away.length > MOST_AWAY)
      await away
        .shift()
        ?.switchOn()
        .catch(() => undefined)
  }
}

interface ShownDevice {
  id: string
  firmware: { slug: string; version: string }[]
}

async function listStarts(ask: Ask): Promise<SimulatedStart[]> {
  const filter = { text: 'gw-eu-' }
  const { devices } = await ask<{ devices: ShownDevice[] }>('/devices/list', {
    limit: MOST,
    filter,
  })
  // Long enough ago to be as hot as it becomes.
  const fanFailedAt = addDays(new Date(), -7)
  return devices.map(({ id, firmware }) => ({
    id,
    power: 'mains',
    ...(id === SICK_DEVICE && { fanFailedAt }),
    firmware: Object.fromEntries(firmware.map(({ slug, version }) => [slug, version])),
  }))
}
