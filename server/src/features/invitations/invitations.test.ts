import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import {
  type Browser,
  givenMember,
  givenMembership,
  givenPerson,
  givenSession,
  openBrowser,
} from '../../../test/given-people.ts'
import { partOf, type SmtpTestServer, startSmtpServer } from '../../../test/smtp-server.ts'
import { readConfig } from '../../config/config.ts'
import { DAY_MS } from '../../formats/instants.ts'

let test: TestApp
let smtp: SmtpTestServer
let now = Date.now()

beforeAll(async () => {
  smtp = await startSmtpServer()
  const { mail } = readConfig({ PLIMSOLL_SMTP_URL: `smtp://127.0.0.1:${smtp.port}` })
  test = await startTestApp({ mail })
  test.ctx.now = () => new Date(now)
  await test.startWorker()
})

const PASSWORD = 'seven grey seals asleep'
const inbox = (email: string) => smtp.mails.filter(({ to }) => to.includes(email))
const newEmail = () => `${crypto.randomUUID()}@example.com`

async function givenOwner() {
  const { workspaceId, apiKey } = await test.givenWorkspace()
  const owner = await givenMember(test, workspaceId)
  const url = `/workspaces/${workspaceId}`
  return { ...owner, workspaceId, apiKey, url }
}

interface SentInvitation {
  id: string
  link: string
  state: string
}

async function givenInvitation({ browser, url }: { browser: Browser; url: string }, email: string) {
  const response = await browser.post(`${url}/invitations`, { email, role: 'Engineer' })
  const invited = response.json<SentInvitation>()
  return { ...invited, token: new URL(invited.link).hash.slice(1) }
}

const accept = (browser: Browser, token: string, more: object = {}) =>
  browser.post('/auth/links/accept', { token, ...more })

it('makes a link that leads a new person into the workspace, once', async () => {
  const owner = await givenOwner()
  const email = newEmail()
  const { token } = await givenInvitation(owner, email)
  const browser = openBrowser(test)

  const read = await browser.post('/auth/links/read', { token })
  const without = await accept(browser, token)
  const accepted = await accept(browser, token, { password: PASSWORD, displayName: 'Grace' })
  const again = await accept(openBrowser(test), token, { password: PASSWORD })

  expect(read.json()).toMatchObject({
    kind: 'Invitation',
    email,
    workspaceName: 'Acme',
    role: 'Engineer',
    needsPassword: true,
    needsSignIn: false,
  })
  expect([without, accepted, again].map(({ statusCode }) => statusCode)).toEqual([400, 200, 404])
  expect((await browser.get('/me/workspaces')).json()).toMatchObject([
    { id: owner.workspaceId, role: 'Engineer' },
  ])
  expect((await owner.browser.get(`${owner.url}/members`)).json()).toEqual(
    expect.arrayContaining([expect.objectContaining({ email, displayName: 'Grace' })]),
  )
  expect((await owner.browser.get(`${owner.url}/invitations`)).json()).toEqual([])
})

it('writes invitation and membership into the audit log', async () => {
  const owner = await givenOwner()
  const email = newEmail()
  const { token } = await givenInvitation(owner, email)
  await accept(openBrowser(test), token, { password: PASSWORD })

  const log = await owner.browser.get(`${owner.url}/audit-log?contains=${owner.email.slice(0, 12)}`)

  const { entries } = log.json<{ entries: { action: string }[] }>()
  expect(entries.map(({ action }) => action)).toEqual(['member.join', 'invitation.create'])
})

it('lets in somebody with an account only after signing in as that person', async () => {
  const owner = await givenOwner()
  const person = await givenPerson(test)
  const { token } = await givenInvitation(owner, person.email)
  const elsewhere = await givenMember(test, owner.workspaceId, 'Admin')

  const read = await openBrowser(test).post('/auth/links/read', { token })
  const anonymous = await accept(openBrowser(test), token, { password: PASSWORD })
  const other = await accept(elsewhere.browser, token)
  const right = await accept(await givenSession(test, person.id), token)

  expect(read.json()).toMatchObject({ needsSignIn: true, needsPassword: false })
  expect(anonymous.json()).toMatchObject({ status: 403, type: '/problems/sign-in-first' })
  expect(anonymous.headers['set-cookie']).toBeUndefined()
  expect(other.json()).toMatchObject({
    status: 403,
    type: '/problems/link-of-somebody-else',
    detail: expect.stringContaining(person.email) as string,
  })
  expect(right.json()).toMatchObject({ state: 'SignedIn' })
  expect(right.headers['set-cookie']).toBeUndefined()
})

