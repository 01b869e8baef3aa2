/**
 * Two api, two worker and two gateway processes behind HAProxy, on a PostgreSQL server, an S3-compatible store and an MQTT
 * broker that are not theirs: docs/guide/scale-out.md as it is written, to be hurt.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Role } from '../../src/config/config.ts'
import { createTestDatabase } from '../database.ts'
import type { FeedServer } from '../feed-server.ts'
import { hasHaproxy, startHaproxy } from '../haproxy.ts'
import { hasMosquitto, type Mosquitto, startMosquitto } from '../mosquitto.ts'
import { hasS3Server } from '../s3-server.ts'
import {
  endProcess,
  freePort,
  type ServiceProcess,
  type ServiceSettings,
  startServiceProcess,
} from '../service-process.ts'
import {
  beside,
  type DrillInstallation,
  environmentOf,
  execute,
  givenKeys,
  type Keys,
  startAgain,
  startOthers,
} from './installation.ts'
import type { MqttLogin } from './load.ts'

export const MEMBERS = ['api1', 'worker1', 'gateway1', 'api2', 'worker2', 'gateway2'] as const
type Member = (typeof MEMBERS)[number]

/** What has to be installed and is not. */
export const MISSING = [
  ...(hasHaproxy ? [] : ['haproxy']),
  ...(hasS3Server ? [] : ['versitygw']),
  ...(hasMosquitto ? [] : ['mosquitto']),
]

export interface ScaledInstallation extends DrillInstallation {
  keys: Keys
  mqttDevices: readonly MqttLogin[]
  /** For operator's commands. */
  settings: ServiceSettings
  /** Throws when a member has ended by itself. */
  expectRunning: () => void
  /** `kill -9`, and a new start. */
  kill: (member: Member) => Promise<void>
  /** SIGTERM: resolves when it has ended. */
  stop: (member: Member) => Promise<void>
  /** Resolves when the balancer sends requests to the member. */
  whenTaken: (member: Member) => Promise<void>
}

const DEVICES = ['mqtt-1', 'mqtt-2']

/** Longer than the balancer needs to see that a node is not ready. */
const DRAIN_SECONDS = 3

const roleOf = (member: Member): Role =>
  member.startsWith('api') ? 'api' : member.startsWith('worker') ? 'worker' : 'gateway'

/** Of the balancer: `PLIMSOLL_API_1` for `api1`. */
const variableOf = (member: Member) => `PLIMSOLL_${member.replace(/(\d)/, '_$1').toUpperCase()}`

interface Ground {
  dataDir: string
  env: Record<string, string>
  keys: Keys
  mosquitto: Mosquitto
}

/** A database with a workspace, a broker that knows its devices, and the settings that all members share. */
async function layGround(others: Awaited<ReturnType<typeof startOthers>>): Promise<Ground> {
  const { connectionString } = await createTestDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-scaled-'))
  const shared = {
    ...environmentOf(others),
    DATABASE_URL: connectionString,
    PLIMSOLL_TRUST_PROXY: 'loopback',
    PLIMSOLL_DRAIN_SECONDS: String(DRAIN_SECONDS),
  }
  const settings = { dataDir, port: 0, managementPort: 0, env: shared }
  const keys = await givenKeys({ beside: (use) => beside(settings, use) })
  const accounts = DEVICES.map((deviceId) => ({
    username: deviceId,
    password: `password of ${deviceId}`,
    workspaceId: keys.workspaceId,
    deviceId,
  }))
  const mosquitto = await startMosquitto(accounts)
  const { username, password } = mosquitto.service
  const env = {
    ...shared,
    PLIMSOLL_MQTT_BROKER_URL: mosquitto.url,
    PLIMSOLL_MQTT_BROKER_USERNAME: username,
    PLIMSOLL_MQTT_BROKER_PASSWORD: password,
  }
  return { dataDir, env, keys, mosquitto }
}

