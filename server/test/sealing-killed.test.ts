/** Workers that are killed while they seal the audit log or mail an advisory: the chain stays whole, and each address has the mail. */
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { givenSmtp } from './given-deliveries.ts'
import { givenFleet } from './given-fleet.ts'
import { givenMember } from './given-people.ts'
import { type Client, givenClient } from './given.ts'
import { givenWorkers } from './given-workers.ts'
import { runAdmin } from './service-process.ts'

const KILLS = 2
const DAYS = 12
const ENTRIES = 2_000

async function givenEntries({ ctx: { db } }: TestApp, workspaceId: string): Promise<void> {
  await sql`
    insert into audit_log (workspace_id, id, created_at, actor_type, action, resource_type, resource_id, after)
    select ${workspaceId}, gen_random_uuid(), date_trunc('day', now(), 'UTC') - make_interval(days => day, secs => -n), 'System',
      'product-line.create', 'product-line', gen_random_uuid()::text, '{"name": "Line"}'
    from generate_series(1, ${DAYS}::int) as day, generate_series(1, ${ENTRIES}::int) as n`.execute(
    db,
  )
}

/** Whether a worker has marked entries and not committed yet. */
async function isSealing({ ctx: { db } }: TestApp): Promise<boolean> {
  const { rows } = await sql`
    select from pg_locks as held join pg_stat_activity as backend using (pid)
    where held.relation = 'audit_log'::regclass and held.mode = 'RowExclusiveLock' and held.granted
      and backend.datname = current_database()`.execute(db)
  return rows.length > 0
}

interface Seal {
  day: string
  entryCount: number
  lateCount: number
}

const listSeals = async (client: Client) =>
  (await client.get('/audit-log/seals')).json<{ seals: Seal[] }>().seals

it(
  `seals each day once and whole when workers are killed ${KILLS} times while they seal`,
  { timeout: 300_000 },
  async () => {
    const test = await startTestApp()
    const client = await givenClient(test)
    await givenEntries(test, client.workspaceId)
    const { startWorker, end, dataDir } = await givenWorkers(test)

    for (let kill = 0; kill < KILLS; kill += 1) {
      // It seals as soon as it starts.
      const started = startWorker().catch(() => undefined)
      while (!(await isSealing(test))) await delay(1)
      await end()
      await started
    }
    const left = DAYS - (await listSeals(client)).length
    await startWorker()
    await expect.poll(() => listSeals(client), { timeout: 60_000 }).toHaveLength(DAYS)
    await end()

    expect(left).toBeGreaterThan(0)
    const seals = await listSeals(client)
    expect(new Set(seals.map(({ day }) => day)).size).toBe(DAYS)
    for (const seal of seals) expect(seal).toMatchObject({ entryCount: ENTRIES, lateCount: 0 })
    const settings = {
      dataDir,
      port: 0,
      managementPort: 0,
      env: { DATABASE_URL: test.connectionString },
    }
    const doctor = await runAdmin(settings, 'doctor', '--check', 'audit-seals', '--json')
    expect([doctor.code, doctor.stdout]).toEqual([0, doctor.stdout])
  },
)

/** A published advisory about what a device of the cohort runs. */
async function givenMails(test: TestApp, addresses: readonly string[]): Promise<void> {
  const fleet = await givenFleet(test, 1)
  const { client, versions, workspaceId } = fleet
  await fleet.boots('device-000', '1.0')
  await client.put(`/deployment-cohorts/${fleet.cohortId}/contacts`, { contacts: addresses })
  const made = await client.post('/security-advisories', { title: 'A flaw' })
  const { id } = made.json<{ id: string }>()
  const affected = versions['1.0'] ?? ''
  const remedy = { kind: 'NoneAvailable', details: 'Switch it off.', url: null }
  await client.patch(`/security-advisories/${id}`, {
    vulnerabilities: [
      {
        vulnerabilityId: 'CVE-2026-4711',
        title: null,
        description: 'What happens.',
        exploitation: null,
        cvssVector: null,
        cweId: null,
        statuses: [{ firmwareVersionId: affected, status: 'KnownAffected' }],
        remediations: [{ ...remedy, firmwareVersionIds: [affected] }],
      },
    ],
  })
  const { browser } = await givenMember(test, workspaceId, 'Admin')
  const path = `/workspaces/${workspaceId}/security-advisories/${id}/publish`
  const published = await browser.post(path, { summary: 'First.' })
  expect([published.statusCode, published.body]).toEqual([200, published.body])
}

async function countWaiting({ ctx: { db } }: TestApp): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from advisory_mails where state = 'Waiting'`.execute(db)
  return rows[0]?.count ?? 0
}

/** That of a worker that was killed would last for ten minutes. */
const endClaims = ({ ctx: { db } }: TestApp) =>
  sql`update advisory_mails set claimed_until = now() where claimed_until is not null`.execute(db)

it(
  'mails an advisory to each address when workers are killed while they send it, and repeats it as the same mail alone',
  { timeout: 300_000 },
  async () => {
    const test = await startTestApp()
    const { smtp, startWorker, end } = await givenWorkers(test)
    givenSmtp(test, smtp.port)
    const addresses = Array.from({ length: 5 }, (_, index) => `reader-${index}@example.com`)
    await givenMails(test, addresses)
    const offered: string[] = []
    smtp.trouble.data = (address) => {
      offered.push(address)
      return 'hang'
    }

    // Killed before the server has taken the mail, then after, maybe before that is written down.
    await startWorker()
    while (offered.length === 0) await delay(5)
    await end()
    const takenBefore = smtp.mails.length
    smtp.trouble = {}
    await endClaims(test)
    const started = startWorker().catch(() => undefined)
    await smtp.took(1)
    await end()
    await started
    await endClaims(test)
    await startWorker()
    for (const address of addresses) await smtp.took(1, address)
    while ((await countWaiting(test)) > 0) await delay(50)
    await end()

    expect(takenBefore).toBe(0)
    for (const address of addresses) {
      const ids = smtp.mailsTo(address).map(({ headers }) => headers['message-id'])
      expect([address, new Set(ids).size]).toEqual([address, 1])
    }
    // Only the mail that was under way at the second kill may have come twice.
    expect(smtp.mails.length).toBeLessThanOrEqual(addresses.length + 1)
  },
)