it('sends the link by mail, with one of its own', async () => {
  const owner = await givenOwner()
  const email = newEmail()
  const invite = { email, role: 'Viewer', send: true }
  const { link } = (
    await owner.browser.post(`${owner.url}/invitations`, invite)
  ).json<SentInvitation>()
  await expect.poll(() => inbox(email).length).toBe(1)
  const [mail] = inbox(email)
  const text = mail ? partOf(mail, 'text/plain') : ''
  const mailed = /#(\S+)/.exec(text)?.[1] ?? ''

  const accepted = await accept(openBrowser(test), mailed, { password: PASSWORD })

  expect(text).toContain(`${owner.email} invites you to the workspace "Acme"`)
  expect(mailed).not.toBe(new URL(link).hash.slice(1))
  expect(accepted.statusCode).toBe(200)
  // The copied link is used up with it.
  const copied = await accept(openBrowser(test), new URL(link).hash.slice(1), {
    password: PASSWORD,
  })
  expect(copied.statusCode).toBe(404)
})

it('ends after seven days, when it is revoked, and when it is made anew', async () => {
  const owner = await givenOwner()
  const [one, two, three] = [newEmail(), newEmail(), newEmail()]
  const [late, revoked, renewed] = [
    await givenInvitation(owner, one),
    await givenInvitation(owner, two),
    await givenInvitation(owner, three),
  ]
  const revoking = await owner.browser.delete(`${owner.url}/invitations/${revoked.id}`)
  const again = await owner.browser.post(`${owner.url}/invitations/${renewed.id}/send`)
  const fresh = new URL(again.json<SentInvitation>().link).hash.slice(1)

  const former = await accept(openBrowser(test), renewed.token, { password: PASSWORD })
  const present = await accept(openBrowser(test), fresh, { password: PASSWORD })
  const ended = await accept(openBrowser(test), revoked.token, { password: PASSWORD })
  now += 7 * DAY_MS
  const { browser } = await givenMember(test, owner.workspaceId)
  const expired = await accept(openBrowser(test), late.token, { password: PASSWORD })

  expect(revoking.statusCode).toBe(204)
  const statuses = [former, present, ended, expired].map(({ statusCode }) => statusCode)
  expect(statuses).toEqual([404, 200, 404, 404])
  expect((await browser.get(`${owner.url}/invitations`)).json()).toMatchObject([
    { email: one, state: 'Expired' },
  ])
  const anew = await browser.post(`${owner.url}/invitations`, { email: one, role: 'Viewer' })
  expect(anew.statusCode).toBe(201)
})

it.each`
  email                    | because
  ${'nobody'}              | ${'it has no domain'}
  ${'a b@example.com'}     | ${'it has a space'}
  ${'a@example.com\u202e'} | ${'it hides a character'}
`('refuses the address $email, as $because', async ({ email }: { email: string }) => {
  const owner = await givenOwner()

  const response = await owner.browser.post(`${owner.url}/invitations`, { email, role: 'Viewer' })

  expect(response.json()).toMatchObject({ status: 400, errors: [{ pointer: '/email' }] })
})

it('refuses a second invitation, and one of a member', async () => {
  const owner = await givenOwner()
  const email = newEmail()
  await givenInvitation(owner, email)
  const ask = (who: string) =>
    owner.browser.post(`${owner.url}/invitations`, { email: who, role: 'Viewer' })

  expect((await ask(email)).json()).toMatchObject({
    status: 409,
    type: '/problems/already-invited',
  })
  expect((await ask(owner.email)).json()).toMatchObject({
    status: 409,
    type: '/problems/already-member',
  })
})

