import { randomInt } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp, type TestWorkspace } from '../../../test/app.ts'
import { givenMember, givenSession } from '../../../test/given-people.ts'
import { ROLES } from '../../formats/roles.ts'
import { listScopes } from './roles.ts'
import { setKeepsSources } from '../workspaces/index.ts'
import { type Scope, SCOPES } from './scopes.ts'
import { revokeApiKey } from './service.ts'

let test: TestApp
let workspace: TestWorkspace

beforeAll(async () => {
  test = await sharedTestApp()
  workspace = await test.givenWorkspace()
})

function settings(workspaceId: string, authorization?: string) {
  const url = `/workspaces/${workspaceId}/settings`
  return test.app.inject({ url, headers: authorization === undefined ? {} : { authorization } })
}

it.each`
  header                            | because
  ${undefined}                      | ${'there is none'}
  ${''}                             | ${'it is empty'}
  ${'Basic abc'}                    | ${'the scheme is another'}
  ${'Bearer'}                       | ${'the token is missing'}
  ${'Bearer plm_short'}             | ${'the key is malformed'}
  ${`Bearer plm_${'0'.repeat(40)}`} | ${'the checksum is wrong'}
`(
  'answers 401 with a challenge to the header $header, as $because',
  async ({ header }: { header?: string }) => {
    const response = await settings(workspace.workspaceId, header)

    expect(response.statusCode).toBe(401)
    expect(response.headers['www-authenticate']).toBe('Bearer')
    expect(response.headers['content-type']).toBe('application/problem+json')
    expect(response.json()).toMatchObject({ type: '/problems/unauthorized', status: 401 })
  },
)

it('refuses a revoked key at once', async () => {
  const key = await test.givenKey(workspace.workspaceId, ['Workspace settings: read'])
  const before = await settings(workspace.workspaceId, `Bearer ${key}`)
  const { id } = await test.ctx.db
    .selectFrom('apiKeys')
    .select('id')
    .orderBy('id', 'desc')
    .executeTakeFirstOrThrow()

  await revokeApiKey(test.ctx, {
    id,
    actor: { type: 'Operator', id: undefined, email: undefined, requestId: undefined },
  })
  const after = await settings(workspace.workspaceId, `Bearer ${key}`)

  expect([before.statusCode, after.statusCode]).toEqual([200, 401])
  expect(after.json()).toMatchObject({ detail: 'The API key was revoked.' })
})

it('refuses an expired key', async () => {
  const key = await test.givenKey(workspace.workspaceId, ['Workspace settings: read'])
  await test.ctx.db
    .updateTable('apiKeys')
    .set({ expiresAt: new Date(Date.now() - 1000) })
    .where('id', '=', (eb) => eb.selectFrom('apiKeys').select('id').orderBy('id', 'desc').limit(1))
    .execute()

  const response = await settings(workspace.workspaceId, `Bearer ${key}`)

  expect(response.statusCode).toBe(401)
})

it('answers 400 for a workspace id that is not a UUID', async () => {
  const response = await settings('not-a-uuid', `Bearer ${workspace.apiKey}`)

  expect(response.statusCode).toBe(400)
  expect(response.json()).toMatchObject({ errors: [{ pointer: '/params/workspaceId' }] })
})

it('takes a workspace id in upper case for the same one', async () => {
  const response = await settings(workspace.workspaceId.toUpperCase(), `Bearer ${workspace.apiKey}`)

  expect(response.statusCode).toBe(200)
})

it('gives the same answer for a foreign workspace as for one that does not exist', async () => {
  const other = await test.givenWorkspace()
  const nowhere = crypto.randomUUID()

  const foreign = await settings(other.workspaceId, `Bearer ${workspace.apiKey}`)
  const missing = await settings(nowhere, `Bearer ${workspace.apiKey}`)

  expect(foreign.statusCode).toBe(404)
  expect(foreign.body.replaceAll(other.workspaceId, 'ID')).toBe(
    missing.body.replaceAll(nowhere, 'ID'),
  )
})

interface GuardedRoute {
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'PATCH'
  url: string
  scope: Scope
  /** Scopes that it needs as well. */
  further: readonly Scope[]
  needsPerson: boolean
}

interface Operation {
  description?: string
  security?: Record<string, unknown>[]
}

/** Every operation of the API description, with the scope it states. */
function guardedRoutes(): GuardedRoute[] {
  const { paths = {} } = test.app.swagger()
  const below = Object.entries(paths).filter(([path]) => path.startsWith('/workspaces/'))
  return below.flatMap(([path, operations]) =>
    Object.entries(operations as Record<string, Operation>).map(
      ([method, { description = '', security }]) => {
        const [, scope] = /Needs the scope `([^`]+)`/.exec(description) ?? []
        const known = SCOPES.find((one) => one === scope)
        if (!known) throw new Error(`${method} ${path} states no scope`)
        const isForSessions = security?.every((one) => 'session' in one) ?? false
        const needsPerson = isForSessions || description.includes('other keys are refused')
        const verb = method.toUpperCase() as GuardedRoute['method']
        const [, more = ''] = /The key needs (.+?) as well/.exec(description) ?? []
        const further = SCOPES.filter((one) => more.includes(`\`${one}\``))
        return { method: verb, url: path, scope: known, further, needsPerson }
      },
    ),
  )
}

