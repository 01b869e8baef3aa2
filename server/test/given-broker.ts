/** The broker alone, without a service behind it, and clients on real sockets. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import mqtt, { type IClientOptions, type MqttClient } from 'mqtt'
import { generate, type Packet, parser } from 'mqtt-packet'
import { onTestFinished } from 'vitest'
import { createLog } from '../src/platform/log.ts'
import { type MqttBroker, openMqttBroker } from '../src/platform/mqtt/broker.ts'
import { listenMqtt } from '../src/platform/mqtt/listeners.ts'
import type { MqttBrokerOptions, MqttConnection } from '../src/platform/mqtt/session.ts'

export interface GivenBroker {
  broker: MqttBroker
  port: number
  received: { topic: string; text: string }[]
  connections: MqttConnection[]
  events: string[]
  dropped: string[]
}

export async function givenBroker(
  options: Partial<MqttBrokerOptions> & { store?: (text: string) => Promise<void> } = {},
): Promise<GivenBroker> {
  const received: GivenBroker['received'] = []
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
  const listener = await listenMqtt(
    { host: '127.0.0.1', port: 0, log: createLog('silent') },
    (socket) => broker.accept(socket),
  )
  onTestFinished(async () => {
    listener.close()
    await broker.close(1_000)
  })
  return { broker, port: listener.port, received, connections, events, dropped }
}

export async function givenClient(port: number, options: IClientOptions = {}): Promise<MqttClient> {
  const client = await mqtt.connectAsync(`mqtt://127.0.0.1:${port}`, {
    username: 'me',
    password: 'right',
    reconnectPeriod: 0,
    ...options,
  })
  onTestFinished(() => client.endAsync(true))
  return client
}

export interface RawClient {
  socket: Socket
  packets: Packet[]
  next: (cmd: string) => Promise<Packet>
}

export async function givenRawClient(port: number): Promise<RawClient> {
  const socket = connect(port, '127.0.0.1')
  const packets: Packet[] = []
  const reader = parser()
  reader.on('packet', (packet) => packets.push(packet))
  socket.on('data', (bytes) => reader.parse(bytes))
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
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

export const CONNECT = {
  cmd: 'connect',
  protocolId: 'MQTT',
  protocolVersion: 4,
  clientId: 'raw',
  clean: true,
  keepalive: 30,
  username: 'me',
  password: Buffer.from('right'),
} as const

export const publishPacket = (
  text: string,
  { qos = 1, messageId = 1 }: { qos?: 0 | 1 | 2; messageId?: number } = {},
) =>
  generate({ cmd: 'publish', topic: 't', payload: text, qos, messageId, dup: false, retain: false })
