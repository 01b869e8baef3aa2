import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../../test/app.ts'
import { givenWebhook, type ShownWebhook } from '../../../../test/given-webhooks.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { newId } from '../../../platform/ids.ts'

let test: TestApp
let client: Client
beforeAll(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
})

const URL_TEXT = 'https://93.184.216.34/hook'
const anyText = expect.any(String) as string

async function listActions(as: Client): Promise<object[]> {
  const { entries } = (await as.get('/audit-log?resourceType=webhook')).json<{
    entries: { action: string; before: unknown; after: unknown }[]
  }>()
  return entries.map(({ action, before, after }) => ({ action, before, after })).toReversed()
}

describe('a webhook', () => {
  it('is created, read, changed and deleted; its secret is shown once', async () => {
    const own = await givenClient(test)

    const created = await own.post('/webhooks', { name: ' Chat ', url: URL_TEXT, format: 'Slack' })
    const { secret, ...webhook } = created.json<ShownWebhook & { secret: string }>()
    const path = `/webhooks/${webhook.id}`
    const read = await own.get(path)
    const change = { name: 'Chat 2', url: 'https://93.184.216.35/', state: 'Disabled' }
    const changed = await own.put(path, change)
    const listed = await own.get('/webhooks')
    const deleted = await own.delete(path)

    expect(created.statusCode).toBe(201)
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(webhook).toEqual({
      id: anyText,
      name: 'Chat',
      url: URL_TEXT,
      state: 'Enabled',
      alertRuleCount: 0,
      createdAt: anyText,
      updatedAt: anyText,
      formerSecretUntil: null,
      lastDeliveredAt: null,
      lastAnswer: null,
      lastAnswerAt: null,
      format: 'Slack',
      failingSince: null,
    })
    expect(read.json()).toEqual(webhook)
    expect(changed.json()).toEqual({ ...webhook, ...change, updatedAt: anyText })
    expect(listed.json()).toEqual({ webhooks: [changed.json()] })
    expect(deleted.statusCode).toBe(204)
    expect((await own.get(path)).statusCode).toBe(404)
    const before = { name: 'Chat', url: URL_TEXT, state: 'Enabled', format: 'Slack' }
    const after = { ...change, format: 'Slack' }
    expect(await listActions(own)).toEqual([
      { action: 'webhook.create', before: null, after: before },
      { action: 'webhook.update', before, after },
      { action: 'webhook.delete', before: after, after: null },
    ])
  })

  it('counts the rules that name it, and leaves them when it is deleted', async () => {
    const { id } = await givenWebhook(client, URL_TEXT)
    const rule = await client.post('/alert-rules', {
      name: 'Offline',
      type: 'DeviceOffline',
      evaluationFrequency: '5m',
      condition: { offlineFor: '1h' },
      targets: [{ id }],
    })
    expect(rule.statusCode).toBe(201)

    const counted = await client.get(`/webhooks/${id}`)
    await client.delete(`/webhooks/${id}`)

    const { id: ruleId } = rule.json<{ id: string }>()
    expect(counted.json()).toMatchObject({ alertRuleCount: 1 })
    expect((await client.get(`/alert-rules/${ruleId}`)).json()).toMatchObject({ targets: [] })
  })

  it('gets a new secret, and keeps the former for a day', async () => {
    const { id, secret } = await givenWebhook(client, URL_TEXT)
    const startedAt = test.ctx.now().getTime()

    const rotated = await client.post(`/webhooks/${id}/rotate-secret`)

    const answer = rotated.json<{ secret: string; formerSecretUntil: string }>()
    expect(rotated.statusCode).toBe(200)
    expect(answer.secret).toMatch(/^whsec_/)
    expect(answer.secret).not.toBe(secret)
    expect(Date.parse(answer.formerSecretUntil) - startedAt).toBeGreaterThanOrEqual(86_400_000)
    const { formerSecretUntil } = answer
    expect((await client.get(`/webhooks/${id}`)).json()).toMatchObject({ formerSecretUntil })
    expect(JSON.stringify(await listActions(client))).not.toContain('whsec_')
  })

  it('is tested through the outbox', async () => {
    const { id } = await givenWebhook(client, URL_TEXT)

    const tested = await client.post(`/webhooks/${id}/test`)

    expect(tested.statusCode).toBe(202)
    const { notificationId } = tested.json<{ notificationId: string }>()
    const row = await test.ctx.db
      .selectFrom('notifications')
      .select(['webhookId', 'kind', 'state'])
      .where('workspaceId', '=', client.workspaceId)
      .where('id', '=', notificationId)
      .executeTakeFirst()
    expect(row).toEqual({ webhookId: id, kind: 'Test', state: 'Pending' })
  })

  it('is not tested while it is disabled', async () => {
    const { id } = await givenWebhook(client, URL_TEXT)
    await client.put(`/webhooks/${id}`, { name: 'Chat', url: URL_TEXT, state: 'Disabled' })

    const tested = await client.post(`/webhooks/${id}/test`)

    expect(tested.statusCode).toBe(409)
    expect(tested.json()).toMatchObject({ type: '/problems/webhook-disabled' })
  })

  it('can be disabled although its address became a private one', async () => {
    const { id } = await givenWebhook(client, URL_TEXT)
    await test.ctx.db
      .updateTable('webhooks')
      .set({ url: 'https://10.0.0.1/' })
      .where('workspaceId', '=', client.workspaceId)
      .where('id', '=', id)
      .execute()
    const command = { name: 'Chat', url: 'https://10.0.0.1/' }

    const disabled = await client.put(`/webhooks/${id}`, { ...command, state: 'Disabled' })

    expect(disabled.statusCode).toBe(200)
  })
})

