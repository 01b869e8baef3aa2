/** A service that accepts simulated devices by MQTT and HTTP. */
import { Registry } from 'prom-client'
import { openMqttDoor } from '../src/features/mqtt/index.ts'
import { newId } from '../src/platform/ids.ts'
import type { SimulationOptions } from '../src/simulator/options.ts'
import { startTestApp, type TestApp } from './app.ts'
import { closeAtEndOfFile } from './end-of-file.ts'
import { type Client, givenClient } from './given.ts'
import { givenDeviceKey } from './given-ddi.ts'

interface SimulatedService {
  test: TestApp
  client: Client
  /** How the devices reach it. */
  at: Pick<SimulationOptions, 'url' | 'mqttUrl' | 'deviceKey' | 'workspaceId'>
}

export async function givenSimulatedService(): Promise<SimulatedService> {
  const test = await startTestApp({ deviceRequestsPerMinute: 0 })
  const { ctx, doors } = test
  ctx.config.mqtt.port = 0
  const door = await openMqttDoor(ctx, { doors, gatewayId: newId(), metrics: new Registry() })
  closeAtEndOfFile(door.close)
  const url = await test.app.listen({ port: 0, host: '127.0.0.1' })
  ctx.config.publicUrl = url
  const client = await givenClient(test)
  const { workspaceId } = client
  const deviceKey = await givenDeviceKey(test, workspaceId)
  await ctx.db
    .updateTable('workspaces')
    .set({ deviceAutoRegistration: true })
    .where('id', '=', workspaceId)
    .execute()
  const mqttUrl = `mqtt://127.0.0.1:${door.ports.plain}`
  return { test, client, at: { url, mqttUrl, deviceKey, workspaceId } }
}
