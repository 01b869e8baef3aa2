import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import {
  givenMember,
  givenMembership,
  givenPerson,
  givenSession,
  openBrowser,
  PASSWORD,
} from '../../../../test/given-people.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../formats/instants.ts'
import { hashPassword } from '../../auth/index.ts'
import { createSignInLink } from '../index.ts'

let test: TestApp
let now = Date.now()

beforeAll(async () => {
  test = await startTestApp()
  test.ctx.now = () => new Date(now)
})

/** Each browser has an address of its own, so that attempts of one test do not delay another. */
let address = 0
function browserElsewhere() {
  address += 1
  const from = `198.51.${Math.floor(address / 250)}.${address % 250}`
  const browser = openBrowser(test)
  const signIn = (email: string, password: string) =>
    test.app.inject({
      method: 'POST',
      url: '/auth/sign-in',
      headers: { 'sec-fetch-site': 'same-origin' },
      remoteAddress: from,
      payload: { email, password },
    })
  return { ...browser, signIn }
}

async function givenOwner() {
  const { workspaceId } = await test.givenWorkspace()
  return { workspaceId, ...(await givenMember(test, workspaceId)) }
}

it('signs in with e-mail address and password, and keeps the hash of the token only', async () => {
  const person = await givenPerson(test)
  const browser = openBrowser(test)

  const response = await browser.post('/auth/sign-in', {
    email: person.email.toUpperCase(),
    password: PASSWORD,
  })

  expect(response.json()).toEqual({ state: 'SignedIn', secondFactors: [] })
  const cookie = String(response.headers['set-cookie'])
  expect(cookie).toMatch(
    /^plimsoll_session=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax$/,
  )
  expect((await browser.get('/me')).json()).toMatchObject({ id: person.id, hasPassword: true })
  const rows = await test.ctx.db.selectFrom('sessions').selectAll().execute()
  const token = /=([\w-]{43});/.exec(cookie)?.[1] ?? ''
  expect(
    JSON.stringify(rows.map((row) => ({ ...row, tokenHash: row.tokenHash.toString('base64url') }))),
  ).not.toContain(token)
})

it('gives wrong passwords and unknown addresses the same answer', async () => {
  const person = await givenPerson(test)
  const { signIn } = browserElsewhere()

  const wrong = await signIn(person.email, 'not the right one')
  const unknown = await signIn('nobody@example.com', 'not the right one')

  const answerOf = ({ statusCode, body, headers }: typeof wrong) => [
    statusCode,
    body,
    headers['set-cookie'],
  ]
  expect(wrong.json()).toMatchObject({ status: 401, type: '/problems/sign-in-failed' })
  expect(answerOf(wrong)).toEqual(answerOf(unknown))
})

it('derives a key for unknown people too', async () => {
  const memoryKibibytes = 16_384
  const passwordCost = { memoryKibibytes, passes: 2, parallelism: 1 }
  const slow = await startTestApp({ people: { ...test.ctx.config.people, passwordCost } })
  const timeOf = async (work: () => Promise<unknown>) => {
    const started = process.cpuUsage()
    await work()
    const { user, system } = process.cpuUsage(started)
    return user + system
  }
  // What else the process does adds to a time, and never takes from it: the shortest is the truest.
  const hashes: number[] = []
  for (let time = 0; time < 5; time++) {
    hashes.push(await timeOf(() => hashPassword('not the right one', passwordCost)))
  }

  const unknown = await timeOf(() =>
    openBrowser(slow).post('/auth/sign-in', {
      email: 'nobody@example.com',
      password: 'not the right one',
    }),
  )

  expect(unknown).toBeGreaterThan(Math.min(...hashes) / 2)
})

