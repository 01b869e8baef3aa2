/** The clock of the database is set, forward and back, under a service that waits for instants. */
import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../test/app.ts'
import { givenAlertRule } from '../../test/given-alerts.ts'
import { noticeOf } from '../../test/given-deliveries.ts'
import { givenFleet } from '../../test/given-fleet.ts'
import { givenMember, givenSession } from '../../test/given-people.ts'
import { evaluateDueRules } from '../features/alert-evaluation/service.ts'
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../formats/instants.ts'
import { newId } from '../platform/ids.ts'
import { createClockCheck, reportClockHealth } from './checks-service.ts'
import { DUE_COLUMNS } from './due-instants-store.ts'
import { type Look, lookAtClock } from './watch-service.ts'

let test: TestApp
let now = new Date()
let elapsedMs = 0
let last: Look | undefined

beforeAll(async () => {
  test = await startTestApp()
  test.ctx.now = () => now
})

beforeEach(async () => {
  last = undefined
  await test.ctx.db
    .updateTable('clock')
    .set({ seenAt: null, jumpedAt: null, jumpedSeconds: null })
    .execute()
})

/** Time passes, and the clock is set besides. */
async function pass(ms: number, setByMs = 0): Promise<void> {
  now = addMs(now, ms + setByMs)
  elapsedMs += ms
  last = await lookAtClock(test.ctx, { last, elapsedMs })
}

const SHALLOW = { readsFiles: false, isDeep: false, onProgress: () => undefined }
const JUMPS = [-HOUR_MS, -DAY_MS, HOUR_MS, DAY_MS]

const DEVICE_OFFLINE = {
  type: 'DeviceOffline' as const,
  condition: { offlineFor: '10m', deploymentCohortId: null, tags: [] },
  evaluationFrequency: '1m',
}

describe('alert rules', () => {
  async function countEvaluations(ruleId: string): Promise<number> {
    const rows = await test.ctx.db
      .selectFrom('alertEvaluations')
      .select('evaluatedAt')
      .where('ruleId', '=', ruleId)
      .where('evaluatedAt', '=', now)
      .where('status', '!=', 'Failed')
      .execute()
    return rows.length
  }

  it.each(JUMPS)(
    'are evaluated each minute also after the clock was set by %d ms',
    async (setBy) => {
      const { workspaceId } = await test.givenWorkspace()
      const rule = await givenAlertRule(test.ctx.db, { workspaceId, at: now }, DEVICE_OFFLINE)
      const minutes: number[] = []
      const passMinute = async (setByMs = 0) => {
        await pass(MINUTE_MS, setByMs)
        await evaluateDueRules(test.ctx)
        minutes.push(await countEvaluations(rule))
      }

      await passMinute()
      await passMinute()
      await passMinute(setBy)
      await passMinute()
      await passMinute()

      expect(minutes).toEqual([1, 1, 1, 1, 1])
    },
  )

  it('come to an instant twice, and keep the evaluation of the second time', async () => {
    const { workspaceId } = await test.givenWorkspace()
    const rule = await givenAlertRule(test.ctx.db, { workspaceId, at: now }, DEVICE_OFFLINE)
    await pass(MINUTE_MS)
    await evaluateDueRules(test.ctx)
    await pass(10 * SECOND_MS, -2 * MINUTE_MS)
    await pass(MINUTE_MS)
    await evaluateDueRules(test.ctx)
    await pass(MINUTE_MS)

    await evaluateDueRules(test.ctx)

    expect(await countEvaluations(rule)).toBe(1)
  })
})

interface Waiting {
  column: string
  /** Makes a row that waits as it does when the clock shows `now`, and reads for which instant. */
  given: () => Promise<() => Promise<Date | null>>
  /** How long a row may wait. */
  aheadMs: number
}

const read = async (query: ReturnType<typeof sql<{ at: Date | null }>>) =>
  (await query.execute(test.ctx.db)).rows[0]?.at ?? null

