/** What a list of a workspace reads follows what the workspace has, however much the others have. */
import { type RawBuilder, sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { buildApi } from '../src/api.ts'
import type { Db } from '../src/platform/db/connect.ts'
import { startTestApp, type TestApp, type TestWorkspace } from './app.ts'
import { givenFirmwareVersion } from './given-inventory.ts'
import {
  givenManyFindings,
  keepComponentVulnerabilities,
  keepVersionBits,
} from './given-many-findings.ts'

const OWN = { ofKernel: 60, packages: 20, foreign: 0 }
const FEW = { vulnerabilities: 500, packages: 250, matchesOfMine: 500 }
const MANY = { vulnerabilities: 10_000, packages: 5_000, matchesOfMine: 10_000 }

let test: TestApp
let mine: TestWorkspace
let firmwareVersionId: string

beforeAll(async () => {
  test = await startTestApp()
  mine = await test.givenWorkspace()
  firmwareVersionId = await givenFirmwareVersion(test.ctx, mine.workspaceId)
  await givenManyFindings(test.ctx.db, { ...OWN, workspaceId: mine.workspaceId, firmwareVersionId })
})

/** What others have: their packages match my vulnerabilities, too. */
async function givenOthers(db: Db, year: number, others: typeof FEW): Promise<void> {
  const { workspaceId } = await test.givenWorkspace()
  const version = await givenFirmwareVersion(test.ctx, workspaceId)
  const { vulnerabilities, packages, matchesOfMine } = others
  const id = sql`${`CVE-${year}-`}::text || n`
  const packageId = (n: RawBuilder<unknown>) => sql`md5(${`of ${year} `}::text || ${n})::uuid`
  await sql`
    insert into vulnerabilities (id, name, severity, primary_score, is_known_exploit, updated_at)
    select ${id}, 'Overflow ' || n, 'High', n % 10, n <= 10, now()
    from generate_series(1, ${vulnerabilities}::int) as n`.execute(db)
  await sql`
    insert into vulnerability_aliases (alias, vulnerability_id)
    select prefix || id, id from vulnerabilities, (values ('GHSA-'), ('EUVD-')) as other (prefix)
    where id like ${`CVE-${year}-%`}`.execute(db)
  await sql`
    insert into packages (id, identity, created_at, matched_at)
    select ${packageId(sql`n`)}, '{"pairs": []}', now(), now()
    from generate_series(1, ${packages}::int) as n`.execute(db)
  await sql`
    insert into package_keys (key, package_id)
    select prefix || 'part-' || n, ${packageId(sql`n`)}
    from generate_series(1, ${packages}::int) as n, (values ('purl:npm/'), ('cpe:acme:')) as of (prefix)`.execute(
    db,
  )
  await sql`
    insert into package_matches (package_id, vulnerability_id, since, cause, confidence, severity, score)
    select distinct on (1, 2) ${packageId(sql`1 + n % ${packages}::int`)}, vulnerability, now(), 'PackageMatched', 'High', 'High', 5
    from (
      select n, ${id} as vulnerability from generate_series(1, ${vulnerabilities}::int) as n
      union all
      select n, 'CVE-2024-' || 1 + n % 60 from generate_series(1, ${matchesOfMine}::int) as n
    ) as each`.execute(db)
  await sql`
    insert into workspace_packages
      (workspace_id, package_id, version_count, held_since, open_since, component_name, component_version)
    select ${workspaceId}, ${packageId(sql`n`)}, 1, now(), now(), 'part-' || n, '1.0'
    from generate_series(1, ${packages}::int) as n`.execute(db)
  await sql`
    insert into firmware_version_packages
      (workspace_id, firmware_version_id, package_id, since, cause, component_name, component_version)
    select ${workspaceId}, ${version}, package_id, now(), 'SbomParsed', component_name, component_version
    from workspace_packages where workspace_id = ${workspaceId}`.execute(db)
  await keepVersionBits(db, { workspaceId, firmwareVersionId: version })
  await sql`
    insert into workspace_matches
      (workspace_id, vulnerability_id, package_id, detected_at, states, component_name, severity_rank, is_exploited)
    select ${workspaceId}, vulnerability_id, package_id, now(), 1, component_name, 5, false
    from package_matches join workspace_packages using (package_id)
    where workspace_id = ${workspaceId}`.execute(db)
  await keepComponentVulnerabilities(db, workspaceId)
}

const PATTERNS = Array.from({ length: 20 }, (_, index) => ({ contains: `part-${index}` }))

const FILTERS: Record<string, object> = {
  'no filter': {},
  severities: { severities: ['Critical', 'High'] },
  assessments: { assessments: ['NotAssessed', 'InTriage'] },
  exploitable: { assessments: ['Exploitable'] },
  ignored: { ignored: true },
  knownCisaExploit: { knownCisaExploit: true },
  exploited: { exploited: true },
  name: { name: PATTERNS },
  components: { components: [{ packageName: 'kernel' }] },
  recheck: { recheck: true },
  detectedSince: { detectedSince: '2020-01-01T00:00:00Z' },
}
const OF_WORKSPACES: Record<string, object> = {
  cveIds: { cveIds: ['CVE-2024-1', 'CVE-2024-2'] },
  active: { activeOnly: true },
  'of devices': { affectedDevicesOnly: true },
}

interface ListRequest {
  path: string
  body: { sortColumn?: string; filter?: object }
}

function requests(): ListRequest[] {
  const version = `/firmware-versions/${firmwareVersionId}/vulnerability-findings/list`
  const lists: [string, Record<string, object>][] = [
    [version, FILTERS],
    ['/vulnerability-findings/list', { ...FILTERS, ...OF_WORKSPACES }],
    ['/vulnerabilities/list', { ...FILTERS, ...OF_WORKSPACES }],
  ]
  const components = [{ name: PATTERNS }, { cveIds: ['CVE-2024-1'] }, { purls: ['pkg:npm/part-1'] }]
  return [
    ...lists.flatMap(([path, filters]) => [
      ...['Name', 'DetectedAt'].map((sortColumn) => ({ path, body: { sortColumn } })),
      ...Object.values(filters).map((filter) => ({ path, body: { filter } })),
    ]),
    ...components.map((filter) => ({ path: '/components/list', body: { filter } })),
  ]
}

/** The pages of PostgreSQL that each request reads, indexes included. */
async function pagesRead(): Promise<Map<string, number>> {
  const pages = new Map<string, number>()
  const headers = { authorization: `Bearer ${mine.apiKey}` }
  await test.ctx.db.transaction().execute(async (tx) => {
    const ctx = { ...test.ctx, db: tx }
    const app = await buildApi(ctx, { showsDocs: false, roles: ['api'], doors: test.doors })
    let read = await pagesSoFar(tx)
    for (const { path, body } of requests()) {
      const url = `/workspaces/${mine.workspaceId}${path}`
      const { statusCode } = await app.inject({ method: 'POST', url, headers, payload: body })
      expect([path, body, statusCode]).toEqual([path, body, 200])
      const sum = await pagesSoFar(tx)
      pages.set(`${path} ${JSON.stringify(body)}`, sum - read)
      read = sum
    }
  })
  return pages
}

/** Of the transaction, without those of the catalogue. */
async function pagesSoFar(tx: Db): Promise<number> {
  const { rows } = await sql<{ pages: number }>`
    select sum(pg_stat_get_xact_blocks_fetched(oid))::int as pages from pg_class
    where relnamespace = 'public'::regnamespace`.execute(tx)
  return rows[0]?.pages ?? 0
}

it('reads no more when others have twenty times as much', async () => {
  await givenOthers(test.ctx.db, 2022, FEW)
  await sql`analyze`.execute(test.ctx.db)
  const before = await pagesRead()
  await givenOthers(test.ctx.db, 2023, MANY)
  await sql`analyze`.execute(test.ctx.db)
  const after = await pagesRead()

  const costlier = [...after].flatMap(([asked, pages]) => {
    const alone = before.get(asked) ?? 0
    return pages > 1.7 * alone + 100 ? [`${asked}: ${alone} → ${pages}`] : []
  })
  expect(costlier).toEqual([])
})
