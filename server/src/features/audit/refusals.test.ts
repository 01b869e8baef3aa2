import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenMember } from '../../../test/given-people.ts'
import { recordRefusals } from './refusals-service.ts'
import { RefusalCounts } from './refusals.ts'

let test: TestApp

beforeAll(async () => {
  test = await startTestApp()
})

interface Entry {
  actorType: string
  actorId: string | null
  action: string
  requestId: string | null
  after: { count: number; refused: object[] }
}

async function readRefusals({ apiKey, workspaceId }: { apiKey: string; workspaceId: string }) {
  await recordRefusals(test.ctx)
  const response = await test.app.inject({
    url: `/workspaces/${workspaceId}/audit-log?action=request.refuse`,
    headers: { authorization: `Bearer ${apiKey}` },
  })
  return response.json<{ entries: Entry[] }>().entries
}

const ask = (apiKey: string, method: 'GET' | 'PUT' | 'POST', url: string) =>
  test.app.inject({ method, url, headers: { authorization: `Bearer ${apiKey}` } })

it('records 37 refusals of a key as one entry, with what they asked for', async () => {
  const workspace = await test.givenWorkspace()
  const key = await test.givenKey(workspace.workspaceId, ['Firmware: read'])
  const below = `/workspaces/${workspace.workspaceId}`

  const first = await ask(key, 'GET', `${below}/settings`)
  for (let n = 0; n < 35; n += 1) await ask(key, 'GET', `${below}/settings`)
  await ask(key, 'POST', `${below}/firmwares`)

  const entries = await readRefusals(workspace)
  expect(first.statusCode).toBe(403)
  expect(entries).toHaveLength(1)
  expect(entries[0]).toMatchObject({
    actorType: 'ApiKey',
    requestId: first.headers['x-request-id'],
    after: {
      count: 37,
      refused: [
        {
          problem: 'insufficient-scope',
          request: 'GET /workspaces/:workspaceId/settings',
          scope: 'Workspace settings: read',
          count: 36,
        },
        { request: 'POST /workspaces/:workspaceId/firmwares', count: 1 },
      ],
    },
  })
})

it('records what is refused to members, and names the person', async () => {
  const workspace = await test.givenWorkspace()
  const below = `/workspaces/${workspace.workspaceId}`
  const { id, browser } = await givenMember(test, workspace.workspaceId, 'Viewer')

  await browser.post(`${below}/firmwares`, { name: 'Gateway' })
  browser.headers['sec-fetch-site'] = 'cross-site'
  await browser.post(`${below}/firmwares`, { name: 'Gateway' })
  await test.ctx.db
    .updateTable('workspaces')
    .set({ requireSecondFactor: true })
    .where('id', '=', workspace.workspaceId)
    .execute()
  await browser.get(`${below}/firmwares`)

  const entries = await readRefusals(workspace)
  expect(entries).toMatchObject([
    {
      actorType: 'User',
      actorId: id,
      after: {
        count: 3,
        refused: [
          { problem: 'insufficient-scope', scope: 'Firmware: write' },
          { problem: 'foreign-origin' },
          { problem: 'second-factor-needed' },
        ],
      },
    },
  ])
})

it('records it when a key asks for what is for people, also outside of its workspace', async () => {
  const workspace = await test.givenWorkspace()

  await ask(workspace.apiKey, 'GET', '/me')

  expect(await readRefusals(workspace)).toMatchObject([
    { after: { count: 1, refused: [{ problem: 'needs-a-person', request: 'GET /me' }] } },
  ])
})

describe('a request for another workspace', () => {
  it('of a key stands in the audit log of the key, and not in that of the other', async () => {
    const own = await test.givenWorkspace()
    const other = await test.givenWorkspace()

    await ask(own.apiKey, 'GET', `/workspaces/${other.workspaceId.toUpperCase()}/settings`)
    await ask(own.apiKey, 'GET', `/workspaces/${other.workspaceId}/settings`)

    expect(await readRefusals(other)).toEqual([])
    expect(await readRefusals(own)).toMatchObject([
      {
        after: {
          refused: [{ problem: 'workspace-not-found', askedFor: other.workspaceId, count: 2 }],
        },
      },
    ])
  })

  it('of a person who is no member stands in no audit log', async () => {
    const own = await test.givenWorkspace()
    const other = await test.givenWorkspace()
    const { browser } = await givenMember(test, own.workspaceId)

    const response = await browser.get(`/workspaces/${other.workspaceId}/settings`)

    expect(response.statusCode).toBe(404)
    expect(await readRefusals(own)).toEqual([])
    expect(await readRefusals(other)).toEqual([])
  })
})