describe('a command is refused', () => {
  it.each`
    what                         | url                                  | detail
    ${'to this machine'}         | ${'https://127.0.0.1/'}              | ${'no public address'}
    ${'in one number'}           | ${'https://2130706433/'}             | ${'no public address'}
    ${'in octal'}                | ${'https://0177.0.0.1/'}             | ${'no public address'}
    ${'by the name of the host'} | ${'https://localhost/'}              | ${'no public address'}
    ${'to the next machine'}     | ${'https://10.0.0.1:8443/'}          | ${'no public address'}
    ${'to IPv4 in IPv6'}         | ${'https://[::ffff:127.0.0.1]/'}     | ${'no public address'}
    ${'to metadata of a cloud'}  | ${'https://169.254.169.254/latest/'} | ${'no public address'}
    ${'without TLS'}             | ${'http://93.184.216.34/'}           | ${'needs https'}
    ${'with a password'}         | ${'https://a:b@93.184.216.34/'}      | ${'user name or password'}
    ${'with a fragment'}         | ${'https://93.184.216.34/#a'}        | ${'fragment'}
    ${'by another protocol'}     | ${'ftp://93.184.216.34/'}            | ${'begin with https://'}
  `('$what', async ({ url, detail }: { url: string; detail: string }) => {
    const { id } = await givenWebhook(client, URL_TEXT)

    const created = await client.post('/webhooks', { name: 'a', url })
    const changed = await client.put(`/webhooks/${id}`, { name: 'a', url, state: 'Enabled' })

    for (const response of [created, changed]) {
      expect(response.statusCode).toBe(400)
      expect(response.json()).toMatchObject({
        errors: [{ pointer: '/url', detail: expect.stringContaining(detail) as string }],
      })
    }
    expect((await client.get(`/webhooks/${id}`)).json()).toMatchObject({ url: URL_TEXT })
  })

  it.each`
    what                  | command                                        | pointer
    ${'no name'}          | ${{ url: URL_TEXT }}                           | ${''}
    ${'an empty name'}    | ${{ url: URL_TEXT, name: ' ' }}                | ${'/name'}
    ${'a line break'}     | ${{ url: URL_TEXT, name: 'a\r\nb' }}           | ${'/name'}
    ${'a turned name'}    | ${{ url: URL_TEXT, name: 'a\u202Eb' }}         | ${'/name'}
    ${'no URL'}           | ${{ name: 'a' }}                               | ${''}
    ${'an unknown state'} | ${{ name: 'a', url: URL_TEXT, state: 'Off' }}  | ${'/state'}
    ${'a secret'}         | ${{ name: 'a', url: URL_TEXT, secret: 'abc' }} | ${'/secret'}
  `('with $what', async ({ command, pointer }: { command: object; pointer: string }) => {
    const response = await client.post('/webhooks', command)

    expect(response.statusCode).toBe(400)
    const { errors } = response.json<{ errors: { pointer: string }[] }>()
    expect(errors.map((error) => error.pointer)).toContain(pointer)
  })

  it('for the webhook after the hundredth, also of two at once', async () => {
    const own = await givenClient(test)
    const rows = Array.from({ length: 99 }, () => ({
      workspaceId: own.workspaceId,
      id: newId(),
      name: 'a',
      url: URL_TEXT,
      state: 'Enabled' as const,
      secret: Buffer.alloc(32),
      createdAt: test.ctx.now(),
      updatedAt: test.ctx.now(),
    }))
    await test.ctx.db.insertInto('webhooks').values(rows).execute()

    const create = () => own.post('/webhooks', { name: 'a', url: URL_TEXT })
    const responses = await Promise.all([create(), create()])

    expect(responses.filter(({ statusCode }) => statusCode === 201)).toHaveLength(1)
    const refused = responses.find(({ statusCode }) => statusCode === 409)
    expect(refused?.json()).toMatchObject({ type: '/problems/too-many-webhooks' })
  })
})

describe('a webhook of another workspace', () => {
  it('does not exist', async () => {
    const { id } = await givenWebhook(client, URL_TEXT)
    const other = await givenClient(test)
    const path = `/webhooks/${id}`

    const responses = [
      await other.get(path),
      await other.put(path, { name: 'a', url: URL_TEXT, state: 'Disabled' }),
      await other.delete(path),
      await other.post(`${path}/rotate-secret`),
      await other.post(`${path}/test`),
      await other.get('/webhooks/no-id'),
    ]

    for (const response of responses) {
      expect(response.statusCode).toBe(404)
      expect(response.json()).toMatchObject({ type: '/problems/webhook-not-found' })
    }
    expect((await other.get('/webhooks')).json()).toEqual({ webhooks: [] })
    expect((await client.get(path)).json()).toMatchObject({ state: 'Enabled' })
  })

  it('is not reached without the scope', async () => {
    const { id } = await givenWebhook(client, URL_TEXT)
    const reading = await test.givenKey(client.workspaceId, ['Alerts: read'])
    const writing = await test.givenKey(client.workspaceId, ['Alerts: write'])
    const ask = async (key: string, method: 'GET' | 'POST', path: string) => {
      const url = `/workspaces/${client.workspaceId}/webhooks${path}`
      const headers = { authorization: `Bearer ${key}` }
      return (await test.app.inject({ method, url, headers })).statusCode
    }

    expect(await ask(reading, 'GET', '')).toBe(200)
    expect(await ask(reading, 'GET', `/${id}`)).toBe(200)
    expect(await ask(reading, 'POST', `/${id}/rotate-secret`)).toBe(403)
    expect(await ask(reading, 'POST', `/${id}/test`)).toBe(403)
    expect(await ask(writing, 'GET', '')).toBe(403)
  })
})
