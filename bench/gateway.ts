/**
 * Measures the gateway (docs/design/budgets.md): 10,000 connected devices, 5,000 messages a second stored before they are
 * acknowledged, a changed configuration at all of them. The service is one process, the devices are in two more.
 * `node bench/gateway.ts [devices] [messages a second] [seconds]`
 */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  endProcess,
  freePort,
  runAdmin,
  type ServiceSettings,
  startServiceProcess,
} from '../server/test/service-process.ts'
import { countArgument, readBenchArguments } from './bench-arguments.ts'
import type { Order, Outcome } from './gateway-devices.ts'
import { readUsage } from './fairness-processes.ts'
import { keepFigure } from './figures.ts'
import { findMax } from '../server/src/formats/extremes.ts'

const { devices, perSecond, seconds } = readBenchArguments({
  devices: countArgument(10_000),
  perSecond: countArgument(5_000),
  seconds: countArgument(20),
})
const PROCESSES = 2
const mqttPort = await freePort()
const settings: ServiceSettings = {
  dataDir: mkdtempSync(join(tmpdir(), 'plimsoll-bench-')),
  port: await freePort(),
  managementPort: await freePort(),
  env: {
    PLIMSOLL_MQTT_PORT: String(mqttPort),
    PLIMSOLL_MQTT_MESSAGES_PER_MINUTE: '0',
    // Messages are measured, not how fast a fleet comes back.
    PLIMSOLL_MQTT_LOGINS_PER_SECOND: '0',
  },
}
const service = await startServiceProcess(settings)

async function admin<Answer>(...args: string[]): Promise<Answer> {
  const { stdout, stderr, code } = await runAdmin(settings, ...args, '--json')
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as Answer
}

const { workspaceId, apiKey } = await admin<{ workspaceId: string; apiKey: string }>(
  'bootstrap',
  '--workspace',
  'Bench',
  '--owner',
  'bench@example.com',
)
const { deviceKey } = await admin<{ deviceKey: string }>(
  'device-key',
  'create',
  '--workspace',
  workspaceId,
)

async function changeSettings(changes: Record<string, unknown>): Promise<void> {
  const url = `${service.url}/workspaces/${workspaceId}/settings`
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const current = (await (await fetch(url, { headers })).json()) as Record<string, unknown>
  const { id: _id, updatedAt: _updatedAt, ...writable } = current
  const body = JSON.stringify({ ...writable, ...changes })
  const response = await fetch(url, { method: 'PUT', headers, body })
  if (!response.ok) throw new Error(await response.text())
}

async function order(child: ChildProcess, what: Order): Promise<Outcome> {
  const answer = once(child, 'message')
  child.send(what)
  const [outcome] = (await answer) as [Outcome]
  return outcome
}

async function orderAll(whatOf: (index: number) => Order): Promise<Outcome> {
  const outcomes = await Promise.all(children.map((child, index) => order(child, whatOf(index))))
  return {
    seconds: findMax(outcomes.map((one) => one.seconds)),
    latencies: outcomes.flatMap((one) => one.latencies).toSorted((a, b) => a - b),
  }
}

function residentMebibytes(): number {
  const status = readFileSync(`/proc/${service.child.pid ?? 0}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

/** Seconds of processors that the service and its database took so far. */
function usedSeconds(): { service: number; database: number } {
  const used = readUsage(service.child.pid ?? 0).seconds
  return { service: used.service + used.helpers, database: used.database }
}

interface Costs {
  service: number
  database: number
  both: number
}

/** What each of `count` things cost since `before`, in milliseconds of processors. */
function costSince(before: ReturnType<typeof usedSeconds>, count: number): Costs {
  const now = usedSeconds()
  const each = (part: 'service' | 'database') => ((now[part] - before[part]) / count) * 1_000
  return {
    service: each('service'),
    database: each('database'),
    both: each('service') + each('database'),
  }
}

const tell = (costs: Costs) =>
  `${costs.service.toFixed(2)} ms of the service, ${costs.database.toFixed(2)} of the database`

async function storedMessages(): Promise<number> {
  const text = await (await fetch(`${service.managementUrl}/metrics`)).text()
  const stored = /plimsoll_mqtt_messages_total\{kind="metrics",outcome="stored"\} (\d+)/.exec(text)
  return Number(stored?.[1] ?? 0)
}

await changeSettings({ deviceAutoRegistration: true, defaultLogSeverity: 'Info' })
const children = Array.from({ length: PROCESSES }, () =>
  fork(new URL('gateway-devices.ts', import.meta.url)),
)
const idle = residentMebibytes()
const share = Math.floor(devices / PROCESSES)
const fleet = { port: mqttPort, workspaceId, deviceKey, count: share }
const connected = await orderAll((index) => ({
  do: 'connect',
  fleet: { ...fleet, first: index * share },
}))
await orderAll(() => ({ do: 'await', logSeverity: 'Info' }))
const resident = residentMebibytes()

const beforeMessages = usedSeconds()
const published = await orderAll(() => ({
  do: 'publish',
  perSecond: perSecond / PROCESSES,
  seconds,
}))
const stored = await storedMessages()
const perMessage = costSince(beforeMessages, stored)
const residentLoaded = residentMebibytes()

const startedAt = performance.now()
const orders = orderAll(() => ({ do: 'await', logSeverity: 'Debug' }))
await changeSettings({ defaultLogSeverity: 'Debug' })
await orders
const configured = (performance.now() - startedAt) / 1_000

const beforeLogins = usedSeconds()
const again = await orderAll(() => ({ do: 'reconnect' }))
await orderAll(() => ({ do: 'await', logSeverity: 'Debug' }))
const perLogin = costSince(beforeLogins, devices)

keepFigure({ what: 'messages stored', value: stored / published.seconds, unit: '/s', least: 5_000 })
keepFigure({ what: 'configuration at all devices', value: configured, unit: 's', most: 10 })
keepFigure({ what: 'logins', value: 1_000 / perLogin.both, unit: '/s and core', least: 200 })
keepFigure({ what: 'devices connected', value: devices, unit: 'devices', least: 10_000 })

const milliseconds = (part: number) =>
  `${(published.latencies[Math.floor(published.latencies.length * part)] ?? 0).toFixed(0)} ms`
console.table([
  { what: 'devices connected', figure: devices, budget: '10,000' },
  { what: 'first connect, registering each', figure: `${connected.seconds.toFixed(1)} s` },
  { what: 'all come back at once', figure: `${again.seconds.toFixed(1)} s` },
  {
    what: 'messages stored a second',
    figure: (stored / published.seconds).toFixed(0),
    budget: '5,000',
  },
  { what: 'sent and stored', figure: `${published.latencies.length} and ${stored}` },
  { what: 'to PUBACK, p50', figure: milliseconds(0.5) },
  { what: 'to PUBACK, p99', figure: milliseconds(0.99) },
  { what: 'each message', figure: tell(perMessage) },
  { what: 'each login, with the end of the one before', figure: tell(perLogin) },
  {
    what: 'logins a second and core',
    figure: (1_000 / perLogin.both).toFixed(0),
    budget: '200',
  },
  { what: 'configuration at all', figure: `${configured.toFixed(2)} s`, budget: '10 s' },
  {
    what: 'RSS idle, connected, loaded',
    figure: [idle, resident, residentLoaded].map((one) => `${one.toFixed(0)} MiB`).join(', '),
  },
])

for (const child of children) child.kill()
await endProcess(service.child, 'SIGTERM')
rmSync(settings.dataDir, { recursive: true, force: true })
