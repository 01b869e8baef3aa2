/** Streams of events, through the API. */
import { afterEach, beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenClient } from '../../../../test/given.ts'
import { givenMember, givenSession } from '../../../../test/given-people.ts'
import { givenVersion } from '../../../../test/given-findings.ts'
import { announceLater } from '../../../platform/db/announcements.ts'
import { revokeApiKey } from '../../auth/index.ts'

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
})

const open: { destroy: () => unknown }[] = []
afterEach(() => {
  for (const stream of open.splice(0)) stream.destroy()
})

async function listen(
  { workspaceId, apiKey }: { workspaceId: string; apiKey?: string },
  headers: object = {},
) {
  const response = await test.app.inject({
    url: `/workspaces/${workspaceId}/events`,
    headers: { ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }), ...headers },
    payloadAsStream: true,
  })
  if (response.statusCode !== 200) return { response, next: () => Promise.resolve('') }
  const stream = response.stream()
  open.push(stream)
  const parts: AsyncIterator<unknown> = stream[Symbol.asyncIterator]()
  const next = async () => {
    const part = await parts.next()
    return part.done === true ? undefined : String(part.value)
  }
  expect(await next()).toBe('retry: 3000\n\n')
  return { response, next }
}
/** The topics that come, each once, until there are so many. */
async function hear(next: () => Promise<string | undefined>, count: number) {
  const heard = new Set<string>()
  while (heard.size < count) {
    const text = await next()
    if (text === undefined) break
    for (const [, topic = ''] of text.matchAll(/"topic":"(\w+)"/g)) heard.add(topic)
  }
  return [...heard].toSorted((a, b) => (a < b ? -1 : 1))
}

it('tells together what changed, and nothing of another workspace', async () => {
  const [client, stranger] = [await givenClient(test), await givenClient(test)]
  const { response, next } = await listen(client)

  await stranger.post('/firmwares', { slug: 'theirs' })
  await client.post('/deployment-cohorts', { name: 'West' })
  await givenVersion(test.ctx, client.workspaceId, [])

  expect(response.headers['content-type']).toBe('text/event-stream; charset=utf-8')
  expect(await hear(next, 5)).toEqual(['audit', 'deployments', 'findings', 'firmware', 'sboms'])
  announceLater(test.ctx, client.workspaceId, ['devices'])
  announceLater(test.ctx, client.workspaceId, ['devices', 'deployments'])
  expect(await hear(next, 2)).toEqual(['deployments', 'devices'])
})

it('says that everything may be stale after an interruption', async () => {
  const { next } = await listen(await givenClient(test), { 'last-event-id': '7' })

  // What made the workspace may still be told beside it.
  expect(await next()).toMatch(/id: \d+\ndata: {"topic":"everything"}\n\n/)
})

it('ends with the key', async () => {
  const client = await givenClient(test)
  const { next } = await listen(client)
  const { id } = await test.ctx.db
    .selectFrom('apiKeys')
    .select('id')
    .where('workspaceId', '=', client.workspaceId)
    .executeTakeFirstOrThrow()
  const actor = { type: 'Operator', id: undefined, email: undefined, requestId: undefined } as const

  await revokeApiKey(test.ctx, { id, actor })

  let last: string | undefined = ''
  while (last !== undefined) last = await next()
})

it('ends when the workspace begins to demand a second factor that the session lacks', async () => {
  const { workspaceId } = await test.givenWorkspace()
  const url = `/workspaces/${workspaceId}`
  const [weak, strong] = [
    await givenMember(test, workspaceId),
    await givenMember(test, workspaceId),
  ]
  const admin = await givenSession(test, strong.id, 'Done')
  const ended = await listen({ workspaceId }, weak.browser.headers)
  const kept = await listen({ workspaceId }, admin.headers)

  const settings = (await admin.get(`${url}/settings`)).json<Record<string, unknown>>()
  const { id: _id, updatedAt: _updatedAt, ...writable } = settings
  const changed = await admin.put(`${url}/settings`, { ...writable, requireSecondFactor: true })
  let last: string | undefined = ''
  while (last !== undefined) last = await ended.next()

  expect(changed.statusCode).toBe(200)
  expect(await kept.next()).toContain('"settings"')
  expect((await weak.browser.get(`${url}/events`)).statusCode).toBe(403)
})

it('refuses more streams of one key than 20', async () => {
  const client = await givenClient(test)
  for (let count = 0; count < 20; count += 1) await listen(client)

  const { response } = await listen(client)

  expect(response.statusCode).toBe(429)
})
