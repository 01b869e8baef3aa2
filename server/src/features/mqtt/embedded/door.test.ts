/** Devices at the embedded broker: who may connect, what they may say and hear, and what they must not do. */
import { setTimeout as delay } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { beforeAll, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { givenDeviceKey } from '../../../../test/given-ddi.ts'
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
import { getKeyTries, createTriedKey } from '../../../platform/key-tries.ts'
import { startGateway } from '../../../gateway.ts'
import { signalDesiredChange } from '../../devices/index.ts'

let test: TestApp
let client: Client
let gateway: TestGateway

beforeAll(async () => {
  test = await startTestApp({
    mqtt: mqttSettings({ messageRate: { perMinute: 6_000, burst: 20 } }),
  })
  client = await givenClient(test)
  gateway = await givenGateway(test)
})

const rowOf = (device: MqttDevice) => deviceRow(test, device)
const givenDevice = (whose: { workspaceId?: string; deviceId?: string } = {}) =>
  givenMqttDevice(test, gateway.port, { workspaceId: client.workspaceId, ...whose })

/** Over all series that have these labels. */
async function counted(name: string, labels: Record<string, string>): Promise<number> {
  const metric = await gateway.metrics.getSingleMetric(name)?.get()
  const found = metric?.values.filter((one) =>
    Object.entries(labels).every(([label, value]) => one.labels[label] === value),
  )
  return found?.reduce((sum, { value }) => sum + value, 0) ?? 0
}

it('stores what a device says before it is acknowledged', async () => {
  const device = await givenDevice()
  const connected = await connectDevice(device, { clientId: 'agent/1.2' })

  await connected.publish('up/session', sessionOf('run-1'))

  expect(await rowOf(device)).toMatchObject({
    connected: true,
    runIds: ['run-1'],
    door: 'Mqtt',
    client: 'agent/1.2',
  })
})

it('is connected from the answer to its login on, and no longer when it leaves or vanishes', async () => {
  const leaving = await givenDevice()
  const vanishing = await givenDevice()
  const [left, vanished] = [await connectDevice(leaving), await connectDevice(vanishing)]
  const before = [(await rowOf(leaving)).connected, (await rowOf(vanishing)).connected]

  await left.client.endAsync()
  vanished.client.stream.destroy()

  expect(before).toEqual([true, true])
  await expect.poll(async () => (await rowOf(leaving)).connected).toBe(false)
  await expect.poll(async () => (await rowOf(vanishing)).connected).toBe(false)
})

it.each(['plmd_wrong', ''])('refuses the key %j', async (deviceKey) => {
  const device = await givenDevice()

  await expect(connectDevice({ ...device, deviceKey })).rejects.toMatchObject({ code: 4 })
})

it.each(['AA:BB:CC:00:11:22', 'dev@site', 'gerät', '.hidden'])(
  'refuses the id %s as one that no device can have',
  async (deviceId) => {
    const device = await givenDevice()

    await expect(connectDevice({ ...device, deviceId })).rejects.toMatchObject({ code: 2 })
  },
)

it('refuses the key of another device, and of another workspace', async () => {
  const other = await givenClient(test)
  const [mine, beside] = [await givenDevice(), await givenDevice()]
  const foreign = await givenDevice({ workspaceId: other.workspaceId, deviceId: mine.deviceId })

  for (const { deviceKey } of [beside, foreign])
    await expect(connectDevice({ ...mine, deviceKey })).rejects.toMatchObject({ code: 4 })
})

it('refuses a device nobody registered, unless the workspace lets devices register themselves', async () => {
  const own = await givenClient(test)
  const { workspaceId } = own
  const deviceKey = await givenDeviceKey(test, workspaceId)
  const device = { port: gateway.port, workspaceId, deviceId: 'newcomer', deviceKey }
  const setTo = (deviceAutoRegistration: boolean) =>
    test.ctx.db
      .updateTable('workspaces')
      .set({ deviceAutoRegistration })
      .where('id', '=', workspaceId)
      .execute()

  await setTo(false)
  const refused = connectDevice(device)
  await expect(refused).rejects.toMatchObject({ code: 5 })
  await setTo(true)
  await connectDevice(device)

  expect(await rowOf(device)).toMatchObject({ connected: true })
})

it.each([
  [
    'another device',
    ({ workspaceId }: MqttDevice) => `plimsoll/v1/${workspaceId}/other/up/session`,
  ],
  [
    'another workspace',
    ({ deviceId }: MqttDevice) => `plimsoll/v1/${crypto.randomUUID()}/${deviceId}/up/session`,
  ],
  ['the service', (device: MqttDevice) => `${topicsOf(device)}down/config`],
  ['the broker', () => '$SYS/broker/uptime'],
])('cuts off a device that publishes as %s', async (_whose, topicOf) => {
  const device = await givenDevice()
  const connected = await connectDevice(device)

  connected.client.publish(topicOf(device), JSON.stringify(sessionOf('forged')), { qos: 0 })
  await connectionEnded(connected)

  await expect.poll(async () => (await rowOf(device)).connected).toBe(false)
})

it('lets a device subscribe to nothing but what it is sent', async () => {
  const device = await givenDevice()
  const victim = await givenDevice()
  const { client: mqtt, messages } = await connectDevice(device)
  const filters = [
    '#',
    'plimsoll/#',
    `plimsoll/v1/${device.workspaceId}/#`,
    `plimsoll/v1/${device.workspaceId}/+/down/config`,
    `${topicsOf(victim)}down/config`,
    `$share/all/plimsoll/v1/${device.workspaceId}/+/up/#`,
    '$SYS/#',
  ]

  for (const filter of filters)
    await expect(mqtt.subscribeAsync(filter, { qos: 1 })).rejects.toThrow()
  await connectDevice(victim).then((other) => other.publish('up/session', sessionOf('secret')))
  await test.ctx.db
    .transaction()
    .execute((tx) => signalDesiredChange(tx, victim.workspaceId, 'all'))
  await delay(200)

  expect(mqtt.connected).toBe(true)
  expect(messages).toEqual([])
})

it('refuses a will at a topic of somebody else, and takes one at its own', async () => {
  const device = await givenDevice()
  const victim = await givenDevice()
  const payload = Buffer.from(JSON.stringify(sessionOf('last')))

  const foreign = connectDevice(device, {
    will: { topic: `${topicsOf(victim)}up/session`, payload },
  })
  await expect(foreign).rejects.toMatchObject({ code: 5 })
  const own = await connectDevice(device, {
    will: { topic: `${topicsOf(device)}up/session`, payload, qos: 1 },
  })
  own.client.stream.destroy()

  await expect.poll(async () => (await rowOf(device)).runIds).toEqual(['last'])
  expect((await rowOf(victim)).runIds).toEqual([])
})

it('lets a client take over from itself alone, whatever client id others use', async () => {
  const [device, neighbour] = [await givenDevice(), await givenDevice()]
  const options = { clientId: 'the-same-for-all' }
  const beside = await connectDevice(neighbour, options)
  const first = await connectDevice(device, options)

  const second = await connectDevice(device, options)
  await connectionEnded(first)
  await second.publish('up/session', sessionOf('run-2'))

  expect(beside.client.connected).toBe(true)
  expect(await rowOf(device)).toMatchObject({ connected: true, runIds: ['run-2'] })
  expect(await rowOf(neighbour)).toMatchObject({ connected: true })
})

it('lets a device listen with one client and speak with others, and shows it connected until the last ends', async () => {
  const device = await givenDevice()
  const listening = await connectDevice(device)
  await listening.client.subscribeAsync(`${topicsOf(device)}down/config`)

  const speaking = await connectDevice(device)
  await speaking.publish('up/session', sessionOf('run-1'))
  await speaking.client.endAsync()

  await expect.poll(async () => (await rowOf(device)).runIds).toEqual(['run-1'])
  expect(listening.client.connected).toBe(true)
  expect(await rowOf(device)).toMatchObject({ connected: true })
  await listening.client.endAsync()
  await expect.poll(async () => (await rowOf(device)).connected).toBe(false)
})

it('ends the oldest of too many connections of a device', async () => {
  const device = await givenDevice()
  const oldest = await connectDevice(device)
  const others = []
  for (let count = 0; count < 4; count += 1) others.push(await connectDevice(device))

  await connectionEnded(oldest)

  expect(others.map((other) => other.client.connected)).toEqual([true, true, true, true])
  expect(await rowOf(device)).toMatchObject({ connected: true })
})

it.each([
  ['no JSON', 'up/session', '{"runId":'],
  ['of the wrong form', 'up/session', '{"runId":7}'],
  ['empty', 'up/metrics', ''],
  ['hostile', 'up/session', '{"__proto__":{"runId":"x"}}'],
  ['of a kind nobody knows', 'up/weather', '{}'],
])('acknowledges, counts and drops a message that is %s', async (_what, topic, message) => {
  const device = await givenDevice()
  const connected = await connectDevice(device)
  const outcome = topic === 'up/weather' ? 'unknown' : 'malformed'
  const count = () => counted('plimsoll_mqtt_messages_total', { outcome })
  const before = await count()

  await connected.publish(topic, message)

  expect(connected.client.connected).toBe(true)
  expect((await rowOf(device)).runIds).toEqual([])
  expect(await count()).toBe(before + 1)
})

it('cuts off a message above the limit', async () => {
  const device = await givenDevice()
  const connected = await connectDevice(device)

  connected.client.publish(`${topicsOf(device)}up/logs`, Buffer.alloc(300 * 1024, 'x'), { qos: 0 })
  await connectionEnded(connected)

  expect(await counted('plimsoll_mqtt_drops_total', { reason: 'oversized' })).toBeGreaterThan(0)
})

it('lets a device that has said too much connect again only after a while', async () => {
  const mqtt = mqttSettings({ messageRate: { perMinute: 120, burst: 5 } })
  const { port } = await givenGateway(await startTestApp({ mqtt }, test.connectionString))
  const device = { ...(await givenDevice()), port }
  const talkative = await connectDevice(device)
  const said = Array.from({ length: 6 }, (_, index) =>
    talkative.publish('up/config', { acknowledgedDesiredConfigurationVersion: index }),
  )
  await said[4]

  await expect(connectDevice(device)).rejects.toMatchObject({ code: 3 })

  await Promise.all(said)
  const back = await vi.waitFor(() => connectDevice(device), { timeout: 120_000 })
  expect(back.client.connected).toBe(true)
})

it('holds a device back to its rate and loses nothing of what it says', async () => {
  const device = await givenDevice()
  const connected = await connectDevice(device)
  const startedAt = performance.now()

  const sent = Array.from({ length: 60 }, (_, index) =>
    connected.publish('up/config', { acknowledgedDesiredConfigurationVersion: index }),
  )
  await Promise.all(sent)

  // 20 at once, then 100 a second.
  expect(performance.now() - startedAt).toBeGreaterThan(350)
  expect(connected.client.connected).toBe(true)
})

it('leaves nothing open when its port is taken, so that the service ends', async () => {
  const mqtt = mqttSettings({ port: gateway.port })
  const { ctx, doors, close } = await startTestApp({ mqtt }, test.connectionString)

  const started = startGateway(ctx, { doors, metrics: new Registry() })

  await expect(started).rejects.toMatchObject({ code: 'EADDRINUSE' })
  // It would wait for the connection that listens to signals.
  await close()
})

// The last one, as the address of all tests has shown too many keys then.
it('refuses unknown keys of an address that has shown too many, by HTTP as well, and lets in the others', async () => {
  const known = await givenDevice()
  await (await connectDevice(known)).client.endAsync()
  const tries = getKeyTries(test.ctx.memory)
  const address = '127.0.0.1'
  for (let count = 0; count < 400; count += 1)
    tries.refuse(createTriedKey({ key: `Bearer ${count}`, place: '/' }, address))

  await expect(connectDevice({ ...known, deviceKey: 'plmd_guess' })).rejects.toMatchObject({
    code: 3,
  })
  expect((await connectDevice(known)).client.connected).toBe(true)
})
