/** What a client without a valid key can hold or cost. */
import { randomBytes } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { beforeAll, expect, it, vi } from 'vitest'
import { startTestApp, type TestApp, type TestWorkspace } from '../../../test/app.ts'
import { createApiKey } from '../../features/auth/api-keys.ts'
import { groupAddress } from './address-group.ts'
import { KeyTries } from '../key-tries.ts'

/** Shorter than in the service. */
const REFUSAL_MS = 100

let test: TestApp
let workspace: TestWorkspace
let port: number

beforeAll(async () => {
  const door = {
    requestSeconds: 0.2,
    connections: 0,
    connectionsPerAddress: 4,
    refusalMs: REFUSAL_MS,
  }
  test = await startTestApp({ door })
  workspace = await test.givenWorkspace()
  port = Number(new URL(await test.app.listen({ host: '127.0.0.1', port: 0 })).port)
})

interface RawExchange {
  socket: Socket
  /** All that the server said until it closed the connection. */
  said: Promise<string>
}

function speak(text: string): RawExchange {
  const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
  socket.on('error', () => undefined)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const said = new Promise<string>((resolve) => {
    for (const event of ['end', 'close'])
      socket.once(event, () => resolve(Buffer.concat(chunks).toString()))
  })
  socket.write(text)
  return { socket, said: said.finally(() => socket.destroy()) }
}

const post = (path: string, ...headers: string[]) =>
  [`POST ${path} HTTP/1.1`, 'host: a', 'content-type: application/json', ...headers, '', ''].join(
    '\r\n',
  )

it('waits seconds for the body of somebody unknown', async () => {
  const said = await speak(
    post('/auth/links/accept', 'sec-fetch-site: same-origin', 'content-length: 100'),
  ).said

  expect(said).toMatch(/^HTTP\/1.1 408 [^]*request-timeout/)
})

it('waits seconds for the rest of a refused body', async () => {
  const path = `/workspaces/${workspace.workspaceId}/devices`
  const said = await speak(post(path, 'content-length: 100')).said

  expect(said).toMatch(/^HTTP\/1.1 401 /)
})

it('waits longer for the body of a known key', async () => {
  const path = `/workspaces/${workspace.workspaceId}/devices`
  const key = `authorization: Bearer ${workspace.apiKey}`
  const body = JSON.stringify({ id: 'slow' })
  const { socket, said } = speak(
    post(path, key, 'connection: close', `content-length: ${body.length}`),
  )
  await delay(400)
  socket.write(body)

  expect(await said).toMatch(/^HTTP\/1.1 201 /)
})

it('takes so many connections of one address, and others when they end', async () => {
  const held = Array.from({ length: 5 }, () => speak(''))
  const closed = await Promise.race(held.map(({ said }) => said.then(() => true)))
  for (const { socket } of held) socket.destroy()
  await vi.waitFor(
    async () => {
      const request = 'GET /openapi.json HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'
      expect(await speak(request).said).toMatch(/^HTTP\/1.1 200 /)
    },
    { timeout: 120_000 },
  )

  expect(closed).toBe(true)
})

const ask = (key: string) =>
  test.app.inject({
    url: `/workspaces/${workspace.workspaceId}/settings`,
    headers: { authorization: `Bearer ${key}` },
  })

it('asks the database once for a key that nobody has, and forgets it soon', async () => {
  const queries = vi.spyOn(test.ctx.pool, 'query')
  const key = createApiKey()
  const statuses = new Set<number>()
  for (let count = 0; count < 20; count += 1) statuses.add((await ask(key)).statusCode)

  expect([...statuses]).toEqual([401])
  expect(queries.mock.calls.length).toBeLessThan(5)
  queries.mockRestore()
})

