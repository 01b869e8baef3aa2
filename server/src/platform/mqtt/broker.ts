/**
 * The embedded broker: MQTT 3.1.1 connections on aedes, without a domain. Messages are not routed between connections:
 * a client publishes to its session, and receives from it. See docs/decisions/0018-aedes.md.
 */
import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { Aedes, type Client, type ConnectPacket, type PublishPacket } from 'aedes'
import { type HeldClient, holdSocket } from './held-client.ts'
import { createMemory, NO_ROUTES } from './memory.ts'
import {
  type ConnectRefusal,
  type MqttBrokerOptions,
  type MqttLogin,
  type MqttSession,
  RETURN_CODES,
} from './session.ts'

export interface MqttBroker {
  accept: (socket: Socket) => void
  /** Ends every connection when its messages are acknowledged or `patienceMs` are over. */
  close: (patienceMs: number) => Promise<void>
}

/** A client that reads nothing for so long is disconnected. */
const DRAIN_MS = 30_000
const SILENCE_CHECK_MS = 500
/** Packets a client may send before its connection is accepted. */
const EARLY_PACKETS = 42

export async function openMqttBroker(options: MqttBrokerOptions): Promise<MqttBroker> {
  const clients = new Map<Client, HeldClient>()
  const aedes = await createAedes(options, clients)
  const timer = setInterval(() => endSilent(clients.values(), options), SILENCE_CHECK_MS)
  return {
    accept: (socket) => {
      const held = holdSocket(socket, {
        open: (one) => aedes.handle(one),
        onOversized: () => options.onDropped('oversized'),
      })
      clients.set(held.client, held)
      socket.once('close', () => {
        held.isOver = true
        // After the will, which aedes publishes when it notices the end.
        setImmediate(() => {
          clients.delete(held.client)
          held.session?.ended()
          held.ended.resolve()
        })
      })
    },
    close: async (patienceMs) => {
      clearInterval(timer)
      await untilAnswered([...clients.values()], patienceMs)
      await new Promise<void>((resolve) => aedes.close(() => resolve()))
      // aedes does not know connections that were not accepted yet.
      for (const { socket } of clients.values()) socket.destroy()
      await Promise.all([...clients.values()].map(({ ended }) => ended.promise))
    },
  }
}

/** Resolves when all messages are acknowledged and the acknowledgements are sent. */
async function untilAnswered(clients: readonly HeldClient[], patienceMs: number): Promise<void> {
  for (const held of clients) held.isDeaf = true
  const patience = new AbortController()
  const flushed = Promise.all(clients.map(endAnswered))
  await Promise.race([flushed, delay(patienceMs, undefined, patience).catch(() => undefined)])
  patience.abort()
}

async function endAnswered({ socket, answered }: HeldClient): Promise<void> {
  await answered
  // The acknowledgement is written in the next turn of the event loop.
  await nextTurn()
  await new Promise<void>((resolve) => {
    socket.once('close', resolve)
    socket.end(resolve)
  })
}

function endSilent(clients: Iterable<HeldClient>, { onDropped }: MqttBrokerOptions): void {
  const now = performance.now()
  for (const { client, unanswered, heardAt, patienceMs } of clients) {
    // A client whose messages wait is not silent: nothing is read from it meanwhile.
    if (unanswered > 0 || now - heardAt <= patienceMs) continue
    onDropped('silent')
    client.close()
  }
}