describe('an admin', () => {
  it('invites, lowers and removes nobody above', async () => {
    const owner = await givenOwner()
    const { browser } = await givenMember(test, owner.workspaceId, 'Admin')
    const viewer = await givenMember(test, owner.workspaceId, 'Viewer')
    const own = await givenInvitation(owner, newEmail())
    const ownerInvitation = await owner.browser.post(`${owner.url}/invitations`, {
      email: newEmail(),
      role: 'Owner',
    })
    const member = (id: string) => `${owner.url}/members/${id}`

    const refused = [
      await browser.post(`${owner.url}/invitations`, { email: newEmail(), role: 'Owner' }),
      await browser.put(member(owner.id), { role: 'Viewer' }),
      await browser.put(member(viewer.id), { role: 'Owner' }),
      await browser.delete(member(owner.id)),
      await browser.delete(`${owner.url}/invitations/${ownerInvitation.json<{ id: string }>().id}`),
    ]
    const allowed = [
      await browser.put(member(viewer.id), { role: 'Engineer' }),
      await browser.delete(`${owner.url}/invitations/${own.id}`),
      await browser.delete(member(viewer.id)),
    ]

    for (const response of refused)
      expect(response.json()).toMatchObject({ status: 403, type: '/problems/owner-needed' })
    expect(allowed.map(({ statusCode }) => statusCode)).toEqual([204, 204, 204])
  })

  it('does no more with a key than without, also after leaving', async () => {
    const owner = await givenOwner()
    const admin = await givenMember(test, owner.workspaceId, 'Admin')
    const viewer = await givenMember(test, owner.workspaceId, 'Viewer')
    const wanted = { name: 'Members', scopes: ['Workspace members: write'] }
    const created = await admin.browser.post(`${owner.url}/api-keys`, wanted)
    const { apiKey } = created.json<{ apiKey: string }>()
    const remove = (id: string, key = apiKey) =>
      test.app.inject({
        method: 'DELETE',
        url: `${owner.url}/members/${id}`,
        headers: { authorization: `Bearer ${key}` },
      })

    const [ownerByAdmin, viewerByAdmin] = [await remove(owner.id), await remove(viewer.id)]
    await owner.browser.delete(`${owner.url}/members/${admin.id}`)
    const byFormerAdmin = await remove(owner.id)
    const byOwner = await remove(owner.id, owner.apiKey)

    const all = [ownerByAdmin, viewerByAdmin, byFormerAdmin, byOwner]
    expect(all.map(({ statusCode }) => statusCode)).toEqual([403, 204, 403, 204])
    expect(ownerByAdmin.json()).toMatchObject({ type: '/problems/owner-needed' })
  })
})

