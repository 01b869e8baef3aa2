import { beforeEach, describe, expect, it } from 'vitest'
import { startTestApp } from '../../../test/app.ts'
import {
  notifyOfIncident,
  deliverDue,
  givenConfirmedTarget,
  givenSmtp,
} from '../../../test/given-deliveries.ts'
import { givenTarget } from '../../../test/given-targets.ts'
import { givenWebhook, type ShownWebhook } from '../../../test/given-webhooks.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { startSmtpServer } from '../../../test/smtp-server.ts'
import { startWebhookServer } from '../../../test/webhook-server.ts'
import { reportNotificationHealth } from './health.ts'
import { sweepNotifications } from './index.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const START = Date.UTC(2026, 7, 22, 10)
const allowedHosts = [{ net: '127.0.0.1', prefix: 32 }]

const test = await startTestApp({ webhooks: { allowedHosts, connectMs: 1_000, totalMs: 2_000 } })
const { ctx } = test
const server = await startWebhookServer()
let clock = START
ctx.now = () => new Date(clock)

interface NotificationPage {
  notifications: { id: string; title: string; state: string; recipient: object }[]
  nextCursor?: string
  hasMore: boolean
}

let client: Client
let webhook: ShownWebhook
beforeEach(async () => {
  clock = START
  server.behave({ kind: 'answer', status: 204 })
  client = await givenClient(test)
  webhook = await givenWebhook(client, `${server.url}/in`)
})

const list = async (body: object = {}) =>
  (await client.post('/notifications/list', body)).json<NotificationPage>()

const listTitles = async (body: object = {}) =>
  (await list(body)).notifications.map(({ title }) => title)

const attemptsOf = async (id: string | undefined) =>
  (await client.get(`/notifications/${id}/attempts`)).json<{ attempts: object[] }>().attempts

const notify = (title: string, more: object = {}) =>
  notifyOfIncident(ctx, client.workspaceId, { webhookIds: [webhook.id], title, ...more })