it('records nothing of keys that nobody has', async () => {
  const workspace = await test.givenWorkspace()

  const response = await ask(
    `${workspace.apiKey.slice(0, -1)}x`,
    'GET',
    `/workspaces/${workspace.workspaceId}/settings`,
  )

  expect(response.statusCode).toBe(401)
  expect(await readRefusals(workspace)).toEqual([])
})

it('goes on when a workspace was deleted since', async () => {
  const gone = await test.givenWorkspace()
  const workspace = await test.givenWorkspace()
  for (const { apiKey } of [gone, workspace]) await ask(apiKey, 'GET', '/me')
  await test.ctx.db.deleteFrom('workspaces').where('id', '=', gone.workspaceId).execute()

  expect(await readRefusals(workspace)).toHaveLength(1)
})

it('keeps what it could not record, as the database was away', async () => {
  const away = await startTestApp()
  const workspace = await away.givenWorkspace()
  const headers = { authorization: `Bearer ${workspace.apiKey}` }
  await away.app.inject({ url: '/me', headers })
  const failing = { ...away.ctx, db: withoutTransactions(away) }

  await expect(recordRefusals(failing)).rejects.toThrow('away')
  await away.app.inject({ url: '/me', headers })
  await recordRefusals(away.ctx)
  await recordRefusals(away.ctx)

  const rows = await away.ctx.db
    .selectFrom('auditLog')
    .select('after')
    .where('action', '=', 'request.refuse')
    .execute()
  expect(rows).toMatchObject([{ after: { count: 1 } }, { after: { count: 1 } }])
})

function withoutTransactions({ ctx }: TestApp): TestApp['ctx']['db'] {
  return new Proxy(ctx.db, {
    get: (db, name, receiver) =>
      name === 'transaction'
        ? () => ({ execute: () => Promise.reject(new Error('away')) })
        : (Reflect.get(db, name, receiver) as unknown),
  })
}

describe('a flood', () => {
  const at = new Date('2026-11-27T12:00:00Z')
  const what = { problem: 'insufficient-scope', request: 'GET /workspaces/:workspaceId/settings' }
  const actorOf = (id: string) =>
    ({ type: 'ApiKey', id, email: undefined, requestId: 'first' }) as const

  it('of many keys becomes 21 entries, and counts every refusal', () => {
    const counts = new RefusalCounts()

    for (let n = 0; n < 100_000; n += 1)
      counts.add({ workspaceId: 'W', actor: actorOf(`key-${n % 1000}`), at, what })
    counts.close()

    const { counts: entries = [] } = counts.next() ?? {}
    expect(entries).toHaveLength(21)
    expect(entries.at(-1)).toMatchObject({ actor: { type: 'System' }, count: 98_000 })
    expect(entries.reduce((sum, { count }) => sum + count, 0)).toBe(100_000)
  })

  it('of one key over many workspaces names ten of them', () => {
    const counts = new RefusalCounts()

    for (let n = 0; n < 10_000; n += 1)
      counts.add({
        workspaceId: 'W',
        actor: actorOf('key'),
        at,
        what: { ...what, askedFor: `${n}` },
      })
    counts.close()

    const { counts: [entry] = [] } = counts.next() ?? {}
    expect(entry).toMatchObject({ count: 10_000 })
    expect(entry?.kinds.size).toBe(10)
  })

  it('does not hide the refusals of another workspace', () => {
    const counts = new RefusalCounts()

    for (let n = 0; n < 1_000; n += 1)
      counts.add({ workspaceId: 'W', actor: actorOf(`key-${n}`), at, what })
    counts.add({ workspaceId: 'V', actor: actorOf('quiet'), at, what })
    counts.close()
    counts.forget()

    expect(counts.next()).toMatchObject({
      workspaceId: 'V',
      counts: [{ actor: { id: 'quiet' }, count: 1 }],
    })
  })
})
