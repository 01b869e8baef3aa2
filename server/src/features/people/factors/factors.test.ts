import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import {
  type Browser,
  givenMember,
  givenPerson,
  givenSession,
  openBrowser,
  PASSWORD,
} from '../../../../test/given-people.ts'
import { SoftwareAuthenticator } from '../../../../test/software-authenticator.ts'
import { MINUTE_MS } from '../../../formats/instants.ts'
import { computeCode, stepAt } from './totp.ts'

let test: TestApp
let now = Date.now()

beforeAll(async () => {
  test = await startTestApp()
  test.ctx.now = () => new Date(now)
})

function fromBase32(text: string): Buffer {
  const bits = Array.from(text)
    .map((character) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(character))
    .map((value) => value.toString(2).padStart(5, '0'))
    .join('')
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => parseInt(byte, 2)))
}

/** A person whose app shows codes; each call of `code` is for a later time step. */
async function givenTotp() {
  const { workspaceId } = await test.givenWorkspace()
  const person = await givenMember(test, workspaceId)
  const { secret } = (await person.browser.post('/me/totp')).json<{ secret: string }>()
  const code = () => {
    now += 30_000
    return computeCode(fromBase32(secret), stepAt(new Date(now)))
  }
  const confirmed = await person.browser.post('/me/totp/confirm', { code: code() })
  const { recoveryCodes } = confirmed.json<{ recoveryCodes: string[] }>()
  return { ...person, workspaceId, code, recoveryCodes }
}

async function signIn({ email }: { email: string }): Promise<Browser> {
  const browser = openBrowser(test)
  const response = await browser.post('/auth/sign-in', { email, password: PASSWORD })
  expect(response.json()).toMatchObject({ state: 'SecondFactorNeeded' })
  return browser
}

describe('codes of an app', () => {
  it('are asked for after the password, and complete the sign-in', async () => {
    const person = await givenTotp()
    const browser = openBrowser(test)

    const first = await browser.post('/auth/sign-in', { email: person.email, password: PASSWORD })
    const before = await browser.get('/me')
    const second = await browser.post('/auth/second-factor', { code: person.code() })

    expect(first.json()).toEqual({
      state: 'SecondFactorNeeded',
      secondFactors: ['Totp', 'RecoveryCode'],
    })
    expect(before.json()).toMatchObject({ type: '/problems/second-factor-outstanding' })
    expect(second.json()).toMatchObject({ state: 'SignedIn' })
    expect((await browser.get('/me')).json()).toMatchObject({ totp: true, recoveryCodesLeft: 10 })
  })

  it('work once, also when two send the same at once', async () => {
    const person = await givenTotp()
    const [one, other] = [await signIn(person), await signIn(person)]
    const code = person.code()

    const answers = await Promise.all([
      one.post('/auth/second-factor', { code }),
      other.post('/auth/second-factor', { code }),
    ])
    const later = await (await signIn(person)).post('/auth/second-factor', { code })

    expect(answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
      200, 403,
    ])
    expect(later.json()).toMatchObject({ status: 403, type: '/problems/wrong-code' })
  })

  it('cannot be guessed', async () => {
    const person = await givenTotp()
    const browser = await signIn(person)

    const statuses = []
    for (let guess = 0; guess < 10; guess += 1)
      statuses.push((await browser.post('/auth/second-factor', { code: '000000' })).statusCode)

    expect(statuses.filter((status) => status === 403)).toHaveLength(8)
    expect(statuses.slice(-2)).toEqual([429, 429])
  })

  it('are nothing without the password', async () => {
    const person = await givenTotp()

    const answer = await openBrowser(test).post('/auth/second-factor', { code: person.code() })

    expect(answer.json()).toMatchObject({ status: 401 })
  })

  it('give the session a new token, and end the one that was shown', async () => {
    const person = await givenTotp()
    const browser = await signIn(person)
    const before = openBrowser(test, browser.headers)

    await browser.post('/auth/second-factor', { code: person.code() })

    expect((await browser.get('/me')).statusCode).toBe(200)
    expect((await before.get('/me')).statusCode).toBe(401)
  })

  it('are not in force before one was entered', async () => {
    const person = await givenPerson(test)
    const browser = await givenSession(test, person.id)
    await browser.post('/me/totp')

    const wrong = await browser.post('/me/totp/confirm', { code: '000000' })
    const response = await openBrowser(test).post('/auth/sign-in', {
      email: person.email,
      password: PASSWORD,
    })

    expect(wrong.json()).toMatchObject({ status: 400, errors: [{ pointer: '/code' }] })
    expect(response.json()).toMatchObject({ state: 'SignedIn' })
  })

  it('are removed with the password or a code, after which sessions are weak', async () => {
    const person = await givenTotp()
    const url = `/workspaces/${person.workspaceId}/settings`
    await test.ctx.db
      .updateTable('workspaces')
      .set({ requireSecondFactor: true })
      .where('id', '=', person.workspaceId)
      .execute()

    const strong = await person.browser.get(url)
    const wrong = await person.browser.delete('/me/totp', { password: 'not the right one' })
    const nothing = await person.browser.delete('/me/totp', {})
    const right = await person.browser.delete('/me/totp', { code: person.code() })
    const weak = await person.browser.get(url)

    const statuses = [strong, wrong, nothing, right, weak].map(({ statusCode }) => statusCode)
    expect(statuses).toEqual([200, 403, 400, 204, 403])
    expect((await person.browser.get('/me')).json()).toMatchObject({
      totp: false,
      recoveryCodesLeft: 0,
    })
  })

  it('are added once', async () => {
    const person = await givenTotp()

    const response = await person.browser.post('/me/totp')

    expect(response.json()).toMatchObject({ status: 409, type: '/problems/totp-in-use' })
  })
})

