/** Two nodes with all roles behind HAProxy, on one database and file store; each runs the sources of some release. */
import { setTimeout as delay } from 'node:timers/promises'
import { type Haproxy, startHaproxy } from '../haproxy.ts'
import {
  endProcess,
  freePort,
  type ServiceProcess,
  type ServiceSettings,
  startServiceProcess,
} from '../service-process.ts'

/** As docs/guide/upgrade.md says: longer than the balancer needs to see that a node is not ready. */
const DRAIN_SECONDS = 5

const NAMES = ['node1', 'node2'] as const
type Name = (typeof NAMES)[number]

export interface Nodes {
  /** Of the balancer. */
  url: string
  mqttUrl: string
  /** SIGTERM: resolves when it has drained and ended. */
  stop: (name: Name) => Promise<void>
  /** Resolves when the balancer sends requests to it. `sources`: the root of a release's sources. */
  start: (name: Name, sources: string) => Promise<void>
  /** What the balancer has logged. */
  balancerLog: () => string
  /** What all processes so far have logged as errors. */
  errors: () => string[]
  end: () => Promise<void>
}

type SharedSettings = Pick<ServiceSettings, 'dataDir'> & { env: Record<string, string> }

async function settingsOf({ dataDir, env }: SharedSettings) {
  const [port, managementPort, mqttPort] = [await freePort(), await freePort(), await freePort()]
  const own = {
    PLIMSOLL_MQTT_PORT: String(mqttPort),
    PLIMSOLL_TRUST_PROXY: 'loopback',
    PLIMSOLL_DRAIN_SECONDS: String(DRAIN_SECONDS),
    PLIMSOLL_LOG_LEVEL: 'warn',
  }
  return { dataDir, port, managementPort, mqttPort, env: { ...env, ...own } }
}

type NodeSettings = Awaited<ReturnType<typeof settingsOf>>

/** The environment of the balancer: each node answers people and devices. */
const addressesOf = (index: number, { port, managementPort, mqttPort }: NodeSettings) => ({
  [`PLIMSOLL_API_${index}`]: `127.0.0.1:${port}`,
  [`PLIMSOLL_API_${index}_MANAGEMENT_PORT`]: String(managementPort),
  [`PLIMSOLL_GATEWAY_${index}`]: `127.0.0.1:${port}`,
  [`PLIMSOLL_GATEWAY_${index}_MANAGEMENT_PORT`]: String(managementPort),
  [`PLIMSOLL_GATEWAY_${index}_MQTT`]: `127.0.0.1:${mqttPort}`,
})

/** Starts both with the same sources. */
export async function startNodes(shared: SharedSettings, sources: string): Promise<Nodes> {
  const settings = { node1: await settingsOf(shared), node2: await settingsOf(shared) }
  const processes: ServiceProcess[] = []
  const running = new Map<Name, ServiceProcess>()
  const run = async (name: Name, of: string) => {
    const started = await startServiceProcess({ ...settings[name], sources: of })
    processes.push(started)
    running.set(name, started)
  }
  const stop = async (name: Name) => {
    const node = running.get(name)
    if (node) await endProcess(node.child, 'SIGTERM')
  }
  await Promise.all(NAMES.map((name) => run(name, sources)))
  const ports = { http: await freePort(), mqtt: await freePort() }
  const url = `http://127.0.0.1:${ports.http}`
  const env = {
    ...addressesOf(1, settings.node1),
    ...addressesOf(2, settings.node2),
    PLIMSOLL_HTTP_BIND: `127.0.0.1:${ports.http}`,
    PLIMSOLL_MQTT_BIND: `127.0.0.1:${ports.mqtt}`,
  }
  const haproxy = await startHaproxy(env, `${url}/openapi.json`)
  return {
    url,
    mqttUrl: `mqtt://127.0.0.1:${ports.mqtt}`,
    stop,
    start: async (name, of) => {
      await run(name, of)
      const number = NAMES.indexOf(name) + 1
      while (!(isTaken(haproxy, `api${number}`) && isTaken(haproxy, `gateway${number}`)))
        await delay(50)
    },
    balancerLog: haproxy.output,
    errors: () => processes.flatMap(({ output }) => errorsIn(output())),
    end: async () => {
      await haproxy.stop()
      await Promise.all(NAMES.map(stop))
    },
  }
}

const isTaken = (haproxy: Haproxy, server: string) =>
  haproxy.output().lastIndexOf(`/${server} is UP`) >=
  haproxy.output().lastIndexOf(`/${server} is DOWN`)

/** That a connection to the database takes longer than 3 s happens on a busy machine, and no request failed by it. */
const IS_SLOW = /Connection terminated due to connection timeout/

const errorsIn = (output: string) =>
  output
    .split('\n')
    .filter((line) => /"level":[56]0/.test(line) || !/^(?:\{|$)/.test(line))
    .filter((line) => !IS_SLOW.test(line))
