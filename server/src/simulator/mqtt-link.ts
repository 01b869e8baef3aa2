/** A device at the MQTT door, with its own client like a real one. */
import { type IPublishPacket, connect, type MqttClient } from 'mqtt'
import { encodeCbor } from '../formats/device-messages/cbor.ts'
import { varyAround } from './chance.ts'
import { checkConfig, checkKey, checkUpdate, parseDown } from './down-messages.ts'
import type { Link, LinkSetup } from './link.ts'

const RECONNECT_MS = 2_000
const CONNECT_MS = 30_000
const KEEP_ALIVE_SECONDS = 60

/** Resolves when the device is connected and subscribed. */
export async function openMqttLink(setup: LinkSetup): Promise<Link> {
  const { options, deviceId, keys } = setup
  const { workspaceId, encoding, seed } = options
  const base = `plimsoll/v1/${workspaceId}/${deviceId}`
  const client = connect(options.mqttUrl, {
    clientId: deviceId,
    username: `${workspaceId}:${deviceId}`,
    password: keys.current,
    protocolVersion: 4,
    clean: true,
    keepalive: KEEP_ALIVE_SECONDS,
    connectTimeout: CONNECT_MS,
    // Spreads reconnects when a gateway comes back.
    reconnectPeriod: varyAround(RECONNECT_MS, seed, deviceId, 'reconnect'),
  })
  client.on('message', (topic, payload) => heard(setup, topic.slice(base.length), payload))
  client.on('close', () => setup.onConnected(false))
  client.on('error', (error) => refused(client, setup, error))
  const encode = encoding === 'cbor' ? encodeCbor : (value: unknown) => JSON.stringify(value)
  await subscribed(client, `${base}/down/+`, setup)
  const off = Promise.withResolvers<undefined>()
  return {
    send: async (kind, message) => {
      const payload = Buffer.from(encode(message))
      // The client never settles unsent messages of a device that is switched off.
      await Promise.race([
        client.publishAsync(`${base}/up/${kind}`, payload, { qos: 1 }),
        off.promise,
      ])
    },
    // The client dials again by itself, with the password of then.
    reconnect: () => {
      client.options.password = keys.current
      client.stream.destroy()
    },
    close: async () => {
      off.resolve(undefined)
      // Ends as if the power went: a polite end would wait for a gateway that is away.
      await client.endAsync(true)
      setup.onConnected(false)
    },
  }
}

/** Subscribes at every connection, since sessions are clean. */
async function subscribed(client: MqttClient, topic: string, setup: LinkSetup): Promise<void> {
  const first = Promise.withResolvers<undefined>()
  const giveUp = () => {
    client.end(true)
    first.resolve(undefined)
  }
  setup.signal.addEventListener('abort', giveUp, { once: true })
  client.options.resubscribe = false
  client.on('connect', () => {
    setup.onConnected(true)
    const { password } = client.options
    if (setup.keys.accept(String(password))) setup.onKeyReplaced()
    // A failure at the end of a connection is retried at the next connection.
    client.subscribeAsync(topic, { qos: 1 }).then(
      () => first.resolve(undefined),
      () => undefined,
    )
  })
  await first.promise
  setup.signal.removeEventListener('abort', giveUp)
}

/** Of MQTT 3.1.1: a user name or password that is not valid. */
const BAD_CREDENTIALS = 4

/** A fetched key that is not valid gives way to the present one, with the next connection. */
function refused(client: MqttClient, { keys, onTrouble }: LinkSetup, error: Error): void {
  const isRefused = 'code' in error && error.code === BAD_CREDENTIALS
  if (isRefused && keys.refuse(String(client.options.password)))
    client.options.password = keys.current
  else onTrouble(error)
}

function heard(setup: LinkSetup, topic: string, payload: IPublishPacket['payload']): void {
  if (payload.length === 0) return
  try {
    const said = parseDown(Buffer.from(payload))
    if (topic === '/down/config') setup.onConfig(checkConfig(said))
    if (topic === '/down/key') setup.onKey(checkKey(said))
    if (topic === '/down/update') setup.onUpdate(checkUpdate(said))
  } catch (error) {
    setup.onTrouble(error)
  }
}
