/** The database is lost at each statement of a delivery: what a server took is sent once and logged once. */
import type { KyselyPlugin } from 'kysely'
import { beforeEach, describe, expect, it } from 'vitest'
import { startTestApp } from '../../../test/app.ts'
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
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
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

const lost = () => Object.assign(new Error('Connection terminated unexpectedly'), { code: '57P01' })

/** The database is lost before the statement. */
function losingStatement(db: Db, at: number): { db: Db; count: () => number } {
  let statements = 0
  const plugin: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements += 1
      if (statements === at) throw lost()
      return node
    },
    transformResult: ({ result }) => Promise.resolve(result),
  }
  return { db: db.withPlugin(plugin), count: () => statements }
}

/** The transaction is committed, and the answer to that is lost. */
function losingCommit(db: Db, at: number): { db: Db; count: () => number } {
  let transactions = 0
  const transaction = () => ({
    execute: async (work: Parameters<ReturnType<Db['transaction']>['execute']>[0]) => {
      transactions += 1
      const isLost = transactions === at
      const result = await db.transaction().execute(work)
      if (isLost) throw lost()
      return result
    },
  })
  const losing = new Proxy(db, {
    get(target, name) {
      if (name === 'transaction') return transaction
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? (value.bind(target) as unknown) : value
    },
  })
  return { db: losing, count: () => transactions }
}

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

type Losing = (db: Db, at: number) => { db: Db; count: () => number }

async function deliverLosing(losing: Losing, channel: keyof typeof CHANNELS, at: number) {
  const countSent = await CHANNELS[channel]()
  const { db, count } = losing(ctx.db, at)
  const failing: AppContext = { ...ctx, db }
  await deliverTo(failing, await readRecipient(channel), never)
  const rows = (await listOutbox(ctx, client.workspaceId)).filter(({ kind }) => kind === 'Incident')
  return { sent: countSent(), count: count(), attempts: await countAttempts(), rows }
}

describe.each(['mail', 'webhook'] as const)('a message by %s', (channel) => {
  it.each([
    ['before each statement', losingStatement],
    ['after each commit', losingCommit],
  ])('is sent once and logged once where the database is lost %s', async (_what, losing) => {
    const { count } = await deliverLosing(losing, channel, 0)
    expect(count).toBeGreaterThan(1)

    for (let at = 1; at <= count; at += 1) {
      client = await givenClient(test)
      server.requests.length = 0
      const told = await deliverLosing(losing, channel, at)

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