async function givenNotification(more: Record<string, unknown>) {
  const { workspaceId } = await test.givenWorkspace()
  const id = newId()
  const row = {
    workspaceId,
    id,
    kind: 'Incident',
    eventKey: id,
    notice: JSON.stringify(noticeOf()),
    address: `${id}@example.com`,
    state: 'Pending',
    createdAt: now,
    dueAt: now,
    giveUpAt: addMs(now, 3 * DAY_MS),
    ...more,
  }
  await test.ctx.db.insertInto('notifications').values(row).execute()
  return (column: 'due_at' | 'claimed_until') => () =>
    read(sql<{ at: Date | null }>`
      select ${sql.ref(column)} as at from notifications where workspace_id = ${workspaceId} and id = ${id}`)
}

async function givenSource(column: 'next_sync_at' | 'claimed_until', at: Date) {
  await sql`
    insert into vulnerability_sources (source, ${sql.ref(column)}) values ('kev', ${at})
    on conflict (source) do update set ${sql.ref(column)} = ${at}`.execute(test.ctx.db)
  return () =>
    read(sql<{ at: Date | null }>`
      select ${sql.ref(column)} as at from vulnerability_sources where source = 'kev'`)
}

/** A mail of a published advisory that waits. */
async function givenAdvisoryMail(column: 'due_at' | 'claimed_until', attempts: number, at: Date) {
  const { workspaceId } = await test.givenWorkspace()
  const id = newId()
  const { db } = test.ctx
  await db
    .insertInto('securityAdvisories')
    .values({
      workspaceId,
      id,
      title: 'Advisory',
      content: '{}',
      isChanged: false,
      createdAt: now,
      updatedAt: now,
    })
    .execute()
  const revision = { advisoryId: id, number: 1 }
  await db
    .insertInto('securityAdvisoryRevisions')
    .values({
      workspaceId,
      ...revision,
      publishedAt: now,
      summary: '',
      title: 'Advisory',
      isWithdrawal: false,
      path: '2026/a.json',
      document: '{}',
      sha512: '',
    })
    .execute()
  await db
    .insertInto('advisoryMails')
    .values({
      workspaceId,
      ...revision,
      address: 'ada@example.com',
      reasons: '[]',
      state: 'Waiting',
      attempts,
      dueAt: now,
      ...(column === 'due_at' ? { dueAt: at } : { claimedUntil: at }),
    })
    .execute()
  return () =>
    read(sql<{ at: Date | null }>`
      select ${sql.ref(column)} as at from advisory_mails where workspace_id = ${workspaceId} and advisory_id = ${id}`)
}