describe('attempts', () => {
  it('wait longer and longer from one address, and are not held up from another', async () => {
    const person = await givenPerson(test)
    const { signIn } = browserElsewhere()

    const statuses = []
    for (let attempt = 0; attempt < 7; attempt += 1)
      statuses.push((await signIn(person.email, 'not the right one')).statusCode)
    const right = await signIn(person.email, PASSWORD)
    const elsewhere = await browserElsewhere().signIn(person.email, PASSWORD)

    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429])
    expect(right.json()).toMatchObject({ type: '/problems/too-many-attempts' })
    expect(right.headers['retry-after']).toBe('15')
    expect(elsewhere.statusCode).toBe(200)
    now += 15_000
    expect((await signIn(person.email, 'not the right one')).statusCode).toBe(401)
    expect((await signIn(person.email, PASSWORD)).headers['retry-after']).toBe('30')
    now += 30_000
    expect((await signIn(person.email, PASSWORD)).statusCode).toBe(200)
    expect((await signIn(person.email, 'not the right one')).statusCode).toBe(401)
  })

  it('of 1,000 from one address at once, on as many accounts, few are looked at', async () => {
    const { signIn } = browserElsewhere()

    const responses = await Promise.all(
      Array.from({ length: 1000 }, (_, index) => signIn(`a${index}@example.com`, 'not the right')),
    )

    const statuses = responses.map(({ statusCode }) => statusCode)
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(40)
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(950)
    expect(statuses.filter((status) => ![401, 429, 503].includes(status))).toEqual([])
  })

  it('are forgotten after an hour', async () => {
    const { signIn } = browserElsewhere()
    for (let attempt = 0; attempt < 5; attempt += 1) await signIn('b@example.com', 'not the right')
    expect((await signIn('b@example.com', 'not the right')).statusCode).toBe(429)

    now += HOUR_MS + 1
    const responses = [await signIn('b@example.com', 'no'), await signIn('b@example.com', 'no')]

    expect(responses.map(({ statusCode }) => statusCode)).toEqual([401, 401])
  })
})

