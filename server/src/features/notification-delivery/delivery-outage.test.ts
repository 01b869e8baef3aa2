/** The database is lost at each statement of a delivery: what a server took is sent once and logged once. */
import { beforeEach, describe, expect, it } from 'vitest'
import { startTestApp } from '../../../test/app.ts'
import { failing, type Fault } from '../../../test/failing-workers.ts'
import {
  deliverDue,
  givenConfirmedTarget,
  givenSmtp,
  listOutbox,
  notifyOfIncident,
} from '../../../test/given-deliveries.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { givenWebhook } from '../../../test/given-webhooks.ts'
import { type SmtpTestServer, startSmtpServer } from '../../../test/smtp-server.ts'
import { startWebhookServer, type WebhookServer } from '../../../test/webhook-server.ts'
import { outbox } from '../notifications/index.ts'
import { deliverTo } from './service.ts'

const allowedHosts = [{ net: '127.0.0.1', prefix: 32 }]
const test = await startTestApp({ webhooks: { allowedHosts, connectMs: 5_000, totalMs: 15_000 } })
const { ctx } = test
const never = new AbortController().signal

let smtp: SmtpTestServer
let server: WebhookServer
let client: Client

beforeEach(async () => {
  smtp = await startSmtpServer()
  givenSmtp(test, smtp.port)
  server = await startWebhookServer()
  client = await givenClient(test)
  server.behave({ kind: 'answer', status: 204 })
})

/** As the driver says it when PostgreSQL ends. */
const createLoss = (message: string) => Object.assign(new Error(message), { code: '57P01' })

async function readRecipient(channel: 'mail' | 'webhook'): Promise<outbox.Recipient> {
  const due = await outbox.listDueRecipients(ctx.db, { channel, now: ctx.now(), limit: 100 })
  const found = due.find(({ workspaceId }) => workspaceId === client.workspaceId)
  if (!found) throw new Error('Nothing is due.')
  return found
}

/** One notification, and how often its message has reached the server. */
const CHANNELS = {
  mail: async () => {
    const address = `${crypto.randomUUID().slice(0, 8)}@example.com`
    const target = await givenConfirmedTarget(test, client, [address])
    await notifyOfIncident(ctx, client.workspaceId, { targetIds: [target.id], title: 'One' })
    // The first mail asked whether alerts may come.
    return () => smtp.mails.filter(({ to }) => to[0] === address).length - 1
  },
  webhook: async () => {
    const { id } = await givenWebhook(client, server.url)
    await notifyOfIncident(ctx, client.workspaceId, { webhookIds: [id] })
    return () => server.requests.length
  },
}

const countAttempts = async () => {
  const rows = await ctx.db
    .selectFrom('deliveryAttempts as attempt')
    .innerJoin('notifications as one', (join) =>
      join
        .onRef('one.workspaceId', '=', 'attempt.workspaceId')
        .onRef('one.messageId', '=', 'attempt.messageId'),
    )
    .select('attempt.id')
    .where('attempt.workspaceId', '=', client.workspaceId)
    .where('one.kind', '=', 'Incident')
    .execute()
  return rows.length
}

async function deliverLosing(fault: Fault, channel: keyof typeof CHANNELS, at: number) {
  const countSent = await CHANNELS[channel]()
  let count = 0
  const onStep = (steps: number) => {
    count = steps
  }
  const losing = failing(ctx, { fault, at, createError: createLoss, onStep })
  await deliverTo(losing, await readRecipient(channel), never)
  const rows = (await listOutbox(ctx, client.workspaceId)).filter(({ kind }) => kind === 'Incident')
  return { sent: countSent(), count, attempts: await countAttempts(), rows }
}

describe.each(['mail', 'webhook'] as const)('a message by %s', (channel) => {
  it.each([
    ['before each statement', 'statement' as const],
    ['after each commit', 'answer' as const],
  ])('is sent once and logged once where the database is lost %s', async (_what, fault) => {
    const { count } = await deliverLosing(fault, channel, 0)
    expect(count).toBeGreaterThan(1)

    for (let at = 1; at <= count; at += 1) {
      client = await givenClient(test)
      server.requests.length = 0
      const told = await deliverLosing(fault, channel, at)

      expect([at, told]).toEqual([
        at,
        {
          sent: 1,
          count: expect.any(Number) as number,
          attempts: 1,
          rows: [expect.objectContaining({ state: 'Delivered', attempts: 1 })],
        },
      ])
    }
    await deliverDue(ctx)
    expect(await countAttempts()).toBe(1)
  })
})
