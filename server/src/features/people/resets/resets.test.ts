import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import {
  givenMember,
  givenPerson,
  givenSession,
  openBrowser,
  PASSWORD,
} from '../../../../test/given-people.ts'
import { givenPortal } from '../../../../test/given-portal.ts'
import { partOf, type SmtpTestServer, startSmtpServer } from '../../../../test/smtp-server.ts'
import { readConfig } from '../../../config/config.ts'
import { MINUTE_MS } from '../../../formats/instants.ts'
import { endSessionsAsOperator, resetAsOperator } from '../index.ts'

let test: TestApp
let smtp: SmtpTestServer
let now = Date.now()

beforeAll(async () => {
  smtp = await startSmtpServer()
  const { mail } = readConfig({ PLIMSOLL_SMTP_URL: `smtp://127.0.0.1:${smtp.port}` })
  // Programs log in by the portal.
  ;({ test } = await givenPortal(await startTestApp({ mail })))
  test.ctx.now = () => new Date(now)
  await test.startWorker()
})

const OPERATOR = {
  type: 'Operator',
  id: undefined,
  email: undefined,
  requestId: undefined,
} as const
const NEW = 'nine brass bells ringing'
const inbox = (email: string) => smtp.mails.filter(({ to }) => to.includes(email))

async function givenMailedToken(email: string): Promise<string> {
  const before = inbox(email).length
  const response = await openBrowser(test).post('/auth/password-reset', { email })
  expect(response.statusCode).toBe(202)
  await expect.poll(() => inbox(email).length).toBe(before + 1)
  const mail = inbox(email).at(-1)
  return /#(\S+)/.exec(mail ? partOf(mail, 'text/plain') : '')?.[1] ?? ''
}

const signIn = async (email: string, password: string) =>
  (await openBrowser(test).post('/auth/sign-in', { email, password })).statusCode

async function verify(id: string): Promise<void> {
  const emailVerifiedAt = new Date()
  await test.ctx.db.updateTable('people').set({ emailVerifiedAt }).where('id', '=', id).execute()
}

it('sends a link that sets a new password once, and ends all sessions', async () => {
  const { email, id } = await givenPerson(test)
  await verify(id)
  const session = await givenSession(test, id)
  const token = await givenMailedToken(email)
  const browser = openBrowser(test)

  const read = await browser.post('/auth/links/read', { token })
  const weak = await browser.post('/auth/links/accept', { token, password: 'passwordpassword' })
  const accepted = await browser.post('/auth/links/accept', { token, password: NEW })
  const again = await openBrowser(test).post('/auth/links/accept', { token, password: NEW })

  expect(read.json()).toMatchObject({ kind: 'PasswordReset', email, needsPassword: true })
  expect([weak, accepted, again].map(({ statusCode }) => statusCode)).toEqual([400, 200, 404])
  expect((await browser.get('/me')).statusCode).toBe(200)
  expect((await session.get('/me')).statusCode).toBe(401)
  expect([await signIn(email, PASSWORD), await signIn(email, NEW)]).toEqual([401, 200])
})

/** A person with one terminal that is logged in and one whose login was approved and not collected yet. */
async function givenTerminals() {
  const { workspaceId } = await test.givenWorkspace()
  const person = await givenMember(test, workspaceId)
  await verify(person.id)
  const program = openBrowser(test)
  const approve = async () => {
    const asked = { client: 'plimsoll', host: 'bench' }
    const begun = (await program.post('/auth/terminal-logins', asked)).json<{
      userCode: string
      deviceCode: string
    }>()
    const expiresAt = new Date(now + 60 * MINUTE_MS).toISOString()
    const scopes = ['Firmware: read']
    const approval = { userCode: begun.userCode, workspaceId, scopes, expiresAt }
    const approved = await person.browser.post('/me/terminal-logins/approve', approval)
    expect([approved.statusCode, approved.body]).toEqual([204, ''])
    return () => program.post('/auth/terminal-logins/key', { deviceCode: begun.deviceCode })
  }
  const { apiKey } = (await (await approve())()).json<{ apiKey: string }>()
  const useKey = async () => {
    const headers = { authorization: `Bearer ${apiKey}` }
    return (await test.app.inject({ url: '/whoami', headers })).statusCode
  }
  expect(await useKey()).toBe(200)
  return { ...person, useKey, collect: await approve() }
}