describe('a session', () => {
  it.each`
    cookie                                  | because
    ${`plimsoll_session=${'A'.repeat(43)}`} | ${'nobody has it'}
    ${'plimsoll_session='}                  | ${'it is empty'}
    ${'other=1'}                            | ${'it is another cookie'}
  `('with the cookie $cookie is none, as $because', async ({ cookie }: { cookie: string }) => {
    const response = await openBrowser(test, { cookie }).get('/me')

    expect(response.json()).toMatchObject({ status: 401, type: '/problems/unauthorized' })
  })

  it('with a changed cookie is none', async () => {
    const { browser } = await givenOwner()
    const cookie = browser.headers['cookie'] ?? ''
    const last = cookie.endsWith('A') ? 'B' : 'A'
    browser.headers['cookie'] = cookie.slice(0, -1) + last

    expect((await browser.get('/me')).statusCode).toBe(401)
  })

  it('ends when it is not used, and after its whole time', async () => {
    const { browser, id } = await givenOwner()
    now += 11 * HOUR_MS
    expect((await browser.get('/me')).statusCode).toBe(200)
    now += 11 * HOUR_MS
    expect((await browser.get('/me')).statusCode).toBe(200)
    now += 12 * HOUR_MS
    expect((await browser.get('/me')).statusCode).toBe(401)

    const lasting = await givenSession(test, id)
    for (let spent = 0; spent < 29 * DAY_MS; spent += 11 * HOUR_MS) {
      now += 11 * HOUR_MS
      expect((await lasting.get('/me')).statusCode).toBe(200)
    }
    now += 11 * HOUR_MS
    await lasting.get('/me')
    now += 11 * HOUR_MS
    await lasting.get('/me')
    now += 11 * HOUR_MS
    expect((await lasting.get('/me')).statusCode).toBe(401)
  })

  it('writes down its use at most once a minute', async () => {
    const { browser } = await givenOwner()
    const usedAt = async () =>
      (await browser.get('/me/sessions')).json<{ lastUsedAt: string }[]>()[0]?.lastUsedAt
    const first = await usedAt()
    now += 59_000
    expect(await usedAt()).toBe(first)
    now += 1_000
    await usedAt()

    expect(await usedAt()).toBe(new Date(now).toISOString())
  })

  it('has the role of its person in each workspace, at once', async () => {
    const { browser, workspaceId, id } = await givenOwner()
    const other = await test.givenWorkspace()
    await givenMembership(test, other.workspaceId, { id, role: 'Viewer' })
    const foreign = await test.givenWorkspace()
    const rename = (workspace: string) =>
      browser.post(`/workspaces/${workspace}/firmwares`, { slug: `s${address++}`, name: 'S' })

    const created = [await rename(workspaceId), await rename(other.workspaceId)]
    const unknown = await rename(foreign.workspaceId)
    await test.ctx.db
      .updateTable('members')
      .set({ role: 'Viewer' })
      .where('subjectId', '=', id)
      .execute()
    const lowered = await rename(workspaceId)
    await test.ctx.db.deleteFrom('members').where('subjectId', '=', id).execute()
    const removed = await rename(workspaceId)
    await test.ctx.db.deleteFrom('people').where('id', '=', id).execute()
    const deleted = await rename(workspaceId)

    const all = [...created, unknown, lowered, removed, deleted]
    expect(all.map(({ statusCode }) => statusCode)).toEqual([201, 403, 404, 403, 404, 401])
  })

  it('is the author of what it does', async () => {
    const { browser, workspaceId, id, email } = await givenOwner()
    await browser.post(`/workspaces/${workspaceId}/firmwares`, { slug: 'gateway', name: 'G' })

    const log = await browser.get(`/workspaces/${workspaceId}/audit-log?action=firmware.create`)

    expect(log.json()).toMatchObject({
      entries: [{ actorType: 'User', actorId: id, actorEmail: email }],
    })
  })

  it('ends with a sign-out, which the audit log has', async () => {
    const { browser, workspaceId, email } = await givenOwner()
    const cookie = browser.headers['cookie'] ?? ''

    const response = await browser.post('/auth/sign-out')

    expect(response.statusCode).toBe(204)
    expect(String(response.headers['set-cookie'])).toContain('plimsoll_session=; Path=/; Max-Age=0')
    expect((await openBrowser(test, { cookie }).get('/me')).statusCode).toBe(401)
    const owner = await givenMember(test, workspaceId)
    const log = await owner.browser.get(`/workspaces/${workspaceId}/audit-log?actor=${email}`)
    expect(
      log.json<{ entries: { action: string }[] }>().entries.map(({ action }) => action),
    ).toEqual(['member.sign-out'])
    expect((await openBrowser(test).post('/auth/sign-out')).statusCode).toBe(204)
  })

  it('is ended by its person, one or all others', async () => {
    const { browser, id } = await givenOwner()
    const [second, third] = [await givenSession(test, id), await givenSession(test, id)]
    const stranger = await givenOwner()
    const listed = (await browser.get('/me/sessions')).json<{ id: string; current: boolean }[]>()
    const other = listed.find(({ current }) => !current)?.id ?? ''

    const foreign = await stranger.browser.delete(`/me/sessions/${other}`)
    const one = await browser.delete(`/me/sessions/${other}`)
    const again = await browser.delete(`/me/sessions/${other}`)
    const left = (await browser.get('/me/sessions')).json<unknown[]>().length
    const rest = await browser.delete('/me/sessions')

    expect(listed).toHaveLength(3)
    expect([foreign, one, again, rest].map(({ statusCode }) => statusCode)).toEqual([
      404, 204, 404, 204,
    ])
    expect(left).toBe(2)
    const after = [browser, second, third].map((each) => each.get('/me'))
    expect((await Promise.all(after)).map(({ statusCode }) => statusCode)).toEqual([200, 401, 401])
  })

  it('opens nothing while its second factor is outstanding', async () => {
    const { workspaceId, id } = await givenOwner()
    const pending = await givenSession(test, id, 'Outstanding')

    const answers = [
      await pending.get('/me'),
      await pending.get(`/workspaces/${workspaceId}/settings`),
      await pending.delete('/me/sessions'),
    ]

    for (const answer of answers)
      expect(answer.json()).toMatchObject({
        status: 401,
        type: '/problems/second-factor-outstanding',
      })
    now += 10 * MINUTE_MS
    expect((await pending.get('/me')).json()).toMatchObject({ type: '/problems/unauthorized' })
  })

  it('without a second factor is refused by a workspace that demands one', async () => {
    const { browser, workspaceId, id } = await givenOwner()
    const url = `/workspaces/${workspaceId}/settings`
    const strong = await givenSession(test, id, 'Done')
    const lockingOut = await browser.patch(url, { requireSecondFactor: true })
    await strong.patch(url, { requireSecondFactor: true })

    const refused = await browser.get(url)

    expect(lockingOut.json()).toMatchObject({ status: 409, type: '/problems/second-factor-needed' })
    expect(refused.json()).toMatchObject({ status: 403, type: '/problems/second-factor-needed' })
    expect((await browser.get('/me/workspaces')).json()).toMatchObject([
      { secondFactorMissing: true },
    ])
    expect((await strong.get(url)).statusCode).toBe(200)
  })
})