/** The one row of a table of the installation. */
async function givenOne(table: string, column: string, at: Date) {
  await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${at}`.execute(test.ctx.db)
  return () =>
    read(sql<{ at: Date | null }>`select ${sql.ref(column)} as at from ${sql.table(table)}`)
}

const kevIntervalMs = () => (test.ctx.config.feeds.intervalMinutes.kev ?? 0) * MINUTE_MS

const WAITING: readonly Waiting[] = [
  {
    column: 'notifications.due_at, of what is sent at once',
    given: async () => (await givenNotification({}))('due_at'),
    aheadMs: 0,
  },
  {
    column: 'notifications.due_at, after a failed attempt',
    given: async () =>
      (await givenNotification({ attempts: 3, dueAt: addMs(now, HOUR_MS) }))('due_at'),
    aheadMs: 70 * MINUTE_MS,
  },
  {
    column: 'notifications.claimed_until',
    given: async () =>
      (await givenNotification({ claimedUntil: addMs(now, 3 * MINUTE_MS) }))('claimed_until'),
    aheadMs: 3 * MINUTE_MS,
  },
  {
    column: 'vulnerability_sources.next_sync_at',
    given: () => givenSource('next_sync_at', addMs(now, kevIntervalMs())),
    aheadMs: 2 * DAY_MS,
  },
  {
    column: 'vulnerability_sources.claimed_until',
    given: () => givenSource('claimed_until', addMs(now, 90 * SECOND_MS)),
    aheadMs: 90 * SECOND_MS,
  },
  {
    column: 'backup_state.claimed_until',
    given: () => givenOne('backup_state', 'claimed_until', addMs(now, 5 * MINUTE_MS)),
    aheadMs: 15 * MINUTE_MS,
  },
  {
    column: 'backup_state.scheduled_at',
    given: () => givenOne('backup_state', 'scheduled_at', now),
    aheadMs: 0,
  },
  {
    column: 'sign_in_attempts.blocked_until',
    given: async () => {
      const key = Buffer.from(newId())
      const row = { key, failures: 9, lastAt: now, blockedUntil: addMs(now, 15 * MINUTE_MS) }
      await test.ctx.db.insertInto('signInAttempts').values(row).execute()
      return () =>
        read(sql<{ at: Date }>`select blocked_until as at from sign_in_attempts where key = ${key}`)
    },
    aheadMs: 15 * MINUTE_MS,
  },
  {
    column: 'nodes.beat_at',
    given: async () => {
      const id = newId()
      const node = { id, host: 'a', roles: ['api'], version: '1', startedAt: now, beatAt: now }
      await test.ctx.db.insertInto('nodes').values(node).execute()
      return () => read(sql<{ at: Date }>`select beat_at as at from nodes where id = ${id}`)
    },
    aheadMs: 0,
  },
  {
    column: 'deployments.phase_began_at',
    given: async () => {
      const fleet = await givenFleet(test)
      const { id } = await fleet.deploy('1.0')
      await sql`update deployments set phase_began_at = ${now} where id = ${id}`.execute(
        test.ctx.db,
      )
      return () =>
        read(sql<{ at: Date }>`select phase_began_at as at from deployments where id = ${id}`)
    },
    aheadMs: 0,
  },
  {
    column: 'weekly_mails.due_at',
    given: async () => {
      const { workspaceId } = await test.givenWorkspace()
      const { id } = await givenMember(test, workspaceId)
      const browser = await givenSession(test, id)
      const weeklyMail = { day: 'Mon', at: '08:00', timeZone: 'UTC' }
      await browser.put(`/me/notifications/${workspaceId}`, { weeklyMail })
      // As after the mail of this week was sent.
      await sql`update weekly_mails set due_at = ${addMs(now, 7 * DAY_MS)} where person_id = ${id}`.execute(
        test.ctx.db,
      )
      return () =>
        read(sql<{ at: Date }>`select due_at as at from weekly_mails where person_id = ${id}`)
    },
    aheadMs: 7 * DAY_MS + 2 * HOUR_MS,
  },
  {
    column: 'advisory_mails.due_at, of what is sent at once',
    given: () => givenAdvisoryMail('due_at', 0, now),
    aheadMs: 0,
  },
  {
    column: 'advisory_mails.due_at, after a failed attempt',
    given: () => givenAdvisoryMail('due_at', 1, addMs(now, 70 * MINUTE_MS)),
    aheadMs: 70 * MINUTE_MS,
  },
  {
    column: 'advisory_mails.claimed_until',
    given: () => givenAdvisoryMail('claimed_until', 1, addMs(now, 10 * MINUTE_MS)),
    aheadMs: 10 * MINUTE_MS,
  },
  {
    column: 'pgboss.job.start_after',
    given: async () => {
      await sql`insert into pgboss.job (name, data, start_after)
        select name, '{}', ${now} from pgboss.queue where name = 'people.sign-in-refused'`.execute(
        test.ctx.db,
      )
      return () =>
        read(sql<{ at: Date }>`
          select max(start_after) as at from pgboss.job where name = 'people.sign-in-refused' and state < 'active'`)
    },
    aheadMs: 3 * MINUTE_MS,
  },
]

describe.each(JUMPS)('when the clock was set by %d ms', (setBy) => {
  it.each(WAITING)('nobody waits longer than ever: $column', async ({ given, aheadMs }) => {
    const waitsFor = await given()

    await pass(30 * SECOND_MS, setBy)

    const at = await waitsFor()
    expect((at?.getTime() ?? 0) - now.getTime()).toBeLessThanOrEqual(aheadMs + 5 * SECOND_MS)
  })

  it('health and doctor say so for a day', async () => {
    await pass(30 * SECOND_MS)
    await pass(30 * SECOND_MS, setBy)
    const health = (await reportClockHealth(test.ctx).describe()) as { jump: string | null }
    const { faults } = await createClockCheck(() => now.getTime()).find(test.ctx, SHALLOW)
    now = addMs(now, DAY_MS + SECOND_MS)
    const later = (await reportClockHealth(test.ctx).describe()) as { jump: string | null }

    const way = setBy < 0 ? 'back' : 'forward'
    expect(health.jump).toContain(
      `the clock of the database went ${way} by ${Math.abs(setBy) / 1_000} s`,
    )
    expect(faults).toContain(health.jump)
    expect(later.jump).toBeNull()
  })
})

it('leaves alone what waits as long as it may', async () => {
  const columns = await Promise.all(
    WAITING.map(async ({ given }) => {
      const waitsFor = await given()
      return { waitsFor, before: await waitsFor() }
    }),
  )

  await pass(20 * SECOND_MS)

  for (const { waitsFor, before } of columns) expect(await waitsFor()).toEqual(before)
})

it('says of a service that was stopped only that the clock is behind', async () => {
  await pass(0)
  last = undefined
  await pass(3 * DAY_MS)
  const stopped = (await reportClockHealth(test.ctx).describe()) as { jump: string | null }
  last = undefined
  await pass(0, -HOUR_MS)
  const behind = (await reportClockHealth(test.ctx).describe()) as { jump: string | null }

  expect(stopped.jump).toBeNull()
  expect(behind.jump).toContain('went back by 3600 s')
})

/** Instants that a schedule or a lease compares with the present, and that need no bringing forward. */
const LEFT_ALONE: Readonly<Record<string, string>> = {
  'deployments.starts_at': 'people choose it by the calendar',
  'device_updates.deadline_at': 'an update is late later, by no more than the clock went',
  'device_log_unread_hours.ready_at':
    'an hour of logs is read later, by no more than the clock went',
  'alert_evaluations.scheduled_at': 'it says when an evaluation was',
  'alert_rules.evaluated_until': 'an evaluation begins anew where it is ahead',
  'metric_packing.packed_until': 'hours that were packed stay packed',
  'webhooks.former_secret_until':
    'the former secret is taken longer, by no more than the clock went',
  'workspace_usage_windows.began_at': 'a window is found by when it begins',
  'mail_counts.began_at': 'an hour is found by when it begins',
  'alert_incidents.began_at': 'it says when an incident began',
  'delivery_attempts.began_at': 'it says when an attempt began',
  'shared_links.ends_at': 'people choose it by the calendar',
  'shared_links.told_at': 'the audit log tells of a link later, by no more than the clock went',
  'firmware_versions.retained_until': 'nothing waits for it: a deletion is refused before',
  'security_advisories.held_until': 'people choose it by the calendar',
  'advisory_publishers.security_text_served_until': 'people state what their text says',
  'disclosure_report_mails.told_until':
    'reports that come before the clock is there again are on their page, and in no mail',
  'proposal_mails.told_until':
    'proposals made before the clock is there again are on their page, and in no mail',
}

it('thinks of every instant that something waits for', async () => {
  const { rows } = await sql<{ column: string }>`
    select table_name || '.' || column_name as column from information_schema.columns
    where table_schema = 'public' and data_type = 'timestamp with time zone'
      and column_name ~ '^next_|_until$|^due_at$|^reminder_at$|^beat_at$|^deadline_at$|^starts_at$|^scheduled_at$|^ready_at$|began_at$|_signalled_at$'
    order by 1`.execute(test.ctx.db)

  const known = new Set([...DUE_COLUMNS, 'vulnerability_sources.next_sync_at'])
  const forgotten = rows.filter(({ column }) => !known.has(column) && !(column in LEFT_ALONE))
  expect(forgotten).toEqual([])
})

it('is watched by the worker', async () => {
  const own = await startTestApp()
  const { workspaceId } = await own.givenWorkspace()
  const ahead = addMs(own.ctx.now(), HOUR_MS)
  const ruleId = await givenAlertRule(own.ctx.db, { workspaceId, at: ahead }, DEVICE_OFFLINE)

  await own.startWorker()

  await expect
    .poll(async () => {
      const rows = own.ctx.db
        .selectFrom('alertEvaluations')
        .select('id')
        .where('ruleId', '=', ruleId)
      return (await rows.execute()).length
    })
    .toBe(1)
})
