/** Simulated devices that run the demo's firmware. */
import { issueDeviceKey } from '../features/devices/index.ts'
import type { Actor } from '../platform/actor.ts'
import type { AppContext } from '../platform/context.ts'
import { type Simulation, startSimulation } from '../simulator/simulation.ts'

const DEVICES = 20

export interface DemoFleet {
  simulation: Simulation
  deviceKey: string
}

/** The workspace must let devices register themselves. Resolves when all have reported what they run. */
export async function startDemoFleet(
  ctx: AppContext,
  { workspaceId, actor }: { workspaceId: string; actor: Actor },
): Promise<DemoFleet> {
  const { deviceKey } = await issueDeviceKey(ctx, { workspaceId, name: 'Demo fleet', actor })
  const simulation = startSimulation({
    workspaceId,
    deviceKey,
    devices: DEVICES,
    prefix: 'demo-',
    url: ctx.config.publicUrl,
    mqttUrl: `mqtt://localhost:${ctx.config.mqtt.port}`,
    firmware: { 'acme-gateway': '2.4.1' },
    rate: 200,
  })
  await simulation.started
  return { simulation, deviceKey }
}