describe('roles', () => {
  it('are listed with what each may do', async () => {
    const owner = await givenOwner()

    const roles = (await owner.browser.get(`${owner.url}/roles`)).json<
      { role: string; scopes: string[] }[]
    >()

    expect(roles.map(({ role }) => role)).toEqual(['Owner', 'Admin', 'Engineer', 'Viewer'])
    expect(roles.at(-1)?.scopes.every((scope) => scope.endsWith(': read'))).toBe(true)
  })

  it('leave one owner, also when two lower each other at once', async () => {
    const owner = await givenOwner()
    const [first] = (await owner.browser.get(`${owner.url}/members`)).json<
      { subjectId: string }[]
    >()
    const other = await givenMember(test, owner.workspaceId)
    const members = (await owner.browser.get(`${owner.url}/members`)).json<
      { subjectId: string }[]
    >()

    const answers = await Promise.all(
      members.map(({ subjectId }) =>
        other.browser.put(`${owner.url}/members/${subjectId}`, { role: 'Viewer' }),
      ),
    )

    expect(first).toBeDefined()
    const roles = (await owner.browser.get(`${owner.url}/members`)).json<{ role: string }[]>()
    expect(roles.filter(({ role }) => role === 'Owner').length).toBeGreaterThanOrEqual(1)
    expect(answers.some(({ statusCode }) => statusCode === 204)).toBe(true)
    const last = await test.givenWorkspace()
    const { id } = await givenPerson(test)
    await test.ctx.db.deleteFrom('members').where('workspaceId', '=', last.workspaceId).execute()
    await givenMembership(test, last.workspaceId, { id })
    const alone = await givenSession(test, id)
    const url = `/workspaces/${last.workspaceId}/members/${id}`
    expect((await alone.put(url, { role: 'Admin' })).json()).toMatchObject({
      status: 400,
      type: '/problems/last-owner',
    })
    expect((await alone.put(url, { role: 'Owner' })).statusCode).toBe(204)
  })

  it('are not written over once somebody else changed them, and are sent back as they were read', async () => {
    const owner = await givenOwner()
    const { id } = await givenMember(test, owner.workspaceId, 'Engineer')
    const stranger = await givenOwner()
    const url = `${owner.url}/members/${id}`
    const read = async () => {
      const answer = await owner.browser.get(url)
      return { member: answer.json<{ role: string }>(), tag: String(answer.headers.etag) }
    }
    const first = await read()
    const still = openBrowser(test, { ...owner.browser.headers, 'if-match': first.tag })
    await owner.browser.put(url, { role: 'Admin' })

    const late = await still.put(url, { role: 'Viewer' })

    expect(late.json()).toMatchObject({ status: 412, type: '/problems/changed-meanwhile' })
    const second = await read()
    expect(second.member).toEqual({ ...first.member, role: 'Admin' })
    const fresh = openBrowser(test, { ...owner.browser.headers, 'if-match': second.tag })
    expect((await fresh.put(url, { ...second.member, role: 'Viewer' })).statusCode).toBe(204)
    expect((await read()).member.role).toBe('Viewer')
    const strange = await stranger.browser.get(`${stranger.url}/members/${id}`)
    expect(strange.json()).toMatchObject({ status: 404, type: '/problems/member-not-found' })
    expect((await owner.browser.get(`${owner.url}/members/none`)).statusCode).toBe(400)
  })

  it('change from the next request on, which the audit log has', async () => {
    const owner = await givenOwner()
    const member = await givenMember(test, owner.workspaceId, 'Engineer')

    await owner.browser.put(`${owner.url}/members/${member.id}`, { role: 'Viewer' })

    const firmware = await member.browser.post(`${owner.url}/firmwares`, { slug: 's', name: 'S' })
    expect(firmware.statusCode).toBe(403)
    const log = await owner.browser.get(`${owner.url}/audit-log?action=member.change-role`)
    expect(log.json()).toMatchObject({
      entries: [{ before: { role: 'Engineer' }, after: { role: 'Viewer' }, resourceId: member.id }],
    })
  })
})

describe('API keys', () => {
  it('are shown once, listed, used and revoked', async () => {
    const owner = await givenOwner()
    const wanted = { name: 'CI', scopes: ['Workspace settings: read'] }
    const created = await owner.browser.post(`${owner.url}/api-keys`, wanted)
    const { id, apiKey } = created.json<{ id: string; apiKey: string }>()
    const use = () =>
      test.app.inject({
        url: `${owner.url}/settings`,
        headers: { authorization: `Bearer ${apiKey}` },
      })

    const before = await use()
    const listed = await owner.browser.get(`${owner.url}/api-keys`)
    const revoked = await owner.browser.delete(`${owner.url}/api-keys/${id}`)
    const after = await use()

    expect([before, revoked, after].map(({ statusCode }) => statusCode)).toEqual([200, 204, 401])
    expect(listed.body).not.toContain(apiKey)
    expect(listed.json()).toMatchObject([
      { id, ...wanted, createdByEmail: owner.email, isMakerMember: true, revokedAt: null },
      { name: 'bootstrap' },
    ])
    await test.ctx.db.deleteFrom('members').where('subjectId', '=', owner.id).execute()
    const other = await givenMember(test, owner.workspaceId)
    expect((await other.browser.get(`${owner.url}/api-keys`)).json()).toMatchObject([
      { id, isMakerMember: false },
      {},
    ])
  })

  it.each`
    body                                                                          | status
    ${{ name: 'CI', scopes: [] }}                                                 | ${400}
    ${{ name: 'CI', scopes: ['Everything'] }}                                     | ${400}
    ${{ name: ' ', scopes: ['SBOMs: read'] }}                                     | ${400}
    ${{ name: 'CI', scopes: ['SBOMs: read'], expiresAt: '2020-01-01T00:00:00Z' }} | ${400}
  `('are refused with $body', async ({ body, status }: { body: object; status: number }) => {
    const owner = await givenOwner()

    expect((await owner.browser.post(`${owner.url}/api-keys`, body)).statusCode).toBe(status)
  })

  it('expire', async () => {
    const owner = await givenOwner()
    const expiresAt = new Date(now + DAY_MS).toISOString()
    const wanted = { name: 'CI', scopes: ['Workspace settings: read'], expiresAt }
    const { apiKey } = (await owner.browser.post(`${owner.url}/api-keys`, wanted)).json<{
      apiKey: string
    }>()
    const use = async () =>
      (
        await test.app.inject({
          url: `${owner.url}/settings`,
          headers: { authorization: `Bearer ${apiKey}` },
        })
      ).statusCode

    expect(await use()).toBe(200)
    now += DAY_MS
    expect(await use()).toBe(401)
  })
})

