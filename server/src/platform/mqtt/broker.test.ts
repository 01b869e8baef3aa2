/** The broker alone, with clients on real sockets. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { generate, type Packet, parser } from 'mqtt-packet'
import { afterEach, expect, it } from 'vitest'
import { type MqttBroker, openMqttBroker } from './broker.ts'
import { listenMqtt } from './listeners.ts'
import type { MqttBrokerOptions, MqttConnection } from './session.ts'

const closers: (() => Promise<unknown> | void)[] = []
afterEach(async () => {
  for (const closer of closers.splice(0).toReversed()) await closer()
})

interface Given {
  broker: MqttBroker
  port: number
  received: { topic: string; text: string }[]
  connections: MqttConnection[]
  events: string[]
  dropped: string[]
}

async function givenBroker(
  options: Partial<MqttBrokerOptions> & { store?: (text: string) => Promise<void> } = {},
): Promise<Given> {
  const received: Given['received'] = []
  const connections: MqttConnection[] = []
  const events: string[] = []
  const dropped: string[] = []
  const broker = await openMqttBroker({
    packetBytes: 10_000,
    keepAliveSeconds: 60,
    connectTimeoutMs: 500,
    onDropped: (reason) => dropped.push(reason),
    connect: ({ password }, connection) => {
      if (password !== 'right') return Promise.resolve('badCredentials')
      connections.push(connection)
      return Promise.resolve({
        received: async ({ topic, payload }) => {
          const text = Buffer.from(payload).toString()
          await options.store?.(text)
          received.push({ topic, text })
        },
        maySubscribe: (filter) => filter.startsWith('mine/'),
        subscribed: (filter, qos) => events.push(`subscribed ${filter} ${qos}`),
        unsubscribed: (filter) => events.push(`unsubscribed ${filter}`),
        ended: () => events.push('ended'),
      })
    },
    ...options,
  })
  const listener = await listenMqtt({ host: '127.0.0.1', port: 0 }, (socket) =>
    broker.accept(socket),
  )
  closers.push(async () => {
    listener.close()
    await broker.close(1_000)
  })
  return { broker, port: listener.port, received, connections, events, dropped }
}

async function givenClient(port: number, options: IClientOptions = {}): Promise<MqttClient> {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
    username: 'me',
    password: 'right',
    reconnectPeriod: 0,
    ...options,
  })
  closers.push(() => client.endAsync(true))
  return client
}

interface RawClient {
  socket: Socket
  packets: Packet[]
  next: (cmd: string) => Promise<Packet>
}

async function givenRawClient(port: number): Promise<RawClient> {
  const socket = connect(port, '127.0.0.1')
  const packets: Packet[] = []
  const reader = parser()
  reader.on('packet', (packet) => packets.push(packet))
  socket.on('data', (bytes) => reader.parse(bytes))
  socket.on('error', () => undefined)
  closers.push(() => void socket.destroy())
  await once(socket, 'connect')
  const next = async (cmd: string) => {
    for (;;) {
      const packet = packets.find((one) => one.cmd === cmd)
      if (packet) return packet
      await delay(5)
    }
  }
  return { socket, packets, next }
}

const CONNECT = {
  cmd: 'connect',
  protocolId: 'MQTT',
  protocolVersion: 4,
  clientId: 'raw',
  clean: true,
  keepalive: 30,
  username: 'me',
  password: Buffer.from('right'),
} as const

const publish = (
  text: string,
  { qos = 1, messageId = 1 }: { qos?: 0 | 1 | 2; messageId?: number } = {},
) =>
  generate({ cmd: 'publish', topic: 't', payload: text, qos, messageId, dup: false, retain: false })

it('acknowledges a message when it is stored, not before', async () => {
  const stored = Promise.withResolvers<void>()
  const { port, received } = await givenBroker({ store: () => stored.promise })
  const raw = await givenRawClient(port)
  raw.socket.write(generate(CONNECT))
  await raw.next('connack')

  raw.socket.write(publish('hello'))
  await delay(50)
  const before = raw.packets.map(({ cmd }) => cmd)
  stored.resolve()
  await raw.next('puback')

  expect(before).toEqual(['connack'])
  expect(received).toEqual([{ topic: 't', text: 'hello' }])
})

it('acknowledges in the order of the messages, whichever is stored first', async () => {
  const { port } = await givenBroker({ store: (text) => delay(Number(text)) })
  const raw = await givenRawClient(port)
  raw.socket.write(generate(CONNECT))
  await raw.next('connack')

  raw.socket.write(
    Buffer.concat([60, 5, 30].map((ms, index) => publish(String(ms), { messageId: index + 1 }))),
  )
  while (raw.packets.length < 4) await delay(5)

  expect(raw.packets.slice(1).map(({ messageId }) => messageId)).toEqual([1, 2, 3])
})

it('ends the connection of a message that cannot be stored, without an acknowledgement', async () => {
  const { port } = await givenBroker({ store: () => Promise.reject(new Error('disk full')) })
  const raw = await givenRawClient(port)
  raw.socket.write(generate(CONNECT))
  await raw.next('connack')

  raw.socket.write(publish('hello'))
  await once(raw.socket, 'close')

  expect(raw.packets.map(({ cmd }) => cmd)).toEqual(['connack'])
})

it('takes a QoS 2 message once, however often it is sent before its release', async () => {
  const { port, received } = await givenBroker()
  const raw = await givenRawClient(port)
  raw.socket.write(generate(CONNECT))
  await raw.next('connack')

  raw.socket.write(publish('once', { qos: 2, messageId: 7 }))
  await raw.next('pubrec')
  raw.socket.write(publish('once', { qos: 2, messageId: 7 }))
  raw.socket.write(generate({ cmd: 'pubrel', messageId: 7 }))
  await raw.next('pubcomp')

  expect(received).toHaveLength(1)
})

it('lets two clients of one client id be, and routes nothing between any', async () => {
  const { port, events } = await givenBroker()
  const first = await givenClient(port, { clientId: 'same' })
  const second = await givenClient(port, { clientId: 'same' })
  const heard: string[] = []
  first.on('message', (topic) => heard.push(topic))
  await first.subscribeAsync('mine/#')

  await second.publishAsync('mine/a', 'x', { qos: 1, retain: true })
  await first.subscribeAsync('mine/a')
  await first.publishAsync('mine/a', 'y', { qos: 1 })

  expect(heard).toEqual([])
  expect(first.connected && second.connected).toBe(true)
  expect(events).toEqual(['subscribed mine/# 0', 'subscribed mine/a 0'])
})

it('answers a subscription that is not allowed with a failure, and keeps the rest', async () => {
  const { port, events } = await givenBroker()
  const client = await givenClient(port)

  const refused = client.subscribeAsync(['other/#', 'mine/x'], { qos: 1 })

  await expect(refused).rejects.toThrow(/Unspecified error/)
  await client.unsubscribeAsync('mine/x')
  expect(events).toEqual(['subscribed mine/x 1', 'unsubscribed mine/x'])
})

it('sends to a connection', async () => {
  const { port, connections } = await givenBroker()
  const client = await givenClient(port)
  const message = new Promise((resolve) =>
    client.on('message', (topic, bytes) => resolve([topic, bytes.toString()])),
  )

  await connections[0]?.send({
    topic: 'mine/x',
    payload: Buffer.from('{}'),
    qos: 1,
    retain: true,
  })

  expect(await message).toEqual(['mine/x', '{}'])
})

it('refuses wrong credentials with the code for them', async () => {
  const { port } = await givenBroker()

  await expect(givenClient(port, { password: 'wrong' })).rejects.toMatchObject({ code: 4 })
})

it('refuses MQTT 5 with the code for its version', async () => {
  const { port } = await givenBroker()

  await expect(givenClient(port, { protocolVersion: 5 })).rejects.toMatchObject({ code: 1 })
})

it('cuts off what sends more than 1 KiB before it is accepted', async () => {
  const { port, dropped } = await givenBroker()
  const raw = await givenRawClient(port)

  raw.socket.write(generate({ ...CONNECT, password: Buffer.alloc(2_000) }))
  await once(raw.socket, 'close')

  expect(dropped).toEqual(['oversized'])
})

it('cuts off a packet above the limit by the length it announces', async () => {
  const { port, dropped, received } = await givenBroker()
  const raw = await givenRawClient(port)
  raw.socket.write(generate(CONNECT))
  await raw.next('connack')

  raw.socket.write(publish('x'.repeat(20_000)).subarray(0, 20))
  await once(raw.socket, 'close')

  expect(dropped).toEqual(['oversized'])
  expect(received).toEqual([])
})

it('cuts off who never sends CONNECT, and who sends something else first', async () => {
  const { port } = await givenBroker()
  const mute = await givenRawClient(port)
  const rude = await givenRawClient(port)

  rude.socket.write(publish('x'))

  await Promise.all([once(mute.socket, 'close'), once(rude.socket, 'close')])
})

it('ends a client that is silent for one and a half times its keep-alive', async () => {
  const { port, dropped, events } = await givenBroker()
  const raw = await givenRawClient(port)

  raw.socket.write(generate({ ...CONNECT, keepalive: 1 }))
  await once(raw.socket, 'close')

  expect(dropped).toEqual(['silent'])
  await expect.poll(() => events).toEqual(['ended'])
})

it('does not take it for silence that a client waits for us', async () => {
  const { port, dropped } = await givenBroker({ store: () => delay(2_500) })
  const raw = await givenRawClient(port)
  raw.socket.write(generate({ ...CONNECT, keepalive: 1 }))
  await raw.next('connack')

  raw.socket.write(publish('slow'))
  await raw.next('puback')

  expect(dropped).toEqual([])
})

it('takes the will of who vanishes as its last message, and none of who is ended without', async () => {
  const { port, received, connections, events } = await givenBroker()
  const will = { topic: 'mine/will', payload: Buffer.from('gone'), qos: 1, retain: false } as const
  const vanishing = await givenRawClient(port)
  vanishing.socket.write(generate({ ...CONNECT, will }))
  await vanishing.next('connack')
  const ended = await givenRawClient(port)
  ended.socket.write(generate({ ...CONNECT, will }))
  await ended.next('connack')
  const leaving = await givenClient(port, { will })

  vanishing.socket.destroy()
  connections[1]?.end({ withoutWill: true })
  await leaving.endAsync()
  await expect.poll(() => events).toEqual(['ended', 'ended', 'ended'])

  expect(received).toEqual([{ topic: 'mine/will', text: 'gone' }])
})

it('answers what it received before it closes', async () => {
  const { port, broker } = await givenBroker({ store: () => delay(200) })
  const raw = await givenRawClient(port)
  raw.socket.write(generate(CONNECT))
  await raw.next('connack')
  raw.socket.write(publish('last words'))
  await delay(50)

  await broker.close(5_000)

  expect(raw.packets.map(({ cmd }) => cmd)).toEqual(['connack', 'puback'])
})

it('speaks TLS', async () => {
  const fixture = (name: string) =>
    readFileSync(new URL(`../http-client/fixtures/${name}`, import.meta.url), 'utf8')
  const { broker, received } = await givenBroker()
  const tls = { certificate: fixture('localhost.pem'), key: fixture('localhost.key') }
  const listener = await listenMqtt({ host: '127.0.0.1', port: 0, tls }, broker.accept)
  closers.push(() => listener.close())
  const client = await mqtt.connectAsync(`mqtts://localhost:${listener.port}`, {
    username: 'me',
    password: 'right',
    ca: fixture('authority.pem'),
    host: '127.0.0.1',
    servername: 'localhost',
    reconnectPeriod: 0,
  })
  closers.push(() => client.endAsync(true))

  await client.publishAsync('t', 'secret', { qos: 1 })

  expect(received).toEqual([{ topic: 't', text: 'secret' }])
})