describe('the delivery log', () => {
  it('says who was told what, and what the server answered', async () => {
    const incidentId = await notify('Too hot: firing')
    await deliverDue(ctx)

    const { notifications, hasMore } = await list()

    const now = new Date(START).toISOString()
    expect(hasMore).toBe(false)
    expect(notifications).toEqual([
      {
        id: expect.any(String) as string,
        kind: 'Incident',
        event: 'Fired',
        title: 'Too hot: firing',
        incidentId,
        recipient: {
          type: 'Webhook',
          emailAddress: null,
          notificationTargetId: null,
          webhookId: webhook.id,
          name: webhook.name,
        },
        state: 'Delivered',
        createdAt: now,
        dueAt: now,
        finishedAt: now,
        attempts: 1,
        answer: 'HTTP 204',
        messageId: expect.any(String) as string,
      },
    ])
    expect(await attemptsOf(notifications[0]?.id)).toEqual([
      {
        id: expect.any(String) as string,
        messageId: expect.any(String) as string,
        attempt: 1,
        notificationCount: 1,
        beganAt: now,
        endedAt: now,
        outcome: 'Delivered',
        answer: 'HTTP 204',
      },
    ])
  })

  it('has every attempt of what is tried again', async () => {
    await notify('Too hot: firing')
    server.behave({ kind: 'answer', status: 500 })
    await deliverDue(ctx)
    clock += HOUR_MS
    server.behave({ kind: 'answer', status: 204 })
    await deliverDue(ctx)

    const [shown] = (await list()).notifications

    expect(shown).toMatchObject({ state: 'Delivered', attempts: 2 })
    expect(await attemptsOf(shown?.id)).toMatchObject([
      { attempt: 1, outcome: 'Deferred' },
      { attempt: 2, outcome: 'Delivered' },
    ])
  })

  it('shows both notifications of one mail, with its one attempt', async () => {
    const smtp = await startSmtpServer()
    givenSmtp(test, smtp.port)
    const target = await givenConfirmedTarget(test, client, ['ops@example.com'])
    const { id: notificationTargetId } = target
    const more = { targetIds: [notificationTargetId], webhookIds: [] }
    await notify('One', more)
    await notify('Two', more)
    await deliverDue(ctx)

    const { notifications } = await list({ filter: { notificationTargetId } })

    expect(notifications).toMatchObject(
      [{ title: 'Two' }, { title: 'One' }, { kind: 'Confirmation' }].map((one) => ({
        ...one,
        recipient: { type: 'Email', emailAddress: 'ops@example.com', name: target.name },
      })),
    )
    const [two, one] = notifications
    expect(await attemptsOf(two?.id)).toMatchObject([{ notificationCount: 2 }])
    expect(await attemptsOf(two?.id)).toEqual(await attemptsOf(one?.id))
  })

  it('keeps what it said of a webhook that is gone', async () => {
    await notify('Too hot: firing')
    await client.delete(`/webhooks/${webhook.id}`)

    const [shown] = (await list()).notifications

    expect(shown?.recipient).toMatchObject({ webhookId: webhook.id, name: null })
  })

  it('is narrowed by state, webhook, target and incident', async () => {
    const other = await givenWebhook(client, `${server.url}/other`)
    const incidentId = await notify('Sent')
    await deliverDue(ctx)
    clock += 1
    await notify('Waiting', { webhookIds: [other.id] })

    expect(await listTitles()).toEqual(['Waiting', 'Sent'])
    expect(await listTitles({ filter: { states: ['Delivered'] } })).toEqual(['Sent'])
    expect(await listTitles({ filter: { states: ['Pending', 'Failed'] } })).toEqual(['Waiting'])
    expect(await listTitles({ filter: { states: [] } })).toEqual([])
    expect(await listTitles({ filter: { webhookId: other.id } })).toEqual(['Waiting'])
    expect(await listTitles({ filter: { incidentId } })).toEqual(['Sent'])
    expect(await listTitles({ filter: { incidentId, webhookId: other.id } })).toEqual([])
    expect(await listTitles({ filter: { notificationTargetId: other.id } })).toEqual([])
    expect(await listTitles({ filter: { incidentId: 'no id' } })).toEqual([])
  })

  it('comes page by page, newest first, each once', async () => {
    for (const title of ['One', 'Two', 'Three', 'Four', 'Five']) await notify(title)
    const seen: string[] = []

    let page = await list({ limit: 2 })
    seen.push(...page.notifications.map(({ title }) => title))
    while (page.nextCursor !== undefined) {
      page = await list({ limit: 2, cursor: page.nextCursor })
      seen.push(...page.notifications.map(({ title }) => title))
    }

    expect(seen).toEqual(['Five', 'Four', 'Three', 'Two', 'One'])
    const csv = await client.post('/notifications/export', { filter: { states: ['Pending'] } })
    const titles = csv.body.trimEnd().split('\r\n')
    expect(titles.map((line) => line.split(',')[1])).toEqual(['title', ...seen])
    const { nextCursor: cursor } = await list({ limit: 2 })
    const moved = await client.post('/notifications/list', { cursor, filter: { states: [] } })
    expect(moved.json()).toMatchObject({ status: 400, type: '/problems/invalid-cursor' })
  })

  it('takes no filter it does not know', async () => {
    const bodies = [{ filter: { states: ['Lost'] } }, { filter: { target: 'x' } }, { limit: 0 }]

    for (const body of bodies)
      expect((await client.post('/notifications/list', body)).statusCode).toBe(400)
  })

  it('is closed to other workspaces, and to keys without the scope', async () => {
    await notify('Too hot: firing')
    const [shown] = (await list()).notifications
    const path = `/notifications/${shown?.id}/attempts`
    const stranger = await givenClient(test)
    const apiKey = await test.givenKey(client.workspaceId, ['Deployments: read'])
    const ask = (method: 'GET' | 'POST', end: string) =>
      test.app.inject({
        method,
        url: `/workspaces/${client.workspaceId}${end}`,
        headers: { authorization: `Bearer ${apiKey}` },
        ...(method === 'POST' && { payload: {} }),
      })

    expect((await stranger.post('/notifications/list', {})).json()).toMatchObject({
      notifications: [],
    })
    expect((await stranger.get(path)).json()).toMatchObject({
      status: 404,
      type: '/problems/notification-not-found',
    })
    expect((await client.get('/notifications/nothing/attempts')).statusCode).toBe(404)
    expect((await ask('POST', '/notifications/list')).statusCode).toBe(403)
    expect((await ask('GET', path)).statusCode).toBe(403)
  })
})

