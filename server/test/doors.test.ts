/** Each door at which nobody needs an account has a counter, which a flood from one network meets and nobody elsewhere does. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { buildApi } from '../src/api.ts'
import { readConfig, ROLES } from '../src/config/config.ts'
import type { OidcProvider } from '../src/config/oidc-settings.ts'
import { openDoors } from '../src/device-doors.ts'
import type { AppContext } from '../src/platform/context.ts'
import type { App } from '../src/platform/http/app.ts'
import { createLog } from '../src/platform/log.ts'
import { NodeMemory } from '../src/platform/node-memory.ts'
import { startTestApp, type TestApp } from './app.ts'
import { givenMember, givenPerson, givenSession, openBrowser, PASSWORD } from './given-people.ts'
import { givenPortal } from './given-portal.ts'

/** Of an address or key, for the counter of each node that all doors have. */
const PER_MINUTE = 400

interface DoorCase {
  /** The problem that ends a flood. */
  counter: 'too-many-attempts' | 'rate-limited' | 'too-many-unknown-keys'
  body?: (number: number) => object
  headers?: (number: number) => Record<string, string>
  /** In place of the parameters of the path. */
  path?: string
}

/** What it costs is counted in the database, so that all nodes count together. */
const COUNTED = 'too-many-attempts'
const json = (file: string) =>
  JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as unknown

/** The operations of the API without an account. A new one fails here until it has a counter. */
const OPERATIONS: Readonly<Record<string, DoorCase>> = {
  // Settings, without a question to the database.
  getSignInOptions: { counter: 'rate-limited' },
  // Without a session nothing is asked, and with an unknown one see below.
  signOut: { counter: 'rate-limited' },
  signIn: {
    counter: COUNTED,
    body: (number) => ({ email: `${number}@example.com`, password: 'not the right one' }),
  },
  requestPasswordReset: {
    counter: COUNTED,
    body: (number) => ({ email: `${number}@example.com` }),
  },
  readLink: { counter: COUNTED, body: (number) => ({ token: `${number}`.padStart(43, 'x') }) },
  acceptLink: {
    counter: COUNTED,
    body: (number) => ({ token: `${number}`.padStart(43, 'x'), password: 'seven grey seals' }),
  },
  startAtProvider: { counter: COUNTED, path: '/auth/oidc/away/start' },
  finishAtProvider: { counter: COUNTED, path: '/auth/oidc/away/callback?code=1&state=2' },
  enterSecondFactor: { counter: COUNTED, body: () => ({ code: '000000' }) },
  beginPasskeySignIn: { counter: COUNTED },
  signInByPasskey: {
    counter: COUNTED,
    body: (number) => ({
      id: `unknown-${number}`,
      rawId: `unknown-${number}`,
      type: 'public-key',
      response: { clientDataJSON: 'e30', authenticatorData: 'AA', signature: 'AA' },
      clientExtensionResults: {},
    }),
  },
  beginTerminalLogin: { counter: COUNTED, body: () => ({ client: 'flood', host: 'bench' }) },
  collectTerminalKey: { counter: COUNTED, body: (number) => ({ deviceCode: `unknown-${number}` }) },
}

const ID = '01890000-0000-7000-8000-000000000000'
const unknownKey = (number: number) => ({ authorization: `Bearer plm_unknown_${number}` })
const deviceDoor = (path: string): DoorCase => ({
  counter: 'too-many-unknown-keys',
  path,
  headers: unknownKey,
  body: () => ({}),
})
const page = (path: string): DoorCase => ({ counter: 'rate-limited', path })