describe('logins of terminals', () => {
  it('end with a reset, also those that nobody collected yet', async () => {
    const { email, useKey, collect } = await givenTerminals()

    const token = await givenMailedToken(email)
    await openBrowser(test).post('/auth/links/accept', { token, password: NEW })

    expect(await useKey()).toBe(401)
    expect((await collect()).statusCode).toBe(400)
  })

  it('end with a changed password where the person says so', async () => {
    const { browser, useKey, collect } = await givenTerminals()
    const change = (currentPassword: string, newPassword: string, more: object = {}) =>
      browser.put('/me/password', { currentPassword, newPassword, ...more })

    await change(PASSWORD, NEW)
    const kept = await useKey()
    const changed = await change(NEW, PASSWORD, { endsTerminals: true })

    expect([kept, changed.statusCode, await useKey()]).toEqual([200, 204, 401])
    expect((await collect()).statusCode).toBe(400)
  })

  it('end when it turns out whose the address is', async () => {
    const { id, email, useKey } = await givenTerminals()
    await test.ctx.db
      .updateTable('people')
      .set({ emailVerifiedAt: null })
      .where('id', '=', id)
      .execute()

    const token = await givenMailedToken(email)
    await openBrowser(test).post('/auth/links/accept', { token, password: NEW })

    expect(await useKey()).toBe(401)
  })
})

it('ends after 30 minutes', async () => {
  const { email } = await givenPerson(test)
  const token = await givenMailedToken(email)
  now += 30 * MINUTE_MS

  expect((await openBrowser(test).post('/auth/links/read', { token })).statusCode).toBe(404)
})

it('answers the same for an address that is nobody’s, and sends nothing', async () => {
  const { email } = await givenPerson(test)

  const known = await openBrowser(test).post('/auth/password-reset', { email })
  const unknown = await openBrowser(test).post('/auth/password-reset', {
    email: 'nobody@example.com',
  })

  const answerOf = ({ statusCode, body }: typeof known) => [statusCode, body]
  expect(answerOf(known)).toEqual(answerOf(unknown))
  await expect.poll(() => inbox(email).length).toBe(1)
  expect(inbox('nobody@example.com')).toEqual([])
})

it('sends few mails to one address', async () => {
  const { email } = await givenPerson(test)

  for (let request = 0; request < 8; request += 1)
    await openBrowser(test).post('/auth/password-reset', { email })
  await expect.poll(() => inbox(email).length).toBe(3)

  await givenMailedToken((await givenPerson(test)).email)
  expect(inbox(email)).toHaveLength(3)
})

describe('somebody whose address nobody has verified', () => {
  it('loses what was set before, as it may be of somebody else', async () => {
    const { workspaceId } = await test.givenWorkspace()
    const { email, browser } = await givenMember(test, workspaceId)
    const { secret } = (await browser.post('/me/totp')).json<{ secret: string }>()
    await test.ctx.db.updateTable('totpSecrets').set({ confirmedAt: new Date() }).execute()

    const token = await givenMailedToken(email)
    const mine = openBrowser(test)
    const accepted = await mine.post('/auth/links/accept', { token, password: NEW })

    expect(secret).not.toBe('')
    expect(accepted.json()).toMatchObject({ state: 'SignedIn' })
    expect((await mine.get('/me')).json()).toMatchObject({ totp: false })
  })
})

it('asks for the second factor after a reset', async () => {
  const { workspaceId } = await test.givenWorkspace()
  const { id, email, browser } = await givenMember(test, workspaceId)
  await verify(id)
  await browser.post('/me/totp')
  await test.ctx.db.updateTable('totpSecrets').set({ confirmedAt: new Date() }).execute()

  const token = await givenMailedToken(email)
  const accepted = await openBrowser(test).post('/auth/links/accept', { token, password: NEW })

  expect(accepted.json()).toMatchObject({ state: 'SecondFactorNeeded' })
})

describe('the operator', () => {
  it('makes a link, and removes second factors where asked to', async () => {
    const { workspaceId } = await test.givenWorkspace()
    const { email, id, browser } = await givenMember(test, workspaceId)
    await browser.post('/me/totp')
    const confirmedAt = new Date()
    await test.ctx.db
      .updateTable('totpSecrets')
      .set({ confirmedAt })
      .where('personId', '=', id)
      .execute()
    const reset = async (removesSecondFactors: boolean) => {
      const { link } = await resetAsOperator(test.ctx, {
        email,
        removesSecondFactors,
        actor: OPERATOR,
      })
      const token = new URL(link).hash.slice(1)
      return openBrowser(test).post('/auth/links/accept', { token, password: NEW })
    }

    const states = [await reset(false), await reset(true)].map(
      (response) => response.json<{ state: string }>().state,
    )

    expect(states).toEqual(['SecondFactorNeeded', 'SignedIn'])
  })

  it('ends sessions', async () => {
    const { workspaceId } = await test.givenWorkspace()
    const { email, browser } = await givenMember(test, workspaceId)

    const answer = await endSessionsAsOperator(test.ctx, { email, actor: OPERATOR })

    expect(answer).toEqual({ email, sessionsEnded: 1, terminalsEnded: 0 })
    expect((await browser.get('/me')).statusCode).toBe(401)
  })
})