it('manages device keys, which engineers may', async () => {
  const owner = await givenOwner()
  const { browser } = await givenMember(test, owner.workspaceId, 'Engineer')
  const url = `${owner.url}/device-keys`

  const created = await browser.post(url, { name: 'Line 2', deviceId: 'gw-1' })
  const { id, deviceKey } = created.json<{ id: string; deviceKey: string }>()
  const listed = await browser.get(url)
  const revoked = await browser.delete(`${url}/${id}`)

  expect(deviceKey).toMatch(/^plmd_/)
  expect(listed.json()).toMatchObject([{ id, name: 'Line 2', deviceId: 'gw-1', revokedAt: null }])
  expect(listed.body).not.toContain(deviceKey)
  expect(revoked.statusCode).toBe(204)
  expect((await browser.get(url)).json()).toMatchObject([
    { revokedAt: expect.any(String) as string },
  ])
})

describe('the audit log', () => {
  it('is searched by text, and exported as CSV and JSON lines', async () => {
    const owner = await givenOwner()
    await owner.browser.post(`${owner.url}/firmwares`, { slug: 'gateway', name: '=cmd "x", y' })
    await owner.browser.post(`${owner.url}/firmwares`, { slug: 'sensor', name: 'Sensor' })

    const found = await owner.browser.get(`${owner.url}/audit-log?contains=GATEway`)
    const csv = await owner.browser.get(`${owner.url}/audit-log/export?action=firmware.create`)
    const lines = await owner.browser.get(
      `${owner.url}/audit-log/export?format=jsonl&contains=sensor`,
    )

    expect(found.json<{ entries: unknown[] }>().entries).toHaveLength(1)
    expect(csv.headers['content-type']).toContain('text/csv')
    expect(csv.headers['content-disposition']).toContain('audit-log.csv')
    expect(csv.body.trim().split('\r\n')).toHaveLength(3)
    expect(csv.body).toContain(owner.email)
    const [line = ''] = lines.body.trim().split('\n')
    expect(JSON.parse(line)).toMatchObject({ action: 'firmware.create', actorType: 'User' })
  })
})

