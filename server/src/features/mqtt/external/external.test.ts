/** Devices at a broker of their own, of which the service is a client. Skipped where Mosquitto is absent. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { Registry } from 'prom-client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { mqttSettings } from '../../../../test/given-mqtt.ts'
import {
  type BrokerAccount,
  hasMosquitto,
  type Mosquitto,
  startMosquitto,
} from '../../../../test/mosquitto.ts'
import { startGateway, type StartedGateway } from '../../../gateway.ts'
import { signalDesiredChange, signalDisconnect, type DeviceDoors } from '../../devices/index.ts'

const DEVICES = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten']
const session = (runId: string) => ({ runId, firmware: [{ slug: 'gateway', version: '1.0.0' }] })

/** Hands on the broker's first bytes, its CONNACK, and all that follows a second later. */
async function startSlowDoor(brokerPort: number): Promise<{ url: string; stop: () => void }> {
  const server = createServer((client) => {
    const broker = connect(brokerPort, '127.0.0.1')
    const close = () => [client, broker].forEach((one) => one.destroy())
    for (const one of [client, broker]) one.on('error', close).on('close', close)
    client.pipe(broker)
    broker.once('data', (accepted) => {
      client.write(accepted)
      setTimeout(() => broker.pipe(client), 1_000)
      broker.pause()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `mqtt://127.0.0.1:${port}`, stop: () => server.close() }
}

describe.skipIf(!hasMosquitto)('an external broker (skipped where mosquitto is absent)', () => {
  let test: TestApp
  let client: Client
  let mosquitto: Mosquitto
  const accounts = new Map<string, BrokerAccount>()
  const clients: MqttClient[] = []
  const gateways: StartedGateway[] = []

  beforeAll(async () => {
    test = await startTestApp()
    client = await givenClient(test)
    const { workspaceId } = client
    for (const deviceId of DEVICES) {
      const account = { username: deviceId, password: `secret-${deviceId}`, workspaceId, deviceId }
      accounts.set(deviceId, account)
      await test.ctx.db
        .insertInto('devices')
        .values({
          workspaceId,
          id: deviceId,
          createdAt: new Date(),
          effectiveLogSeverity: 'Info',
          runIds: [],
        })
        .execute()
    }
    mosquitto = await startMosquitto([...accounts.values()])
  })
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((one) => one.endAsync(true)))
    await Promise.all(gateways.splice(0).map(({ stop }) => stop()))
  })
  afterAll(() => mosquitto.stop())

  async function givenNode(
    options: { clientId?: string; doors?: DeviceDoors; url?: string } = {},
  ): Promise<StartedGateway> {
    const { clientId, doors = test.doors, url = mosquitto.url } = options
    const { service } = mosquitto
    const broker = { url, ...service, authority: undefined, clientId }
    const ctx = { ...test.ctx, config: { ...test.ctx.config, mqtt: mqttSettings({ broker }) } }
    const gateway = await startGateway(ctx, { doors, metrics: new Registry() })
    gateways.push(gateway)
    return gateway
  }

  async function givenDevice(deviceId: string, options: IClientOptions = {}) {
    const account = accounts.get(deviceId)
    if (!account) throw new Error('no such account')
    const { username, password } = account
    const connected = await mqtt.connectAsync(mosquitto.url, {
      username,
      password,
      reconnectPeriod: 0,
      ...options,
    })
    clients.push(connected)
    const messages: { topic: string; message: unknown }[] = []
    const prefix = `plimsoll/v1/${account.workspaceId}/${deviceId}/`
    connected.on('message', (topic, payload) =>
      messages.push({
        topic: topic.slice(prefix.length),
        message: payload.length === 0 ? null : (JSON.parse(payload.toString()) as unknown),
      }),
    )
    return {
      mqtt: connected,
      prefix,
      messages,
      publish: (topic: string, message: unknown, retain = false) =>
        connected.publishAsync(`${prefix}${topic}`, JSON.stringify(message), { qos: 1, retain }),
    }
  }

  async function rowOf(deviceId: string) {
    return test.ctx.db
      .selectFrom('devices')
      .select(['connected', 'runIds'])
      .where('workspaceId', '=', client.workspaceId)
      .where('id', '=', deviceId)
      .executeTakeFirstOrThrow()
  }

  const setSeverity = (deviceId: string, logSeverity: string) =>
    client.put(`/devices/${deviceId}/configuration/desired`, { logSeverity })

  /** The node is subscribed. */
  async function untilStored(
    device: { publish: (topic: string, message: unknown) => Promise<unknown> },
    deviceId: string,
  ) {
    await expect
      .poll(async () => {
        await device.publish('up/session', session('probe'))
        return (await rowOf(deviceId)).runIds
      })
      .toContain('probe')
  }

  it('stores what devices say, and passes over what it cannot understand', async () => {
    await givenNode()
    const device = await givenDevice('one')

    await untilStored(device, 'one')
    await device.publish('up/session', { runId: 7 })
    await device.publish('up/weather', {})
    await device.publish('up/session', session('run-1'))

    await expect.poll(async () => (await rowOf('one')).runIds).toEqual(['run-1', 'probe'])
  })

  it('retains what is desired at the broker, and what changes', async () => {
    await givenNode()
    await setSeverity('two', 'Debug')
    const device = await givenDevice('two')
    await device.mqtt.subscribeAsync(`${device.prefix}down/#`, { qos: 1 })
    const newest = () => device.messages.at(-1)?.message

    await expect.poll(newest).toEqual({ version: 2, logSeverity: 'Debug' })
    await setSeverity('two', 'Error')
    await expect.poll(newest).toEqual({ version: 3, logSeverity: 'Error' })
    await device.mqtt.endAsync()
    const later = await givenDevice('two')
    await later.mqtt.subscribeAsync(`${device.prefix}down/config`, { qos: 1 })

    await expect
      .poll(() => later.messages)
      .toEqual([{ topic: 'down/config', message: { version: 3, logSeverity: 'Error' } }])
  })

  it('sends a device that is already told nothing twice, whichever node comes to lead', async () => {
    await givenNode()
    const device = await givenDevice('three')
    await device.mqtt.subscribeAsync(`${device.prefix}down/config`, { qos: 1 })
    await expect.poll(() => device.messages).toHaveLength(1)
    await gateways.splice(0)[0]?.stop()

    await givenNode()
    await setSeverity('four', 'Warning')
    const other = await givenDevice('four')
    await other.mqtt.subscribeAsync(`${other.prefix}down/config`, { qos: 1 })
    const told = () => other.messages.at(-1)?.message
    await expect.poll(told).toMatchObject({ logSeverity: 'Warning' })

    expect(device.messages).toHaveLength(1)
  })

  it('reads what is retained before it sends, also at a broker that subscribes slowly', async () => {
    await givenNode()
    const device = await givenDevice('ten')
    await device.mqtt.subscribeAsync(`${device.prefix}down/config`, { qos: 1 })
    await expect.poll(() => device.messages).toHaveLength(1)
    await gateways.splice(0)[0]?.stop()
    const slow = await startSlowDoor(mosquitto.port)

    await givenNode({ url: slow.url })
    await setSeverity('four', 'Info')
    const other = await givenDevice('four')
    await other.mqtt.subscribeAsync(`${other.prefix}down/config`, { qos: 1 })
    const told = () => other.messages.at(-1)?.message
    await expect.poll(told).toMatchObject({ logSeverity: 'Info' })
    slow.stop()

    expect(device.messages).toHaveLength(1)
  })

  it('knows who is connected by what devices say of themselves and by their wills', async () => {
    await givenNode()
    const will = {
      topic: `plimsoll/v1/${client.workspaceId}/five/up/connection`,
      payload: Buffer.from('{"connected":false,"connection":"a"}'),
      qos: 1,
      retain: true,
    } as const
    const device = await givenDevice('five', { will })

    await device.publish('up/connection', { connected: true, connection: 'a' }, true)
    await expect.poll(async () => (await rowOf('five')).connected).toBe(true)
    device.mqtt.stream.destroy()

    await expect.poll(async () => (await rowOf('five')).connected).toBe(false)
  })

  it('ends no newer connection by the will of an older one', async () => {
    await givenNode()
    const device = await givenDevice('six')

    await device.publish('up/connection', { connected: true, connection: 'new' }, true)
    await expect.poll(async () => (await rowOf('six')).connected).toBe(true)
    await device.publish('up/connection', { connected: false, connection: 'old' })
    await device.publish('up/session', session('after'))
    await expect.poll(async () => (await rowOf('six')).runIds).toEqual(['after'])

    expect((await rowOf('six')).connected).toBe(true)
  })

  it('shares messages among nodes: each is stored by one', async () => {
    const received: string[] = []
    const counting = (node: string): DeviceDoors => ({
      ...test.doors,
      intake: {
        ...test.doors.intake,
        receive: async (report) => {
          if (report.deviceId === 'seven') received.push(node)
          await test.doors.intake.receive(report)
        },
      },
    })
    await givenNode({ doors: counting('a') })
    await givenNode({ doors: counting('b') })
    const probe = await givenDevice('seven')
    await expect
      .poll(async () => {
        await probe.publish('up/session', session('probe'))
        return new Set(received).size
      })
      .toBe(2)
    const before = received.length

    for (let index = 0; index < 50; index += 1)
      await probe.publish('up/session', session(`r${index}`))
    await expect.poll(async () => (await rowOf('seven')).runIds.includes('r49')).toBe(true)

    await expect.poll(() => received.length - before).toBe(50)
  })

  it('gets again what a node did not store, and what devices said while it was away', async () => {
    const taken = Promise.withResolvers<void>()
    const hanging: DeviceDoors = {
      ...test.doors,
      intake: {
        ...test.doors.intake,
        receive: () => {
          taken.resolve()
          return new Promise(() => undefined)
        },
      },
    }
    const clientId = 'plimsoll-node-1'
    await givenNode({ clientId })
    const device = await givenDevice('eight')
    await untilStored(device, 'eight')
    await gateways.splice(0)[0]?.stop()

    await givenNode({ clientId, doors: hanging })
    await device.publish('up/session', session('unstored'))
    await taken.promise
    await gateways.splice(0)[0]?.stop()
    await device.publish('up/session', session('while away'))
    await givenNode({ clientId })

    await expect
      .poll(async () => (await rowOf('eight')).runIds)
      .toEqual(['while away', 'unstored', 'probe'])
  })

  it('leaves nothing retained of a device that was deleted', async () => {
    await givenNode()
    await setSeverity('nine', 'Debug')
    const device = await givenDevice('nine')
    await device.mqtt.subscribeAsync(`${device.prefix}down/#`, { qos: 1 })
    await expect.poll(() => device.messages.length).toBeGreaterThan(0)

    await test.ctx.db.transaction().execute(async (tx) => {
      const { workspaceId } = client
      await tx
        .deleteFrom('devices')
        .where('workspaceId', '=', workspaceId)
        .where('id', '=', 'nine')
        .execute()
      await signalDisconnect(tx, { workspaceId, deviceId: 'nine' })
      await signalDesiredChange(tx, workspaceId, ['nine'])
    })

    await expect.poll(() => device.messages.at(-1)).toEqual({ topic: 'down/config', message: null })
  })

  it('comes back when the broker does', async () => {
    await givenNode()
    await mosquitto.stop()
    await mosquitto.start()
    await setSeverity('one', 'Critical')
    const device = await givenDevice('one')
    await device.mqtt.subscribeAsync(`${device.prefix}down/config`, { qos: 1 })

    await expect
      .poll(() => device.messages.at(-1)?.message)
      .toMatchObject({ logSeverity: 'Critical' })
    // The broker has forgotten all subscriptions: it drops what devices say before the node has come back too.
    const saidAgain = async () => {
      await device.publish('up/session', session('after the outage'))
      return (await rowOf('one')).runIds[0]
    }
    await expect.poll(saidAgain, { interval: 500 }).toBe('after the outage')
  })
})