describe('a request that changes something', () => {
  it.each`
    headers                                                                | status | because
    ${{ 'sec-fetch-site': 'same-origin' }}                                 | ${200} | ${'a page of ours made it'}
    ${{ 'sec-fetch-site': 'none' }}                                        | ${200} | ${'the person made it'}
    ${{ 'sec-fetch-site': 'cross-site' }}                                  | ${403} | ${'another site made it'}
    ${{ 'sec-fetch-site': 'same-site' }}                                   | ${403} | ${'a neighbour made it'}
    ${{ 'sec-fetch-site': 'cross-site', origin: 'http://localhost:8080' }} | ${403} | ${'the site counts more'}
    ${{ origin: 'http://localhost:8080' }}                                 | ${200} | ${'it is the public URL'}
    ${{ origin: 'http://plimsoll.test', host: 'plimsoll.test' }}           | ${200} | ${'it is the host asked for'}
    ${{ origin: 'http://evil.example' }}                                   | ${403} | ${'it is another origin'}
    ${{ origin: 'http://localhost:8080.evil.example' }}                    | ${403} | ${'it only begins so'}
    ${{ origin: 'null' }}                                                  | ${403} | ${'it has no origin'}
    ${{}}                                                                  | ${403} | ${'nothing says who made it'}
  `(
    'with $headers gets $status, as $because',
    async ({ headers, status }: { headers: object; status: number }) => {
      const { browser } = await givenOwner()
      const { cookie = '' } = browser.headers

      const response = await test.app.inject({
        method: 'PATCH',
        url: '/me',
        headers: { cookie, ...headers },
        payload: { displayName: 'Ada' },
      })

      expect(response.statusCode).toBe(status)
      if (status === 403)
        expect(response.json()).toMatchObject({ type: '/problems/foreign-origin' })
    },
  )

  it('needs no origin with a key', async () => {
    const { workspaceId, apiKey } = await test.givenWorkspace()

    const response = await test.app.inject({
      method: 'POST',
      url: `/workspaces/${workspaceId}/firmwares`,
      headers: { authorization: `Bearer ${apiKey}`, origin: 'http://evil.example' },
      payload: { slug: 'gateway', name: 'G' },
    })

    expect(response.statusCode).toBe(201)
  })

  it('is refused before anybody is signed in by another site', async () => {
    const person = await givenPerson(test)

    const response = await test.app.inject({
      method: 'POST',
      url: '/auth/sign-in',
      headers: { 'sec-fetch-site': 'cross-site' },
      payload: { email: person.email, password: PASSWORD },
    })

    expect(response.json()).toMatchObject({ status: 403, type: '/problems/foreign-origin' })
  })
})

it('refuses keys on the account of a person', async () => {
  const { apiKey } = await test.givenWorkspace()

  const response = await test.app.inject({
    url: '/me',
    headers: { authorization: `Bearer ${apiKey}` },
  })

  expect(response.json()).toMatchObject({ status: 403, type: '/problems/needs-a-person' })
})

