/** The floods of `bench/fairness.ts`: a process of its own, `node bench/fairness-floods.ts FLOOD TARGET`, until it is ended. */
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { generate } from 'mqtt-packet'
import { createApiKey, createKey } from '../server/src/features/auth/api-keys.ts'
import { DOWNLOADING, downloadEndlessly } from './fairness-downloads.ts'

export interface Target {
  url: string
  mqttPort: number
  workspaceId: string
  apiKey: string
  deviceKey: string
  firmwareVersionId: string
}

/** Makes one request after another, so many at once. */
async function endlessly(atOnce: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let done = 0
  const one = async () => {
    for (;;) {
      const startedAt = performance.now()
      await work((done += 1)).catch(() => count('failed'))
      // Refusals come at once: a real client would not be quicker.
      await delay(Math.max(0, 20 - (performance.now() - startedAt)))
    }
  }
  await Promise.all(Array.from({ length: atOnce }, one))
}

function requesting({ url, workspaceId, apiKey }: Target) {
  return async (method: string, path: string, body?: object | string, key = apiKey) => {
    const type = typeof body === 'string' ? 'application/octet-stream' : 'application/json'
    const answer = await fetch(`${url}/workspaces/${workspaceId}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body && { 'content-type': type }) },
      ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    count(`${answer.status}`, text)
  }
}

/** How often the service answered with each status. The parent waits for the first answer. */
const answers: Record<string, number> = {}

function count(status: string, text = ''): void {
  if (Object.keys(answers).length === 0) {
    console.log('begun')
  }
  if (answers[status] === undefined && Number(status) >= 400 && process.env['FAIRNESS_SHOW'])
    console.error(status, text.slice(0, 300))
  answers[status] = (answers[status] ?? 0) + 1
}

const PATTERNS = Array.from({ length: 20 }, (_, index) => ({ contains: `zz${index}` }))
const LAST_HOUR = () => ({
  from: new Date(Date.now() - 3_600_000).toISOString(),
  to: new Date().toISOString(),
})

/** Headers of an upload to `/setup` whose body never comes. */
const UNFINISHED =
  'POST /setup HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n'

async function holdOpen({ url }: Target): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) }, () => socket.write(UNFINISHED))
  socket.on('error', () => undefined)
  await new Promise((resolve) => socket.once('close', resolve))
  count('closed')
}

async function reconnect({ mqttPort, workspaceId }: Target, index: number, deviceKey: string) {
  const deviceId = `d${index % 500}`
  const socket = connect({ host: '127.0.0.1', port: mqttPort })
  socket.on('error', () => undefined)
  const packet = generate({
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 4,
    clean: true,
    clientId: deviceId,
    keepalive: 60,
    username: `${workspaceId}:${deviceId}`,
    password: Buffer.from(deviceKey),
  })
  socket.write(packet)
  await new Promise((resolve) => {
    socket.once('data', (answer: Buffer) => {
      count(`connack ${answer[3] ?? ''}`)
      resolve(undefined)
    })
    socket.once('close', resolve)
  })
  socket.destroy()
}

async function crash({ url, workspaceId, deviceKey }: Target, index: number): Promise<void> {
  const answer = await fetch(`${url}/device/v1/${workspaceId}/d${index % 1_000}/sync`, {
    method: 'POST',
    headers: { authorization: `Bearer ${deviceKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ crashes: [{ reason: 'loop', pc: index }] }),
  })
  count(`${answer.status}`, await answer.text())
}

/** 499,000 components (some 45 MB), each time others, so that all of their packages are new. */
function hugeSbom(): string {
  const prefix = randomBytes(4).toString('hex')
  const components = Array.from({ length: 499_000 }, (_, index) => {
    const name = `${prefix}-${index}`
    return { type: 'library', name, version: '1', purl: `pkg:generic/${name}@1` }
  })
  return JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components })
}

const FLOODS: Record<string, (target: Target) => Promise<unknown>> = {
  'list patterns': (target) =>
    endlessly(25, () =>
      requesting(target)('POST', '/vulnerability-findings/list', { filter: { name: PATTERNS } }),
    ),
  exports: (target) => {
    const path = `/firmware-versions/${target.firmwareVersionId}/vulnerability-findings/export`
    return endlessly(10, () => requesting(target)('GET', `${path}?format=sarif`))
  },
  uploads: async (target) => {
    const path = `/firmware-versions/${target.firmwareVersionId}/sboms`
    for (let sent = 0; sent < 6; sent += 1) await requesting(target)('POST', path, hugeSbom())
    await delay(3_600_000)
  },
  'dry runs': (target) =>
    endlessly(10, () =>
      requesting(target)('POST', '/alert-rules/dry-run', {
        name: 'Hot',
        type: 'MetricFixedThreshold',
        evaluationFrequency: '1m',
        condition: { metric: 'temperature', operator: 'GreaterThan', threshold: 0, window: '1h' },
      }),
    ),
  'metric queries': (target) =>
    endlessly(10, () =>
      requesting(target)('POST', '/metrics/query', {
        metric: 'temperature',
        ...LAST_HOUR(),
        stepSeconds: 60,
        aggregation: 'Average',
        groupBy: 'Device',
      }),
    ),
  'log searches': (target) =>
    endlessly(10, () =>
      requesting(target)('POST', '/device-logs/list', {
        filter: { message: PATTERNS, ...LAST_HOUR() },
      }),
    ),
  'reconnect storm': (target) =>
    endlessly(100, (index) => reconnect(target, index, target.deviceKey)),
  'unknown device keys': (target) =>
    endlessly(100, (index) => reconnect(target, index, createKey('plmd_'))),
  // A crash a second from each of a thousand devices, each with other addresses.
  'crash reports': (target) => endlessly(50, (index) => crash(target, index)),
  'webhook names': (target) =>
    endlessly(20, (index) =>
      requesting(target)('POST', '/webhooks', {
        name: `w${index}`,
        url: `https://${randomBytes(8).toString('hex')}.example.invalid/`,
      }),
    ),
  'slow bodies': (target) => {
    setTimeout(() => count('held', ''), 500)
    return endlessly(500, () => holdOpen(target))
  },
  downloads: (target) =>
    Promise.all(
      Array.from({ length: DOWNLOADING }, (_, index) => downloadEndlessly(target, index, count)),
    ),
  'unknown keys': (target) =>
    endlessly(20, () => requesting(target)('GET', '/settings', undefined, createApiKey())),
}

export const FLOOD_NAMES = Object.keys(FLOODS)

/** Takes a share of a processor, and nothing of the service. */
async function burn(share: number): Promise<void> {
  count('begun')
  for (;;) {
    const until = performance.now() + 10 * Math.min(1, share)
    while (performance.now() < until);
    await delay(10 * Math.max(0, 1 - share))
  }
}

if (import.meta.main) {
  process.on('SIGTERM', () => {
    console.log(JSON.stringify(answers))
    process.exit(0)
  })
  const [, , name = '', target = '{}'] = process.argv
  if (name === 'burner') await burn(Number(target))
  await FLOODS[name]?.(JSON.parse(target) as Target)
}
