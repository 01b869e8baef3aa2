/** What waits for the database holds up its own kind of work only. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readConfig, ROLES } from '../src/config/config.ts'
import { bootstrapWorkspace } from '../src/features/workspaces/index.ts'
import { createLog } from '../src/platform/log.ts'
import { startService } from '../src/service.ts'
import { createTestDatabase } from './database.ts'
import { givenDeviceKey } from './given-ddi.ts'
import { freePort } from './service-process.ts'

let service: Awaited<ReturnType<typeof startService>>
let blocker: pg.Client
let url: string
let managementUrl: string
const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-busy-'))

beforeAll(async () => {
  const { connectionString } = await createTestDatabase()
  const [port, managementPort] = [await freePort(), await freePort()]
  const config = readConfig({
    DATABASE_URL: connectionString,
    PLIMSOLL_DATA_DIR: dataDir,
    PLIMSOLL_PORT: String(port),
    PLIMSOLL_MANAGEMENT_PORT: String(managementPort),
    PLIMSOLL_MQTT_PORT: '0',
    PLIMSOLL_FEEDS: 'off',
    PLIMSOLL_PORTAL: 'off',
    PLIMSOLL_DATABASE_POOL_SIZE: '3',
    PLIMSOLL_WORKSPACE_CONNECTIONS: '2',
    PLIMSOLL_WORKSPACE_EXPENSIVE_REQUESTS: '1',
  })
  service = await startService({
    config,
    roles: ROLES,
    log: createLog('silent'),
    onProgress: () => undefined,
  })
  url = `http://127.0.0.1:${port}`
  managementUrl = `http://127.0.0.1:${managementPort}`
  blocker = new pg.Client({ connectionString })
  await blocker.connect()
})
afterAll(async () => {
  await blocker.end()
  await service.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

async function givenWorkspace() {
  const { workspaceId, apiKey } = await bootstrapWorkspace(service.ctx, {
    name: 'Acme',
    ownerEmail: `${crypto.randomUUID()}@example.com`,
    actor: { type: 'Operator', id: undefined, email: undefined, requestId: undefined },
  })
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const base = `${url}/workspaces/${workspaceId}`
  return {
    workspaceId,
    get: (path: string, signal?: AbortSignal) =>
      fetch(`${base}${path}`, { headers, signal: signal ?? null }),
    post: (path: string, body: object) =>
      fetch(`${base}${path}`, { method: 'POST', headers, body: JSON.stringify(body) }),
    upload: (path: string, body: string) =>
      fetch(`${base}${path}`, {
        method: 'PUT',
        headers: { ...headers, 'content-type': 'application/octet-stream' },
        body,
      }),
  }
}

it('answers busy when all connections of the API are taken, while devices and health go on', async () => {
  const [one, two] = [await givenWorkspace(), await givenWorkspace()]
  await one.post('/devices', { id: 'a' })
  const deviceKey = await givenDeviceKey(service, one.workspaceId, 'a')
  await blocker.query('begin; lock table firmwares in access exclusive mode')

  const lists = [one, one, two, two].map(({ get }) => get('/firmwares'))
  const busy = await Promise.race(lists)
  const ready = await fetch(`${managementUrl}/health/ready`)
  const said = await fetch(`${url}/device/v1/${one.workspaceId}/a/sync`, {
    method: 'POST',
    headers: { authorization: `Bearer ${deviceKey}`, 'content-type': 'application/json' },
    body: '{}',
  })
  await blocker.query('rollback')

  expect(busy.status).toBe(503)
  expect(busy.headers.get('retry-after')).toBe('2')
  expect(await busy.json()).toMatchObject({ type: '/problems/busy' })
  expect(ready.status).toBe(200)
  expect(await ready.json()).toMatchObject({
    checks: { database: true },
    connections: { api: { most: 3, inUse: 3 } },
  })
  expect(said.status).toBe(200)
  const statuses = (await Promise.all(lists)).map(({ status }) => status)
  expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 200, 200, 503])
})

it('refuses a workspace more than its share of the connections, and goes on for others; downloads wait', async () => {
  const [one, two] = [await givenWorkspace(), await givenWorkspace()]
  const idOf = async (made: Promise<Response>) => ((await (await made).json()) as { id: string }).id
  const id = await idOf(one.post('/firmwares', { slug: 'main' }))
  const version = await idOf(one.post(`/firmwares/${id}/versions`, { name: '1' }))
  await one.upload(`/firmware-versions/${version}/artifact?fileName=a.bin`, 'image')
  const address = await one.post(`/firmware-versions/${version}/artifact-addresses`, { days: 1 })
  const { pathname, search } = new URL(((await address.json()) as { url: string }).url)
  await blocker.query('begin')
  await blocker.query('select from firmwares where workspace_id = $1 and id = $2 for update', [
    one.workspaceId,
    id,
  ])
  await blocker.query('lock table artifact_addresses in access exclusive mode')

  // More than the workspace has connections for devices.
  const downloads = [1, 2, 3, 4].map(() => fetch(`${url}${pathname}${search}`))
  await untilWaiting(2, ['plimsoll-devices'])
  const change = () => one.post(`/firmwares/${id}/versions`, { name: crypto.randomUUID() })
  const changes = [change(), change(), change()]
  const others = await Promise.all([1, 2, 3, 4].map(() => two.get('/firmwares')))
  const answer = await Promise.race(changes)
  await blocker.query('rollback')

  expect(others.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(answer.status).toBe(429)
  expect(answer.headers.get('retry-after')).toBe('2')
  expect(await answer.json()).toMatchObject({ type: '/problems/too-many-at-once' })
  const statuses = (await Promise.all(changes)).map(({ status }) => status)
  expect(statuses.toSorted((a, b) => a - b)).toEqual([201, 201, 429])
  const sent = await Promise.all(downloads)
  expect(sent.map(({ status }) => status)).toEqual([200, 200, 200, 200])
  expect(await sent[3]?.text()).toBe('image')
})

it('ends the statement of a client that hangs up, and a read that takes too long', async () => {
  const one = await givenWorkspace()
  const hangUp = new AbortController()
  await blocker.query('begin; lock table firmwares in access exclusive mode')

  const left = one.get('/firmwares', hangUp.signal).catch(() => 'left')
  await untilWaiting(1)
  hangUp.abort()
  await left
  await untilWaiting(0)
  service.ctx.config.readSeconds = 0.2
  const late = await one.get('/firmwares')
  service.ctx.config.readSeconds = 20
  await blocker.query('rollback')

  expect(late.status).toBe(503)
  expect(await late.json()).toMatchObject({ type: '/problems/took-too-long' })
})

it('gives each workspace its turn at exports, however many another asks for', async () => {
  const [one, two] = [await givenWorkspace(), await givenWorkspace()]
  const path = '/audit-log/export?format=jsonl'
  await blocker.query('begin; lock table audit_log in access exclusive mode')

  const hangUp = new AbortController()
  const left = one.get(path, hangUp.signal).catch(() => 'left')
  await untilWaiting(1)
  hangUp.abort()
  await left
  const exports = [one.get(path), one.get(path), one.get(path), two.get(path)]
  await untilWaiting(2)
  const waiting = await listWaiting()
  const lists = await Promise.all([one.get('/firmwares'), two.get('/firmwares')])
  await blocker.query('rollback')

  expect(waiting).toEqual(['plimsoll-slow', 'plimsoll-slow'])
  expect(lists.map(({ status }) => status)).toEqual([200, 200])
  expect((await Promise.all(exports)).map(({ status }) => status)).toEqual([200, 200, 200, 200])
})

it('keeps no turn of a client that left while its key was looked up', async () => {
  const one = await givenWorkspace()
  const path = '/audit-log/export?format=jsonl'
  await blocker.query('begin; lock table api_keys in access exclusive mode')

  const hangUp = new AbortController()
  const left = one.get(path, hangUp.signal).catch(() => 'left')
  await untilWaiting(1)
  hangUp.abort()
  await left
  await blocker.query('rollback')
  await untilWaiting(0)

  expect((await one.get(path)).status).toBe(200)
})

it('lets a list with many patterns wait for the turn of an export, and no other list', async () => {
  const one = await givenWorkspace()
  const listBy = (count: number) => {
    const name = Array.from({ length: count }, (_, index) => ({ contains: `x${index}` }))
    return one.post('/vulnerability-findings/list', { filter: { name } })
  }
  await blocker.query('begin; lock table audit_log in access exclusive mode')
  const exported = one.get('/audit-log/export?format=jsonl')
  await untilWaiting(1)

  let isAnswered = false
  const many = listBy(6).finally(() => {
    isAnswered = true
  })
  const few = [await listBy(5), await listBy(5), await listBy(5)]
  const wasAnswered = isAnswered
  await blocker.query('rollback')

  expect(few.map(({ status }) => status)).toEqual([200, 200, 200])
  expect(wasAnswered).toBe(false)
  expect([(await exported).status, (await many).status]).toEqual([200, 200])
})

/** Until so many statements of the API wait for a lock. */
const OF_API = ['plimsoll-api', 'plimsoll-slow']

async function untilWaiting(count: number, names = OF_API): Promise<void> {
  while ((await listWaiting(names)).length !== count) await delay(10)
}

/** The connections of statements that wait for a lock; those of the API if nothing else is said. */
async function listWaiting(names = OF_API): Promise<string[]> {
  // A transaction sees the connections that were there when it first looked.
  await blocker.query('select pg_stat_clear_snapshot()')
  const { rows } = await blocker.query<{ name: string }>(
    `select application_name as name from pg_stat_activity
    where datname = current_database() and application_name = any($1)
      and wait_event_type = 'Lock'`,
    [names],
  )
  return rows.map(({ name }) => name)
}