/** A request that is right in all but what its parameters name. */
async function request(
  { method, url }: GuardedRoute,
  workspaceId: string,
  credentials: Record<string, string>,
) {
  const path = url
    .replace('{workspaceId}', workspaceId)
    .replaceAll(/\{\w+\}/g, () => crypto.randomUUID())
  const body = ['POST', 'PUT', 'PATCH'].includes(method) ? { payload: {} } : {}
  // An address may show so many unknown keys a minute, and there are more routes than that.
  const remoteAddress = `10.0.0.${randomInt(256)}`
  const asked = { method, url: path, headers: credentials, remoteAddress, ...body }
  if (!url.endsWith('/events')) return test.app.inject(asked)
  // A stream of events has no end: only refusals are read.
  const response = await test.app.inject({ ...asked, payloadAsStream: true })
  if (response.statusCode !== 200) return test.app.inject(asked)
  response.stream().destroy()
  return response
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

describe('every route', () => {
  it('is refused with 403 and the name of the scope to a key that holds all other scopes', async () => {
    const routes = guardedRoutes()
    expect(routes.length).toBeGreaterThan(20)
    for (const scope of SCOPES) {
      const key = await test.givenKey(
        workspace.workspaceId,
        SCOPES.filter((one) => one !== scope),
      )
      for (const route of routes.filter((one) => one.scope === scope)) {
        const response = await request(route, workspace.workspaceId, bearer(key))

        expect([route.url, response.statusCode]).toEqual([route.url, 403])
        expect(response.json()).toMatchObject({
          type: '/problems/insufficient-scope',
          detail: expect.stringContaining(scope) as string,
        })
      }
    }
  })

  it('is let through to a key that holds that scope alone, and those it says to need as well', async () => {
    for (const scope of SCOPES) {
      const alone = await test.givenKey(workspace.workspaceId, [scope])
      for (const route of guardedRoutes().filter((one) => one.scope === scope)) {
        const key =
          route.further.length === 0
            ? alone
            : await test.givenKey(workspace.workspaceId, [scope, ...route.further])
        const response = await request(route, workspace.workspaceId, bearer(key))

        const refusal = [401, 403, 500].includes(response.statusCode)
        expect([route.url, refusal]).toEqual([route.url, route.needsPerson])
        if (route.needsPerson)
          expect(response.json()).toMatchObject({ type: '/problems/needs-a-person', status: 403 })
      }
    }
  })

  it('answers 404 for a foreign workspace, and 401 without a key', async () => {
    const other = await test.givenWorkspace()
    for (const route of guardedRoutes()) {
      const foreign = await request(route, other.workspaceId, bearer(workspace.apiKey))
      const anonymous = await request(route, workspace.workspaceId, bearer(''))

      expect([route.url, foreign.statusCode, anonymous.statusCode]).toEqual([route.url, 404, 401])
    }
  })

  it.each([...ROLES])('is open to a session of the role %s as the role says', async (role) => {
    const { workspaceId } = await test.givenWorkspace()
    const actor = {
      type: 'Operator' as const,
      id: undefined,
      email: undefined,
      requestId: undefined,
    }
    // Other workspaces may not import records, whatever the role.
    await setKeepsSources(test.ctx, { workspaceId, keepsSources: true, actor })
    const { browser } = await givenMember(test, workspaceId, role)
    const own = { ...browser.headers, 'sec-fetch-site': 'same-origin' }
    for (const route of guardedRoutes()) {
      const response = await request(route, workspaceId, own)

      const isRefused = !listScopes(role).includes(route.scope)
      const named = `${route.method} ${route.url}`
      expect([named, [401, 403, 500].includes(response.statusCode)]).toEqual([named, isRefused])
      if (isRefused)
        expect(response.json()).toMatchObject({
          type: '/problems/insufficient-scope',
          detail: expect.stringContaining(route.scope) as string,
        })
    }
  })

  it('is closed to sessions from other sites, of strangers, of removed members and without their second factor', async () => {
    const { workspaceId } = await test.givenWorkspace()
    const member = await givenMember(test, workspaceId)
    const removed = await givenMember(test, workspaceId)
    const pending = await givenSession(test, member.id, 'Outstanding')
    const stranger = await givenMember(test, workspace.workspaceId)
    await test.ctx.db.deleteFrom('members').where('subjectId', '=', removed.id).execute()
    const site = (from: string, { browser }: typeof member) => ({
      ...browser.headers,
      'sec-fetch-site': from,
    })
    for (const route of guardedRoutes()) {
      const ask = (credentials: Record<string, string>) => request(route, workspaceId, credentials)
      const foreign =
        route.method === 'GET' ? 403 : (await ask(site('cross-site', member))).statusCode
      const others = [
        await ask(site('same-origin', stranger)),
        await ask(site('same-origin', removed)),
        await ask({ ...pending.headers, 'sec-fetch-site': 'same-origin' }),
      ]

      const statuses = [foreign, ...others.map(({ statusCode }) => statusCode)]
      expect([route.url, ...statuses]).toEqual([route.url, 403, 404, 404, 401])
    }
  })
})