/** Routes that the description of the API leaves out. */
const HIDDEN: Readonly<Record<string, DoorCase>> = {
  'GET /setup': page('/setup'),
  'GET /setup.js': page('/setup.js'),
  'GET /content/sboms/:workspaceId/:sbomId': page(
    `/content/sboms/${ID}/${ID}?expires=1&signature=x`,
  ),
  'GET /notifications/confirm': page('/notifications/confirm?token=x'),
  'POST /notifications/confirm': page('/notifications/confirm?token=x'),
  'GET /notifications/unsubscribe': page('/notifications/unsubscribe?token=x'),
  'POST /notifications/unsubscribe': page('/notifications/unsubscribe?token=x'),
  'GET /weekly-mail/unsubscribe': page('/weekly-mail/unsubscribe?token=x'),
  'POST /weekly-mail/unsubscribe': page('/weekly-mail/unsubscribe?token=x'),
  'GET /advisory-mail/unsubscribe': page('/advisory-mail/unsubscribe?token=x'),
  'POST /advisory-mail/unsubscribe': page('/advisory-mail/unsubscribe?token=x'),
  'GET /workspaces/:workspaceId/firmware-versions/:firmwareVersionId/badge.svg': page(
    `/workspaces/${ID}/firmware-versions/${ID}/badge.svg?token=x`,
  ),
  'GET /customer/:workspaceId': page(`/customer/${ID}`),
  'GET /customer/:workspaceId/': page(`/customer/${ID}/`),
  'GET /customer/:workspaceId/version': page(
    `/customer/${ID}/version?firmware=gateway&version=1.0`,
  ),
  'GET /customer/:workspaceId/api': page(`/customer/${ID}/api`),
  'GET /customer/:workspaceId/api/devices': page(`/customer/${ID}/api/devices`),
  'GET /customer/:workspaceId/api/statements': page(
    `/customer/${ID}/api/statements?firmware=gateway&version=1.0`,
  ),
  'GET /customer/:workspaceId/advisories/:year/:file': page(
    `/customer/${ID}/advisories/2026/a.json`,
  ),
  'GET /standing/:workspaceId/:addressId': page(`/standing/${ID}/${ID}`),
  'GET /standing/:workspaceId/:addressId/': page(`/standing/${ID}/${ID}/`),
  'GET /standing/:workspaceId/:addressId/index.json': page(`/standing/${ID}/${ID}/index.json`),
  'GET /standing/:workspaceId/:addressId/support.json': page(`/standing/${ID}/${ID}/support.json`),
  'GET /standing/:workspaceId/:addressId/openvex.json': page(`/standing/${ID}/${ID}/openvex.json`),
  'GET /standing/:workspaceId/:addressId/cyclonedx.json': page(
    `/standing/${ID}/${ID}/cyclonedx.json`,
  ),
  'GET /standing/:workspaceId/:addressId/csaf.json': page(`/standing/${ID}/${ID}/csaf.json`),
  'GET /standing/:workspaceId/:addressId/sbom': page(`/standing/${ID}/${ID}/sbom`),
  'GET /standing/:workspaceId/:addressId/sboms/:sbomId': page(`/standing/${ID}/${ID}/sboms/${ID}`),
  'GET /public/:workspaceId': page(`/public/${ID}`),
  'GET /public/:workspaceId/': page(`/public/${ID}/`),
  'GET /public/:workspaceId/provider-metadata.json': page(`/public/${ID}/provider-metadata.json`),
  'GET /public/:workspaceId/csaf-feed-tlp-white.json': page(
    `/public/${ID}/csaf-feed-tlp-white.json`,
  ),
  'GET /public/:workspaceId/:year/': page(`/public/${ID}/2026/`),
  'GET /public/:workspaceId/index.txt': page(`/public/${ID}/index.txt`),
  'GET /public/:workspaceId/changes.csv': page(`/public/${ID}/changes.csv`),
  'GET /public/:workspaceId/report': page(`/public/${ID}/report`),
  'POST /public/:workspaceId/report': page(`/public/${ID}/report`),
  'GET /public/:workspaceId/report/status': page(`/public/${ID}/report/status`),
  'POST /public/:workspaceId/report/status': page(`/public/${ID}/report/status`),
  'GET /public/:workspaceId/:year/:file': page(`/public/${ID}/2026/acme-2026-1.json`),
  'GET /workspaces/:workspaceId/incidents/:incidentId': page(`/workspaces/${ID}/incidents/${ID}`),
}
/** All routes of the interface of hawkBit check the key before anything else. */
const DDI = '/:tenant/controller/v1/:controllerId'
/**
 * Answers that are the same for everybody, as those of `/openapi.json` and `/docs` are. A signature in a link, and the secret of a
 * broker, are compared before anything is read.
 */
