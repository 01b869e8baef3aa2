/** Sources read, and files carried in, by people of a workspace that keeps the sources. */
import { tmpdir } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { closeAtEndOfFile } from '../../../../test/end-of-file.ts'
import { startFeedServer } from '../../../../test/feed-server.ts'
import { kevCatalogue, osvRecord } from '../../../../test/given-feeds.ts'
import { feedConfig } from '../../../../test/given-publishers.ts'
import { type Browser, givenMember } from '../../../../test/given-people.ts'
import { setKeepsSources } from '../../workspaces/index.ts'

let test: TestApp
let workspaceId: string
let owner: Browser

beforeAll(async () => {
  const server = await startFeedServer()
  closeAtEndOfFile(server.close)
  server.put('/kev.json', JSON.stringify(kevCatalogue(['CVE-2026-0001'], '2026-08-19T00:00:00Z')))
  const { feeds } = feedConfig(server, tmpdir())
  // Nobody fetches by itself: what comes was asked for.
  test = await startTestApp({ feeds: { ...feeds, enabled: false } })
  await test.startWorker()
})

beforeEach(async () => {
  ;({ workspaceId } = await test.givenWorkspace())
  const actor = { type: 'Operator', id: undefined, email: undefined, requestId: undefined } as const
  await setKeepsSources(test.ctx, { workspaceId, keepsSources: true, actor })
  owner = (await givenMember(test, workspaceId)).browser
})

interface Answer {
  keepsSources: boolean
  sources: { source: string; requestedAt: string | null; phase: string; lastRun: object | null }[]
  imports: {
    id: string
    fileName: string
    state: string
    error: string | null
    sources: object[]
  }[]
}

const PATH = '/vulnerability-sources'
const urlOf = (path: string) => `/workspaces/${workspaceId}${PATH}${path}`

async function list(browser = owner): Promise<Answer> {
  return (await browser.get(urlOf(''))).json<Answer>()
}

const carryIn = (fileName: string, payload: string, { browser = owner, complete = '' } = {}) =>
  test.app.inject({
    method: 'POST',
    url: `${urlOf('/imports')}?fileName=${encodeURIComponent(fileName)}${complete}`,
    headers: {
      'sec-fetch-site': 'same-origin',
      ...browser.headers,
      'content-type': 'application/octet-stream',
    },
    payload,
  })

async function ended() {
  for (;;) {
    const { imports } = await list()
    const [latest] = imports
    if (latest && (latest.state === 'Succeeded' || latest.state === 'Failed')) return latest
    await delay(50)
  }
}

it('reads a source when an owner asks for it, once, and tells what came of it', async () => {
  const first = await owner.post(urlOf('/kev/sync'))

  let kev: Answer['sources'][number] | undefined
  do {
    await delay(50)
    kev = (await list()).sources.find(({ source }) => source === 'kev')
  } while (kev?.lastRun === null)
  const second = await owner.post(urlOf('/kev/sync'))

  expect(first.statusCode).toBe(202)
  expect(second.statusCode).toBe(409)
  expect(kev).toMatchObject({
    requestedAt: null,
    phase: 'Idle',
    lastRun: { kind: 'Sync', error: null, added: 1, changed: 0, skipped: 0 },
  })
})

it('imports a file that is carried in, and names what it rejected', async () => {
  const rejected = { ...osvRecord({ id: 'GHSA-9' }), affected: 'everything' }
  const file = [osvRecord({ id: 'GHSA-8' }), rejected].map((one) => JSON.stringify(one)).join('\n')

  const accepted = await carryIn('../osv?.jsonl', file)

  expect(accepted.statusCode).toBe(202)
  expect(await ended()).toMatchObject({
    id: accepted.json<{ id: string }>().id,
    state: 'Succeeded',
    error: null,
    sources: [
      {
        source: 'osv',
        added: 1,
        skipped: 1,
        skippedReasons: [{ reason: '/affected is not an array', count: 1 }],
      },
    ],
  })
  const osv = (await list()).sources.find(({ source }) => source === 'osv')
  expect(osv?.lastRun).toMatchObject({ kind: 'Import', added: 1, skipped: 1 })
})

it('says of a file that is none of advisories what it is, under the name people know', async () => {
  await carryIn('holiday.txt', 'no advisories')

  const { state, error } = await ended()

  expect(state).toBe('Failed')
  expect(error).toContain('holiday.txt holds no advisories of a known source.')
  expect(error).not.toContain('/feeds/')
})

it('knows all of an ecosystem once somebody says that the file holds it', async () => {
  const file = JSON.stringify(osvRecord({ id: 'GHSA-10' }))
  const known = async () =>
    (await test.ctx.db.selectFrom('completeEcosystems').select('ecosystem').execute()).map(
      ({ ecosystem }) => ecosystem,
    )
  await carryIn('part.jsonl', file)
  await ended()
  expect(await known()).toEqual([])

  const refused = await carryIn('osv.jsonl', file, { complete: '&complete=npm,left-pad' })
  const accepted = await carryIn('osv.jsonl', file, { complete: '&complete=npm,%20Debian' })
  const { id } = accepted.json<{ id: string }>()

  expect([refused.statusCode, accepted.statusCode]).toEqual([400, 202])
  expect(refused.body).toContain('left-pad is not an ecosystem of OSV')
  await expect
    .poll(async () => (await list()).imports.find((one) => one.id === id)?.state)
    .toBe('Succeeded')
  expect((await known()).toSorted()).toEqual(['Debian', 'npm'])
})

it('refuses a file without a byte', async () => {
  expect((await carryIn('empty.json', '')).statusCode).toBe(400)
})

it('is not for workspaces that do not keep the sources, nor for engineers, nor for keys', async () => {
  const other = await test.givenWorkspace()
  const stranger = (await givenMember(test, other.workspaceId)).browser
  const engineer = (await givenMember(test, workspaceId, 'Engineer')).browser
  const key = await test.givenKey(workspaceId, ['Workspace settings: write'])
  const elsewhere = `/workspaces/${other.workspaceId}${PATH}`

  const answers = [
    await stranger.post(`${elsewhere}/kev/sync`),
    await engineer.post(urlOf('/kev/sync')),
    await carryIn('a.json', '{}', { browser: engineer }),
    await test.app.inject({
      method: 'POST',
      url: urlOf('/imports'),
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/octet-stream' },
      payload: '{}',
    }),
  ]

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403, 403])
  expect(answers[0]?.json()).toMatchObject({ type: '/problems/sources-kept-elsewhere' })
  const seen = (await stranger.get(elsewhere)).json<Answer>()
  expect([seen.keepsSources, seen.imports]).toEqual([false, []])
  expect((await list()).keepsSources).toBe(true)
})

it('knows no other sources', async () => {
  expect((await owner.post(urlOf('/rumours/sync'))).statusCode).toBe(404)
})
