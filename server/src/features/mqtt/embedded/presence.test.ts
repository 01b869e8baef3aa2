/** What connected devices are told, when they are cut off, and that presence is right whatever happens. */
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { Registry } from 'prom-client'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import {
  connectDevice,
  connectionEnded,
  deviceRow,
  givenGateway,
  givenMqttDevice,
  type MqttDevice,
  mqttSettings,
  sessionOf,
  type TestGateway,
  topicsOf,
} from '../../../../test/given-mqtt.ts'
import { newId } from '../../../platform/ids.ts'
import { signalDesiredChange, signalDisconnect, disconnectGateway } from '../../devices/index.ts'
import { openMqttDoor } from './service.ts'

let test: TestApp
let client: Client
let gateway: TestGateway

beforeAll(async () => {
  test = await startTestApp({ mqtt: mqttSettings() })
  client = await givenClient(test)
  gateway = await givenGateway(test)
})

const rowOf = (device: MqttDevice) => deviceRow(test, device)
const givenDevice = (whose: { workspaceId?: string; deviceId?: string } = {}) =>
  givenMqttDevice(test, gateway.port, { workspaceId: client.workspaceId, ...whose })

/** A node takes the ends of connections in their order: that of one more device comes last. */
async function whenEndsAreTaken(port: number): Promise<void> {
  const last = { ...(await givenDevice()), port }
  const connected = await connectDevice(last)
  await expect.poll(async () => (await rowOf(last)).connected).toBe(true)
  await connected.client.endAsync()
  await expect.poll(async () => (await rowOf(last)).connected).toBe(false)
}

it('sends what is desired when a device subscribes, as retained, and changes at once', async () => {
  const device = await givenDevice()
  const path = `/devices/${device.deviceId}/configuration/desired`
  const connected = await connectDevice(device)
  await connected.client.subscribeAsync(`${topicsOf(device)}down/#`, { qos: 1 })
  await expect.poll(() => connected.messages).toHaveLength(1)

  expect((await client.put(path, { logSeverity: 'Debug' })).statusCode).toBe(204)
  await expect.poll(() => connected.messages).toHaveLength(2)
  await test.ctx.db
    .transaction()
    .execute((tx) => signalDesiredChange(tx, device.workspaceId, 'all'))
  // Whatever the signal brought would arrive before the next change.
  expect((await client.put(path, { logSeverity: 'Error' })).statusCode).toBe(204)
  await expect.poll(() => connected.messages.at(-1)?.message).toMatchObject({ version: 3 })

  expect(connected.messages).toEqual([
    { topic: 'down/config', message: { version: 1, logSeverity: 'Info' }, retain: true },
    { topic: 'down/config', message: { version: 2, logSeverity: 'Debug' }, retain: false },
    { topic: 'down/config', message: { version: 3, logSeverity: 'Error' }, retain: false },
  ])
})

it('says what a device missed when it comes back, and nothing it does not listen to', async () => {
  const device = await givenDevice()
  const deaf = await connectDevice(device)
  await deaf.client.subscribeAsync(`${topicsOf(device)}down/update`)
  await client.put(`/devices/${device.deviceId}/configuration/desired`, { logSeverity: 'Error' })
  await deaf.client.endAsync()

  const back = await connectDevice(device)
  await back.client.subscribeAsync(`${topicsOf(device)}down/config`)

  await expect
    .poll(() => back.messages)
    .toEqual([
      { topic: 'down/config', message: { version: 2, logSeverity: 'Error' }, retain: true },
    ])
  expect(deaf.messages).toEqual([])
})

