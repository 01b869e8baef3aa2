/**
 * Ends 10,000 accepted risks of one workspace in one minute, while another workspace reads its list (docs/design/budgets.md):
 * `node bench/accepted-risks.ts [FOLDER]`. The real service ends them on an embedded database, and each owner gets one mail.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { findOrCreatePerson } from '../server/src/features/auth/index.ts'
import { bootstrapWorkspace } from '../server/src/features/workspaces/index.ts'
import { addMs } from '../server/src/formats/instants.ts'
import { OPERATOR } from '../server/src/platform/actor.ts'
import { createDb, createPool } from '../server/src/platform/db/connect.ts'
import { startEmbeddedPostgres } from '../server/src/platform/db/embedded-postgres.ts'
import { givenProduct, givenVersion, recordDecisions } from '../server/test/given-findings.ts'
import { endProcess, freePort, startServiceProcess } from '../server/test/service-process.ts'
import { startSmtpServer } from '../server/test/smtp-server.ts'
import { declareOptionalFolder, readBenchArguments } from './bench-arguments.ts'
import { openBenchContext } from './bench-context.ts'
import { keepFigure } from './figures.ts'
import { createTimedRequest, formatTimes } from './timed-requests.ts'

const OWNERS = 5
const VERSIONS = 20
const CVES = 500
const ENDS = VERSIONS * CVES
const BUDGET_SECONDS = 10
/** The service looks for ends every ten seconds. */
const LEAD_MS = 20_000
const QUIET_MS = 5_000
const LIST = { limit: 100, filter: { activeOnly: true } }

const given = readBenchArguments({ folder: declareOptionalFolder() })
const folder = given.folder ?? mkdtempSync(join(tmpdir(), 'plimsoll-accepted-'))

const opened = await openBenchContext(folder)
const { ctx } = opened
const [accepting, reading] = await Promise.all(
  ['Accepting', 'Reading'].map((name) =>
    bootstrapWorkspace(ctx, { name, ownerEmail: `${name}@example.com`, actor: OPERATOR }),
  ),
)
if (!accepting || !reading) throw new Error('two workspaces were created')
const owners = await Promise.all(
  Array.from({ length: OWNERS }, (_, index) =>
    ctx.db.transaction().execute((tx) => findOrCreatePerson(ctx, tx, `owner-${index}@example.com`)),
  ),
)
for (const { id: subjectId } of owners)
  await ctx.db
    .insertInto('members')
    .values({
      workspaceId: accepting.workspaceId,
      subjectId,
      role: 'Owner',
      joinedAt: ctx.now(),
    })
    .execute()
const product = await givenProduct(ctx, Array<'High'>(CVES).fill('High'))
const components = [{ packageName: product.product, cpes: product.cpes }]
await givenVersion(ctx, reading.workspaceId, components)
const acceptance = {
  reason: 'Bench.',
  until: '2099-01-01T00:00:00.000Z',
  conditions: { knownExploited: true, epssAbove: null, devicesAbove: null, fixAvailable: false },
  acceptedAt: ctx.now().toISOString(),
  acceptedByEmail: null,
}
const { workspaceId } = accepting
for (let count = 0; count < VERSIONS; count++) {
  const { firmwareVersionId } = await givenVersion(ctx, workspaceId, components)
  const owner = owners[count % OWNERS] ?? null
  const { rows } = await sql<{ packageId: string; vulnerabilityId: string }>`
    select match.package_id, match.vulnerability_id from firmware_version_packages as fact
    join package_matches as match on match.package_id = fact.package_id
    where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = ${firmwareVersionId}`.execute(
    ctx.db,
  )
  const by = { source: 'User' as const, createdByEmail: 'bench@example.com' }
  const accepted = { ignored: true, acceptance: { ...acceptance, owner } }
  const decisions = rows.map((key) => ({ ...by, ...accepted, ...key, firmwareVersionId }))
  await ctx.db.transaction().execute((tx) => recordDecisions(ctx, tx, { workspaceId, decisions }))
}
await opened.close()

const postgres = await startEmbeddedPostgres({
  dataDir: join(folder, 'data/postgres'),
  log: () => undefined,
})
const pool = createPool({
  connectionString: postgres.connectionString,
  poolSize: 2,
  onError: () => undefined,
})
const db = createDb(pool)
const smtp = await startSmtpServer()
const service = await startServiceProcess({
  dataDir: join(folder, 'data'),
  port: await freePort(),
  managementPort: await freePort(),
  env: {
    DATABASE_URL: postgres.connectionString,
    PLIMSOLL_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
  },
})
const timed = createTimedRequest({ url: service.url, ...reading })

async function countLeft(): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from finding_decisions
    where workspace_id = ${workspaceId} and ignored`.execute(db)
  return rows[0]?.count ?? 0
}

async function readWhile(goesOn: () => boolean): Promise<number[]> {
  const times: number[] = []
  while (goesOn()) {
    const [time] = await timed('POST', '/vulnerability-findings/list', LIST)
    times.push(time)
    await delay(20)
  }
  return times
}

await timed('POST', '/vulnerability-findings/list', LIST)
const quietUntil = Date.now() + QUIET_MS
const quiet = await readWhile(() => Date.now() < quietUntil)
const due = addMs(new Date(), LEAD_MS)
await sql`
  update finding_decisions
  set acceptance = jsonb_set(acceptance, '{until}', ${JSON.stringify(due.toISOString())}::jsonb)
  where workspace_id = ${workspaceId}`.execute(db)
await sql`analyze finding_decisions`.execute(db)
while ((await countLeft()) === ENDS) await delay(20)
const firstSeen = Date.now()
let isEnding = true
const busy = readWhile(() => isEnding)
while ((await countLeft()) > 0) await delay(20)
const doneAt = Date.now()
isEnding = false
const times = await busy
const { rows: began } = await sql<{ at: Date }>`
  select min(created_at) as at from finding_timeline
  where workspace_id = ${workspaceId} and source = 'System'`.execute(db)
const seconds = (doneAt - (began[0]?.at.getTime() ?? firstSeen)) / 1_000
for (const { email } of owners) await smtp.took(1, email)
// Another mail would come with the next looks.
await delay(30_000)
const mails = owners.map(({ email }) => smtp.mailsTo(email).length)

keepFigure({
  what: 'ends of 10,000 accepted risks',
  value: seconds,
  unit: 's',
  most: BUDGET_SECONDS,
})
console.table([
  {
    what: `${ENDS} accepted risks of one workspace end`,
    figure: `${seconds.toFixed(1)} s`,
    budget: `${BUDGET_SECONDS} s${seconds > BUDGET_SECONDS ? ' EXCEEDED' : ''}`,
  },
  {
    what: 'from their instant on, with the wait until the service looks',
    figure: `${((doneAt - due.getTime()) / 1_000).toFixed(1)} s`,
  },
  { what: 'mails to each owner', figure: mails.join(', ') },
])
console.table([
  formatTimes('list of another workspace, quiet', quiet),
  formatTimes('list of another workspace, meanwhile', times),
])
await endProcess(service.child, 'SIGTERM')
await smtp.close()
await pool.end()
await postgres.stop()
if (mails.some((count) => count !== 1)) throw new Error(`owners got ${mails.join(', ')} mails`)