describe('sending again', () => {
  const again = (id: string | undefined, who = client) =>
    who.post(`/notifications/${id}/send-again`, {})

  it.each`
    status | became
    ${410} | ${'Failed'}
    ${204} | ${'Delivered'}
    ${500} | ${'Pending'}
  `(
    'makes one that is $became due now, and its attempts follow the earlier ones',
    async ({ status, became }: { status: number; became: string }) => {
      await notify('Too hot: firing')
      server.behave({ kind: 'answer', status })
      await deliverDue(ctx)
      const [before] = (await list()).notifications
      expect(before).toMatchObject({ state: became })
      // A webhook that is gone was disabled.
      await client.patch(`/webhooks/${webhook.id}`, { state: 'Enabled' })
      server.behave({ kind: 'answer', status: 204 })
      clock += 1_000

      const answer = await again(before?.id)
      await deliverDue(ctx)

      expect(answer.statusCode).toBe(202)
      expect(answer.json()).toMatchObject({ id: before?.id, state: 'Pending', finishedAt: null })
      expect((await list()).notifications).toMatchObject([{ state: 'Delivered', attempts: 2 }])
      expect(await attemptsOf(before?.id)).toMatchObject([
        { attempt: 1 },
        { attempt: 2, outcome: 'Delivered' },
      ])
      const ids = server.requests.map(({ headers }) => headers['webhook-id'])
      expect(ids.filter((id) => id === before?.id)).toHaveLength(2)
    },
  )

  it('is refused while a worker sends it, for a webhook that is off, and for a confirmation', async () => {
    await notify('Too hot: firing')
    const [shown] = (await list()).notifications
    const claimed = (claimedUntil: Date | null) =>
      ctx.db
        .updateTable('notifications')
        .set({ claimedUntil })
        .where('workspaceId', '=', client.workspaceId)
        .execute()
    const refused = async (id: string | undefined, who = client) =>
      (await again(id, who)).json<{ type: string }>().type

    await claimed(new Date(clock + 1))
    expect(await refused(shown?.id)).toBe('/problems/notification-under-way')
    await claimed(null)
    await client.patch(`/webhooks/${webhook.id}`, { state: 'Disabled' })
    expect(await refused(shown?.id)).toBe('/problems/webhook-disabled')
    await givenTarget(client, ['ops@example.com'])
    const asked = (await list()).notifications.find(({ title }) => title.startsWith('Do you want'))
    expect(await refused(asked?.id)).toBe('/problems/notification-is-confirmation')
    expect(await refused(shown?.id, await givenClient(test))).toBe(
      '/problems/notification-not-found',
    )
  })

  it('is in the audit log', async () => {
    await notify('Too hot: firing')
    await deliverDue(ctx)
    const [shown] = (await list()).notifications

    await again(shown?.id)

    const rows = await ctx.db
      .selectFrom('auditLog')
      .select(['action', 'resourceId'])
      .where('workspaceId', '=', client.workspaceId)
      .where('action', '=', 'notification.send-again')
      .execute()
    expect(rows).toEqual([{ action: 'notification.send-again', resourceId: shown?.id }])
  })
})

describe('the request of a webhook', () => {
  it('is what the server gets', async () => {
    await notify('Too hot: <b>firing</b>')
    const [shown] = (await list()).notifications

    const { request } = (await client.get(`/notifications/${shown?.id}/request`)).json<{
      request: { method: string; url: string; headers: Record<string, string>; body: string }
    }>()
    await deliverDue(ctx)

    // Other workspaces may have something due at the same time.
    const sent = server.requests.find(({ body }) => body === request.body)
    expect(request).toMatchObject({ method: 'POST', url: webhook.url, body: sent?.body })
    expect(sent?.headers).toMatchObject(request.headers)
  })

  it('is none for a mail, and closed to other workspaces', async () => {
    await givenTarget(client, ['ops@example.com'])
    const [asked] = (await list()).notifications
    const path = `/notifications/${asked?.id}/request`
    const stranger = await givenClient(test)

    expect((await client.get(path)).json()).toEqual({ request: null })
    expect((await stranger.get(path)).statusCode).toBe(404)
    expect((await client.get('/notifications/nothing/request')).statusCode).toBe(404)
  })
})

describe('upkeep', () => {
  const countAttempts = async () =>
    (
      await ctx.db
        .selectFrom('deliveryAttempts')
        .select('id')
        .where('workspaceId', '=', client.workspaceId)
        .execute()
    ).length

  it('forgets what finished more than ninety days ago, with its attempts', async () => {
    await notify('Old')
    await deliverDue(ctx)
    clock += 1
    await notify('Later')
    await deliverDue(ctx)

    clock = START + 90 * DAY_MS
    await sweepNotifications(ctx)
    const onTheDay = [await listTitles(), await countAttempts()]
    clock += 1
    await sweepNotifications(ctx)

    expect(onTheDay).toEqual([['Later', 'Old'], 2])
    expect([await listTitles(), await countAttempts()]).toEqual([['Later'], 1])
  })

  it('keeps what still waits, and its attempts', async () => {
    await notify('Waiting')
    server.behave({ kind: 'answer', status: 500 })
    await deliverDue(ctx)

    clock += 100 * DAY_MS
    await sweepNotifications(ctx)

    expect([await listTitles(), await countAttempts()]).toEqual([['Waiting'], 1])
  })
})

it('tells how many wait, for how long, and how many were given up', async () => {
  // Of all workspaces together.
  await ctx.db.deleteFrom('notifications').execute()
  const health = reportNotificationHealth({ ...ctx, mailer: undefined })
  const gauges = () =>
    Promise.all(health.gauges.map(async ({ values }) => (await values())[0]?.value))
  expect(await gauges()).toEqual([0, 0, 0])
  await notify('Refused')
  server.behave({ kind: 'answer', status: 410 })
  await deliverDue(ctx)
  await client.put(`/webhooks/${webhook.id}`, {
    name: 'Chat',
    url: `${server.url}/in`,
    state: 'Enabled',
  })
  await notify('Tried in vain')
  server.behave({ kind: 'answer', status: 500 })
  await deliverDue(ctx)
  clock += HOUR_MS
  await deliverDue(ctx)

  expect(await gauges()).toEqual([1, 3600, 1])
  expect(await health.describe()).toEqual({
    isMailConfigured: false,
    pending: 1,
    oldestPendingSeconds: 3600,
    failedLastDay: 1,
  })
  clock += DAY_MS
  expect((await gauges())[2]).toBe(0)
})
