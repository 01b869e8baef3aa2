import { sql } from 'kysely'
import { expect, it, vi } from 'vitest'
import { startTestApp } from '../../../test/app.ts'
import {
  notifyOfIncident,
  givenConfirmedTarget,
  givenSmtp,
} from '../../../test/given-deliveries.ts'
import { givenClient } from '../../../test/given.ts'
import { startSmtpServer } from '../../../test/smtp-server.ts'
import { startDeliveries } from './schedule-service.ts'
import { outbox } from '../notifications/index.ts'

it('gives each workspace its turn, however many recipients of another have waited for longer', async () => {
  const { ctx, givenWorkspace } = await startTestApp()
  const now = ctx.now()
  const given = async (count: number, waitedMinutes: number) => {
    const { workspaceId } = await givenWorkspace()
    const dueAt = new Date(now.getTime() - waitedMinutes * 60_000)
    await sql`
      insert into notifications (workspace_id, id, kind, event_key, address, notice, state, created_at, due_at, give_up_at)
      select ${workspaceId}::uuid, gen_random_uuid(), 'Incident', 'fired', 'reader-' || number || '@example.com', '{}',
        'Pending', ${dueAt}::timestamptz, ${dueAt}::timestamptz + interval '1 s' * number, ${now}
      from generate_series(1, ${count}::int) as number`.execute(ctx.db)
    return workspaceId
  }
  const large = await given(30, 60)
  const small = await given(2, 1)

  const due = await outbox.listDueRecipients(ctx.db, { channel: 'mail', now, limit: 5 })

  expect(due.map(({ workspaceId, address }) => [workspaceId, address])).toEqual([
    [large, 'reader-1@example.com'],
    [small, 'reader-1@example.com'],
    [large, 'reader-2@example.com'],
    [small, 'reader-2@example.com'],
    [large, 'reader-3@example.com'],
  ])
})

it('leaves out recipients that wait for the claim of a worker that ended, so that others are served', async () => {
  const { ctx, givenWorkspace } = await startTestApp()
  const now = ctx.now()
  const { workspaceId } = await givenWorkspace()
  const given = async (address: string, claimedMinutes: number | null) => {
    const until = claimedMinutes && new Date(now.getTime() + claimedMinutes * 60_000)
    await sql`
      insert into notifications (workspace_id, id, kind, event_key, address, notice, state, created_at, due_at, give_up_at, claimed_until)
      values (${workspaceId}, gen_random_uuid(), 'Incident', gen_random_uuid(), ${address}, '{}', 'Pending', ${now}, ${now}, ${now}, ${until})`.execute(
      ctx.db,
    )
  }
  await given('claimed@example.com', 2)
  await given('claimed@example.com', null)
  await given('expired@example.com', -1)
  await given('expired@example.com', null)
  await given('free@example.com', null)

  const due = await outbox.listDueRecipients(ctx.db, { channel: 'mail', now, limit: 5 })

  expect(new Set(due.map(({ address }) => address))).toEqual(
    new Set(['expired@example.com', 'free@example.com']),
  )
})

it('takes the next recipients as soon as the ones before them are told', async () => {
  const smtp = await startSmtpServer()
  const test = await startTestApp()
  givenSmtp(test, smtp.port)
  const client = await givenClient(test)
  const addresses = Array.from({ length: 9 }, (_, number) => `reader-${number}@example.com`)
  const { id } = await givenConfirmedTarget(test, client, addresses)
  await notifyOfIncident(test.ctx, client.workspaceId, { targetIds: [id] })
  const asked = smtp.mails.length
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  const stop = startDeliveries(test.ctx)

  // The clock of the database may be a little behind that of the first look.
  await vi.waitFor(
    () => {
      vi.advanceTimersByTime(1_000)
      expect(smtp.mails.length).toBeGreaterThan(asked)
    },
    { timeout: 60_000 },
  )
  // No look comes by itself any more.
  await smtp.took(asked + addresses.length)
  vi.useRealTimers()
  await stop()
})
