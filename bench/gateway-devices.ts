/** Many devices in one process, on bare sockets, so that their own cost does not hide the gateway's. */
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { generate } from 'mqtt-packet'

export interface Fleet {
  port: number
  workspaceId: string
  deviceKey: string
  first: number
  count: number
}

export type Order =
  | { do: 'connect'; fleet: Fleet }
  /** Drops all connections and reconnects. */
  | { do: 'reconnect' }
  /** Metrics, and with `sessions` also what the devices run. */
  | { do: 'publish'; perSecond: number; seconds: number; sessions?: Sessions }
  /** Answered when every device has received this log severity. */
  | { do: 'await'; logSeverity: string }

export interface Sessions {
  /** Every so many messages one is a session. */
  every: number
  slug: string
  /** In turn. */
  versions: readonly string[]
}

export interface Outcome {
  seconds: number
  /** Milliseconds from sending to PUBACK. */
  latencies: number[]
}

interface Device {
  id: string
  socket: Socket
  rest: Buffer
  messageId: number
  sentAt: Map<number, number>
  onConnected: () => void
  logSeverity: string
}

/** Connections opened at the same time; more would only wait in the listener's queue. */
const CONNECTING = 500
const [CONNACK, PUBLISH, PUBACK] = [2, 3, 4]

let fleet: Fleet
let devices: Device[] = []
let latencies: number[] = []

function topicsOf({ id }: Device): string {
  return `plimsoll/v1/${fleet.workspaceId}/${id}`
}

async function connectAll(): Promise<void> {
  const ids = Array.from({ length: fleet.count }, (_, index) => `bench-${fleet.first + index}`)
  const next = async (): Promise<void> => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) devices.push(await connectDevice(id))
  }
  await Promise.all(Array.from({ length: CONNECTING }, next))
}

async function connectDevice(id: string): Promise<Device> {
  for (;;) {
    try {
      return await tryConnect(id)
    } catch {
      await delay(200)
    }
  }
}

function tryConnect(id: string): Promise<Device> {
  return new Promise((resolve, reject) => {
    const socket = connect(fleet.port, '127.0.0.1').setNoDelay(true)
    const device: Device = {
      id,
      socket,
      rest: Buffer.alloc(0),
      messageId: 0,
      sentAt: new Map(),
      logSeverity: '',
      onConnected: () => {
        const topic = `${topicsOf(device)}/down/config`
        socket.write(
          generate({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic, qos: 0 }] }),
        )
        resolve(device)
      },
    }
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('refused')))
    socket.on('data', (bytes) => read(device, bytes))
    socket.write(
      generate({
        cmd: 'connect',
        protocolId: 'MQTT',
        protocolVersion: 4,
        clean: true,
        clientId: id,
        keepalive: 600,
        username: `${fleet.workspaceId}:${id}`,
        password: Buffer.from(fleet.deviceKey),
      }),
    )
  })
}

/** Reads packets of up to 16 KiB, whose length has one or two bytes. */
function read(device: Device, bytes: Buffer): void {
  let data = device.rest.length === 0 ? bytes : Buffer.concat([device.rest, bytes])
  while (data.length >= 2) {
    const isLong = (data[1] ?? 0) > 127
    const header = isLong ? 3 : 2
    if (data.length < header) break
    const length = isLong ? ((data[1] ?? 0) & 127) + (data[2] ?? 0) * 128 : (data[1] ?? 0)
    if (data.length < header + length) break
    handle(device, (data[0] ?? 0) >> 4, data.subarray(header, header + length))
    data = data.subarray(header + length)
  }
  device.rest = data
}

function handle(device: Device, type: number, body: Buffer): void {
  if (type === CONNACK && body[1] === 0) device.onConnected()
  if (type === PUBACK) {
    const messageId = body.readUInt16BE(0)
    const sentAt = device.sentAt.get(messageId)
    device.sentAt.delete(messageId)
    if (sentAt !== undefined) latencies.push(performance.now() - sentAt)
  }
  if (type === PUBLISH) {
    const text = body.subarray(2 + body.readUInt16BE(0)).toString()
    device.logSeverity = /"logSeverity":"(\w+)"/.exec(text)?.[1] ?? ''
  }
}

async function publish(perSecond: number, seconds: number, sessions?: Sessions): Promise<void> {
  const startedAt = performance.now()
  let sent = 0
  while (performance.now() - startedAt < seconds * 1_000) {
    const due = Math.floor(((performance.now() - startedAt) / 1_000) * perSecond)
    for (; sent < due; sent += 1) {
      const device = devices[sent % devices.length]
      if (device) send(device, sent, sessions)
    }
    await delay(5)
  }
  while (devices.some(({ sentAt }) => sentAt.size > 0)) await delay(5)
}

function send(device: Device, number: number, sessions: Sessions | undefined): void {
  device.messageId = (device.messageId % 65_535) + 1
  device.sentAt.set(device.messageId, performance.now())
  const isSession = sessions !== undefined && number % sessions.every === 0
  const payload = JSON.stringify(
    isSession
      ? sessionOf(number, sessions)
      : [{ name: 'cpu.temperature', value: (number % 800) / 10 }],
  )
  device.socket.write(
    generate({
      cmd: 'publish',
      topic: `${topicsOf(device)}/up/${isSession ? 'session' : 'metrics'}`,
      payload,
      qos: 1,
      messageId: device.messageId,
      dup: false,
      retain: false,
    }),
  )
}

function sessionOf(number: number, { every, slug, versions }: Sessions) {
  const version = versions[Math.floor(number / every) % versions.length]
  return { runId: `run-${number}`, firmware: [{ slug, version }] }
}

async function awaitSeverity(expected: string): Promise<void> {
  while (devices.some(({ logSeverity }) => logSeverity !== expected)) await delay(10)
}

async function carryOut(order: Order): Promise<void> {
  switch (order.do) {
    case 'connect':
      fleet = order.fleet
      return connectAll()
    case 'reconnect':
      for (const { socket } of devices) socket.destroy()
      devices = []
      return connectAll()
    case 'publish':
      return publish(order.perSecond, order.seconds, order.sessions)
    case 'await':
      return awaitSeverity(order.logSeverity)
  }
}

process.on('message', (order: Order) => {
  const startedAt = performance.now()
  latencies = []
  void carryOut(order).then(() =>
    process.send?.({
      seconds: (performance.now() - startedAt) / 1_000,
      latencies,
    } satisfies Outcome),
  )
})
