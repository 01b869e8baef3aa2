/** What waits for the database holds up its own kind of work only. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
    PLIMSOLL_DATABASE_POOL_SIZE: '2',
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

it('answers busy when all connections of the API are taken, while devices and health go on', async () => {
  const { workspaceId, apiKey } = await bootstrapWorkspace(service.ctx, {
    name: 'Acme',
    ownerEmail: 'owner@example.com',
    actor: { type: 'Operator', id: undefined, email: undefined, requestId: undefined },
  })
  const workspace = `${url}/workspaces/${workspaceId}`
  const headers = { authorization: `Bearer ${apiKey}` }
  const json = { ...headers, 'content-type': 'application/json' }
  const post = (path: string, body: object) =>
    fetch(`${workspace}${path}`, { method: 'POST', headers: json, body: JSON.stringify(body) })
  await post('/devices', { id: 'a' })
  const deviceKey = await givenDeviceKey(service, workspaceId, 'a')
  await blocker.query('begin; lock table firmwares in access exclusive mode')

  const lists = [1, 2].map(() => fetch(`${workspace}/firmwares`, { headers }))
  const busy = await fetch(`${workspace}/firmwares`, { headers })
  const ready = await fetch(`${managementUrl}/health/ready`)
  const said = await fetch(`${url}/device/v1/${workspaceId}/a/sync`, {
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
    connections: { api: { most: 2, inUse: 2 } },
  })
  expect(said.status).toBe(200)
  for (const list of await Promise.all(lists)) expect(list.status).toBe(200)
})
