/** Workers that are killed while accepted risks end: each ends once, completely, and its owner is told of it once. */
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { startTestApp, type TestApp } from './app.ts'
import { listFaults } from './doctor.ts'
import { givenProduct, givenVersion } from './given-findings.ts'
import { givenMember } from './given-people.ts'
import { type Client, givenClient } from './given.ts'
import { givenWorkers } from './given-workers.ts'
import { readSubject, type TakenMail } from './smtp-server.ts'
import { addDays } from '../src/formats/instants.ts'

const KILLS = 2
const VERSIONS = 10
const CVES = 250
const OWNERS = 2

/** Acceptances whose time has come: of each owner as many, in versions of their own. */
async function givenDue(
  test: TestApp,
  client: Client,
  { cves = CVES, owners = OWNERS, versionsOfOwner = VERSIONS / OWNERS } = {},
): Promise<string[]> {
  const { workspaceId } = client
  const { cpes, product } = await givenProduct(test.ctx, Array<'High'>(cves).fill('High'))
  const emails: string[] = []
  for (let owner = 0; owner < owners; owner++) {
    const versions: string[] = []
    for (let count = 0; count < versionsOfOwner; count++) {
      const components = [{ packageName: product, cpes }]
      versions.push((await givenVersion(test.ctx, workspaceId, components)).firmwareVersionId)
    }
    const { id: ownerId, email } = await givenMember(test, workspaceId)
    emails.push(email)
    const answer = await client.post('/vulnerability-findings/bulk-ignore', {
      filter: { firmwareVersionIds: versions },
      ignored: true,
      acceptance: { ownerId, until: addDays(test.ctx.now(), 1).toISOString() },
    })
    expect(answer.json()).toMatchObject({ changed: cves * versionsOfOwner })
  }
  const until = JSON.stringify(new Date(Date.now() - 1_000).toISOString())
  await sql`
    update finding_decisions set acceptance = jsonb_set(acceptance, '{until}', ${until}::jsonb)
    where workspace_id = ${workspaceId}`.execute(test.ctx.db)
  return emails
}

/** Whether a worker has written ends and not committed yet. */
async function isEnding({ ctx: { db } }: TestApp): Promise<boolean> {
  const { rows } = await sql`
    select from pg_locks as held join pg_stat_activity as backend using (pid)
    where held.relation in ('finding_timeline'::regclass, 'acceptance_notices'::regclass)
      and held.mode = 'RowExclusiveLock' and held.granted and backend.datname = current_database()`.execute(
    db,
  )
  return rows.length > 0
}

/** Findings that are still accepted, and ends that nobody was told of yet. */
async function countLeft({ ctx: { db } }: TestApp, workspaceId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select (select count(*) from finding_decisions where workspace_id = ${workspaceId} and ignored)::int
      + (select count(*) from acceptance_notices where workspace_id = ${workspaceId})::int as count`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** “1,250 accepted risks have ended in Acme”. */
const countTold = (mails: readonly TakenMail[]) =>
  mails
    .map(({ headers }) => readSubject(headers['subject'] ?? ''))
    .reduce(
      (sum, subject) => sum + Number((/^[\d,]+/.exec(subject)?.[0] ?? '').replace(',', '')),
      0,
    )

it(
  'loses no mail of ends when workers are killed while they send it, and repeats one under its name alone',
  { timeout: 300_000 },
  async () => {
    const test = await startTestApp()
    const client = await givenClient(test)
    const emails = await givenDue(test, client, { cves: 3, owners: 4, versionsOfOwner: 1 })
    const { smtp, startWorker, end } = await givenWorkers(test)
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
    const started = startWorker().catch(() => undefined)
    await smtp.took(1)
    await end()
    await started
    await startWorker()
    for (const email of emails) await smtp.took(1, email)
    while ((await countUnsent(test)) > 0) await delay(50)
    await end()

    expect(takenBefore).toBe(0)
    for (const email of emails) {
      const mails = smtp.mailsTo(email)
      expect(new Set(mails.map(({ headers }) => headers['message-id'])).size).toBe(1)
      expect(countTold(mails.slice(0, 1))).toBe(3)
    }
    // Only the mail that was under way at the second kill may have come twice.
    expect(smtp.mails.length).toBeLessThanOrEqual(emails.length * 2 - 1)
  },
)

/** Mails that are planned, or being sent. */
async function countUnsent({ ctx: { db } }: TestApp): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pgboss.job
    where name = 'findings.acceptance-mail' and state < 'completed'`.execute(db)
  return rows[0]?.count ?? 0
}

it(
  `ends each accepted risk once and tells its owner once when workers are killed ${KILLS} times`,
  { timeout: 300_000 },
  async () => {
    const test = await startTestApp()
    const client = await givenClient(test)
    const { workspaceId } = client
    const emails = await givenDue(test, client)
    const { smtp, startWorker, end } = await givenWorkers(test)

    for (let kill = 0; kill < KILLS; kill += 1) {
      // It is killed while it starts, if it ends something by then.
      const started = startWorker().catch(() => undefined)
      while (!(await isEnding(test))) await delay(1)
      await end()
      await started
    }
    const leftAfterKills = await countLeft(test, workspaceId)
    await startWorker()
    while ((await countLeft(test, workspaceId)) > 0) await delay(50)
    for (const email of emails) await smtp.took(1, email)
    await end()

    expect(leftAfterKills).toBeGreaterThan(0)
    const { rows } = await sql<{ endCount: number; findingCount: number }>`
      select count(*)::int as end_count,
        count(distinct (firmware_version_id, package_id, vulnerability_id))::int as finding_count
      from finding_timeline
      where workspace_id = ${workspaceId} and source = 'System' and not ignored
        and acceptance -> 'ended' is not null`.execute(test.ctx.db)
    expect(rows).toEqual([{ endCount: CVES * VERSIONS, findingCount: CVES * VERSIONS }])
    const told = emails.map((email) => countTold(smtp.mailsTo(email)))
    expect(told).toEqual(emails.map(() => (CVES * VERSIONS) / OWNERS))
    const audit = await client.get('/audit-log?action=acceptance.end')
    const { entries } = audit.json<{ entries: { after: { changed: number } }[] }>()
    expect(entries.reduce((sum, { after }) => sum + after.changed, 0)).toBe(CVES * VERSIONS)
    const faults = await listFaults(test.ctx)
    // The builders make SBOMs without files.
    expect(faults.filter(({ name }) => !name.startsWith('sbom-'))).toEqual([])
  },
)