it('asks the database once for a session that nobody has, and not at all for what cannot be one', async () => {
  const queries = vi.spyOn(test.ctx.pool, 'query')
  const showing = (token: string) =>
    test.app.inject({ url: '/me', headers: { cookie: `plimsoll_session=${token}` } })
  const unknown = randomBytes(32).toString('base64url')
  const statuses = new Set<number>()
  for (let count = 0; count < 20; count += 1) {
    statuses.add((await showing(unknown)).statusCode)
    statuses.add((await showing(`${unknown}${count}`)).statusCode)
  }

  expect([...statuses]).toEqual([401])
  expect(queries.mock.calls.length).toBeLessThan(5)
  queries.mockRestore()
})

it('refuses new keys of an address that tries many, and no key that it accepted before', async () => {
  expect((await ask(workspace.apiKey)).statusCode).toBe(200)
  // At once, as a few more are allowed with each second.
  const tried = await Promise.all(Array.from({ length: 400 }, () => ask(createApiKey())))
  const refused = await ask(createApiKey())

  expect(tried[0]?.statusCode).toBe(401)
  expect(refused.statusCode).toBe(429)
  expect(refused.headers).toMatchObject({
    'retry-after': '2',
    'content-type': 'application/problem+json',
    'x-content-type-options': 'nosniff',
    'x-request-id': expect.any(String) as string,
  })
  expect(refused.json()).toMatchObject({
    type: '/problems/too-many-unknown-keys',
    status: 429,
    instance: `/workspaces/${workspace.workspaceId}/settings`,
  })
  expect((await ask(workspace.apiKey)).statusCode).toBe(200)
})

it('refuses unknown sessions of that address as well', async () => {
  const cookie = `plimsoll_session=${randomBytes(32).toString('base64url')}`
  const queries = vi.spyOn(test.ctx.pool, 'query')
  const refused = await test.app.inject({ url: '/me', headers: { cookie } })

  expect(refused.statusCode).toBe(429)
  expect(refused.json()).toMatchObject({ type: '/problems/too-many-unknown-keys' })
  expect(queries).not.toHaveBeenCalled()
  queries.mockRestore()
})

const guess = () => `GET /whoami HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${createApiKey()}\r\n`

it('lets an address wait for further refusals, and cuts off who waits for none', async () => {
  const startedAt = performance.now()
  const refused = await speak(`${guess()}connection: close\r\n\r\n`).said
  const tookMs = performance.now() - startedAt
  const impatient = await speak(`${guess()}\r\n${guess()}\r\n`).said

  expect(refused).toMatch(/^HTTP\/1.1 429 /)
  expect(tookMs).toBeGreaterThanOrEqual(REFUSAL_MS)
  expect(impatient).toBe('')
})

it('asks again for a refused key a second later, and for new keys with time', () => {
  let now = 0
  const tries = new KeyTries(() => now)
  const one = { key: 'k', at: 'k /path', address: '192.0.2.1' }
  const begin = (key: string) => tries.begin({ ...one, key, at: key })

  expect(tries.begin(one)).toBe('mayBeValid')
  tries.refuse(one)
  expect(tries.begin(one)).toBe('refused')
  expect(tries.begin({ ...one, at: 'k /another' })).toBe('mayBeValid')
  now = 1_000
  expect(tries.begin(one)).toBe('mayBeValid')
  const refuse = (key: string) => tries.refuse({ ...one, key, at: key })
  for (let count = 0; count < 201; count += 1) refuse(`other ${count}`)
  expect(begin('new')).toBe('tooMany')
  expect(tries.begin({ ...one, address: '192.0.2.2' })).toBe('mayBeValid')
  now += 1_000
  expect(begin('new')).toBe('mayBeValid')
})

it.each`
  address                   | group
  ${'192.0.2.7'}            | ${'192.0.2.7'}
  ${'::ffff:192.0.2.7'}     | ${'192.0.2.7'}
  ${'2001:db8:1:2:3:4:5:6'} | ${'2001:db8:1:2'}
  ${'2001:db8::1'}          | ${'2001:db8:0:0'}
  ${'::1'}                  | ${'0:0:0:0'}
  ${'2001:db8:1:2:3:4:5::'} | ${'2001:db8:1:2'}
`('counts $address as $group', ({ address, group }: { address: string; group: string }) => {
  expect(groupAddress(address)).toBe(group)
})
