/** A client of an external broker (MQTT 5) that acknowledges what it received only when it is stored. */
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import mqtt, { type IClientOptions, type IPublishPacket, type MqttClient } from 'mqtt'
import type { Logger } from 'pino'
import { createGate } from './gate.ts'

export interface BrokerClientOptions {
  url: string
  username: string | undefined
  password: string | undefined
  /** Certificates of the authority that signed the broker's (PEM). */
  authority: string | undefined
  /** Messages that arrive while the client is away wait for it; undefined: no messages wait. */
  clientId: string | undefined
  filters: readonly string[]
  /** Acknowledged when it resolves; never rejects. Called in the order received, without waiting for the one before. */
  onMessage: (message: IncomingMessage) => Promise<void>
  /** Connected, for the first time or again, and not subscribed yet: what comes afterwards comes by the new subscription. */
  onConnected: () => void
  /** Messages may have come already. */
  onSubscribed: () => void
  log: Logger
}

export interface IncomingMessage {
  topic: string
  payload: Uint8Array
  retain: boolean
}

export interface BrokerClient {
  /** And subscribed. */
  isConnected: () => boolean
  /** Retained, and acknowledged by the broker when it resolves. */
  retain: (topic: string, payload: Uint8Array) => Promise<void>
  /** Stops receiving; resolves when all received messages are acknowledged. */
  close: () => Promise<void>
}

const RECONNECT_MS = 1_000
const CLOSE_PATIENCE_MS = 2_000
const CONNECT_MS = 10_000
const KEEP_ALIVE_SECONDS = 30
const WAITING_SECONDS = 7 * 86_400
const STORING_BYTES = 64 * 1024 * 1024
const RECEIVE_MAXIMUM = 2_000
const MESSAGE_BYTES = 1_024

export function connectToBroker(options: BrokerClientOptions): BrokerClient {
  const { log, url } = options
  const client = mqtt.connect(url, clientOptions(options))
  const state = { isClosing: false, isSubscribed: false }
  const storing = deferAcknowledgements(client, options.onMessage, state)
  client.on('connect', () => void subscribe(client, options, state))
  client.on('close', () => (state.isSubscribed = false))
  client.on('error', ({ message }) => log.warn({ broker: url, cause: message }, 'broker'))
  client.on('offline', () => log.warn({ broker: url }, 'the broker is away'))
  return {
    isConnected: () => client.connected && state.isSubscribed,
    retain: async (topic, payload) => {
      await client.publishAsync(topic, asBuffer(payload), { qos: 1, retain: true })
    },
    close: async () => {
      // After unsubscribing, messages that wait for this client would be lost.
      state.isClosing = true
      await inTime(Promise.all(storing))
      await inTime(client.endAsync())
      await client.endAsync(true)
    },
  }
}

async function inTime(work: Promise<unknown>): Promise<void> {
  await Promise.race([work, delay(CLOSE_PATIENCE_MS, undefined, { ref: false })])
}

function clientOptions(options: BrokerClientOptions): IClientOptions {
  const { username, password, authority, clientId } = options
  return {
    protocolVersion: 5,
    clientId: clientId ?? `plimsoll-${randomUUID()}`,
    clean: clientId === undefined,
    properties: {
      receiveMaximum: RECEIVE_MAXIMUM,
      ...(clientId === undefined ? {} : { sessionExpiryInterval: WAITING_SECONDS }),
    },
    keepalive: KEEP_ALIVE_SECONDS,
    connectTimeout: CONNECT_MS,
    reconnectPeriod: RECONNECT_MS,
    // Done at every connect, so that its failure is seen.
    resubscribe: false,
    // Messages that could not be sent are computed again from the database.
    queueQoSZero: false,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(authority === undefined ? {} : { ca: authority }),
  }
}

async function subscribe(
  client: MqttClient,
  options: BrokerClientOptions,
  state: { isSubscribed: boolean },
): Promise<void> {
  const { filters, log, url, onConnected, onSubscribed } = options
  onConnected()
  try {
    const granted = await client.subscribeAsync([...filters], { qos: 1 })
    const refused = granted.filter(({ qos }) => qos >= 128)
    if (refused.length > 0)
      throw new Error(`refused: ${refused.map(({ topic }) => topic).join(', ')}`)
    log.info({ broker: url, filters }, 'subscribed at the broker')
    state.isSubscribed = true
    onSubscribed()
  } catch (error) {
    log.error({ err: error, broker: url, filters }, 'not subscribed; trying again')
    setTimeout(() => client.connected && client.reconnect(), RECONNECT_MS * 5)
  }
}

const LATER = new Error('acknowledged when it is stored')

/**
 * The library hands over one message at a time and acknowledges it before the next, so that each message would wait for
 * the database. After an error it continues without acknowledging. So it gets an error, and this function acknowledges
 * in any order, as MQTT 5 allows for shared subscriptions. Returns the messages that are being stored.
 */
function deferAcknowledgements(
  client: MqttClient,
  onMessage: BrokerClientOptions['onMessage'],
  state: { isClosing: boolean },
): ReadonlySet<Promise<void>> {
  const gate = createGate(STORING_BYTES)
  const storing = new Set<Promise<void>>()

  async function store(packet: IPublishPacket): Promise<void> {
    const { stream } = client
    const { topic, payload, retain, qos, messageId } = packet
    await onMessage({ topic, payload: toBytes(payload), retain })
    // In another connection the id has another meaning, and the broker sends the message again.
    if (qos === 0 || messageId === undefined || client.stream !== stream) return
    if (!stream.destroyed) stream.write(writePuback(messageId))
  }

  client.handleMessage = (packet, proceed) => {
    // Not going on is reading no more.
    if (state.isClosing) return
    // Messages without content take up room as well.
    const weight = packet.payload.length + MESSAGE_BYTES
    const begin = () => {
      const stored = store(packet).finally(() => {
        gate.leave(weight)
        storing.delete(stored)
      })
      storing.add(stored)
      proceed(packet.qos === 0 ? undefined : LATER)
    }
    const room = gate.enter(weight)
    if (room) void room.then(begin)
    else begin()
  }
  return storing
}

/** Success, in MQTT 3.1.1 as in 5 (section 3.4.2.1: a remaining length of 2 is reason code 0). */
function writePuback(messageId: number): Buffer {
  return Buffer.from([0x40, 0x02, messageId >> 8, messageId & 0xff])
}

function toBytes(payload: Buffer | string): Uint8Array {
  return typeof payload === 'string' ? Buffer.from(payload) : payload
}

function asBuffer(payload: Uint8Array): Buffer {
  return Buffer.from(payload.buffer, payload.byteOffset, payload.byteLength)
}