const WITHOUT_DATABASE = [
  'GET /',
  'GET /problems/:slug',
  'GET /device/v1/:workspaceId/updates/:updateId/artifacts/:fileName',
  'GET /device/v1/:workspaceId/files/:addressId',
  'POST /mqtt/auth',
  'POST /mqtt/superuser',
  'POST /mqtt/acl',
]

/** Doors that ask for a key or a session, with one that nobody has. */
const UNKNOWN: Readonly<Record<string, DoorCase & { method: 'GET' | 'POST' }>> = {
  'the API': { method: 'GET', ...deviceDoor('/whoami') },
  'a workspace': { method: 'POST', ...deviceDoor(`/workspaces/${ID}/devices/list`) },
  'the account of a person': {
    method: 'GET',
    counter: 'too-many-unknown-keys',
    path: '/me',
    headers: (number) => ({ cookie: `plimsoll_session=${`${number}`.padStart(43, 'x')}` }),
  },
  'the gateway of devices': { method: 'POST', ...deviceDoor(`/device/v1/${ID}/gw-1/sync`) },
  'the interface of hawkBit': { method: 'GET', ...deviceDoor(`/${ID}/controller/v1/gw-1`) },
}

let test: TestApp
let other: TestApp
let portal: App

beforeAll(async () => {
  const { people } = readConfig({})
  const away: OidcProvider = {
    id: 'away',
    name: 'Away',
    issuer: 'http://127.0.0.1:9',
    clientId: 'plimsoll',
    clientSecret: 'secret',
    scopes: 'openid',
    groupsClaim: 'groups',
    allowedHosts: [],
    newMembers: undefined,
  }
  const passwordCost = { memoryKibibytes: 64, passes: 1, parallelism: 1 }
  const settings = {
    rateLimitPerMinute: PER_MINUTE,
    people: { ...people, passwordCost, providers: [away] },
  }
  test = await startTestApp(settings)
  other = await startTestApp(settings, test.connectionString)
  portal = (await givenPortal(test)).test.app
})

interface Route {
  method: string
  url: string
  schema?: { hide?: boolean }
}

async function listHiddenRoutes(): Promise<string[]> {
  const config = readConfig({
    PLIMSOLL_MQTT_BROKER_URL: 'mqtt://broker.example.com',
    PLIMSOLL_MQTT_AUTH_SECRET: 'a secret of thirty-two characters',
  })
  const described = { config, log: createLog('silent'), memory: new NodeMemory() } as AppContext
  const found: string[] = []
  const app = await buildApi(described, {
    roles: ROLES,
    doors: openDoors(described),
    showsDocs: false,
    watch: (watched) =>
      watched.addHook('onRoute', ({ method, url, schema }) => {
        const route = { method, url, schema } as Route
        const [first = ''] = [route.method].flat()
        if (first !== 'HEAD' && route.schema?.hide === true) found.push(`${first} ${url}`)
      }),
  })
  await app.close()
  return found
}

interface Operation {
  operationId: string
  security?: object[]
}

function listOperations(): { method: string; path: string; operation: Operation }[] {
  const { paths } = json('../openapi.json') as { paths: Record<string, Record<string, Operation>> }
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  )
}

const needsNoAccount = ({ security }: Operation) => security?.length === 0
const OPEN = listOperations().filter(({ operation }) => needsNoAccount(operation))

it('names each operation without an account, and each route that is not described', async () => {
  const hidden = await listHiddenRoutes()
  const named = new Set([...Object.keys(HIDDEN), ...WITHOUT_DATABASE])

  expect(OPEN.map(({ operation }) => operation.operationId).toSorted()).toEqual(
    Object.keys(OPERATIONS).toSorted(),
  )
  expect(hidden.filter((route) => !named.has(route) && !route.includes(DDI))).toEqual([])
  expect(hidden).toEqual(expect.arrayContaining([...named]))
})