describe('a new password', () => {
  it('needs the present one, and ends the other sessions', async () => {
    const { browser, id, email } = await givenOwner()
    const other = await givenSession(test, id)
    const newPassword = 'seventeen blue anchors'

    const without = await browser.put('/me/password', { newPassword })
    const wrong = await browser.put('/me/password', { currentPassword: 'a guess', newPassword })
    const right = await browser.put('/me/password', { currentPassword: PASSWORD, newPassword })

    expect([without.statusCode, wrong.statusCode, right.statusCode]).toEqual([400, 403, 204])
    expect((await browser.get('/me')).statusCode).toBe(200)
    expect((await other.get('/me')).statusCode).toBe(401)
    const { signIn } = browserElsewhere()
    expect((await signIn(email, PASSWORD)).statusCode).toBe(401)
    expect((await signIn(email, newPassword)).statusCode).toBe(200)
  })

  it.each`
    password              | because
    ${'short'}            | ${'it is short'}
    ${'x'.repeat(201)}    | ${'it is long'}
    ${'1q2w3e4r5t6y'}     | ${'it was leaked'}
    ${'Password2026!'}    | ${'it is a leaked word with signs around'}
    ${'aaaaaaaaaaaaaaaa'} | ${'it is one letter'}
    ${'abcabcabcabcabc'}  | ${'it repeats itself'}
    ${'plimsoll2026'}     | ${'it is our name'}
  `('may not be $password, as $because', async ({ password }: { password: string }) => {
    const { browser } = await givenOwner()

    const response = await browser.put('/me/password', {
      currentPassword: PASSWORD,
      newPassword: password,
    })

    expect(response.json()).toMatchObject({ status: 400, errors: [{ pointer: '/newPassword' }] })
  })

  it.each([
    'пароль из двенадцати',
    'correct horse battery',
    '🐙🐙 octopus tea 🐙',
    'Tr0ub4dor&3 again',
    'a sentence of more than sixty-four characters, as a manager of passwords may make one',
  ])('may be %s', async (password) => {
    const { browser } = await givenOwner()

    const change = { currentPassword: PASSWORD, newPassword: password }

    expect((await browser.put('/me/password', change)).statusCode).toBe(204)
  })

  it('is hashed anew at the next sign-in when the parameters rise', async () => {
    const person = await givenPerson(test)
    const people = { ...test.ctx.config.people }
    people.passwordCost = { memoryKibibytes: 128, passes: 1, parallelism: 1 }
    const raised = await startTestApp({ people }, test.connectionString)
    raised.ctx.now = test.ctx.now
    const stored = async () =>
      (
        await test.ctx.db
          .selectFrom('people')
          .select('passwordHash')
          .where('id', '=', person.id)
          .executeTakeFirstOrThrow()
      ).passwordHash

    expect(await stored()).toContain('m=64,')
    await openBrowser(raised).post('/auth/sign-in', { email: person.email, password: PASSWORD })

    expect(await stored()).toContain('m=128,')
    expect((await browserElsewhere().signIn(person.email, PASSWORD)).statusCode).toBe(200)
  })
})

it('ends the session that the browser had before', async () => {
  const { browser, id, email } = await givenOwner()
  const { cookie = '' } = browser.headers

  await browser.post('/auth/sign-in', { email, password: PASSWORD })

  expect((await openBrowser(test, { cookie }).get('/me')).statusCode).toBe(401)
  expect((await browser.get('/me')).json()).toMatchObject({ id })
})

describe('a sign-in link', () => {
  it('signs in one of two who open it at once', async () => {
    const person = await givenPerson(test)
    const token = new URL(await createSignInLink(test.ctx, person.email)).hash.slice(1)

    const answers = await Promise.all(
      [openBrowser(test), openBrowser(test)].map((browser) =>
        browser.post('/auth/links/accept', { token }),
      ),
    )

    const statuses = answers.map(({ statusCode }) => statusCode)
    expect(statuses.toSorted((a, b) => a - b)).toEqual([200, 404])
  })

  it('signs in once', async () => {
    const person = await givenPerson(test)
    const url = new URL(await createSignInLink(test.ctx, person.email))
    const token = url.hash.slice(1)
    const browser = openBrowser(test)

    const read = await browser.post('/auth/links/read', { token })
    const first = await browser.post('/auth/links/accept', { token })
    const again = await openBrowser(test).post('/auth/links/accept', { token })

    expect(url.pathname).toBe('/link')
    expect(read.json()).toMatchObject({ kind: 'SignIn', email: person.email, needsPassword: false })
    expect(first.json()).toMatchObject({ state: 'SignedIn' })
    expect((await browser.get('/me')).json()).toMatchObject({ email: person.email })
    expect(again.json()).toMatchObject({ status: 404, type: '/problems/link-not-found' })
  })

  it('ends after a day', async () => {
    const person = await givenPerson(test)
    const token = new URL(await createSignInLink(test.ctx, person.email)).hash.slice(1)
    now += DAY_MS

    expect((await openBrowser(test).post('/auth/links/read', { token })).statusCode).toBe(404)
  })
})

it('has options, and can be closed to passwords', async () => {
  const people = { ...test.ctx.config.people, signsInByPassword: false }
  const closed = await startTestApp({ people }, test.connectionString)
  const person = await givenPerson(test)

  const open = await openBrowser(test).get('/auth/options')
  const options = await openBrowser(closed).get('/auth/options')
  const refused = await openBrowser(closed).post('/auth/sign-in', {
    email: person.email,
    password: PASSWORD,
  })

  expect(open.json()).toEqual({
    password: true,
    passkeys: true,
    providers: [],
    mail: false,
    passwordCharacters: { min: 12, max: 200 },
  })
  expect(options.json()).toMatchObject({ password: false })
  expect(refused.json()).toMatchObject({ status: 403, type: '/problems/password-sign-in-off' })
})
