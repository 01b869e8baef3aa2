/**
 * A browser, an authenticator and a page that lie. Each trial answers a question of the service with a signature of a passkey, real but
 * for one thing. Nothing may come of it: no session, no passkey; the answer is a problem, and the log tells it.
 */
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenMember, openBrowser } from '../../../../test/given-people.ts'
import { type Behaviour, SoftwareAuthenticator } from '../../../../test/software-authenticator.ts'
import { buildApi } from '../../../api.ts'
import { ROLES } from '../../../config/config.ts'
import { MINUTE_MS } from '../../../formats/instants.ts'
import { createLog } from '../../../platform/log.ts'
import { listSubscriptions } from '../../../worker.ts'

let test: TestApp
let now = Date.now()
const logged: string[] = []

beforeAll(async () => {
  const quiet = await startTestApp()
  quiet.ctx.now = () => new Date(now)
  const log = createLog('info', { write: (line) => logged.push(line) })
  const app = await buildApi({ ...quiet.ctx, log }, { roles: ROLES, doors: quiet.doors })
  test = { ...quiet, app }
})

beforeEach(() => {
  logged.length = 0
})

interface Challenge {
  challenge: string
}

async function givenPasskey() {
  const { workspaceId, apiKey } = await test.givenWorkspace()
  const person = await givenMember(test, workspaceId)
  const authenticator = new SoftwareAuthenticator(test.ctx.config.publicUrl)
  const options = (await person.browser.post('/me/passkeys/options')).json<Challenge>()
  const response = authenticator.create(options)
  const added = await person.browser.post('/me/passkeys', { name: 'Laptop', response })
  expect(added.statusCode).toBe(201)
  return { ...person, workspaceId, apiKey, authenticator }
}

type Owner = Awaited<ReturnType<typeof givenPasskey>>

const ask = async () => (await openBrowser(test).post('/auth/passkeys/options')).json<Challenge>()
const send = (answer: object) => openBrowser(test).post('/auth/passkeys/sign-in', answer)

const countAll = async () => {
  const counted = (['sessions', 'passkeys'] as const).map((table) =>
    test.ctx.db
      .selectFrom(table)
      .select((eb) => eb.fn.countAll<string>().as('count'))
      .executeTakeFirstOrThrow(),
  )
  return (await Promise.all(counted)).map(({ count }) => Number(count))
}

const OWN = 'http://localhost:8080'
const PORT = 'http://localhost:8081'
const handleOf = (personId: string) =>
  Buffer.from(personId.replaceAll('-', ''), 'hex').toString('base64url')

/** How the authenticator answers, or what else is sent. */
type Trial = Behaviour | ((owner: Owner) => object | Promise<object>)

const SIGN_INS: Record<string, Trial> = {
  'origin: another': { origin: 'https://evil.example' },
  'origin: another port': { origin: PORT },
  'origin: another scheme': { origin: OWN.replace('http:', 'https:') },
  'origin: a host that only begins so': { origin: 'http://localhost.evil.example:8080' },
  'origin: within a page of another site': { topOrigin: 'https://evil.example' },
  'relying party: another': { rpId: 'evil.example' },
  'presence: none': { userPresent: false },
  'verification: none': { userVerified: false },
  'signature: of another text': { corrupt: true },
  'signature: empty': async ({ authenticator }) => {
    const answer = authenticator.get(await ask())
    return { ...answer, response: { ...answer.response, signature: '' } }
  },
  'type: that of a registration': { type: 'webauthn.create' },
  'challenge: made up': { challenge: 'bWFkZSB1cA' },
  'challenge: with a zero byte': { challenge: 'a\u0000b' },
  'challenge: used': async ({ authenticator }) => {
    const answer = authenticator.get(await ask())
    expect((await send(answer)).statusCode).toBe(200)
    return answer
  },
  'challenge: expired': async ({ authenticator }) => {
    const answer = authenticator.get(await ask())
    now += 5 * MINUTE_MS
    return answer
  },
  'challenge: of a registration': async ({ authenticator, browser }) =>
    authenticator.get((await browser.post('/me/passkeys/options')).json<Challenge>()),
  'counter: going back': async ({ authenticator }) => {
    await send(authenticator.get(await ask(), { counter: 50 }))
    return authenticator.get(await ask(), { counter: 49 })
  },
  'counter: standing still': async ({ authenticator }) => {
    await send(authenticator.get(await ask(), { counter: 50 }))
    return authenticator.get(await ask(), { counter: 50 })
  },
  'counter: back at nothing': async ({ authenticator }) =>
    authenticator.get(await ask(), { counter: 0 }),
  'credential: of another person': async ({ authenticator }) => {
    const other = await givenPasskey()
    return authenticator.get(await ask(), { credentialId: other.authenticator.id })
  },
  'credential: in the name of another person': async ({ authenticator }) => {
    const other = await givenPasskey()
    return authenticator.get(await ask(), { userHandle: handleOf(other.id) })
  },
  'credential: registered by nobody': async () =>
    new SoftwareAuthenticator(test.ctx.config.publicUrl).get(await ask()),
  'data of the client: no JSON': async ({ authenticator }) => {
    const answer = authenticator.get(await ask())
    return { ...answer, response: { ...answer.response, clientDataJSON: 'bm8' } }
  },
  'data of the authenticator: cut off': async ({ authenticator }) => {
    const answer = authenticator.get(await ask())
    return { ...answer, response: { ...answer.response, authenticatorData: 'bm8' } }
  },
}

