/**
 * A provider that lies, and somebody between it and the browser who does. Each trial goes through the addresses that browsers are
 * sent to, with a provider that listens on a port. Nothing may come of it: no session, no person, no link; the person is told, and so is the log.
 */
import type { ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { closeAtEndOfFile } from '../../../../test/end-of-file.ts'
import { startFeedServer } from '../../../../test/feed-server.ts'
import { type Browser, givenPerson, openBrowser } from '../../../../test/given-people.ts'
import {
  type Lies,
  type LyingProvider,
  startLyingProvider,
} from '../../../../test/lying-provider.ts'
import { CLIENT } from '../../../../test/oidc-servers.ts'
import type { OidcProvider } from '../../../config/oidc-settings.ts'
import { HOUR_MS } from '../../../formats/instants.ts'
import { createLog } from '../../../platform/log.ts'

let test: TestApp
let lying: LyingProvider
let other: LyingProvider
let now = Date.now()
const logged: string[] = []

beforeAll(async () => {
  const database = await startTestApp()
  const { people, feeds } = database.ctx.config
  const { workspaceId } = await database.givenWorkspace()
  lying = await startLyingProvider()
  other = await startLyingProvider()
  const common = {
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    scopes: 'openid email profile',
    groupsClaim: 'groups',
    allowedHosts: [],
    newMembers: { workspaceId, domains: ['acme.example'], groupRoles: [], role: 'Viewer' as const },
  }
  const providers: OidcProvider[] = [
    { ...common, id: 'lying', name: 'Lying', issuer: lying.issuer },
    { ...common, id: 'other', name: 'Other', issuer: other.issuer },
  ]
  const http = { ...feeds.http, idleMs: 1_000 }
  const overrides = { people: { ...people, providers }, feeds: { ...feeds, http } }
  test = await startTestApp(overrides, database.connectionString)
  test.ctx.now = () => new Date(now)
  test.ctx.log = createLog('info', { write: (line) => logged.push(line) })
})

beforeEach(() => {
  logged.length = 0
  lying.lies = {}
  other.lies = {}
  // What was discovered before is asked for again.
  now += HOUR_MS
})

const inSeconds = (more: number) => Math.floor(Date.now() / 1000) + more

interface Trial {
  lies?: Lies
  /** Comes back to the service in another way than the browser that began. */
  comeBack?: (browser: Browser, search: string) => ReturnType<Browser['get']>
  /** Of the page that says so. */
  error?: string
  /** In the log. */
  because: RegExp
}

const send =
  (type: string, body: string | Buffer, status = 200) =>
  (response: ServerResponse) =>
    void response.writeHead(status, { 'content-type': type }).end(body)

const HUGE = Buffer.alloc(8 * 1024 * 1024, ' ')
const sendBomb = (response: ServerResponse) =>
  void response
    .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    .end(gzipSync(Buffer.concat([HUGE, Buffer.from('{}')])))

const callback = (browser: Browser, search: string) =>
  browser.get(`/auth/oidc/lying/callback${search}`)

const TRIALS: Record<string, Trial> = {
  'issuer: another': { lies: { claims: { iss: 'https://evil.example' } }, because: /\\"iss\\"/ },
  'issuer: missing': { lies: { claims: { iss: undefined } }, because: /iss/ },
  'audience: another client': { lies: { claims: { aud: 'another-client' } }, because: /\\"aud\\"/ },
  'audience: several, for another party': {
    lies: { claims: { aud: [CLIENT.id, 'b'], azp: 'b' } },
    because: /\\"azp\\"/,
  },
  'audience: several, for no party': {
    lies: { claims: { aud: [CLIENT.id, 'b'] } },
    because: /audiences/,
  },
  'nonce: another': { lies: { claims: { nonce: 'another' } }, because: /\\"nonce\\"/ },
  'nonce: missing': { lies: { claims: { nonce: undefined } }, because: /nonce/ },
  'expiry: an hour ago': { lies: { claims: { exp: inSeconds(-3_600) } }, because: /\\"exp\\"/ },
  'expiry: missing': { lies: { claims: { exp: undefined } }, because: /exp/ },
  'time: issued in an hour': {
    lies: { claims: { iat: inSeconds(3_600), exp: inSeconds(7_200) } },
    because: /iat/,
  },
  'time: valid from an hour on': {
    lies: { claims: { nbf: inSeconds(3_600), exp: inSeconds(7_200) } },
    because: /\\"nbf\\"/,
  },
  'algorithm: none': { lies: { signedBy: 'none' }, because: /alg/ },
  'algorithm: HS256 with the public key': { lies: { signedBy: 'public' }, because: /alg/ },
  'algorithm: another than that of the key': {
    lies: { header: { alg: 'ES256' } },
    because: /alg/,
  },
  'key: not published': { lies: { signedBy: 'unpublished' }, because: /signature/ },
  'key: unknown id': { lies: { header: { kid: 'unknown' } }, because: /key/ },
  'key: that of another id': {
    lies: { signedBy: 'second', publishes: { own: 'one', second: 'two' } },
    because: /signature/,
  },
  'key: several published, none named': {
    lies: { header: { kid: undefined }, publishes: { own: 'one', second: 'two' } },
    because: /kid/,
  },
  'sub: missing': { lies: { claims: { sub: undefined } }, because: /sub/ },
  'sub: empty': { lies: { claims: { sub: '' } }, because: /sub/ },
  'sub: no text': { lies: { claims: { sub: 7 } }, because: /sub/ },
  'sub: longer than any': { lies: { claims: { sub: 'a'.repeat(10_000) } }, because: /sub/ },
  'sub: with a zero byte': { lies: { claims: { sub: 'a\u0000b' } }, because: /sub/ },
  'verified address: not verified': {
    lies: { claims: { email_verified: false } },
    error: 'email-not-verified',
    because: /email-not-verified/,
  },
  'verified address: a text says so': {
    lies: { claims: { email_verified: 'true' } },
    error: 'email-not-verified',
    because: /email-not-verified/,
  },
  'verified address: missing': {
    lies: { claims: { email: undefined } },
    error: 'email-not-verified',
    because: /email-not-verified/,
  },
  'verified address: with a zero byte': {
    lies: { claims: { email: 'a\u0000b@acme.example' } },
    error: 'email-not-verified',
    because: /email-not-verified/,
  },
  'verified address: two of them': {
    lies: { claims: { email: 'a@evil.example, b@acme.example' } },
    error: 'email-not-verified',
    because: /email-not-verified/,
  },
  'verified address: of no domain of ours': {
    lies: { claims: { email: 'a@acme.example.evil' } },
    error: 'no-account',
    because: /no-account/,
  },
  'userinfo: of somebody else': {
    lies: {
      claims: { email: undefined },
      userinfo: { sub: 'somebody-else', email: 'a@acme.example', email_verified: true },
    },
    because: /sub/,
  },
  'userinfo: the address is verified elsewhere only': {
    lies: {
      claims: { sub: 'someone', email: undefined, email_verified: true },
      userinfo: { sub: 'someone', email: 'a@acme.example' },
    },
    error: 'email-not-verified',
    because: /email-not-verified/,
  },
  'state: another': { lies: { answer: { state: 'made-up' } }, because: /state/ },
  'state: missing': { lies: { answer: { state: undefined } }, because: /state/ },
  'response issuer: another': {
    lies: { answer: { iss: 'https://evil.example' } },
    because: /iss/,
  },
  'response issuer: missing where it is promised': {
    lies: { metadata: { authorization_response_iss_parameter_supported: true } },
    because: /iss/,
  },
  'cookie: missing': {
    comeBack: (_browser, search) => callback(openBrowser(test), search),
    error: 'sign-in-expired',
    because: /sign-in-expired/,
  },
  'cookie: of another start': {
    comeBack: async (_browser, search) => {
      const another = openBrowser(test)
      await another.get('/auth/oidc/lying/start')
      return callback(another, search)
    },
    because: /state/,
  },
  'cookie: of a start at another provider': {
    comeBack: async (_browser, search) => {
      const another = openBrowser(test)
      await another.get('/auth/oidc/other/start')
      return callback(another, search)
    },
    error: 'sign-in-expired',
    because: /sign-in-expired/,
  },
  'cookie: changed': {
    comeBack: ({ headers: { cookie = '' } }, search) =>
      callback(openBrowser(test, { cookie: cookie.replace('=', '=A') }), search),
    error: 'sign-in-expired',
    because: /sign-in-expired/,
  },
  'code: that of another provider': {
    comeBack: async (browser) => {
      const started = await openBrowser(test).get('/auth/oidc/other/start')
      const theirs = new URLSearchParams(other.answerTo(String(started.headers['location'])))
      lying.lies = { ...lying.lies, answer: { code: theirs.get('code') ?? '' } }
      const again = await browser.get('/auth/oidc/lying/start')
      return callback(browser, lying.answerTo(String(again.headers['location'])))
    },
    because: /invalid_grant/,
  },
  'code: none, as the person declined': {
    lies: { answer: { code: undefined, error: 'access_denied' } },
    because: /access_denied/,
  },
  'token endpoint: a page': {
    lies: { at: { token: send('text/html', '<html>Welcome</html>') } },
    because: /content-type|JSON/i,
  },
  'token endpoint: out of order': {
    lies: { at: { token: send('text/plain', 'broken', 500) } },
    because: /status/i,
  },
  'token endpoint: no JSON': {
    lies: { at: { token: send('application/json', '{"access_token":') } },
    because: /parse|JSON/i,
  },
  'token endpoint: no ID token': {
    lies: {
      at: { token: send('application/json', '{"access_token":"a","token_type":"bearer"}') },
    },
    because: /id_token|ID Token/,
  },
  'token endpoint: eight megabytes': {
    lies: { at: { token: send('application/json', HUGE) } },
    because: /too large/,
  },
  'token endpoint: eight megabytes in a few packed ones': {
    lies: { at: { token: sendBomb } },
    because: /too large/,
  },
  'token endpoint: silent': {
    lies: { at: { token: () => undefined } },
    because: /timed? ?out/i,
  },
  'token endpoint: leads elsewhere': {
    lies: {
      at: {
        token: (response) =>
          void response.writeHead(307, { location: 'http://127.0.0.1:9/token' }).end(),
      },
    },
    because: /status/i,
  },
  'keys: a page': {
    lies: { at: { jwks: send('text/html', '<html></html>') } },
    because: /content-type|JSON/i,
  },
}

async function countAll(): Promise<number[]> {
  const tables = ['people', 'personIdentities', 'sessions', 'members'] as const
  const counts = tables.map(async (table) => {
    const { count } = await test.ctx.db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow()
    return Number(count)
  })
  return Promise.all(counts)
}

/** Would make a new member, if it were true. */
const givenTruth = () => ({
  sub: crypto.randomUUID(),
  email: `${crypto.randomUUID()}@acme.example`,
  email_verified: true,
})

async function signIn(browser: Browser, { lies = {}, comeBack = callback }: Partial<Trial>) {
  lying.lies = { ...lies, claims: { ...givenTruth(), ...lies.claims } }
  other.lies = { claims: givenTruth() }
  const started = await browser.get('/auth/oidc/lying/start')
  return comeBack(browser, lying.answerTo(String(started.headers['location'])))
}

describe('a sign-in is refused, and nothing comes of it', () => {
  it.each(Object.entries(TRIALS))('%s', async (_name, trial) => {
    const { error = 'provider-refused', because } = trial
    const before = await countAll()
    const browser = openBrowser(test)

    const finished = await signIn(browser, trial)

    expect([finished.statusCode, finished.headers['location']]).toEqual([
      302,
      `/sign-in?error=${error}`,
    ])
    expect(logged.join('')).toMatch(because)
    expect((await test.app.inject({ url: `/problems/${error}` })).statusCode).toBe(200)
    expect(finished.cookies.find(({ name }) => name.includes('session'))).toBeUndefined()
    expect((await browser.get('/me')).statusCode).toBe(401)
    expect(await countAll()).toEqual(before)
  })

  it('code: a second time', async () => {
    const browser = openBrowser(test)
    const started = await browser.get('/auth/oidc/lying/start')
    lying.lies = { claims: givenTruth() }
    const search = lying.answerTo(String(started.headers['location']))
    const { cookie = '' } = browser.headers
    const first = await callback(openBrowser(test, { cookie }), search)
    const before = await countAll()

    const second = await callback(openBrowser(test, { cookie }), search)

    expect(first.headers['location']).toBe('/')
    expect(second.headers['location']).toBe('/sign-in?error=provider-refused')
    expect(await countAll()).toEqual(before)
  })

  it('sub: changed, with the same verified address', async () => {
    const person = await givenPerson(test, { email: `${crypto.randomUUID()}@acme.example` })
    const claims = { sub: 'first', email: person.email }
    await signIn(openBrowser(test), { lies: { claims } })
    const before = await countAll()

    const finished = await signIn(openBrowser(test), {
      lies: { claims: { ...claims, sub: 'second' } },
    })

    expect(finished.headers['location']).toBe('/sign-in?error=other-account-linked')
    expect(logged.join('')).toMatch(/other-account-linked/)
    expect(await countAll()).toEqual(before)
  })

  it('token endpoint: another host of this network', async () => {
    const inside = await startFeedServer()
    closeAtEndOfFile(() => inside.close())
    const metadata = { token_endpoint: `${inside.url}/token` }

    const finished = await signIn(openBrowser(test), { lies: { metadata } })

    expect(finished.headers['location']).toBe('/sign-in?error=provider-refused')
    expect(inside.requests).toEqual([])
  })

  it.each<[string, Lies]>([
    ['issuer: another', { metadata: { issuer: 'https://evil.example' } }],
    ['a page', { at: { discovery: send('text/html', '<html></html>') } }],
    ['out of order', { at: { discovery: send('text/plain', 'broken', 500) } }],
    ['eight megabytes', { at: { discovery: send('application/json', HUGE) } }],
    ['silent', { at: { discovery: () => undefined } }],
  ])('discovery: %s', async (_name, lies) => {
    lying.lies = lies

    const started = await openBrowser(test).get('/auth/oidc/lying/start')

    expect(started.headers['location']).toBe('/sign-in?error=provider-unavailable')
    expect(logged.join('')).toMatch(/cannot be reached/)
  })
})

describe('a sign-in goes on, so that the trials above fail for their own reason', () => {
  it.each<[string, Lies]>([
    ['with nothing special', {}],
    ['with several audiences, for us', { claims: { aud: [CLIENT.id, 'b'], azp: CLIENT.id } }],
    [
      'with another of several keys',
      {
        header: { kid: 'two' },
        signedBy: 'second',
        publishes: { own: 'one', second: 'two' },
      },
    ],
    ['with a clock that is half a minute ahead', { claims: { iat: inSeconds(30) } }],
    [
      'with an address that stands in the userinfo alone',
      {
        claims: { sub: 'of-userinfo', email: undefined, email_verified: undefined },
        userinfo: { sub: 'of-userinfo', email: 'userinfo@acme.example', email_verified: true },
      },
    ],
  ])('%s', async (_name, lies) => {
    const browser = openBrowser(test)

    const finished = await signIn(browser, { lies })

    expect(finished.headers['location']).toBe('/')
    expect((await browser.get('/me')).statusCode).toBe(200)
  })

  it('with the issuer in the response', async () => {
    const browser = openBrowser(test)

    const finished = await signIn(browser, { lies: { answer: { iss: lying.issuer } } })

    expect(finished.headers['location']).toBe('/')
  })
})