describe('recovery codes', () => {
  it('each work once, and are counted', async () => {
    const person = await givenTotp()
    const [recoveryCode = ''] = person.recoveryCodes

    const first = await (await signIn(person)).post('/auth/second-factor', { recoveryCode })
    const again = await (await signIn(person)).post('/auth/second-factor', { recoveryCode })

    expect([first.statusCode, again.statusCode]).toEqual([200, 403])
    expect((await person.browser.get('/me')).json()).toMatchObject({ recoveryCodesLeft: 9 })
  })

  it('of somebody else do not work', async () => {
    const [person, other] = [await givenTotp(), await givenTotp()]
    const [recoveryCode = ''] = other.recoveryCodes

    const response = await (await signIn(person)).post('/auth/second-factor', { recoveryCode })

    expect(response.statusCode).toBe(403)
  })

  it('are replaced by new ones', async () => {
    const person = await givenTotp()
    const [old = ''] = person.recoveryCodes

    const renewed = await person.browser.post('/me/recovery-codes')
    const { recoveryCodes } = renewed.json<{ recoveryCodes: string[] }>()
    const answers = [
      await (await signIn(person)).post('/auth/second-factor', { recoveryCode: old }),
      await (await signIn(person)).post('/auth/second-factor', { recoveryCode: recoveryCodes[3] }),
    ]

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 200])
  })

  it('need an app', async () => {
    const person = await givenPerson(test)
    const browser = await givenSession(test, person.id)

    expect((await browser.post('/me/recovery-codes')).statusCode).toBe(409)
  })
})

type Challenge = { challenge: string }

describe('a passkey', () => {
  async function givenPasskey() {
    const { workspaceId } = await test.givenWorkspace()
    const person = await givenMember(test, workspaceId)
    const authenticator = new SoftwareAuthenticator(test.ctx.config.publicUrl)
    const options = (await person.browser.post('/me/passkeys/options')).json<Challenge>()
    const response = authenticator.create(options)
    const added = await person.browser.post('/me/passkeys', { name: 'Laptop', response })
    return { ...person, workspaceId, authenticator, response, added }
  }

  const challenge = async () =>
    (await openBrowser(test).post('/auth/passkeys/options')).json<Challenge>()

  async function signInWith(authenticator: SoftwareAuthenticator) {
    const answer = authenticator.get(await challenge())
    return openBrowser(test).post('/auth/passkeys/sign-in', answer)
  }

  it('signs in without a name or a password, as both factors', async () => {
    const { authenticator, email, workspaceId, added } = await givenPasskey()
    await test.ctx.db
      .updateTable('workspaces')
      .set({ requireSecondFactor: true })
      .where('id', '=', workspaceId)
      .execute()
    const browser = openBrowser(test)

    const answer = authenticator.get(await challenge())
    const response = await browser.post('/auth/passkeys/sign-in', answer)

    expect(added.statusCode).toBe(201)
    expect(response.json()).toEqual({ state: 'SignedIn', secondFactors: [] })
    expect((await browser.get('/me')).json()).toMatchObject({ email, passkeys: 1 })
    expect((await browser.get(`/workspaces/${workspaceId}/settings`)).statusCode).toBe(200)
    expect((await browser.get('/me/passkeys')).json()).toMatchObject([
      { name: 'Laptop', lastUsedAt: new Date(now).toISOString() },
    ])
  })

  it('is removed by its person only, and signs in no more', async () => {
    const { authenticator, browser } = await givenPasskey()
    const stranger = await givenPasskey()
    const [{ id = '' } = {}] = (await browser.get('/me/passkeys')).json<{ id?: string }[]>()

    const foreign = await stranger.browser.delete(`/me/passkeys/${id}`)
    const removed = await browser.delete(`/me/passkeys/${id}`)

    expect([foreign.statusCode, removed.statusCode]).toEqual([404, 204])
    expect((await signInWith(authenticator)).statusCode).toBe(403)
  })

  it('is asked for after a password, which alone opens and adds nothing', async () => {
    const { authenticator, email, workspaceId } = await givenPasskey()
    await test.ctx.db
      .updateTable('workspaces')
      .set({ requireSecondFactor: true })
      .where('id', '=', workspaceId)
      .execute()
    const browser = openBrowser(test)

    const first = await browser.post('/auth/sign-in', { email, password: PASSWORD })
    const before = openBrowser(test, browser.headers)
    const refused = [
      await browser.post('/me/totp'),
      await browser.post('/me/passkeys/options'),
      await browser.get(`/workspaces/${workspaceId}/settings`),
    ]
    await browser.post('/auth/passkeys/sign-in', authenticator.get(await challenge()))

    expect(first.json()).toEqual({ state: 'SecondFactorNeeded', secondFactors: ['Passkey'] })
    for (const answer of refused) expect(answer.statusCode).toBe(401)
    expect((await browser.get(`/workspaces/${workspaceId}/settings`)).statusCode).toBe(200)
    expect((await before.get('/me')).statusCode).toBe(401)
  })

  it('that was the last leaves sessions without a second factor', async () => {
    const { browser, workspaceId } = await givenPasskey()
    await test.ctx.db
      .updateTable('workspaces')
      .set({ requireSecondFactor: true })
      .where('id', '=', workspaceId)
      .execute()
    const [{ id = '' } = {}] = (await browser.get('/me/passkeys')).json<{ id?: string }[]>()

    const strong = await browser.get(`/workspaces/${workspaceId}/settings`)
    await browser.delete(`/me/passkeys/${id}`)
    const weak = await browser.get(`/workspaces/${workspaceId}/settings`)

    expect([strong.statusCode, weak.statusCode]).toEqual([200, 403])
  })
})

