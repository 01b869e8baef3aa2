/** What of the outbox leaves when: what waits for its hour, for its next attempt, for a mail server. */
import { beforeEach, expect, it, vi } from 'vitest'
import { startTestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import {
  notifyOfIncident,
  deliverDue,
  givenConfirmedTarget,
  givenSmtp,
  listOutbox,
} from '../../../test/given-deliveries.ts'
import { type ShownTarget, targetBody } from '../../../test/given-targets.ts'
import { givenWebhook } from '../../../test/given-webhooks.ts'
import { type SmtpTestServer, startSmtpServer } from '../../../test/smtp-server.ts'
import { deliverTo } from './service.ts'
import { outbox as outboxStore } from '../notifications/index.ts'
import { startDeliveries } from './schedule-service.ts'

const test = await startTestApp()
const { ctx } = test

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
// A Saturday.
const BEGIN = Date.UTC(2026, 7, 22, 10)
let clock = BEGIN
ctx.now = () => new Date(clock)

let smtp: SmtpTestServer
let client: Client
let address: string
let target: ShownTarget

beforeEach(async () => {
  clock = BEGIN
  smtp = await startSmtpServer()
  givenSmtp(test, smtp.port)
  client = await givenClient(test)
  address = `${crypto.randomUUID().slice(0, 8)}@example.com`
  target = await givenConfirmedTarget(test, client, [address])
})

const notify = (title: string) =>
  notifyOfIncident(ctx, client.workspaceId, { targetIds: [target.id], title })

/** Alerts that arrived; the first mail asked whether they may. */
const arrived = () => smtp.mails.filter(({ to }) => to[0] === address).slice(1)

const outbox = () => listOutbox(ctx, client.workspaceId)

/** Turns as the schedule gives them; so many at most, since what is never done would have ever more. */
async function takeTurns(most: number): Promise<number> {
  const recipient = { workspaceId: client.workspaceId, address, webhookId: null }
  const { signal } = new AbortController()
  let count = 0
  while (count < most && (await deliverTo(ctx, recipient, signal))) count += 1
  return count
}

it('leaves a message that may have arrived to its next attempt, whatever else is due', async () => {
  await notify('One')
  smtp.trouble = { data: () => 'drop' }
  await takeTurns(1)
  await notify('Two')

  expect(await takeTurns(5)).toBe(1)

  expect(await outbox()).toMatchObject([{ attempts: 1 }, { attempts: 1 }])
})

it('leaves a test that failed to its next attempt, whatever else is due', async () => {
  await client.post(`/notification-targets/${target.id}/test`, {})
  smtp.trouble = { rcpt: () => ({ reply: '451 Later' }) }
  await takeTurns(1)
  await notify('One')
  smtp.trouble = {}

  expect(await takeTurns(5)).toBe(1)

  expect(await outbox()).toMatchObject([{ state: 'Delivered', attempts: 1 }])
})

it('tells of what is due though much more waits for its next attempt', async () => {
  smtp.trouble = { rcpt: () => ({ reply: '451 Later' }) }
  for (let number = 0; number < 101; number++) await notify(`Alert ${number}`)
  await takeTurns(2)
  smtp.trouble = {}
  await notify('Last')

  await takeTurns(1)

  expect((await outbox()).at(-1)).toMatchObject({ state: 'Delivered' })
})

it('waits for the end of quiet hours, and tells then in one mail', async () => {
  const quietHours = { timeZone: 'Europe/Berlin', from: '12:00', to: '14:30', days: ['Sat'] }
  await client.put(`/notification-targets/${target.id}`, {
    ...targetBody([address]),
    quietHours,
  })
  await notify('One')
  await notify('Two')

  await deliverDue(ctx)
  expect(arrived()).toHaveLength(0)
  clock = Date.UTC(2026, 7, 22, 12, 30)
  await deliverDue(ctx)

  expect(arrived()).toHaveLength(1)
})

it('collects for a digest; of two targets with one address the earlier decides', async () => {
  const digest = { every: '1d', at: '20:00', timeZone: 'UTC' }
  await client.put(`/notification-targets/${target.id}`, { ...targetBody([address]), digest })
  await notify('One')
  const hourly = await givenConfirmedTarget(test, client, [address], { digest: { every: '1h' } })
  const targetIds = [target.id, hourly.id]
  await notifyOfIncident(ctx, client.workspaceId, { targetIds, title: 'Two' })

  const rows = await outbox()

  expect(rows.map(({ dueAt }) => dueAt)).toEqual([
    new Date('2026-08-22T20:00:00Z'),
    new Date('2026-08-22T11:00:00Z'),
  ])
})

it('says that mail waits for a server, and gives up after three days', async () => {
  Object.assign(ctx, { mailer: undefined })
  await notify('One')
  clock += 1_000

  await outboxStore.recordMissingServer(ctx.db, ctx.now())
  expect(await outbox()).toMatchObject([
    { state: 'Pending', attempts: 0, answer: expect.stringContaining('No mail server') as string },
  ])
  clock += 3 * DAY_MS
  await outboxStore.recordMissingServer(ctx.db, ctx.now())

  expect(await outbox()).toMatchObject([{ state: 'Failed', attempts: 0 }])
})

it('tries what lay for longer than three days once more where no worker ran', async () => {
  const { id } = await givenWebhook(client, 'https://hooks.example.com/alerts')
  await notifyOfIncident(ctx, client.workspaceId, { targetIds: [target.id], webhookIds: [id] })
  clock += 4 * DAY_MS

  await takeTurns(5)

  const rows = await outbox()
  expect(rows.find((row) => row.address === address)).toMatchObject({ state: 'Delivered' })
})

it('lets a mail that is under way arrive before it stops', async () => {
  await notify('One')
  let release = () => {}
  const reached = new Promise<void>((resolve) => {
    const { mailer } = ctx
    if (!mailer) throw new Error('There is no mailer.')
    const slow = Object.create(mailer) as typeof mailer
    slow.send = async (mail, signal) => {
      resolve()
      await new Promise<void>((go) => {
        release = go
      })
      return mailer.send(mail, signal)
    }
    Object.assign(ctx, { mailer: slow })
  })
  const stop = startDeliveries(ctx)
  await reached

  const stopped = stop()
  release()
  await stopped

  expect(await outbox()).toMatchObject([{ state: 'Delivered', attempts: 1 }])
})

it('takes down what a server took once the database is back', async () => {
  await notify('One')
  const begin = vi.spyOn(ctx.db, 'transaction')
  const { mailer } = ctx
  if (!mailer) throw new Error('There is no mailer.')
  const losing = Object.create(mailer) as typeof mailer
  losing.send = async (mail, signal) => {
    const outcome = await mailer.send(mail, signal)
    begin.mockImplementationOnce(() => {
      throw Object.assign(new Error('away'), { code: 'ECONNREFUSED' })
    })
    return outcome
  }
  const recipient = { workspaceId: client.workspaceId, address, webhookId: null }

  await deliverTo({ ...ctx, mailer: losing }, recipient, new AbortController().signal)

  expect(begin).toHaveBeenCalledTimes(3)
  expect(await outbox()).toMatchObject([{ state: 'Delivered', attempts: 1 }])
  clock += 10 * MINUTE_MS
  await deliverDue(ctx)
  expect(arrived()).toHaveLength(1)
})
