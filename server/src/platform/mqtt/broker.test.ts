/** What the broker does with messages. */
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import mqtt from 'mqtt'
import { generate } from 'mqtt-packet'
import { expect, it, onTestFinished } from 'vitest'
import {
  CONNECT,
  givenBroker,
  givenClient,
  givenRawClient,
  publishPacket,
} from '../../../test/given-broker.ts'
import { createLog } from '../log.ts'
import { listenMqtt } from './listeners.ts'

it('acknowledges a message when it is stored, not before', async () => {
  const stored = Promise.withResolvers<void>()
  const { port, received } = await givenBroker({ store: () => stored.promise })
  const raw = await givenRawClient(port)
  raw.socket.write(generate(CONNECT))
  await raw.next('connack')

  raw.socket.write(publishPacket('hello'))
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
    Buffer.concat(
      [60, 5, 30].map((ms, index) => publishPacket(String(ms), { messageId: index + 1 })),
    ),
  )
  while (raw.packets.length < 4) await delay(5)

  expect(raw.packets.slice(1).map(({ messageId }) => messageId)).toEqual([1, 2, 3])
})

it('ends the connection of a message that cannot be stored, without an acknowledgement', async () => {
  const { port } = await givenBroker({ store: () => Promise.reject(new Error('disk full')) })
  const raw = await givenRawClient(port)
  raw.socket.write(generate(CONNECT))
  await raw.next('connack')

  raw.socket.write(publishPacket('hello'))
  await once(raw.socket, 'close')

  expect(raw.packets.map(({ cmd }) => cmd)).toEqual(['connack'])
})

it('takes a QoS 2 message once, however often it is sent before its release', async () => {
  const { port, received } = await givenBroker()
  const raw = await givenRawClient(port)
  raw.socket.write(generate(CONNECT))
  await raw.next('connack')

  raw.socket.write(publishPacket('once', { qos: 2, messageId: 7 }))
  await raw.next('pubrec')
  raw.socket.write(publishPacket('once', { qos: 2, messageId: 7 }))
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

it('speaks TLS', async () => {
  const fixture = (name: string) =>
    readFileSync(new URL(`../http-client/fixtures/${name}`, import.meta.url), 'utf8')
  const { broker, received } = await givenBroker()
  const pair = { certificate: fixture('localhost.pem'), key: fixture('localhost.key') }
  const tls = { ...pair, files: undefined }
  const listener = await listenMqtt(
    { host: '127.0.0.1', port: 0, tls, log: createLog('silent') },
    broker.accept,
  )
  onTestFinished(() => listener.close())
  const client = await mqtt.connectAsync(`mqtts://localhost:${listener.port}`, {
    username: 'me',
    password: 'right',
    ca: fixture('authority.pem'),
    host: '127.0.0.1',
    servername: 'localhost',
    reconnectPeriod: 0,
  })
  onTestFinished(() => client.endAsync(true))

  await client.publishAsync('t', 'secret', { qos: 1 })

  expect(received).toEqual([{ topic: 't', text: 'secret' }])
})
