import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenWebhook, isSignedWith, type ShownWebhook } from '../../../../test/given-webhooks.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { startWebhookServer, type WebhookServer } from '../../../../test/webhook-server.ts'
import type { AppContext } from '../../../platform/context.ts'
import { createPostClient } from '../../../platform/http-client/index.ts'
import { newId } from '../../../platform/ids.ts'
import type { Notice } from '../../notifications/index.ts'
import { deliverWebhook } from './service.ts'
import { findEnabledWebhook } from '../../notification-targets/index.ts'

let test: TestApp
let client: Client
let server: WebhookServer
beforeAll(async () => {
  server = await startWebhookServer()
  const allowedHosts = [{ net: '127.0.0.1', prefix: 32 }]
  test = await startTestApp({ webhooks: { allowedHosts, connectMs: 1_000, totalMs: 400 } })
  client = await givenClient(test)
})
beforeEach(() => {
  server.behave({ kind: 'answer', status: 204 })
  server.requests.length = 0
})
afterAll(() => server.close())

const NOTICE: Notice = {
  event: 'Fired',
  workspaceName: 'Acme',
  title: 'CPU too hot ☀',
  text: 'Above 80.',
  facts: [],
  items: [],
  moreItems: 0,
  path: '/workspaces/w/incidents/i',
  at: '2026-08-22T10:00:00.000Z',
  data: { incidentId: 'i' },
}

interface DeliveryOptions {
  ctx?: AppContext
  id?: string
  signal?: AbortSignal
}

async function deliver(webhookId: string, delivering: DeliveryOptions = {}) {
  const { ctx = test.ctx, id = newId(), signal = new AbortController().signal } = delivering
  const { workspaceId } = client
  const webhook = await findEnabledWebhook(ctx.db, workspaceId, webhookId)
  if (!webhook) throw new Error('the webhook is not there, or disabled')
  return deliverRecorded(
    { workspaceId, webhook, notification: { id, notice: NOTICE } },
    ctx,
    signal,
  )
}

/** What the answer says of the webhook is recorded as the delivery does. */
async function deliverRecorded(
  delivery: Parameters<typeof deliverWebhook>[1],
  ctx: AppContext = test.ctx,
  signal = new AbortController().signal,
) {
  const { recordAnswer, ...answer } = await deliverWebhook(ctx, delivery, signal)
  await ctx.db.transaction().execute(async (tx) => recordAnswer?.(tx, ctx.now()))
  return answer
}

const shown = async ({ id }: { id: string }) =>
  (await client.get(`/webhooks/${id}`)).json<ShownWebhook>()

describe('a delivered message', () => {
  it('is signed, and shows on the webhook', async () => {
    const webhook = await givenWebhook(client, `${server.url}/in`)
    const id = newId()

    const answer = await deliver(webhook.id, { id })

    expect(answer).toEqual({ outcome: 'Delivered', answer: 'HTTP 204' })
    const [request] = server.requests
    if (!request) throw new Error('nothing arrived')
    expect(request).toMatchObject({ method: 'POST', path: '/in' })
    expect(request.headers).toMatchObject({
      'content-type': 'application/json',
      'user-agent': 'plimsoll',
      'webhook-id': id,
    })
    expect(JSON.parse(request.body)).toMatchObject({
      type: 'alert.fired',
      data: { workspaceId: client.workspaceId, title: NOTICE.title, incidentId: 'i' },
    })
    expect(await isSignedWith(request, webhook.secret)).toBe(true)
    expect(await isSignedWith({ ...request, body: `${request.body} ` }, webhook.secret)).toBe(false)
    expect(await shown(webhook)).toMatchObject({
      lastAnswer: 'HTTP 204',
      lastDeliveredAt: expect.any(String) as string,
      lastAnswerAt: expect.any(String) as string,
      failingSince: null,
    })
  })

  it('is signed with the former secret too, for a day after it was rotated', async () => {
    const webhook = await givenWebhook(client, server.url)
    const rotated = await client.post(`/webhooks/${webhook.id}/rotate-secret`)
    const { secret } = rotated.json<{ secret: string }>()
    const tomorrow = new Date(test.ctx.now().getTime() + 86_400_001)

    await deliver(webhook.id)
    await deliver(webhook.id, { ctx: { ...test.ctx, now: () => tomorrow } })

    const [first, second] = server.requests
    if (!first || !second) throw new Error('two were to arrive')
    expect(String(first.headers['webhook-signature']).split(' ')).toHaveLength(2)
    expect(await isSignedWith(first, secret)).toBe(true)
    expect(await isSignedWith(first, webhook.secret)).toBe(true)
    expect(await isSignedWith(second, secret)).toBe(true)
    expect(await isSignedWith(second, webhook.secret)).toBe(false)
    expect(second.headers['webhook-timestamp']).toBe(String(Math.floor(tomorrow.getTime() / 1000)))
  })

  it('is delivered once its status is there, though the body never ends', async () => {
    const webhook = await givenWebhook(client, server.url)
    server.behave({ kind: 'drip-body' })

    expect(await deliver(webhook.id)).toMatchObject({ outcome: 'Delivered' })
  })
})

