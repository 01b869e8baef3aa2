/** Packets to the gateway: of MQTT 3.1, 3.1.1 and 5, in any order, with wrong lengths and contents. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import fc from 'fast-check'
import { generate, type Packet, parser } from 'mqtt-packet'
import { EXAMPLES } from '../../src/formats/device-messages/examples.ts'
import { connectDevice } from '../given-mqtt.ts'
import { type Door, ended, Fault, openDoor } from './door.ts'
import { mutated, oddTexts, spoil, type ByteMutation } from './mutations.ts'
import { some } from './sbom-documents.ts'
import { withIds, type World } from './world.ts'

interface SentPacket {
  /** As the package mqtt-packet has them; what it cannot write is sent as its JSON. */
  packet: unknown
  spoiling: ByteMutation[]
}

interface MqttCase {
  version: number
  /** Without it, the first packet is another one. */
  login: SentPacket | null
  packets: SentPacket[]
}

const PREFIX = 'plimsoll/v1/{{mine.workspaceId}}/{{mine.deviceId}}/'
const topics = fc.oneof(
  {
    arbitrary: fc
      .constantFrom('session', 'config', 'metrics', 'logs', 'update', 'x', '')
      .map((kind) => `${PREFIX}up/${kind}`),
    weight: 8,
  },
  fc.constantFrom(
    `${PREFIX}down/config`,
    'plimsoll/v1/{{theirs.workspaceId}}/{{theirs.deviceId}}/up/session',
    'plimsoll/v1/+/+/up/#',
    '$SYS/#',
    '#',
    '+/+',
    `${PREFIX}#`,
    `${PREFIX}down/+`,
    '/',
    'a/'.repeat(2_000),
    'x'.repeat(65_535),
  ),
  oddTexts,
)
const payloads = fc.oneof(
  mutated(
    fc.constantFrom<unknown>(
      EXAMPLES.session,
      EXAMPLES.configUp,
      EXAMPLES.metrics,
      EXAMPLES.logs,
      EXAMPLES.updateUp,
    ),
  ).map((value) => JSON.stringify(value)),
  fc.constant('x'.repeat(300_000)),
  fc.constant(''),
)
const messageIds = fc.constantFrom(1, 2, 65_535, 0)
const qos = fc.constantFrom(0, 1, 2)
const flags = { dup: fc.boolean(), retain: fc.boolean() }
const properties = some({
  topicAlias: fc.constantFrom(1, 0, 65_535),
  userProperties: fc.constant({ a: 'b' }),
  messageExpiryInterval: fc.nat(),
  subscriptionIdentifier: fc.constantFrom(1, 268_435_455),
})

const packets: fc.Arbitrary<object> = fc.oneof(
  {
    arbitrary: record(
      { cmd: 'publish' },
      { topic: topics, payload: payloads, qos, messageId: messageIds, properties, ...flags },
    ),
    weight: 6,
  },
  {
    arbitrary: record(
      { cmd: 'subscribe' },
      {
        messageId: messageIds,
        subscriptions: fc.array(fc.record({ topic: topics, qos }, { noNullPrototype: true }), {
          maxLength: 3,
        }),
      },
    ),
    weight: 3,
  },
  record(
    { cmd: 'unsubscribe' },
    { messageId: messageIds, unsubscriptions: fc.array(topics, { maxLength: 3 }) },
  ),
  record(
    {},
    {
      cmd: fc.constantFrom('puback', 'pubrec', 'pubrel', 'pubcomp', 'unsuback'),
      messageId: messageIds,
      reasonCode: fc.constantFrom(0, 16, 255),
    },
  ),
  record(
    {},
    {
      cmd: fc.constantFrom('pingreq', 'pingresp', 'disconnect', 'auth', 'connack'),
      reasonCode: fc.constantFrom(0, 4, 255),
      returnCode: fc.constant(0),
      sessionPresent: fc.boolean(),
    },
  ),
  record({ cmd: 'suback' }, { messageId: messageIds, granted: fc.constant([0, 128]) }),
)

function record(fixed: object, members: Record<string, fc.Arbitrary<unknown>>) {
  return fc.record(members, { noNullPrototype: true }).map((one) => ({ ...fixed, ...one }))
}

