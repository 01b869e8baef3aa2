/** Simulated devices that go on where the story's ended: they run what those ran, and take the update under way. */
import { issueDeviceKey, listDeviceKeys, revokeDeviceKey } from '../features/devices/index.ts'
import { createSignInLink } from '../features/people/index.ts'
import type { Actor } from '../platform/actor.ts'
import type { AppContext } from '../platform/context.ts'
import type { SimulatedStart } from '../simulator/options.ts'
import { type Simulation, startSimulation } from '../simulator/simulation.ts'

const KEY = 'Simulated devices'
const MOST = 120
const SYSTEM: Actor = { type: 'Operator', id: undefined, email: undefined, requestId: undefined }

export interface LiveFleet {
  simulation: Simulation
  deviceKey: string
}

/** `email` names who may read the devices. */
export async function startLiveFleet(
  ctx: AppContext,
  { workspaceId, email }: { workspaceId: string; email: string },
): Promise<LiveFleet> {
  for (const { id, name, revokedAt } of await listDeviceKeys(ctx, { workspaceId }))
    if (name === KEY && revokedAt === null)
      await revokeDeviceKey(ctx, { workspaceId, id, actor: SYSTEM })
  const { deviceKey } = await issueDeviceKey(ctx, { workspaceId, name: KEY, actor: SYSTEM })
  const simulation = startSimulation({
    workspaceId,
    deviceKey,
    fleet: await listStarts(ctx, { workspaceId, email }),
    url: ctx.config.publicUrl,
    mqttUrl: `mqtt://localhost:${ctx.config.mqtt.port}`,
    firmware: {},
    door: 'mixed',
    rate: 50,
    updateSeconds: 20,
    outcomes: { success: 93, failure: 4, fallback: 2, silence: 1 },
  })
  return { simulation, deviceKey }
}

interface ShownDevice {
  id: string
  firmware: { slug: string; version: string }[]
}

async function listStarts(
  ctx: AppContext,
  { workspaceId, email }: { workspaceId: string; email: string },
): Promise<SimulatedStart[]> {
  const { publicUrl } = ctx.config
  const token = new URL(await createSignInLink(ctx, email)).hash.slice(1)
  const headers = { 'content-type': 'application/json', origin: publicUrl }
  const signedIn = await fetch(`${publicUrl}/auth/links/accept`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ token }),
  })
  const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  const filter = { text: 'gw-eu-' }
  const answer = await fetch(`${publicUrl}/workspaces/${workspaceId}/devices/list`, {
    method: 'POST',
    headers: { ...headers, cookie },
    body: JSON.stringify({ limit: MOST, filter }),
  })
  const { devices } = (await answer.json()) as { devices: ShownDevice[] }
  return devices.map(({ id, firmware }) => ({
    id,
    firmware: Object.fromEntries(firmware.map(({ slug, version }) => [slug, version])),
  }))
}
