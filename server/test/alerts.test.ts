/**
 * From a device's point to mail and webhook, and back to silence: the real service with a real mail server, killed while an
 * incident lasts. Rules are evaluated on the clock's minutes; the test moves what is stored into the past instead of waiting.
 */
import { createServer } from 'node:http'
import { mkdtempSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase } from './database.ts'
import {
  endProcess,
  freePort,
  runAdmin,
  type ServiceProcess,
  type ServiceSettings,
  startServiceProcess,
} from './service-process.ts'
import { partOf, readSubject, type SmtpTestServer, startSmtpServer } from './smtp-server.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-alerts-'))
const ADDRESS = 'ops@example.com'

let database: pg.Pool
let smtp: SmtpTestServer
let settings: ServiceSettings
let service: ServiceProcess
let workspace: { workspaceId: string; apiKey: string }
let deviceKey: string
const hooks: { type: string; data: { incidentId: string } }[] = []
const receiver = createServer((request, response) => {
  let body = ''
  request.on('data', (chunk: Buffer) => (body += chunk.toString()))
  request.on('end', () => {
    hooks.push(JSON.parse(body) as (typeof hooks)[number])
    response.writeHead(204).end()
  })
})

beforeAll(async () => {
  smtp = await startSmtpServer()
  receiver.listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const { connectionString } = await createTestDatabase()
  database = new pg.Pool({ connectionString, max: 1 })
  settings = {
    dataDir,
    port: await freePort(),
    managementPort: await freePort(),
    env: {
      DATABASE_URL: connectionString,
      PLIMSOLL_DATABASE_POOL_SIZE: '10',
      PLIMSOLL_LOG_LEVEL: 'warn',
      PLIMSOLL_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      PLIMSOLL_WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
      PLIMSOLL_DEVICE_REQUESTS_PER_MINUTE: '0',
    },
  }
  settings.env = { ...settings.env, PLIMSOLL_PUBLIC_URL: `http://127.0.0.1:${settings.port}` }
  service = await startServiceProcess(settings)
}, 120_000)

afterAll(async () => {
  await endProcess(service.child, 'SIGTERM')
  receiver.close()
  await database.end()
  rmSync(dataDir, { recursive: true, force: true })
}, 60_000)

async function admin<Answer>(...args: string[]): Promise<Answer> {
  const { code, stdout, stderr } = await runAdmin(settings, ...args, '--json')
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(stdout) as Answer
}

async function call<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const response = await fetch(`${service.url}/workspaces/${workspace.workspaceId}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${workspace.apiKey}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  return JSON.parse(text) as Answer
}

/** Reports the value every second until it is stopped. */
function sayTemperature(value: number): () => Promise<void> {
  const stopping = new AbortController()
  const saying = (async () => {
    while (!stopping.signal.aborted) {
      const path = `/device/v1/${workspace.workspaceId}/pump-1/sync`
      await fetch(`${service.url}${path}`, {
        method: 'POST',
        headers: { authorization: `Bearer ${deviceKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ metrics: [{ name: 'temperature', value }] }),
        // The service is being restarted.
      }).catch(() => undefined)
      await delay(1_000, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  })()
  return async () => {
    stopping.abort()
    await saying
  }
}

interface ShownRule {
  id: string
  hasFiringAlert: boolean
  evaluations: { status: string; evaluationScheduledAt: string }[]
}

async function findRule(): Promise<ShownRule> {
  const [rule] = await call<ShownRule[]>('GET', '/alert-rules?state=Enabled')
  if (!rule) throw new Error('There is no rule.')
  return rule
}

/** Resolves when points of the present minute are stored, and the minute is not about to end. */
async function pointsOfThisMinute(): Promise<void> {
  for (;;) {
    const { rows } = await database.query(
      `select from metric_points where time >= date_trunc('minute', now()) and extract(second from now()) < 55 limit 1`,
    )
    if (rows.length > 0) return
    await delay(100)
  }
}

/** Moves all stored times a minute into the past; evaluations move further, so that no two have the same instant. */
async function passMinute(): Promise<void> {
  // Of no time zone, as a database of several nodes (Citus) takes it.
  const moved = (column: string, by = '1 minute') =>
    `${column} = (${column} at time zone 'UTC' - interval '${by}') at time zone 'UTC'`
  const changes = {
    metric_points: moved('time'),
    alert_incidents: moved('began_at'),
    alert_series: moved('since'),
    alert_evaluations: moved('scheduled_at', '1 day'),
    alert_rules: ['effective_since', 'evaluated_until', 'next_evaluation_at'].map((column) =>
      moved(column),
    ),
  }
  const ids = [workspace.workspaceId]
  await database.query('begin')
  // An evaluation under way ends first, and its result is moved too.
  await database.query('select id from alert_rules where workspace_id = $1 for update', ids)
  for (const [table, change] of Object.entries(changes))
    await database.query(`update ${table} set ${String(change)} where workspace_id = $1`, ids)
  await database.query('commit')
}

