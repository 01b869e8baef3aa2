import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import {
  type Browser,
  givenMember,
  givenPerson,
  givenSession,
  openBrowser,
} from '../../../../test/given-people.ts'
import { CLIENT, startOidcProvider, walkThrough } from '../../../../test/oidc-servers.ts'
import type { OidcProvider } from '../../../config/oidc-settings.ts'
import { removeIdentitiesAsOperator } from '../index.ts'
import { ownPath } from './attempt.ts'

let test: TestApp
let workspaceId: string
const account = { claims: { sub: 'ada-1' } as { sub: string } & Record<string, unknown> }
let now = Date.now()

beforeAll(async () => {
  const database = await startTestApp()
  workspaceId = (await database.givenWorkspace()).workspaceId
  const { publicUrl, people } = database.ctx.config
  const issuer = await startOidcProvider(`${publicUrl}/auth/oidc/acme/callback`, account)
  const common = {
    clientId: CLIENT.id,
    clientSecret: CLIENT.secret,
    scopes: 'openid email profile',
    groupsClaim: 'groups',
    allowedHosts: [],
  }
  const newMembers = {
    workspaceId,
    domains: ['acme.example'],
    groupRoles: [
      { group: 'plimsoll-admins', role: 'Admin' as const },
      { group: 'developers', role: 'Engineer' as const },
    ],
    role: undefined,
  }
  const providers: OidcProvider[] = [
    { ...common, id: 'acme', name: 'Acme', issuer, newMembers },
    { ...common, id: 'away', name: 'Away', issuer: 'http://127.0.0.1:9', newMembers: undefined },
  ]
  test = await startTestApp({ people: { ...people, providers } }, database.connectionString)
  test.ctx.now = () => new Date(now)
})

const newEmail = () => `${crypto.randomUUID()}@acme.example`

function claim(claims: Record<string, unknown>) {
  account.claims = { sub: crypto.randomUUID(), email_verified: true, ...claims }
}

const start = (browser: Browser, provider: string, query = '') =>
  browser.get(`/auth/oidc/${provider}/start${query}`)

/** Signs in at the real provider; where the browser ends. */
async function signInAtAcme(browser: Browser, query = ''): Promise<string> {
  const started = await start(browser, 'acme', query)
  const back = await walkThrough(String(started.headers['location']))
  const finished = await browser.get(`${back.pathname}${back.search}`)
  return String(finished.headers['location'])
}

