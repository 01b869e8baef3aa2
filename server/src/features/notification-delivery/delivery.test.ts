import { beforeEach, describe, expect, it } from 'vitest'
import { startTestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import {
  notifyOfIncident,
  deliverDue,
  givenConfirmedTarget,
  givenSmtp,
  IMPATIENT,
  listOutbox,
} from '../../../test/given-deliveries.ts'
import {
  givenTarget,
  type ShownTarget,
  targetBody,
  unsubscribeByLink,
} from '../../../test/given-targets.ts'
import { givenWebhook } from '../../../test/given-webhooks.ts'
import { partOf, type SmtpTestServer, startSmtpServer } from '../../../test/smtp-server.ts'
import { startWebhookServer } from '../../../test/webhook-server.ts'
import { startDeliveries } from './schedule-service.ts'

const allowedHosts = [{ net: '127.0.0.1', prefix: 32 }]
const test = await startTestApp({
  webhooks: { allowedHosts, connectMs: 30_000, totalMs: 30_000 },
})
const other = await startTestApp({}, test.connectionString)
const { ctx } = test

const MINUTE_MS = 60_000
let clock = Date.UTC(2026, 7, 22, 10)
for (const { ctx: node } of [test, other]) node.now = () => new Date(clock)
const later = (ms: number) => {
  clock += ms
}

let smtp: SmtpTestServer
let client: Client
/** Addresses of their own: mails of other tests are not theirs. */
let address: string

beforeEach(async () => {
  smtp = await startSmtpServer()
  givenSmtp(test, smtp.port)
  givenSmtp(other, smtp.port)
  client = await givenClient(test)
  address = `${crypto.randomUUID().slice(0, 8)}@example.com`
})

const notify = (target: ShownTarget, more: object = {}) =>
  notifyOfIncident(ctx, client.workspaceId, { targetIds: [target.id], ...more })

/** But for those that asked whether they want any. */
const alerts = () =>
  smtp.mails.filter((mail) => !partOf(mail, 'text/plain').includes('/notifications/confirm'))

async function attempts() {
  return ctx.db
    .selectFrom('deliveryAttempts')
    .select(['outcome', 'answer', 'attempt', 'messageId', 'notificationCount'])
    .where('workspaceId', '=', client.workspaceId)
    .orderBy('beganAt')
    .orderBy('id')
    .execute()
}

async function shownAddress(target: ShownTarget) {
  const response = await client.get(`/notification-targets/${target.id}`)
  return response.json<{ addresses: object[] }>().addresses[0]
}

describe('mail', () => {
  it('arrives once, however many workers look and targets have the address', async () => {
    const one = await givenConfirmedTarget(test, client, [address])
    const two = await givenConfirmedTarget(test, client, [address.toUpperCase()])
    await notifyOfIncident(ctx, client.workspaceId, { targetIds: [one.id, two.id] })

    await Promise.all([deliverDue(ctx), deliverDue(other.ctx), deliverDue(ctx)])
    await deliverDue(other.ctx)

    expect(alerts().map(({ to }) => to)).toEqual([[address]])
    expect(await listOutbox(ctx, client.workspaceId)).toMatchObject([
      { state: 'Delivered', attempts: 1, answer: expect.stringMatching(/^250/) as string },
    ])
    expect(await shownAddress(one)).toMatchObject({
      lastDeliveredAt: ctx.now().toISOString(),
      lastAnswer: expect.stringMatching(/^250/) as string,
    })
  })

  it('over the limit of an hour is sent in the next one', async () => {
    const target = await givenConfirmedTarget(test, client, [address])
    const { workspaceId } = client
    // The mail that asked for confirmation was one of them.
    await test.ctx.db
      .insertInto('workspaceLimits')
      .values({ workspaceId, quota: 'mailsPerHour', most: 2 })
      .execute()
    await notify(target, { title: 'One' })
    await deliverDue(ctx)
    await notify(target, { title: 'Two' })
    await deliverDue(ctx)

    const waiting = (await listOutbox(ctx, workspaceId)).at(-1)

    expect(alerts()).toHaveLength(1)
    expect(waiting).toMatchObject({
      state: 'Pending',
      attempts: 0,
      answer: expect.stringContaining('mailsPerHour') as string,
    })
    later(60 * MINUTE_MS)
    await deliverDue(ctx)
    expect(alerts()).toHaveLength(2)
  })

  it('tells in one what waited together', async () => {
    const target = await givenConfirmedTarget(test, client, [address])
    const incidentId = await notify(target, { title: 'Too hot: firing' })
    await notify(target, { title: 'Too cold: firing' })
    await notify(target, { incidentId, event: 'Resolved', title: 'Too hot: resolved' })

    await deliverDue(ctx)

    expect(alerts()).toHaveLength(1)
    expect((await attempts()).at(-1)).toMatchObject({ notificationCount: 3, outcome: 'Delivered' })
  })

  it('is sent again as the same message where a worker died after sending it', async () => {
    const target = await givenConfirmedTarget(test, client, [address])
    await notify(target)
    // It dies before it takes down what became of it.
    const { mailer } = ctx
    if (!mailer) throw new Error('There is no mailer.')
    const killed = Object.create(mailer) as typeof mailer
    killed.send = async (mail, signal) => {
      await mailer.send(mail, signal)
      throw new Error('killed')
    }
    const dying = { ...ctx, mailer: killed }
    await expect(deliverDue(dying)).rejects.toThrow('killed')
    await notify(target, { title: 'Another' })

    await deliverDue(other.ctx)
    // The claim lasts.
    expect(alerts()).toHaveLength(1)
    later(4 * MINUTE_MS)
    await deliverDue(other.ctx)

    const ids = alerts().map(({ headers }) => headers['message-id'])
    expect(ids).toEqual([ids[0], ids[0], expect.not.stringMatching(ids[0] ?? '') as string])
    expect(await listOutbox(ctx, client.workspaceId)).toMatchObject([
      { state: 'Delivered', attempts: 2 },
      { state: 'Delivered', attempts: 1 },
    ])
  })

  it.each`
    stage     | trouble                                     | because
    ${'rcpt'} | ${{ reply: '451 4.7.1 Greylisted' }}        | ${'451'}
    ${'mail'} | ${{ reply: '550 5.7.1 Sender refused' }}    | ${'Sender refused'}
    ${'data'} | ${{ reply: '552 5.3.4 Message too large' }} | ${'552'}
    ${'data'} | ${'drop'}                                   | ${'closed'}
    ${'rcpt'} | ${'hang'}                                   | ${''}
  `(
    'is tried again later when the server says $trouble at $stage',
    async ({ stage, trouble, because }) => {
      const target = await givenConfirmedTarget(test, client, [address])
      await notify(target)
      smtp.trouble = { [stage as 'rcpt']: () => trouble as 'hang' }
      if (trouble === 'hang') givenSmtp(test, smtp.port, IMPATIENT)

      await deliverDue(ctx)
      const [row] = await listOutbox(ctx, client.workspaceId)
      expect(row).toMatchObject({ state: 'Pending', attempts: 1 })
      expect(row?.answer).toContain(because)
      const wait = (row?.dueAt.getTime() ?? 0) - clock
      expect(wait).toBeGreaterThan(25_000)
      expect(wait).toBeLessThan(35_000)

      later(20_000)
      smtp.trouble = {}
      givenSmtp(test, smtp.port)
      await deliverDue(ctx)
      expect(alerts()).toHaveLength(0)
      later(20_000)
      await deliverDue(ctx)
      expect(alerts()).toHaveLength(1)
      expect(await listOutbox(ctx, client.workspaceId)).toMatchObject([
        { state: 'Delivered', attempts: 2 },
      ])
      expect((await attempts()).slice(1).map(({ outcome }) => outcome)).toEqual([
        'Deferred',
        'Delivered',
      ])
    },
  )

  it('goes with its resolution when it had to wait', async () => {
    const target = await givenConfirmedTarget(test, client, [address])
    const incidentId = await notify(target)
    smtp.trouble = { rcpt: () => ({ reply: '451 Later' }) }
    await deliverDue(ctx)
    smtp.trouble = {}
    await notify(target, { incidentId, event: 'Resolved', title: 'Too hot: resolved' })

    await deliverDue(ctx)

    expect(alerts()).toHaveLength(1)
    const rows = await listOutbox(ctx, client.workspaceId)
    expect(rows.map(({ state }) => state)).toEqual(['Delivered', 'Delivered'])
  })

  it('ends at an address the server does not know, which is written to no more until it is tested', async () => {
    const target = await givenConfirmedTarget(test, client, [address])
    await notify(target)
    smtp.trouble = { rcpt: () => ({ reply: '550 5.1.1 No such user' }) }

    await deliverDue(ctx)
    expect(await listOutbox(ctx, client.workspaceId)).toMatchObject([
      { state: 'Failed', answer: '550 5.1.1 No such user' },
    ])
    expect(await shownAddress(target)).toMatchObject({
      state: 'Dead',
      lastAnswer: '550 5.1.1 No such user',
    })
    await notify(target)
    expect(await listOutbox(ctx, client.workspaceId)).toHaveLength(1)

    smtp.trouble = {}
    await client.post(`/notification-targets/${target.id}/test`, {})
    await deliverDue(ctx)
    expect(await shownAddress(target)).toMatchObject({ state: 'Confirmed' })
  })

  it('is dropped when its reader wanted no more, or nobody has the address, in the meantime', async () => {
    const gone = `gone-${address}`
    const target = await givenConfirmedTarget(test, client, [address])
    const deleted = await givenConfirmedTarget(test, client, [gone])
    await notifyOfIncident(ctx, client.workspaceId, { targetIds: [target.id, deleted.id] })
    await unsubscribeByLink(test, client.workspaceId, address)
    await client.delete(`/notification-targets/${deleted.id}`)
    const before = smtp.mails.length

    await deliverDue(ctx)

    expect(smtp.mails).toHaveLength(before)
    const rows = await listOutbox(ctx, client.workspaceId)
    expect(rows.map(({ state }) => state)).toEqual(['Dropped', 'Dropped'])
  })

  it('fails after three days', async () => {
    const target = await givenConfirmedTarget(test, client, [address])
    await notify(target)
    smtp.trouble = { rcpt: () => ({ reply: '451 Later' }) }
    await deliverDue(ctx)
    later(3 * 86_400_000)

    await deliverDue(ctx)

    expect(await listOutbox(ctx, client.workspaceId)).toMatchObject([
      { state: 'Failed', answer: '451 Later' },
    ])
  })
})

describe('a webhook', () => {
  it('is called for each event, again until it answers, and not once it says that it is gone', async () => {
    const server = await startWebhookServer()
    const { id } = await givenWebhook(client, server.url)
    const tell = () => notifyOfIncident(ctx, client.workspaceId, { webhookIds: [id] })
    await tell()
    server.behave({ kind: 'answer', status: 503, headers: { 'retry-after': '120' } })
    await deliverDue(ctx)
    expect(await listOutbox(ctx, client.workspaceId)).toMatchObject([
      { state: 'Pending', dueAt: new Date(clock + 120_000) },
    ])

    later(121_000)
    server.behave({ kind: 'answer', status: 204 })
    await tell()
    await deliverDue(ctx)
    const ids = server.requests.map(({ headers }) => headers['webhook-id'])
    expect(ids).toEqual([ids[0], ids[0], expect.any(String) as string])

    server.behave({ kind: 'answer', status: 410 })
    await tell()
    await tell()
    await deliverDue(ctx)
    const rows = await listOutbox(ctx, client.workspaceId)
    expect(rows.map(({ state }) => state)).toEqual(['Delivered', 'Delivered', 'Failed', 'Dropped'])
  })
})

it('empties the outbox by itself, past what hangs', async () => {
  const target = await givenConfirmedTarget(test, client, [address])
  const slow = await givenClient(test)
  const stuck = await givenConfirmedTarget(test, slow, [
    'hang-1@example.com',
    'hang-2@example.com',
    'hang-3@example.com',
  ])
  await notifyOfIncident(ctx, slow.workspaceId, { targetIds: [stuck.id] })
  await notify(target)
  smtp.trouble = { rcpt: (to) => (to.startsWith('hang') ? 'hang' : undefined) }
  const before = smtp.mails.length

  const stop = startDeliveries(ctx)
  await smtp.took(before + 1)
  await stop()

  expect(smtp.mails.at(-1)?.to).toEqual([address])
})

it('asks nobody whose address was taken out before the question could leave', async () => {
  const written = await givenTarget(client, [address])

  await client.put(`/notification-targets/${written.id}`, targetBody(null))
  await deliverDue(ctx)

  expect(smtp.mails.flatMap(({ to }) => to)).not.toContain(address)
})

it('asks also where the target is disabled', async () => {
  await givenTarget(client, [address], { state: 'Disabled' })

  await deliverDue(ctx)

  expect(smtp.mails.flatMap(({ to }) => to)).toContain(address)
})