/** Resolves when it is stored that all messages arrived: a message may come twice if the service is killed before. */
async function everyMessageDelivered(): Promise<void> {
  for (;;) {
    const { rows } = await database.query(
      `select from notifications where state = 'Pending' limit 1`,
    )
    if (rows.length === 0) return
    await delay(100)
  }
}

const incidentMails = () => smtp.mails.filter(({ raw }) => raw.includes('/incidents/'))

it(
  'notifies the beginning and the end of an incident once, though it is killed in between',
  { timeout: 400_000 },
  async () => {
    workspace = await admin('bootstrap', '--workspace', 'Pumps', '--owner', 'a@example.com')
    const key = ['device-key', 'create', '--workspace', workspace.workspaceId]
    deviceKey = (await admin<{ deviceKey: string }>(...key)).deviceKey
    await call('POST', '/devices', { id: 'pump-1' })

    // The address confirms before it gets alerts.
    const target = await call<{ id: string }>('POST', '/notification-targets', {
      name: 'Operations',
      type: 'Email',
      state: 'Enabled',
      emailAddresses: [ADDRESS],
    })
    await smtp.took(1)
    const [question] = smtp.mails
    if (!question) throw new Error('Nobody asked.')
    const link = /http:\/\/\S+\/notifications\/confirm\S*/.exec(partOf(question, 'text/plain'))?.[0]
    const confirmed = await fetch(link ?? '', { method: 'POST' })
    expect(confirmed.status).toBe(200)
    const receiverUrl = `http://127.0.0.1:${(receiver.address() as { port: number }).port}/hook`
    const webhook = await call<{ id: string }>('POST', '/webhooks', {
      name: 'Desk',
      url: receiverUrl,
    })

    await call('POST', '/alert-rules', {
      name: 'Too hot',
      type: 'MetricFixedThreshold',
      evaluationFrequency: '1m',
      condition: {
        metric: 'temperature',
        aggregation: 'Average',
        groupBy: 'Device',
        operator: 'GreaterThan',
        threshold: 80,
        window: '1m',
      },
      targets: [{ id: target.id }, { id: webhook.id }],
    })

    // The rule fires.
    const stopHot = sayTemperature(95)
    await pointsOfThisMinute()
    await passMinute()
    await smtp.took(2)
    // One more evaluation may have come at the beginning of a minute.
    const fired = await findRule()
    expect(fired.hasFiringAlert).toBe(true)
    expect(new Set(fired.evaluations.map(({ status }) => status))).toEqual(new Set(['Firing']))

    await everyMessageDelivered()

    // The service is killed: the beginning is not sent again, and the end is sent.
    await endProcess(service.child, 'SIGKILL')
    service = await startServiceProcess(settings)
    await stopHot()
    await passMinute()
    await passMinute()
    const stopCool = sayTemperature(40)
    await pointsOfThisMinute()
    await passMinute()
    await smtp.took(3)
    await stopCool()
    while (hooks.length < 2) await delay(100)

    expect(
      incidentMails().map(({ headers, to }) => [readSubject(headers['subject'] ?? ''), to]),
    ).toEqual([
      [expect.stringContaining('Too hot: firing') as string, [ADDRESS]],
      [expect.stringContaining('Too hot: resolved') as string, [ADDRESS]],
    ])
    expect(hooks.map(({ type }) => type)).toEqual(['alert.fired', 'alert.resolved'])
    const rule = await findRule()
    expect(rule.hasFiringAlert).toBe(false)
    const instants = rule.evaluations.map(({ evaluationScheduledAt }) => evaluationScheduledAt)
    expect(new Set(instants).size).toBe(instants.length)
    const list = await call<{ incidents: object[] }>('POST', '/alert-incidents/list', {})
    expect(list.incidents).toMatchObject([
      { id: hooks[0]?.data.incidentId, alertRule: { id: rule.id }, endedCause: 'Recovered' },
    ])
    expect(service.output()).not.toMatch(/"level":(50|60)/)
  },
)
