import { describe, expect, it } from 'vitest'
import { readAllPages, ApiProblem, createApiClient, UnexpectedAnswer } from './index.ts'

interface SeenRequest {
  url: string
  init: RequestInit
}

function givenClient(response: Response, baseUrl = 'http://service.test') {
  const seen: SeenRequest[] = []
  const client = createApiClient({
    baseUrl,
    apiKey: 'plm_key',
    fetch: async (url, init) => {
      seen.push({ url, init })
      return response
    },
  })
  return { client, seen }
}

const json = (body: unknown, status = 200, type = 'application/json; charset=utf-8') =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': type } })

const PARAMS = { workspaceId: 'w', firmwareId: 'f' }

/** One whose answers have an entity tag where they are of one firmware. */
async function givenRead() {
  const seen: SeenRequest[] = []
  const client = createApiClient({
    baseUrl: 'http://service.test',
    fetch: async (url, init) => {
      seen.push({ url, init })
      const isList = url.endsWith('/firmwares')
      const response = json(isList ? { firmwares: [{ id: 'f' }] } : { id: 'f' })
      if (!isList) response.headers.set('etag', '"a"')
      return response
    },
  })
  return { client, seen, answer: await client.get(WORKSPACE, { params: PARAMS }) }
}

const WORKSPACE = '/workspaces/{workspaceId}/firmwares/{firmwareId}'

describe('the typed client', () => {
  it('fills the path, below the path of a proxy, and sends the key', async () => {
    const { client, seen } = givenClient(json({ id: 'f' }), 'https://proxy.test/plimsoll/')

    const params = { workspaceId: 'w', firmwareId: 'a/b ?' }
    await client.get(WORKSPACE, { params })

    expect(seen[0]?.url).toBe('https://proxy.test/plimsoll/workspaces/w/firmwares/a%2Fb%20%3F')
    expect(seen[0]?.init).toMatchObject({
      method: 'GET',
      headers: { authorization: 'Bearer plm_key' },
    })
  })

  it('sends a body as JSON', async () => {
    const { client, seen } = givenClient(json({ id: 'f' }, 201))

    const params = { workspaceId: 'w' }
    const body = { slug: 'gateway' }
    await client.post('/workspaces/{workspaceId}/firmwares', { params, body })

    expect(seen[0]?.init).toMatchObject({
      body: '{"slug":"gateway"}',
      headers: { 'content-type': 'application/json' },
    })
  })

  it('answers nothing where the service answers nothing', async () => {
    const { client } = givenClient(new Response(null, { status: 204 }))

    const params = { workspaceId: 'w', firmwareId: 'f' }
    const answer = await client.delete(WORKSPACE, { params })

    expect(answer).toBeUndefined()
  })

  it('throws a problem with its fields', async () => {
    const errors = [{ pointer: '/slug', detail: 'must be text' }]
    const problem = {
      type: '/problems/x',
      title: 'Bad Request',
      status: 400,
      detail: 'No.',
      errors,
    }
    const { client } = givenClient(json(problem, 400, 'application/problem+json'))

    const failure = await client.get('/whoami', {}).catch((error: unknown) => error)

    expect(failure).toBeInstanceOf(ApiProblem)
    expect(failure).toMatchObject({ message: 'No.', problem })
  })

  it.each([
    ['a page of a proxy', new Response('<html>', { status: 502 })],
    ['a page where JSON is due', new Response('<html>', { status: 200 })],
    ['a problem that is none', json(['?'], 400, 'application/problem+json')],
    [
      'a problem cut off',
      new Response('{"ty', {
        status: 400,
        headers: { 'content-type': 'application/problem+json' },
      }),
    ],
  ])('tells of %s', async (_what, response) => {
    const { client } = givenClient(response)

    const answer = client.get('/whoami', {})

    await expect(answer).rejects.toBeInstanceOf(UnexpectedAnswer)
  })

  it('changes what it read only as long as it is still so', async () => {
    const { client, answer, seen } = await givenRead()

    await client.patch(WORKSPACE, { params: PARAMS, body: { name: 'A' }, ifStill: answer })

    expect(client.hasEntityTag(answer)).toBe(true)
    expect(seen[1]?.init.headers).toMatchObject({ 'if-match': '"a"' })
  })

  it('sends no change that is to be made for an element of a list, or for a copy', async () => {
    const { client, answer, seen } = await givenRead()
    const { firmwares } = await client.get('/workspaces/{workspaceId}/firmwares', {
      params: { workspaceId: 'w' },
    })
    const input = { params: PARAMS, body: { name: 'A' } }
    const before = seen.length

    const changes = [
      // @ts-expect-error -- the types refuse it, too
      client.patch(WORKSPACE, { ...input, ifStill: { id: 'f' } }),
      // @ts-expect-error -- the types refuse it, too
      client.patch(WORKSPACE, { ...input, ifStill: firmwares }),
      client.patch(WORKSPACE, { ...input, ifStill: structuredClone(answer) }),
    ]

    for (const change of changes)
      await expect(change).rejects.toThrow('was read without an entity tag')
    expect(seen).toHaveLength(before)
  })

  it('reads pages until there are no more', async () => {
    const asked: (string | undefined)[] = []

    const pages = readAllPages(async ({ cursor }) => {
      asked.push(cursor)
      return cursor === 'b' ? { hasMore: false } : { hasMore: true, nextCursor: cursor ? 'b' : 'a' }
    })
    for await (const page of pages) expect(page).toBeDefined()

    expect(asked).toEqual([undefined, 'a', 'b'])
  })
})