let network = 0
const nextNetwork = () => {
  network += 1
  return `198.51.100.${network}`
}

function askFrom(
  app: App,
  { method, path = '/', body, headers }: DoorCase & { method: string },
  { remoteAddress, number }: { remoteAddress: string; number: number },
) {
  return app.inject({
    method: method as 'GET',
    url: path,
    remoteAddress,
    headers: { 'sec-fetch-site': 'same-origin', ...headers?.(number) },
    ...(body && method.toUpperCase() !== 'GET' && { payload: body(number) }),
  })
}

/** Asks until 429 comes, a batch at once. */
async function flood(app: App, door: DoorCase & { method: string }, remoteAddress: string) {
  const batch = 50
  let passed = 0
  for (let number = 0; number <= 2 * PER_MINUTE + batch; number += batch) {
    const answers = await Promise.all(
      Array.from({ length: batch }, (_, at) =>
        askFrom(app, door, { remoteAddress, number: number + at }),
      ),
    )
    const refused = answers.filter(({ statusCode }) => statusCode === 429)
    passed += answers.length - refused.length
    if (refused[0]) return { passed, refused: refused[0] }
  }
  return { passed, refused: undefined }
}

async function expectCounter(app: App, door: DoorCase & { method: string }): Promise<void> {
  const { passed, refused } = await flood(app, door, nextNetwork())
  const elsewhere = await askFrom(app, door, { remoteAddress: nextNetwork(), number: 9_999 })

  expect(refused?.json()).toMatchObject({ status: 429, type: `/problems/${door.counter}` })
  expect(Number(refused?.headers['retry-after'])).toBeGreaterThan(0)
  // A flood may begin in one minute and end in the next, and what was tried is forgiven little by little.
  expect(passed).toBeLessThanOrEqual(door.counter === COUNTED ? 110 : 2 * PER_MINUTE)
  expect(elsewhere.statusCode).not.toBe(429)
}

describe('a flood from one network ends with 429', () => {
  it.each(OPEN.map((open) => [open.operation.operationId, open] as const))(
    'at %s',
    async (operationId, { method, path }) => {
      const door = OPERATIONS[operationId]

      expect(door).toBeDefined()
      if (door) await expectCounter(portal, { path, ...door, method })
    },
  )

  it.each(Object.entries(HIDDEN))('at %s', async (route, door) => {
    await expectCounter(test.app, { ...door, method: route.split(' ')[0] ?? 'GET' })
  })

  it.each(Object.entries(UNKNOWN))('at %s, with keys that nobody has', async (_name, door) => {
    await expectCounter(test.app, door)
  })
})