describe('after its maker lost the right to make it', () => {
  /** An admin, and what the admin left open. */
  async function givenAdmin(role: 'Admin' | 'Engineer' = 'Admin') {
    const owner = await givenOwner()
    const admin = await givenMember(test, owner.workspaceId, 'Admin')
    const email = newEmail()
    const made = await admin.browser.post(`${owner.url}/invitations`, { email, role })
    const { id, link } = made.json<SentInvitation>()
    return { owner, admin, id, email, token: new URL(link).hash.slice(1) }
  }
  const remove = ({ owner, admin }: Awaited<ReturnType<typeof givenAdmin>>, query = '') =>
    owner.browser.delete(`${owner.url}/members/${admin.id}${query}`)
  const lower = ({ owner, admin }: Awaited<ReturnType<typeof givenAdmin>>) =>
    owner.browser.put(`${owner.url}/members/${admin.id}`, { role: 'Viewer' })

  it.each([
    ['was removed', remove],
    ['was lowered', lower],
  ])('an invitation ends, with an entry in the audit log: its maker %s', async (_what, act) => {
    const given = await givenAdmin()
    const { owner, token, email } = given

    const changed = await act(given)
    const accepted = await accept(openBrowser(test), token, { password: PASSWORD })

    expect([changed.statusCode, accepted.statusCode]).toEqual([204, 404])
    expect((await owner.browser.get(`${owner.url}/invitations`)).json()).toEqual([])
    const log = await owner.browser.get(`${owner.url}/audit-log?action=invitation.revoke`)
    expect(log.json()).toMatchObject({
      entries: [{ actorEmail: owner.email, before: { email, role: 'Admin' } }],
    })
  })

  it('one that was made for a member who joined another way does not lead back', async () => {
    const owner = await givenOwner()
    const person = await givenPerson(test)
    const { token } = await givenInvitation(owner, person.email)
    await givenMembership(test, owner.workspaceId, { ...person, role: 'Engineer' })

    await owner.browser.delete(`${owner.url}/members/${person.id}`)
    const accepted = await accept(await givenSession(test, person.id), token)

    expect(accepted.statusCode).toBe(404)
  })

  it('one that somebody else sent again holds, as does one that who was lowered may still make', async () => {
    const given = await givenAdmin('Engineer')
    const { owner, admin, id } = given
    const sent = await owner.browser.post(`${owner.url}/invitations/${id}/send`)
    const token = new URL(sent.json<SentInvitation>().link).hash.slice(1)
    const second = await givenMember(test, owner.workspaceId)
    const kept = await givenInvitation({ ...second, url: owner.url }, newEmail())

    await remove(given)
    await owner.browser.put(`${owner.url}/members/${second.id}`, { role: 'Admin' })
    const answers = [
      await accept(openBrowser(test), token, { password: PASSWORD }),
      await accept(openBrowser(test), kept.token, { password: PASSWORD }),
    ]

    expect(admin.id).not.toBe(owner.id)
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200])
  })

  it('one that came into being while its maker was removed does not work', async () => {
    const { owner, admin, id, token } = await givenAdmin()
    const { db } = test.ctx

    // As if it had been written after the removal looked for open ones.
    await db.deleteFrom('members').where('subjectId', '=', admin.id).execute()
    const accepted = await accept(openBrowser(test), token, { password: PASSWORD })

    expect(accepted.statusCode).toBe(404)
    expect((await owner.browser.get(`${owner.url}/invitations`)).json()).toMatchObject([{ id }])
  })

  it('revokes the API keys of a removed member on demand, and no others', async () => {
    const given = await givenAdmin()
    const { owner, admin } = given
    const makeKey = async (browser: Browser) => {
      const body = { name: 'CI', scopes: ['Firmware: read'] }
      return (await browser.post(`${owner.url}/api-keys`, body)).json<{ id: string }>().id
    }
    const [mine, theirs] = [await makeKey(owner.browser), await makeKey(admin.browser)]

    await remove(given, '?revokesKeys=true')

    const keys = (await owner.browser.get(`${owner.url}/api-keys`)).json<
      { id: string; revokedAt: string | null }[]
    >()
    const isRevoked = (id: string) => keys.find((key) => key.id === id)?.revokedAt !== null
    expect([isRevoked(mine), isRevoked(theirs)]).toEqual([false, true])
    const log = await owner.browser.get(`${owner.url}/audit-log?action=api-key.revoke`)
    expect(log.json()).toMatchObject({ entries: [{ resourceId: theirs }] })
  })

  it('needs the scope for keys to revoke them', async () => {
    const given = await givenAdmin()
    const { owner } = given
    const apiKey = await test.givenKey(owner.workspaceId, ['Workspace members: write'])

    const response = await test.app.inject({
      method: 'DELETE',
      url: `${owner.url}/members/${given.admin.id}?revokesKeys=true`,
      headers: { authorization: `Bearer ${apiKey}` },
    })

    expect(response.json()).toMatchObject({ status: 403, type: '/problems/insufficient-scope' })
  })
})