async function settingsOf(member: Member, { dataDir, env }: Ground): Promise<ServiceSettings> {
  return {
    dataDir,
    port: await freePort(),
    managementPort: await freePort(),
    // The broker keeps messages for a gateway while it is away.
    env: { ...env, PLIMSOLL_MQTT_BROKER_CLIENT_ID: member },
    args: ['--roles', roleOf(member)],
  }
}

async function startMembers(ground: Ground) {
  const settings = new Map<Member, ServiceSettings>()
  for (const member of MEMBERS) settings.set(member, await settingsOf(member, ground))
  const processes = new Map<Member, ServiceProcess>()
  for (const [member, of] of settings) processes.set(member, await startServiceProcess(of))
  return { settings, processes }
}

/** The environment of the balancer's configuration. */
function balanced(
  settings: ReadonlyMap<Member, ServiceSettings>,
  { http, mqtt, broker }: { http: number; mqtt: number; broker: number },
): Record<string, string> {
  const nodes = [...settings]
    .filter(([member]) => roleOf(member) !== 'worker')
    .flatMap(([member, { port, managementPort }]) => [
      [variableOf(member), `127.0.0.1:${port}`],
      [`${variableOf(member)}_MANAGEMENT_PORT`, String(managementPort)],
    ])
  return {
    ...(Object.fromEntries(nodes) as Record<string, string>),
    PLIMSOLL_HTTP_BIND: `127.0.0.1:${http}`,
    PLIMSOLL_MQTT_BIND: `127.0.0.1:${mqtt}`,
    PLIMSOLL_BROKER_1: `127.0.0.1:${broker}`,
  }
}

/** `publish` puts onto the feed server what is known from the beginning. */
export async function startScaledInstallation(
  publish: (feeds: FeedServer) => void,
): Promise<ScaledInstallation> {
  const others = await startOthers(undefined)
  publish(others.feeds)
  const ground = await layGround(others)
  const { settings, processes } = await startMembers(ground)
  const ports = {
    http: await freePort(),
    mqtt: await freePort(),
    broker: ground.mosquitto.port,
  }
  const url = `http://127.0.0.1:${ports.http}`
  const haproxy = await startHaproxy(balanced(settings, ports), `${url}/openapi.json`)

  const processOf = (member: Member) => {
    const found = processes.get(member)
    if (!found) throw new Error(`${member} was not started`)
    return found
  }
  const operator = { ...(await settingsOf('worker1', ground)), args: [] }
  return {
    ...others,
    keys: ground.keys,
    settings: operator,
    service: { url },
    // Of whatever node: a statement of a killed one may end after its node has started again.
    run: { pid: undefined, startedAt: new Date() },
    mqttDevices: DEVICES.map((deviceId) => ({
      url: `mqtt://127.0.0.1:${ports.mqtt}`,
      deviceId,
      username: deviceId,
      password: `password of ${deviceId}`,
    })),
    beside: (use) => beside(operator, use),
    execute: (text) => execute(operator, text),
    expectRunning: () => {
      for (const [member, { child, output }] of processes)
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`${member} ended by itself: ${output().slice(-5_000)}`)
    },
    kill: async (member) => {
      await endProcess(processOf(member).child, 'SIGKILL')
      const of = settings.get(member)
      if (of) processes.set(member, await startAgain(of))
    },
    stop: (member) => endProcess(processOf(member).child, 'SIGTERM'),
    whenTaken: async (member) => {
      while (
        haproxy.output().lastIndexOf(`/${member} is UP`) <
        haproxy.output().lastIndexOf(`/${member} is DOWN`)
      )
        await delay(50)
    },
    end: async () => {
      await Promise.all([...processes.values()].map(({ child }) => endProcess(child, 'SIGKILL')))
      await haproxy.stop()
      await ground.mosquitto.stop()
      await others.end()
      rmSync(ground.dataDir, { recursive: true, force: true })
    },
  }
}