const REGISTRATIONS: Record<string, Behaviour> = {
  'origin: another': { origin: 'https://evil.example' },
  'origin: another port': { origin: PORT },
  'origin: within a page of another site': { topOrigin: 'https://evil.example' },
  'relying party: another': { rpId: 'evil.example' },
  'presence: none': { userPresent: false },
  'verification: none': { userVerified: false },
  'type: that of a sign-in': { type: 'webauthn.get' },
  'challenge: made up': { challenge: 'bWFkZSB1cA' },
  'challenge: with a zero byte': { challenge: 'a\u0000b' },
  'algorithm: SHA-1, which was not offered': { algorithm: -65_535 },
  'algorithm: none': { algorithm: 0 },
  'algorithm: of other keys': { algorithm: -259 },
}

async function expectRefused(work: () => Promise<Awaited<ReturnType<typeof send>>>) {
  const before = await countAll()
  logged.length = 0

  const response = await work()

  expect(response.json()).toMatchObject({ status: 403, type: '/problems/passkey-refused' })
  expect(response.headers['set-cookie']).toBeUndefined()
  expect(logged.join('')).toContain('"problem":"passkey-refused"')
  expect(await countAll()).toEqual(before)
}

describe('a sign-in with a passkey is refused, and nothing comes of it', () => {
  it.each(Object.entries(SIGN_INS))('%s', async (_name, trial) => {
    const owner = await givenPasskey()
    const answer =
      typeof trial === 'function' ? await trial(owner) : owner.authenticator.get(await ask(), trial)

    await expectRefused(() => send(answer))
  })

  it.each([{ type: 'password' }, { id: 'a\u0000b', rawId: 'a\u0000b' }, { response: {} }])(
    'form: %j',
    async (members) => {
      const { authenticator } = await givenPasskey()
      const before = await countAll()

      const response = await send({ ...authenticator.get(await ask()), ...members })

      expect([response.statusCode, response.headers['set-cookie']]).toEqual([400, undefined])
      expect(await countAll()).toEqual(before)
    },
  )

  it('counter: equal in two answers at once', async () => {
    const { authenticator } = await givenPasskey()
    const answers = [await ask(), await ask()].map((asked) =>
      authenticator.get(asked, { counter: 50 }),
    )

    const responses = await Promise.all(answers.map(send))

    expect(responses.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)).toEqual([
      200, 403,
    ])
  })

  it('is told in the audit log of the workspaces of its owner', async () => {
    const { authenticator, workspaceId, email } = await givenPasskey()

    await send(authenticator.get(await ask(), { corrupt: true }))
    await test.queue.work(test.ctx, listSubscriptions(test.ctx))

    await expect
      .poll(() =>
        test.ctx.db
          .selectFrom('auditLog')
          .select(['actorEmail', 'after'])
          .where('workspaceId', '=', workspaceId)
          .where('action', '=', 'member.sign-in-refused')
          .execute(),
      )
      .toMatchObject([{ actorEmail: email, after: { method: 'Passkey' } }])
  })
})

describe('the registration of a passkey is refused, and nothing comes of it', () => {
  it.each(Object.entries(REGISTRATIONS))('%s', async (_name, behaviour) => {
    const { workspaceId } = await test.givenWorkspace()
    const { browser } = await givenMember(test, workspaceId)
    const asked = (await browser.post('/me/passkeys/options')).json<Challenge>()
    const response = new SoftwareAuthenticator(test.ctx.config.publicUrl).create(asked, behaviour)

    await expectRefused(() => browser.post('/me/passkeys', { name: 'Laptop', response }))
  })

  it('challenge: of another person, or of a sign-in', async () => {
    const { workspaceId } = await test.givenWorkspace()
    const { browser } = await givenMember(test, workspaceId)
    const other = await givenMember(test, workspaceId)
    const theirs = (await other.browser.post('/me/passkeys/options')).json<Challenge>()

    for (const asked of [theirs, await ask()]) {
      const response = new SoftwareAuthenticator(test.ctx.config.publicUrl).create(asked)
      await expectRefused(() => browser.post('/me/passkeys', { name: 'Laptop', response }))
    }
  })

  it('credential: of another person', async () => {
    const { authenticator } = await givenPasskey()
    const { workspaceId } = await test.givenWorkspace()
    const { browser } = await givenMember(test, workspaceId)
    const asked = (await browser.post('/me/passkeys/options')).json<Challenge>()

    await expectRefused(() =>
      browser.post('/me/passkeys', { name: 'Laptop', response: authenticator.create(asked) }),
    )
  })
})

it('signs in where nothing is wrong, so that the trials above fail for their own reason', async () => {
  const { authenticator, id } = await givenPasskey()

  const plain = await send(authenticator.get(await ask()))
  const named = await send(authenticator.get(await ask(), { userHandle: handleOf(id) }))

  expect([plain.statusCode, named.statusCode]).toEqual([200, 200])
})
