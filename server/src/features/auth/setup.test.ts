import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { openBrowser } from '../../../test/given-people.ts'
import { readConfig } from '../../config/config.ts'
import { bootstrapWorkspace } from '../workspaces/index.ts'

let test: TestApp

beforeAll(async () => {
  test = await startTestApp({ people: readConfig({}).people })
})

async function givenToken(): Promise<string> {
  const actor = { type: 'Operator', id: undefined, email: undefined, requestId: undefined } as const
  const { setupUrl } = await bootstrapWorkspace(test.ctx, {
    name: 'Acme',
    ownerEmail: `${crypto.randomUUID()}@example.com`,
    actor,
  })
  return new URLSearchParams(new URL(setupUrl).hash.slice(1)).get('token') ?? ''
}

function setPassword(token: string, password = 'correct horse battery') {
  return openBrowser(test).post('/auth/links/accept', { token, password })
}

it('leads to a page', async () => {
  const response = await test.app.inject({ url: '/setup' })

  expect(response.headers['content-type']).toContain('text/html')
  expect(response.body).toContain('<h1>Set your password</h1>')
})

it('sets the password once, as argon2id', async () => {
  const token = await givenToken()

  const first = await setPassword(token)
  const second = await setPassword(token)

  expect([first.statusCode, second.statusCode]).toEqual([200, 404])
  expect(second.json()).toMatchObject({ type: '/problems/link-not-found' })
  const { passwordHash } = await test.ctx.db
    .selectFrom('people')
    .select('passwordHash')
    .where('passwordHash', 'is not', null)
    .executeTakeFirstOrThrow()
  expect(passwordHash).toMatch(
    /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/,
  )
})

it('tells of it in the audit log of each workspace of the person', async () => {
  await setPassword(await givenToken())

  const entry = await test.ctx.db
    .selectFrom('auditLog')
    .select(['actorType', 'actorEmail', 'requestId'])
    .where('action', '=', 'member.set-password')
    .orderBy('createdAt', 'desc')
    .executeTakeFirstOrThrow()

  expect(entry).toMatchObject({
    actorType: 'User',
    actorEmail: expect.stringContaining('@') as string,
  })
  expect(entry.requestId).not.toBeNull()
})

it('refuses a short password and leaves the link in force', async () => {
  const token = await givenToken()

  const short = await setPassword(token, 'short')
  const after = await setPassword(token)

  expect(short.json()).toMatchObject({ status: 400, errors: [{ pointer: '/password' }] })
  expect(after.statusCode).toBe(200)
})

it('refuses a link that has expired', async () => {
  const token = await givenToken()
  await test.ctx.db
    .updateTable('oneTimeLinks')
    .set({ expiresAt: new Date(0) })
    .execute()

  expect((await setPassword(token)).statusCode).toBe(404)
})

it('voids the other links of the person with the one that was used', async () => {
  const actor = { type: 'Operator', id: undefined, email: undefined, requestId: undefined } as const
  const ownerEmail = `${crypto.randomUUID()}@example.com`
  const tokens: string[] = []
  for (const name of ['One', 'Other']) {
    const { setupUrl } = await bootstrapWorkspace(test.ctx, { name, ownerEmail, actor })
    tokens.push(new URLSearchParams(new URL(setupUrl).hash.slice(1)).get('token') ?? '')
  }

  const statuses = []
  for (const token of tokens.toReversed()) statuses.push((await setPassword(token)).statusCode)

  expect(statuses).toEqual([200, 404])
})

it('does not hash a password for a link that never was', async () => {
  const started = process.cpuUsage()
  await Promise.all(Array.from({ length: 40 }, (_, index) => setPassword(`made-up-${index}`)))
  const { user, system } = process.cpuUsage(started)

  // Forty hashes take more than a second of any processor.
  expect((user + system) / 1000).toBeLessThan(800)
})