const logins = record(
  { cmd: 'connect' },
  {
    clientId: fc.constantFrom('a', '', 'x'.repeat(70_000), '{{mine.deviceId}}'),
    clean: fc.boolean(),
    keepalive: fc.constantFrom(0, 1, 60, 65_535),
    username: fc.oneof(
      { arbitrary: fc.constant('{{mine.workspaceId}}:{{mine.deviceId}}'), weight: 12 },
      fc.constantFrom(
        '{{theirs.workspaceId}}:{{theirs.deviceId}}',
        ':',
        'a:b:c',
        '{{mine.workspaceId}}',
      ),
      oddTexts,
    ),
    password: fc.oneof({ arbitrary: fc.constant('{{mine.deviceKey}}'), weight: 15 }, oddTexts),
    will: fc.option(
      fc.record(
        { topic: topics, payload: payloads, qos, retain: fc.boolean() },
        { noNullPrototype: true },
      ),
      { nil: undefined, freq: 3 },
    ),
    properties: some({ sessionExpiryInterval: fc.nat(), receiveMaximum: fc.constantFrom(0, 1) }),
  },
)

const spoilings: fc.Arbitrary<ByteMutation[]> = fc.oneof(
  { arbitrary: fc.constant<ByteMutation[]>([]), weight: 5 },
  fc.array(
    fc.record(
      {
        // Half of the changes meet the fixed header and the lengths.
        at: fc.oneof(fc.nat(12), fc.nat()),
        kind: fc.constantFrom('flip', 'insert', 'cut', 'truncate', 'double'),
        byte: fc.nat(255),
      },
      { noNullPrototype: true },
    ),
    { minLength: 1, maxLength: 2 },
  ),
)

const sent = (of: fc.Arbitrary<object>, spoiling = spoilings): fc.Arbitrary<SentPacket> =>
  fc.record({ packet: of, spoiling }, { noNullPrototype: true })

const cases: fc.Arbitrary<MqttCase> = fc.record(
  {
    version: fc.oneof({ arbitrary: fc.constant(4), weight: 6 }, fc.constantFrom(3, 5)),
    login: fc.option(
      fc.oneof({ arbitrary: sent(logins, fc.constant([])), weight: 6 }, sent(logins)),
      { freq: 9 },
    ),
    packets: fc.array(sent(packets), { maxLength: 6 }),
  },
  { noNullPrototype: true },
)

const QUIET_MS = 60

export function mqttDoor(world: World): Door {
  return openDoor({
    cases,
    run: (one) => ended(converse(world, one), 'a connection'),
    check: () => ended(goodDevice(world), 'a device that does everything right'),
  })
}

async function converse(world: World, { version, login, packets: others }: MqttCase) {
  const socket = connect(world.mqttPort, '127.0.0.1')
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  socket.on('error', () => undefined)
  const faults: string[] = []
  const reader = parser({ protocolVersion: version })
  reader.on('error', (error) => faults.push(String(error)))
  socket.on('data', (bytes) => {
    if (faults.length === 0) reader.parse(bytes)
  })
  await once(socket, 'connect')
  const known = { socket, closed, world, version }
  if (login) {
    write(known, login)
    await Promise.race([closed, once(socket, 'data').catch(() => undefined), delay(QUIET_MS)])
  }
  for (const packet of others) write(known, packet)
  const answered = heard(socket)
  write(known, { packet: { cmd: 'pingreq' }, spoiling: [] })
  await Promise.race([closed, answered, delay(QUIET_MS)])
  socket.end()
  await closed
  // An answer in version 5 to a client of version 5 may hold properties that version 4 has not.
  if (faults.length > 0 && version === 4) throw new Fault(`the gateway sends garbage: ${faults[0]}`)
}

/** Resolves when nothing has come for a moment after something came. */
async function heard(socket: Socket): Promise<void> {
  await once(socket, 'data').catch(() => undefined)
}

interface KnownConnection {
  socket: Socket
  world: World
  version: number
}

function write(
  { socket, world, version }: KnownConnection,
  { packet, spoiling }: SentPacket,
): void {
  if (!socket.writable) return
  const bytes = bytesOfPacket(withIds(world, JSON.stringify(packet)), version)
  socket.write(spoiling.reduce(spoil, bytes))
}

/** What mqtt-packet refuses to write is sent as text: no packet at all. */
function bytesOfPacket(text: string, version: number): Buffer {
  const packet = JSON.parse(text) as Packet & { protocolVersion?: number }
  const isLogin = packet.cmd === 'connect'
  const protocol = { protocolId: version === 3 ? 'MQIsdp' : 'MQTT', protocolVersion: version }
  try {
    return generate({ ...(isLogin && protocol), ...packet } as Packet, { protocolVersion: version })
  } catch {
    return Buffer.from(text)
  }
}

/** Connects, reports and is answered. */
async function goodDevice({ mqttPort, helper }: World): Promise<void> {
  const { workspaceId = '', deviceId = '', deviceKey = '' } = helper.ids
  const device = await connectDevice({ port: mqttPort, workspaceId, deviceId, deviceKey })
  await device.publish('up/session', EXAMPLES.session)
  await device.client.endAsync()
}
