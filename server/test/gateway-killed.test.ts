/** A gateway that is killed: what it acknowledged is there, and its devices are connected no longer. */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { startTestApp } from './app.ts'
import { deviceChecks } from '../src/features/devices/index.ts'
import { listFaults } from './doctor.ts'
import { closeAtEndOfFile } from './end-of-file.ts'
import { givenClient } from './given.ts'
import { connectDevice, deviceRow, givenMqttDevice, sessionOf } from './given-mqtt.ts'
import {
  endProcess,
  freePort,
  type ServiceProcess,
  startServiceProcess,
} from './service-process.ts'

it('is noticed by another node', async () => {
  const test = await startTestApp()
  const { workspaceId } = await givenClient(test)
  const nodes: ServiceProcess[] = []
  closeAtEndOfFile(() => Promise.all(nodes.map(({ child }) => endProcess(child, 'SIGKILL'))))
  const port = await freePort()
  const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-test-'))
  const startNode = async (mqttPort: number) => {
    const node = await startServiceProcess({
      dataDir,
      port: await freePort(),
      managementPort: await freePort(),
      env: { DATABASE_URL: test.connectionString, PLIMSOLL_MQTT_PORT: String(mqttPort) },
      args: ['--roles', 'gateway'],
    })
    nodes.push(node)
    return node
  }
  const doomed = await startNode(port)
  const device = await givenMqttDevice(test, port, { workspaceId })
  const connected = await connectDevice(device)
  await startNode(0)

  await connected.publish('up/session', sessionOf('acknowledged'))
  await endProcess(doomed.child, 'SIGKILL')
  const atDeath = await deviceRow(test, device)
  // As if the half minute had passed after which a silent gateway is taken for dead; the other beats on.
  await test.ctx.db
    .updateTable('gateways')
    .set({ beatAt: sql`beat_at - interval '1 minute'` })
    .where('id', '=', atDeath.gatewayId)
    .execute()

  expect(atDeath).toMatchObject({ connected: true, runIds: ['acknowledged'] })
  await expect.poll(async () => (await deviceRow(test, device)).connected).toBe(false)
  expect(await listFaults(test.ctx, deviceChecks)).toEqual([])
})