describe('a message that is not taken', () => {
  it.each`
    what             | behaviour                                                           | answer
    ${'fails'}       | ${{ kind: 'answer', status: 500, body: 'a\u0000b\r\nc\u001b[0m' }}  | ${/^HTTP 500: a b c \[0m$/}
    ${'redirects'}   | ${{ kind: 'answer', status: 302, headers: { location: '/x' } }}     | ${/^HTTP 302: a redirect, which is not followed, to \/x$/}
    ${'hangs'}       | ${{ kind: 'hang' }}                                                 | ${/took longer than 0.4 s/}
    ${'drips'}       | ${{ kind: 'drip-head' }}                                            | ${/took longer than 0.4 s/}
    ${'closes'}      | ${{ kind: 'close' }}                                                | ${/the connection was closed/}
    ${'says no'}     | ${{ kind: 'answer', status: 403, body: 'x'.repeat(5000) }}          | ${/^HTTP 403: x{200}$/}
    ${'sends bytes'} | ${{ kind: 'answer', status: 500, body: Buffer.from([0xff, 0xfe]) }} | ${/^HTTP 500: ��$/}
  `(
    'is tried again when the server $what',
    async ({ behaviour, answer }: { behaviour: never; answer: RegExp }) => {
      const webhook = await givenWebhook(client, server.url)
      server.behave(behaviour)

      const failed = await deliver(webhook.id)
      const { failingSince } = await shown(webhook)
      await deliver(webhook.id)
      const failing = await shown(webhook)
      server.behave({ kind: 'answer', status: 200 })
      await deliver(webhook.id)

      expect(failed).toEqual({
        outcome: 'Deferred',
        answer: expect.stringMatching(answer) as string,
      })
      expect(failing).toMatchObject({ lastAnswer: failed.answer, lastDeliveredAt: null })
      expect(failing.failingSince).toBe(failingSince)
      expect(failingSince).not.toBeNull()
      expect(await shown(webhook)).toMatchObject({ lastAnswer: 'HTTP 200', failingSince: null })
    },
  )

  it('waits as long as the server asks', async () => {
    const webhook = await givenWebhook(client, server.url)
    server.behave({ kind: 'answer', status: 429, headers: { 'retry-after': '120' } })

    expect(await deliver(webhook.id)).toEqual({
      outcome: 'Deferred',
      answer: 'HTTP 429',
      retryAfterMs: 120_000,
    })
  })

  it('is the last one when the server is gone for good', async () => {
    const webhook = await givenWebhook(client, server.url)
    server.behave({ kind: 'answer', status: 410, body: 'moved out' })

    const answer = await deliver(webhook.id)

    expect(answer).toEqual({ outcome: 'Refused', answer: 'HTTP 410: moved out' })
    expect(await shown(webhook)).toMatchObject({
      state: 'Disabled',
      lastAnswer: 'HTTP 410: moved out',
    })
    const log = await client.get(`/audit-log?resourceId=${webhook.id}&action=webhook.update`)
    expect(log.json()).toMatchObject({
      entries: [
        { actorType: 'System', before: { state: 'Enabled' }, after: { state: 'Disabled' } },
      ],
    })
  })

  it('does not disable a webhook that leads elsewhere by then', async () => {
    const webhook = await givenWebhook(client, server.url)
    const { workspaceId } = client
    const known = await findEnabledWebhook(test.ctx.db, workspaceId, webhook.id)
    if (!known) throw new Error('the webhook is not there')
    await client.put(`/webhooks/${webhook.id}`, {
      name: 'Chat',
      url: `${server.url}/new`,
      state: 'Enabled',
    })
    server.behave({ kind: 'answer', status: 410 })

    const notification = { id: newId(), notice: NOTICE }
    await deliverRecorded({ workspaceId, webhook: known, notification })

    expect(await shown(webhook)).toMatchObject({ state: 'Enabled' })
  })

  it('never reaches a private address that its name leads to later', async () => {
    const webhook = await givenWebhook(client, `https://hooks.invalid:${server.port}/`)
    const http = createPostClient({
      ...test.ctx.config.webhooks,
      allowedHosts: [],
      allowedBy: 'THE_SETTING',
      caFile: undefined,
      proxies: { http: undefined, https: undefined, none: [] },
      lookup: (_name, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]),
    })

    const answer = await deliver(webhook.id, { ctx: { ...test.ctx, http } })

    expect(answer).toMatchObject({
      outcome: 'Deferred',
      answer: expect.stringContaining('hooks.invalid has no public address') as string,
    })
    expect(server.requests).toEqual([])
    await http.close()
  })

  it('is left as it was when the worker stops', async () => {
    const webhook = await givenWebhook(client, server.url)
    server.behave({ kind: 'hang' })
    const stopping = new AbortController()
    stopping.abort(new Error('stopping'))

    await expect(deliver(webhook.id, { signal: stopping.signal })).rejects.toThrow('stopping')
    expect(await shown(webhook)).toMatchObject({ lastAnswer: null, failingSince: null })
  })
})
