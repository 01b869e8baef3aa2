import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import {
  actOnAddresses,
  FORM,
  givenMailServer,
  givenTarget,
  pathOf,
} from '../../../../test/given-targets.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { givenSigningKey } from '../../../../test/given-signing-key.ts'
import { confirmUrl, unsubscribeUrl } from './links.ts'

const DAY_MS = 86_400_000

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await startTestApp()
  givenMailServer(test)
})

beforeEach(async () => {
  stopClock()
  client = await givenClient(test)
})

const A = 'a@example.com'
const { stopClock, later, stateOf, setAddresses, askAgain, listAsked } = actOnAddresses(() => ({
  test,
  client,
}))

const confirmLink = (workspaceId = client.workspaceId) => confirmUrl(test.ctx, workspaceId, A)
const unsubscribeLink = () => unsubscribeUrl(test.ctx, client.workspaceId, A)
const open = (url: string) => test.app.inject({ url: pathOf(url) })
const press = (url: string) => test.app.inject({ method: 'POST', url: pathOf(url), ...FORM })

describe('the link to confirm', () => {
  it('changes nothing when it is opened, and confirms by its button', async () => {
    const target = await givenTarget(client, [A])

    const page = await open(confirmLink())
    const before = await stateOf(target)
    const done = await press(confirmLink())
    const again = await press(confirmLink())

    expect(page.statusCode).toBe(200)
    expect(page.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': expect.stringContaining("style-src 'self' 'sha256-") as string,
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    expect(page.body).toContain('<form method="post">')
    expect(page.body).toContain(A)
    expect(before).toBe('Pending')
    expect([done.statusCode, again.statusCode]).toEqual([200, 200])
    expect(done.body).toContain('Alerts are sent to you')
    expect((await open(confirmLink())).body).not.toContain('<form')
    expect(await stateOf(target)).toBe('Confirmed')
  })

  it('tells in the audit log who agreed', async () => {
    await givenTarget(client, [A])
    await press(confirmLink())
    await press(unsubscribeLink())

    const log = await client.get('/audit-log?limit=2')

    const entry = { resourceType: 'notification-address', resourceId: A, actorEmail: A }
    expect(log.json()).toMatchObject({
      entries: [
        { action: 'notification-address.unsubscribe', ...entry },
        { action: 'notification-address.confirm', ...entry },
      ],
    })
  })

  it('shows names as text', async () => {
    const name = `<script>alert('&')</script>"`
    const settings = (await client.get('/settings')).json<Record<string, unknown>>()
    const { id: _id, updatedAt: _updatedAt, ...writable } = settings
    await client.put('/settings', { ...writable, name })
    await givenTarget(client, [A])

    const page = await open(confirmLink())

    expect(page.body).not.toContain('<script')
    expect(page.body).toContain('&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;&quot;')
  })

  it('expires after seven days', async () => {
    const target = await givenTarget(client, [A])
    const link = confirmLink()
    later(7 * DAY_MS)

    const answers = [await open(link), await press(link)]

    for (const answer of answers) {
      expect(answer.statusCode).toBe(410)
      expect(answer.body).toContain('expired')
    }
    expect(await stateOf(target)).toBe('Pending')
  })

  it('does not work when it is forged, cut off, or made for something else', async () => {
    const target = await givenTarget(client, [A])
    const other = await givenClient(test)
    const forged = confirmUrl({ ...test.ctx, signingKey: givenSigningKey() }, client.workspaceId, A)
    const token = (url: string) => new URL(url).searchParams.get('token') ?? ''
    const path = '/notifications/confirm'

    const answers = [
      await press(forged),
      await press(confirmLink().slice(0, -9)),
      await press(`http://x${path}?token=${token(unsubscribeLink())}`),
      await press(`http://x${path}?token=${token(confirmLink())}&token=x`),
      await press(`http://x${path}`),
      await press(`http://x${path}?token=`),
      await press(`http://x/notifications/unsubscribe?token=${token(confirmLink())}`),
    ]
    const foreign = await press(confirmLink(other.workspaceId))

    expect(answers.map(({ statusCode }) => statusCode)).toEqual(answers.map(() => 404))
    expect(answers[0]?.body).toContain('This link does not work')
    expect(foreign.body).toContain('No mail is sent to this address')
    expect(await stateOf(target)).toBe('Pending')
  })

  it('confirms nothing for an address that was taken out', async () => {
    const target = await givenTarget(client, [A])
    await setAddresses(target, [])

    const done = await press(confirmLink())
    await setAddresses(target, [A])

    expect(done.body).toContain('No mail is sent to this address')
    expect(await stateOf(target)).toBe('Pending')
  })
})

describe('the link to unsubscribe', () => {
  it('asks when it is opened, and ends all mail by its button until a new confirmation', async () => {
    const target = await givenTarget(client, [A])
    await press(confirmLink())
    later(365 * DAY_MS)

    const page = await open(unsubscribeLink())
    const before = await stateOf(target)
    const done = await press(unsubscribeLink())
    const ended = await stateOf(target)
    await setAddresses(target, [])
    await setAddresses(target, [A])
    const kept = await stateOf(target)
    const asked = await askAgain(target, A)
    await press(confirmLink())

    expect(page.body).toContain('<form method="post">')
    expect(done.body).toContain('You get no more mail')
    expect([before, ended, kept]).toEqual(['Confirmed', 'Unsubscribed', 'Unsubscribed'])
    expect(asked.statusCode).toBe(202)
    expect(await listAsked()).toHaveLength(2)
    expect(await stateOf(target)).toBe('Confirmed')
  })

  it.each`
    type                                   | payload
    ${'application/x-www-form-urlencoded'} | ${'List-Unsubscribe=One-Click'}
    ${'multipart/form-data; boundary=x'}   | ${'--x\r\ncontent-disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n'}
    ${undefined}                           | ${undefined}
  `(
    'takes the click of a mail program that sends $type (RFC 8058)',
    async ({ type, payload }: { type?: string; payload?: string }) => {
      const target = await givenTarget(client, [A])
      await press(confirmLink())

      const answer = await test.app.inject({
        method: 'POST',
        url: pathOf(unsubscribeLink()),
        ...(type !== undefined && { headers: { 'content-type': type }, payload: payload ?? '' }),
      })

      expect(answer.statusCode).toBe(200)
      expect(await stateOf(target)).toBe('Unsubscribed')
    },
  )
})

it('limits how often pages are asked for', async () => {
  const own = await startTestApp({ rateLimitPerMinute: 3 })
  const ask = () => own.app.inject({ url: '/notifications/confirm?token=x' })
  for (let request = 0; request < 3; request += 1) expect((await ask()).statusCode).toBe(404)

  expect((await ask()).statusCode).toBe(429)
})