it('cuts off a device when its key is revoked, and when it is deleted, without its last word', async () => {
  const device = await givenDevice()
  const will = {
    topic: `${topicsOf(device)}up/session`,
    payload: Buffer.from(JSON.stringify(sessionOf('last'))),
    qos: 1,
  } as const
  const neighbour = await connectDevice(await givenDevice())
  const revoked = await connectDevice(device, { will })

  await test.ctx.db.transaction().execute(async (tx) => {
    const { workspaceId, deviceId } = device
    const key = await tx
      .updateTable('deviceKeys')
      .set({ revokedAt: new Date() })
      .where('workspaceId', '=', workspaceId)
      .where('deviceId', '=', deviceId)
      .returning('id')
      .executeTakeFirstOrThrow()
    await signalDisconnect(tx, { workspaceId, keyId: key.id })
  })
  await connectionEnded(revoked)

  await expect(connectDevice(device)).rejects.toMatchObject({ code: 4 })
  await expect.poll(async () => (await rowOf(device)).connected).toBe(false)
  expect((await rowOf(device)).runIds).toEqual([])
  expect(neighbour.client.connected).toBe(true)
})

it('looks at all connections again when announcements were missed', async () => {
  const [device, neighbour] = [await givenDevice(), await givenDevice()]
  const missed = await connectDevice(device)
  const beside = await connectDevice(neighbour)
  await beside.client.subscribeAsync(`${topicsOf(neighbour)}down/config`)
  await expect.poll(() => beside.messages).toHaveLength(1)
  await test.ctx.db
    .updateTable('deviceKeys')
    .set({ revokedAt: new Date() })
    .where('workspaceId', '=', device.workspaceId)
    .where('deviceId', '=', device.deviceId)
    .execute()
  await test.ctx.db
    .updateTable('devices')
    .set({ desiredVersion: 9, desiredLogSeverity: 'Critical', effectiveLogSeverity: 'Critical' })
    .where('workspaceId', '=', neighbour.workspaceId)
    .where('id', '=', neighbour.deviceId)
    .execute()

  await sql`select pg_terminate_backend(pid) from pg_stat_activity
            where datname = current_database() and query like 'listen %'`.execute(test.ctx.db)
  await connectionEnded(missed)

  await expect
    .poll(() => beside.messages.at(-1)?.message)
    .toEqual({ version: 9, logSeverity: 'Critical' })
  expect(beside.client.connected).toBe(true)
})

it('stays itself when all devices come back at once, again and again', async () => {
  const devices = await Promise.all(Array.from({ length: 50 }, () => givenDevice()))
  const storm = async (device: MqttDevice) => {
    for (let round = 0; round < 6; round += 1) {
      const connected = await connectDevice(device)
      connected.client.stream.destroy()
    }
    return connectDevice(device)
  }

  const connected = await Promise.all(devices.map(storm))
  await Promise.all(
    connected.map((one, index) => one.publish('up/session', sessionOf(`r${index}`))),
  )

  for (const [index, device] of devices.entries())
    expect(await rowOf(device)).toMatchObject({ connected: true, runIds: [`r${index}`] })
  await whenEndsAreTaken(gateway.port)
  for (const device of devices) expect((await rowOf(device)).connected).toBe(true)
})

it('leaves nobody connected when it stops, and has stored what it received', async () => {
  const node = await givenGateway(test)
  const device = { ...(await givenDevice()), port: node.port }
  const connected = await connectDevice(device)
  const said = connected.publish('up/session', sessionOf('last words'))
  await delay(5)

  await Promise.all([node.stop(), said.catch(() => undefined)])

  expect(connected.client.connected).toBe(false)
  expect(await rowOf(device)).toMatchObject({ connected: false, runIds: ['last words'] })
})

it('says again who is connected after others took it for dead', async () => {
  const gatewayId = newId()
  const door = await openMqttDoor(test.ctx, {
    doors: test.doors,
    gatewayId,
    metrics: new Registry(),
  })
  const device = { ...(await givenDevice()), port: door.ports.plain ?? 0 }
  await connectDevice(device)
  await disconnectGateway(test.ctx, gatewayId)
  const taken = await rowOf(device)

  await door.reportAll()

  expect(taken.connected).toBe(false)
  expect((await rowOf(device)).connected).toBe(true)
  await door.close()
})

it('does not take the end of an older connection, at another node, for that of the device', async () => {
  const other = await givenGateway(test)
  const device = await givenDevice()
  const older = await connectDevice(device)
  await connectDevice({ ...device, port: other.port })

  await older.client.endAsync()
  await whenEndsAreTaken(gateway.port)

  expect((await rowOf(device)).connected).toBe(true)
})