async function createAedes(
  options: MqttBrokerOptions,
  clients: ReadonlyMap<Client, HeldClient>,
): Promise<Aedes> {
  const memory = createMemory()
  const aedes = await Aedes.createBroker({
    // The default of 100 overflows the stack and ends the process.
    concurrency: 0,
    mq: NO_ROUTES,
    persistence: memory.persistence,
    connectTimeout: options.connectTimeoutMs,
    drainTimeout: DRAIN_MS,
    queueLimit: EARLY_PACKETS,
    // Limits the ids of MQTT 3.1 clients. They are replaced like all others.
    maxClientsIdLength: 64,
    preConnect: (client, packet, done) => {
      const held = clients.get(client)
      if (held) prepare(held, packet, options)
      done(null, held !== undefined)
    },
    authenticate: (client, username = '', password, done) => {
      const held = clients.get(client)
      if (!held) return done(null, false)
      const login = { username, password: password?.toString('utf8') ?? '' }
      void accept(held, login, options).then((refusal) =>
        refusal === undefined ? done(null, true) : done(refused(refusal), false),
      )
    },
    authorizePublish: (client, packet, done) => {
      const held = client ? clients.get(client) : undefined
      if (!held?.session || (held.isWillSilenced && held.client.closed))
        return done(new Error('nobody is there to take it'))
      if (packet.qos === 2 && memory.isReceived(held.client, packet)) return done(null)
      receive(held, held.session, packet).then(() => done(null), done)
    },
    authorizeSubscribe: (client, subscription, done) => {
      const isAllowed = clients.get(client)?.session?.maySubscribe(subscription.topic) === true
      done(null, isAllowed ? subscription : null)
    },
  })
  aedes.on('clientError', (client) => {
    if (!clients.get(client)?.isOver) options.onDropped('protocol')
  })
  aedes.on('subscribe', (subscriptions, client) => {
    const session = clients.get(client)?.session
    // Refused subscriptions have the QoS 128.
    for (const { topic, qos } of subscriptions) if (qos <= 2) session?.subscribed(topic, qos)
  })
  aedes.on('unsubscribe', (filters, client) => {
    const session = clients.get(client)?.session
    for (const filter of filters) session?.unsubscribed(filter)
  })
  return aedes
}

/**
 * Replaces the client id, as a client could disconnect another one by its id. Makes the session clean, as desired state
 * comes from the database. (A server may end sessions at any time; CONNACK says that none is present.)
 */
function prepare(held: HeldClient, packet: ConnectPacket, options: MqttBrokerOptions): void {
  const { keepAliveSeconds } = options
  const stated = packet.keepalive ?? 0
  const seconds = stated === 0 ? keepAliveSeconds : Math.min(stated, keepAliveSeconds)
  // One and a half times the keep-alive (section 3.1.2.10). Watched here, as a client that waits for us is not silent.
  held.patienceMs = seconds * 1_500
  held.willTopic = packet.will?.topic
  held.clientId = packet.clientId
  packet.keepalive = 0
  packet.clientId = held.connection.id
  packet.clean = true
}

/** Why the connection is refused. undefined: it is accepted. */
async function accept(
  held: HeldClient,
  login: Pick<MqttLogin, 'username' | 'password'>,
  options: MqttBrokerOptions,
): Promise<ConnectRefusal | undefined> {
  const { willTopic, clientId, address } = held
  const certificate =
    held.socket instanceof TLSSocket ? held.socket.getPeerX509Certificate() : undefined
  const stated = { ...login, willTopic, clientId, address, certificate }
  const session = await options.connect(stated, held.connection)
  if (typeof session === 'string') return session
  if (held.isOver) {
    session.ended()
    return 'unavailable'
  }
  held.session = session
  held.guard.limit = options.packetBytes
  return undefined
}

function refused(refusal: ConnectRefusal) {
  return Object.assign(new Error(refusal), { returnCode: RETURN_CODES[refusal] })
}

/** Acknowledges in the order of the messages (section 4.6), whichever is stored first. */
async function receive(
  held: HeldClient,
  session: MqttSession,
  packet: PublishPacket,
): Promise<void> {
  const { topic, payload } = packet
  const stored = session.received({ topic, payload: toBytes(payload) })
  // The message is stored, so aedes need not keep it.
  packet.retain = false
  packet.payload = NO_BYTES
  const before = held.answered
  // Without a value, as each promise would hold that of the one before.
  const answered = Promise.allSettled([stored, before]).then(() => undefined)
  held.answered = answered
  held.unanswered += 1
  try {
    await answered
    await stored
  } finally {
    held.unanswered -= 1
    held.heardAt = performance.now()
  }
}

const NO_BYTES = Buffer.alloc(0)

function toBytes(payload: Buffer | string): Uint8Array {
  return typeof payload === 'string' ? Buffer.from(payload) : payload
}