describe('factors of who has one', () => {
  async function givenBoth() {
    const person = await givenTotp()
    const authenticator = new SoftwareAuthenticator(test.ctx.config.publicUrl)
    const add = async (made: SoftwareAuthenticator) => {
      const options = await person.browser.post('/me/passkeys/options')
      const response = made.create(options.json<Challenge>())
      return () => person.browser.post('/me/passkeys', { name: 'Laptop', response })
    }
    await (
      await add(authenticator)
    )()
    const [{ id = '' } = {}] = (await person.browser.get('/me/passkeys')).json<{ id?: string }[]>()
    return { ...person, add, passkeyId: id }
  }

  it('change only where one was shown within ten minutes', async () => {
    const { browser, code, add, passkeyId } = await givenBoth()
    now += 8 * MINUTE_MS
    const addOther = await add(new SoftwareAuthenticator(test.ctx.config.publicUrl))
    now += 3 * MINUTE_MS

    const stale = [
      await browser.post('/me/totp'),
      await browser.post('/me/totp/confirm', { code: '000000' }),
      await browser.delete('/me/totp', { password: PASSWORD }),
      await browser.post('/me/recovery-codes'),
      await browser.post('/me/passkeys/options'),
      await addOther(),
      await browser.delete(`/me/passkeys/${passkeyId}`),
    ]
    await browser.post('/auth/second-factor', { code: code() })
    const fresh = [
      await browser.post('/me/recovery-codes'),
      await browser.delete(`/me/passkeys/${passkeyId}`),
      await browser.delete('/me/totp', { password: PASSWORD }),
    ]

    for (const answer of stale)
      expect(answer.json()).toMatchObject({
        status: 403,
        type: '/problems/second-factor-not-recent',
      })
    expect(fresh.map(({ statusCode }) => statusCode)).toEqual([200, 204, 204])
  })

  it('do not change where the clock went back since one was shown', async () => {
    const { browser } = await givenBoth()
    now -= 11 * MINUTE_MS

    const response = await browser.post('/me/recovery-codes')
    now += 11 * MINUTE_MS

    expect(response.json()).toMatchObject({ type: '/problems/second-factor-not-recent' })
  })

  it.each(['an app', 'a passkey'])('begin with %s, which ends other sessions', async (factor) => {
    const { workspaceId } = await test.givenWorkspace()
    const person = await givenMember(test, workspaceId)
    const other = await givenSession(test, person.id)

    if (factor === 'an app') {
      const { secret } = (await person.browser.post('/me/totp')).json<{ secret: string }>()
      const code = computeCode(fromBase32(secret), stepAt(new Date(now)))
      await person.browser.post('/me/totp/confirm', { code })
    } else {
      const options = (await person.browser.post('/me/passkeys/options')).json<Challenge>()
      const response = new SoftwareAuthenticator(test.ctx.config.publicUrl).create(options)
      await person.browser.post('/me/passkeys', { name: 'Laptop', response })
    }

    expect((await person.browser.get('/me')).statusCode).toBe(200)
    expect((await other.get('/me')).statusCode).toBe(401)
  })
})