describe('a sign-in at a real provider', () => {
  it('links to the person with the verified address, and later knows the account again', async () => {
    const person = await givenPerson(test, { email: newEmail() })
    claim({ email: person.email.toUpperCase() })
    const browser = openBrowser(test)

    const location = await signInAtAcme(browser, '?returnTo=/findings%3Fq%3D1')
    const me = await browser.get('/me')
    account.claims = { ...account.claims, email: newEmail(), email_verified: false }
    const again = openBrowser(test)
    await signInAtAcme(again)

    expect(location).toBe('/findings?q=1')
    expect(me.json()).toMatchObject({
      id: person.id,
      providers: [{ id: 'acme', name: 'Acme' }],
    })
    expect((await again.get('/me')).json()).toMatchObject({ id: person.id })
  })

  it('takes away what was set before it was known whose address it is', async () => {
    const person = await givenPerson(test, { email: newEmail() })
    const before = await givenSession(test, person.id)
    claim({ email: person.email })

    const browser = openBrowser(test)
    await signInAtAcme(browser)

    expect((await before.get('/me')).statusCode).toBe(401)
    expect((await browser.get('/me')).json()).toMatchObject({ hasPassword: false })
  })

  it('does not link a second account with the same address until the operator unlinks the first', async () => {
    const person = await givenPerson(test, { email: newEmail() })
    claim({ email: person.email })
    await signInAtAcme(openBrowser(test))
    const first = { ...account.claims }

    claim({ email: person.email })
    const refused = openBrowser(test)
    const location = await signInAtAcme(refused)
    const actor = {
      type: 'Operator',
      id: undefined,
      email: undefined,
      requestId: undefined,
    } as const
    const second = { ...account.claims }
    account.claims = first
    const before = openBrowser(test)
    await signInAtAcme(before)
    const unlinked = await removeIdentitiesAsOperator(test.ctx, { email: person.email, actor })
    account.claims = second
    const after = openBrowser(test)
    await signInAtAcme(after)

    expect(location).toBe('/sign-in?error=other-account-linked')
    expect((await refused.get('/me')).statusCode).toBe(401)
    expect(unlinked).toMatchObject({
      issuers: [test.ctx.config.people.providers[0]?.issuer],
      sessionsEnded: 2,
    })
    expect((await before.get('/me')).statusCode).toBe(401)
    expect((await after.get('/me')).json()).toMatchObject({ id: person.id })
  })

  it('keeps the password of somebody whose address was verified', async () => {
    const person = await givenPerson(test, { email: newEmail() })
    await test.ctx.db
      .updateTable('people')
      .set({ emailVerifiedAt: new Date() })
      .where('id', '=', person.id)
      .execute()
    claim({ email: person.email })

    const browser = openBrowser(test)
    await signInAtAcme(browser)

    expect((await browser.get('/me')).json()).toMatchObject({ hasPassword: true })
  })

  it.each`
    claims                                           | role          | because
    ${{ groups: ['developers', 'others'] }}          | ${'Engineer'} | ${'the group has it'}
    ${{ groups: ['developers', 'plimsoll-admins'] }} | ${'Admin'}    | ${'the highest counts'}
  `(
    'makes a new member $role with $claims, as $because',
    async ({ claims, role }: { claims: object; role: string }) => {
      claim({ email: newEmail(), name: 'Grace Hopper', ...claims })
      const browser = openBrowser(test)

      await signInAtAcme(browser)

      expect((await browser.get('/me')).json()).toMatchObject({ displayName: 'Grace Hopper' })
      expect((await browser.get('/me/workspaces')).json()).toMatchObject([
        { id: workspaceId, role },
      ])
    },
  )

  it.each`
    claims                                                                         | error                   | because
    ${{ email: 'a@acme.example', groups: ['others'] }}                             | ${'no-account'}         | ${'no group has a role'}
    ${{ email: 'a@evil.example', groups: ['developers'] }}                         | ${'no-account'}         | ${'the domain is another'}
    ${{ email: 'a@acme.example.evil', groups: ['developers'] }}                    | ${'no-account'}         | ${'the domain only begins so'}
    ${{ email: 'a@acme.example', groups: ['developers'], email_verified: false }}  | ${'email-not-verified'} | ${'the address is not verified'}
    ${{ email: 'a@acme.example', groups: ['developers'], email_verified: 'true' }} | ${'email-not-verified'} | ${'it is a text'}
    ${{ groups: ['developers'] }}                                                  | ${'email-not-verified'} | ${'there is no address'}
  `(
    'refuses $claims with $error, as $because',
    async ({ claims, error }: { claims: object; error: string }) => {
      claim({ ...claims })
      const browser = openBrowser(test)

      const location = await signInAtAcme(browser)

      expect(location).toBe(`/sign-in?error=${error}`)
      expect((await browser.get('/me')).statusCode).toBe(401)
      expect((await test.app.inject({ url: `/problems/${error}` })).statusCode).toBe(200)
    },
  )

  it('makes nobody a member again who was removed', async () => {
    claim({ email: newEmail(), groups: ['developers'] })
    const browser = openBrowser(test)
    await signInAtAcme(browser)
    const { id } = (await browser.get('/me')).json<{ id: string }>()
    const owner = await givenMember(test, workspaceId)
    await owner.browser.delete(`/workspaces/${workspaceId}/members/${id}`)

    await signInAtAcme(browser)

    expect((await browser.get('/me/workspaces')).json()).toEqual([])
  })

  it('is not taken by another browser, nor twice, nor late', async () => {
    const person = await givenPerson(test, { email: newEmail() })
    claim({ email: person.email })
    const browser = openBrowser(test)
    const back = await walkThrough(String((await start(browser, 'acme')).headers['location']))
    const path = `${back.pathname}${back.search}`
    const { cookie = '' } = browser.headers

    const victim = await openBrowser(test).get(path)
    const changed = await openBrowser(test, { cookie: `${cookie}x` }).get(path)
    const first = await openBrowser(test, { cookie }).get(path)
    const second = await openBrowser(test, { cookie }).get(path)
    now += 10 * 60_000
    const late = await openBrowser(test, { cookie }).get(path)

    const locations = [victim, changed, first, second, late].map(
      ({ headers }) => headers['location'],
    )
    expect(locations).toEqual([
      '/sign-in?error=sign-in-expired',
      '/sign-in?error=sign-in-expired',
      '/',
      '/sign-in?error=provider-refused',
      '/sign-in?error=sign-in-expired',
    ])
  })
})

it.each`
  provider     | error
  ${'away'}    | ${'provider-unavailable'}
  ${'unknown'} | ${'unknown-provider'}
`(
  'leads back with $error from the provider $provider',
  async ({ provider, error }: { provider: string; error: string }) => {
    const started = await start(openBrowser(test), provider)

    expect(started.headers['location']).toBe(`/sign-in?error=${error}`)
  },
)

it.each`
  returnTo                  | path
  ${undefined}              | ${'/'}
  ${'/findings?a=b#c'}      | ${'/findings?a=b#c'}
  ${'//evil.example'}       | ${'/'}
  ${'/\\evil.example'}      | ${'/'}
  ${'https://evil.example'} | ${'/'}
  ${'javascript:alert(1)'}  | ${'/'}
  ${'/\t/evil.example'}     | ${'/'}
  ${'/a/../\n/evil'}        | ${'/'}
  ${'evil.example'}         | ${'/'}
  ${'/.//evil.example'}     | ${'/'}
  ${'/%2f/evil.example'}    | ${'/%2f/evil.example'}
`(
  'ends at $path for returnTo=$returnTo',
  ({ returnTo, path }: { returnTo?: string; path: string }) => {
    expect(ownPath(returnTo)).toBe(path)
  },
)
