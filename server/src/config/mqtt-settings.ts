/** How devices reach the service by MQTT: by the embedded broker or by an external one. */
import { availableParallelism } from 'node:os'
import type { Certificate } from '../platform/certificate.ts'
import { isLoopbackHost } from '../platform/loopback.ts'
import { type HttpPort, readCertificate } from './http-settings.ts'
import type { SettingsReader } from './reader.ts'

export interface MqttSettings {
  host: string
  /** undefined: no listener without TLS. */
  port: number | undefined
  tls: (Certificate & { port: number }) | undefined
  messageBytes: number
  /** The limit of one device. */
  messageRate: { perMinute: number; burst: number }
  /** The limit of one workspace at this node; 0: none. */
  loginsPerSecond: number
  keepAliveSeconds: number
  /** Replaces the embedded broker. */
  broker: ExternalBroker | undefined
  /** The secret that an external broker sends when it asks who may connect. undefined: there is no such route. */
  authSecret: string | undefined
}

export interface ExternalBroker {
  url: string
  username: string | undefined
  password: string | undefined
  /** Certificates of the authority that signed the broker's (PEM). */
  authority: string | undefined
  /** With a client id, the broker keeps messages for this node while it is away. */
  clientId: string | undefined
}

const PORTS = { min: 0, max: 65_535 }
const KIBIBYTE = 1024

export function readMqtt(reader: SettingsReader, host: string): MqttSettings {
  const tls = readTls(reader)
  const isOff = reader.text('PLIMSOLL_MQTT_PORT') === 'off'
  return {
    host: reader.text('PLIMSOLL_MQTT_HOST') ?? host,
    port: isOff ? undefined : reader.integer('PLIMSOLL_MQTT_PORT', 1883, PORTS),
    tls,
    messageBytes:
      reader.integer('PLIMSOLL_MQTT_MAX_MESSAGE_KIBIBYTES', 256, { min: 1, max: 256 }) * KIBIBYTE,
    messageRate: {
      perMinute: reader.integer('PLIMSOLL_MQTT_MESSAGES_PER_MINUTE', 600, { min: 0, max: 1e9 }),
      burst: reader.integer('PLIMSOLL_MQTT_MESSAGE_BURST', 300, { min: 1, max: 1e9 }),
    },
    loginsPerSecond: reader.integer('PLIMSOLL_MQTT_LOGINS_PER_SECOND', loginsByProcessors(), {
      min: 0,
      max: 1e6,
    }),
    keepAliveSeconds: reader.integer('PLIMSOLL_MQTT_KEEP_ALIVE_SECONDS', 3_600, {
      min: 10,
      max: 65_535,
    }),
    broker: readBroker(reader),
    authSecret: readAuthSecret(reader),
  }
}

/**
 * A login and the end of the connection before take some 1.4 ms of processors: 1.0 of the process, which has one thread for
 * all of them, and 0.4 of the database (bench/gateway.ts). So a workspace takes half of that thread at most.
 */
function loginsByProcessors(): number {
  return Math.min(LOGINS_PER_NODE, LOGINS_PER_PROCESSOR * availableParallelism())
}

const LOGINS_PER_PROCESSOR = 200
const LOGINS_PER_NODE = 500

/** Whether keys of devices pass in the clear by MQTT although the service is reached by https. */
export function isMqttInClear(
  { host, port, broker }: MqttSettings,
  { publicUrl }: Pick<HttpPort, 'publicUrl'>,
): boolean {
  const listens = port !== undefined && broker === undefined && !isLoopbackHost(host)
  return listens && publicUrl.startsWith('https:')
}

function readTls(reader: SettingsReader): MqttSettings['tls'] {
  const certificate = readCertificate(reader, 'PLIMSOLL_MQTT_TLS')
  const port = reader.integer('PLIMSOLL_MQTT_TLS_PORT', 8883, PORTS)
  return certificate && { ...certificate, port }
}

function readBroker(reader: SettingsReader): ExternalBroker | undefined {
  const url = reader.url('PLIMSOLL_MQTT_BROKER_URL', ['mqtt:', 'mqtts:'])
  const login = {
    username: reader.text('PLIMSOLL_MQTT_BROKER_USERNAME'),
    password: reader.text('PLIMSOLL_MQTT_BROKER_PASSWORD'),
    authority: reader.text('PLIMSOLL_MQTT_BROKER_CA'),
    clientId: reader.text('PLIMSOLL_MQTT_BROKER_CLIENT_ID'),
  }
  if (url === undefined) return undefined
  // The URL is logged.
  if (URL.parse(url)?.username || URL.parse(url)?.password)
    reader.faults.push(
      'PLIMSOLL_MQTT_BROKER_URL must not hold credentials: set PLIMSOLL_MQTT_BROKER_USERNAME and PLIMSOLL_MQTT_BROKER_PASSWORD.',
    )
  return { url, ...login }
}

const SECRET_CHARACTERS = 16

function readAuthSecret(reader: SettingsReader): string | undefined {
  const secret = reader.text('PLIMSOLL_MQTT_AUTH_SECRET')
  if (secret !== undefined && secret.length < SECRET_CHARACTERS)
    reader.faults.push(`PLIMSOLL_MQTT_AUTH_SECRET must have ${SECRET_CHARACTERS} characters.`)
  return secret
}