describe('the counters in the database', () => {
  it('hold on every node', async () => {
    const door = {
      ...OPERATIONS['readLink'],
      counter: COUNTED,
      method: 'POST',
      path: '/auth/links/read',
    } as const
    const remoteAddress = nextNetwork()
    await flood(test.app, door, remoteAddress)

    const answer = await askFrom(other.app, door, { remoteAddress, number: 9_998 })

    expect(answer.statusCode).toBe(429)
  })

  it('look at all that are free, also at once and at two nodes', async () => {
    const remoteAddress = nextNetwork()
    const body = (number: number) => ({ token: `${number}`.padStart(43, 'y') })
    const door = { counter: COUNTED, method: 'POST', path: '/auth/links/read', body } as const

    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, number) =>
        askFrom(number % 2 === 0 ? test.app : other.app, door, { remoteAddress, number }),
      ),
    )

    expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([404]))
  })

  it('do not count what succeeds', async () => {
    const { workspaceId } = await test.givenWorkspace()
    const { browser } = await givenMember(test, workspaceId)
    const email = 'often@example.com'
    const invited = await browser.post(`/workspaces/${workspaceId}/invitations`, {
      email,
      role: 'Viewer',
    })
    const token = new URL(invited.json<{ link: string }>().link).hash.slice(1)
    const door = {
      counter: COUNTED,
      method: 'POST',
      path: '/auth/links/read',
      body: () => ({ token }),
    } as const

    const remoteAddress = nextNetwork()
    const statuses = []
    for (let number = 0; number < 150; number += 1)
      statuses.push((await askFrom(test.app, door, { remoteAddress, number })).statusCode)

    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  it('do not count a program that waits for its approval, but one that asks too often', async () => {
    const begun = await portal.inject({
      method: 'POST',
      url: '/auth/terminal-logins',
      payload: { client: 'cli', host: 'bench' },
    })
    const { deviceCode } = begun.json<{ deviceCode: string }>()
    const door = {
      counter: COUNTED,
      method: 'POST',
      path: '/auth/terminal-logins/key',
      body: () => ({ deviceCode }),
    } as const
    const real = test.ctx.now
    let at = Date.now()
    test.ctx.now = () => new Date(at)
    const remoteAddress = nextNetwork()
    const slow = []
    for (let number = 0; number < 110; number += 1) {
      slow.push(
        (await askFrom(portal, door, { remoteAddress, number })).json<{ type: string }>().type,
      )
      at += 5_000
    }
    test.ctx.now = real

    expect(new Set(slow)).toEqual(new Set(['/problems/authorization-pending']))
    await expectCounter(portal, { ...door, body: () => ({ deviceCode }) })
  })
})

/** What whoever has stolen a session could try. */
describe('in a session', () => {
  const NEIGHBOURS = {
    'PUT /me/password': {
      currentPassword: 'not the right one',
      newPassword: 'nine brass bells ringing',
    },
    'DELETE /me/totp': { code: '000000' },
    'POST /me/totp/confirm': { code: '000000' },
    'POST /me/terminal-logins/read': { userCode: 'BCDF-GHJK' },
    'POST /me/terminal-logins/refuse': { userCode: 'BCDF-GHJK' },
    'POST /me/passkeys/options': {},
  }

  it.each(Object.entries(NEIGHBOURS))(
    '%s is counted, and not for its owner elsewhere',
    async (route, payload) => {
      const { id } = await givenPerson(test)
      const stolen = await givenSession(test, id)
      const [method = '', path = ''] = route.split(' ')
      const ask = (remoteAddress: string) =>
        test.app.inject({
          method: method as 'PUT',
          url: path,
          remoteAddress,
          headers: { 'sec-fetch-site': 'same-origin', ...stolen.headers },
          payload,
        })
      const thief = nextNetwork()
      const statuses = []
      for (let number = 0; number < 30; number += 1) statuses.push((await ask(thief)).statusCode)

      const limit = path.includes('passkeys') ? 20 : 8
      expect(statuses.filter((status) => status !== 429).length).toBeLessThanOrEqual(limit)
      expect(statuses.at(-1)).toBe(429)
      // A row each: these count for the person.
      if (!path.includes('passkeys')) expect((await ask(nextNetwork())).statusCode).not.toBe(429)
    },
  )

  it('a thief who tries codes does not keep the owner from signing in', async () => {
    const { email, id } = await givenPerson(test)
    const stolen = await givenSession(test, id)
    const thief = nextNetwork()
    for (let number = 0; number < 30; number += 1)
      await test.app.inject({
        method: 'DELETE',
        url: '/me/totp',
        remoteAddress: thief,
        headers: { 'sec-fetch-site': 'same-origin', ...stolen.headers },
        payload: { code: '000000' },
      })
    await test.ctx.db
      .insertInto('totpSecrets')
      .values({
        personId: id,
        secret: Buffer.alloc(20),
        createdAt: new Date(),
        confirmedAt: new Date(),
      })
      .execute()
    const owner = openBrowser(test)

    const first = await owner.post('/auth/sign-in', { email, password: PASSWORD })
    const second = await owner.post('/auth/second-factor', { code: '000000' })

    expect([first.statusCode, second.statusCode]).toEqual([200, 403])
  })
})
