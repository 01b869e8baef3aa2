/**
 * Times counts of affected devices and lists of devices in a fleet of the size of docs/design/budgets.md, through the real service:
 * `node bench/affected-devices.ts FOLDER [devices]` (default 1,000,000). Creates a missing folder.
 *
 * Three firmwares with 800 versions, 1.8 million findings. A device runs one to three firmwares, mostly versions of one
 * release train. Rows are written as reports would leave them.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { bootstrapWorkspace } from '../server/src/features/workspaces/index.ts'
import type { AppContext } from '../server/src/platform/context.ts'
import { endProcess, freePort, startServiceProcess } from '../server/test/service-process.ts'
import { countArgument, declareFolder, readBenchArguments } from './bench-arguments.ts'
import { openBenchContext } from './bench-context.ts'
import { createTimedRequest, formatTimes } from './timed-requests.ts'

const { folder, devices: DEVICES } = readBenchArguments({
  folder: declareFolder(),
  devices: countArgument(1_000_000),
})
const REQUESTS = 40
const BUDGET_MS = 50
const VERSIONS_BUDGET_MS = 250

interface Fleet {
  workspaceId: string
  apiKey: string
  versions: string[]
}

async function logDuration(what: string, work: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now()
  await work()
  console.log(`${what}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
}

async function insertVersions({ db }: AppContext, workspaceId: string): Promise<void> {
  await sql`
    insert into firmwares (workspace_id, id, slug, name, created_at, updated_at)
    select ${workspaceId}, gen_random_uuid(), slug, slug, now(), now()
    from unnest(array['main', 'modem', 'boot']) as slug`.execute(db)
  await sql`
    insert into firmware_versions (workspace_id, id, firmware_id, name, created_at)
    select ${workspaceId}, gen_random_uuid(), firmware.id, '1.' || number, now()
    from firmwares as firmware
    cross join lateral generate_series(1, case slug when 'main' then 500 when 'modem' then 200 else 100 end) as number
    where firmware.workspace_id = ${workspaceId}`.execute(db)
}

/** 3,000 packages with 8 vulnerabilities each; every version holds 280 of them. */
async function insertFindings({ db }: AppContext, workspaceId: string): Promise<void> {
  await sql`create table bench_packages as
    select gen_random_uuid() as id, number from generate_series(0, 2999) as number`.execute(db)
  await sql`insert into packages (id, identity, created_at, matched_at)
    select id, '{"pairs": []}', now(), now() from bench_packages order by id`.execute(db)
  await sql`
    insert into vulnerabilities (id, name, severity, primary_score, updated_at)
    select 'CVE-2026-' || (100000 + number), 'Flaw ' || number,
      (array['Critical', 'High', 'Medium', 'Low'])[1 + number % 4], 9.9 - number % 8, now()
    from generate_series(0, 23999) as number`.execute(db)
  await sql`insert into vulnerability_aliases (alias, vulnerability_id) select id, id from vulnerabilities
    on conflict do nothing`.execute(db)
  await sql`
    insert into package_matches (package_id, vulnerability_id, since, cause, confidence, severity, score)
    select bench.id, vulnerability.id, now(), 'KnowledgeChanged', 'High', vulnerability.severity, vulnerability.primary_score
    from bench_packages as bench
    cross join generate_series(0, 7) as which
    join vulnerabilities as vulnerability on vulnerability.id = 'CVE-2026-' || (100000 + bench.number * 8 + which)`.execute(
    db,
  )
  await sql`insert into package_match_evidence select package_id, vulnerability_id, '[]' from package_matches`.execute(
    db,
  )
  await sql`
    insert into firmware_version_packages
      (workspace_id, firmware_version_id, package_id, since, cause, component_name, component_version)
    select distinct on (version.id, bench.id) ${workspaceId}::uuid, version.id, bench.id, now(), 'SbomParsed',
      'package-' || bench.number, '1.0'
    from (select id, row_number() over (order by id) as place from firmware_versions where workspace_id = ${workspaceId})
      as version
    cross join generate_series(0, 279) as which
    join bench_packages as bench on bench.number = (version.place * 7 + which * which) % 3000`.execute(
    db,
  )
  await sql`insert into workspace_packages
    select distinct workspace_id, package_id from firmware_version_packages`.execute(db)
  await sql`
    insert into firmware_version_counters (workspace_id, firmware_version_id, critical, high, medium, low, evaluated_at)
    select ${workspaceId}, fact.firmware_version_id, count(*) * 2, count(*) * 2, count(*) * 2, count(*) * 2, now()
    from firmware_version_packages as fact where fact.workspace_id = ${workspaceId} group by 2`.execute(
    db,
  )
}

/**
 * A tenth of the devices runs a modem version of another train. A third is connected, most others were seen today, some this
 * week, and a few have been silent for up to two months.
 */
async function insertDevices({ db }: AppContext, workspaceId: string): Promise<void> {
  // Skips the checks of foreign keys, which took most of the time; the rows are known to be right.
  await sql`set local session_replication_role = replica`.execute(db)
  const ids = sql`select 'gw-' || lpad(number::text, 8, '0') as id, number from generate_series(1, ${DEVICES}::int) as number`
  const ago = sql`case when number % 10 < 3 then random() * interval '2 minutes'
    when number % 10 < 9 then random() * interval '24 hours'
    when number % 100 < 97 then random() * interval '7 days' else random() * interval '60 days' end`
  await sql`
    insert into devices (workspace_id, id, tags, created_at, first_seen_at, last_seen_at, door, connected, reported_at,
      effective_log_severity)
    select ${workspaceId}, id, array['site-' || number % 500, case when number % 50 = 0 then 'beta' else 'stable' end],
      now(), now(), now() - ${ago}, 'Mqtt', number % 10 < 3, now(), 'Info'
    from (${ids}) as device`.execute(db)
  const train = sql`1 + floor(500 * power(abs(hashint4(number)) / 2147483648.0, 2))::int`
  const stray = sql`case when number % 10 = 0 then abs(hashint4(number + 1)) % 5 else 0 end`
  await sql`
    insert into device_firmwares (workspace_id, device_id, slug, version, since, firmware_version_id)
    select ${workspaceId}, device.id, said.slug, said.version, now(), version.id
    from (${ids}) as device
    cross join lateral (values
      ('main', '1.' || ${train}, true),
      ('modem', '1.' || (1 + (${train} * 2 / 5 + ${stray}) % 200), number % 10 < 7),
      ('boot', '1.' || (1 + (${train} - 1) / 5), number % 3 = 0),
      ('sensor', '0.' || number % 7, number % 100 = 0)
    ) as said (slug, version, is_there)
    left join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.slug = said.slug
    left join firmware_versions as version on version.workspace_id = ${workspaceId}
      and version.firmware_id = firmware.id and version.name = said.version
    where said.is_there`.execute(db)
  await sql`
    insert into firmware_version_device_counts
    select ${workspaceId}, running.firmware_version_id, device.connected,
      floor(extract(epoch from device.last_seen_at) / 3600)::int, count(*)
    from device_firmwares as running
    join devices as device on device.workspace_id = running.workspace_id and device.id = running.device_id
    where running.workspace_id = ${workspaceId} and running.firmware_version_id is not null
    group by 2, 3, 4`.execute(db)
  await sql`
    insert into firmware_set_device_counts
    select ${workspaceId}, ids, count(*) from (
      select array_agg(firmware_version_id order by firmware_version_id) as ids
      from device_firmwares where workspace_id = ${workspaceId} and firmware_version_id is not null
      group by device_id
    ) as each group by ids`.execute(db)
}

async function prepare(): Promise<Fleet> {
  const file = join(folder, 'fleet.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Fleet
  mkdirSync(folder, { recursive: true })
  const { ctx, close } = await openBenchContext(folder)
  try {
    const { workspaceId, apiKey } = await bootstrapWorkspace(ctx, {
      name: 'Bench',
      ownerEmail: 'bench@example.com',
      actor: { type: 'Operator', id: undefined, email: undefined, requestId: undefined },
    })
    await logDuration('firmware versions', () => insertVersions(ctx, workspaceId))
    await logDuration('findings', () => insertFindings(ctx, workspaceId))
    await ctx.db.transaction().execute(async (tx) => {
      await sql`set local statement_timeout = 0`.execute(tx)
      await logDuration(`${DEVICES} devices`, () => insertDevices({ ...ctx, db: tx }, workspaceId))
    })
    await ctx.db.connection().execute(async (db) => {
      await sql`set statement_timeout = 0`.execute(db)
      await logDuration('vacuumed', () => sql`vacuum analyze`.execute(db))
    })
    const { rows } = await sql<{ id: string }>`
      select id from firmware_versions where workspace_id = ${workspaceId}`.execute(ctx.db)
    const fleet = { workspaceId, apiKey, versions: rows.map(({ id }) => id) }
    writeFileSync(file, JSON.stringify(fleet))
    return fleet
  } finally {
    await close()
  }
}

const { workspaceId, apiKey, versions } = await prepare()
const service = await startServiceProcess({
  dataDir: join(folder, 'data'),
  port: await freePort(),
  managementPort: await freePort(),
})

const timed = createTimedRequest({ url: service.url, workspaceId, apiKey })

async function measure(
  what: string,
  request: (index: number) => Promise<[number, string]>,
  budget?: number,
) {
  const times: number[] = []
  await request(0)
  for (let index = 0; index < REQUESTS; index++) times.push((await request(index))[0])
  return formatTimes(what, times, budget)
}

const some = (index: number) => versions[(index * 7919) % versions.length] ?? ''
const findingsOf = (index: number) => `/firmware-versions/${some(index)}/vulnerability-findings`
const [, firstPage] = await timed('POST', `${findingsOf(1)}/list`, { limit: REQUESTS })
const { findings } = JSON.parse(firstPage) as { findings: { id: string }[] }

const list = (path: string, body: object) => () => timed('POST', path, { limit: 100, ...body })
const DEVICE_LISTS: Record<string, object> = {
  'by id': {},
  'by last seen, newest first': { sortColumn: 'LastSeenAt', ascending: false },
  'by last seen, oldest first': { sortColumn: 'LastSeenAt' },
  connected: { filter: { connected: true } },
  'not seen for 30 days': { filter: { lastSeenBefore: new Date(Date.now() - 30 * 86_400_000) } },
  'one firmware version': { filter: { firmwareVersionIds: [some(3)] } },
  'one version, by last seen': {
    sortColumn: 'LastSeenAt',
    filter: { firmwareVersionIds: [some(3)] },
  },
  'rare tag': { filter: { tags: ['site-77'] } },
  'frequent tag': { filter: { tags: ['stable'] } },
  'text found': { filter: { text: '-000777' } },
  'text found nowhere': { filter: { text: 'zzz' } },
  'blind spots': { filter: { blindSpot: true } },
  vulnerable: { filter: { vulnerable: true } },
  'not vulnerable': { filter: { vulnerable: false } },
  'one CVE': { filter: { cveIds: ['CVE-2026-100777'] } },
  'never seen': { filter: { neverSeen: true } },
  'in no cohort': { filter: { inCohort: false } },
}

const table: Awaited<ReturnType<typeof measure>>[] = []
try {
  const version = (index: number) => timed('GET', `/firmware-versions/${some(index)}`)
  table.push(await measure('devices of a firmware version', version, BUDGET_MS))
  const one = (index: number) =>
    timed('GET', `/vulnerability-findings/${findings[index % findings.length]?.id ?? ''}`)
  table.push(await measure('devices of a finding, with its detail', one, BUDGET_MS))
  const summary = (index: number) => timed('GET', `${findingsOf(index)}/summary`)
  table.push(await measure('summary of a firmware version', summary, BUDGET_MS))
  const page = (index: number) => timed('POST', `${findingsOf(index)}/list`, { limit: 100 })
  table.push(await measure('findings of a firmware version', page, BUDGET_MS))
  const all = list('/vulnerability-findings/list', {})
  table.push(await measure('findings of the workspace, 3 firmwares', all, BUDGET_MS))
  const run = list('/vulnerability-findings/list', { filter: { affectedDevicesOnly: true } })
  table.push(await measure('findings that devices run', run, BUDGET_MS))
  const cve = list('/vulnerability-findings/list', { filter: { cveIds: ['CVE-2026-100777'] } })
  table.push(await measure('devices of one CVE, 3 firmwares', cve, BUDGET_MS))
  table.push(await measure('components of the workspace', list('/components/list', {})))
  const vulnerable = () => timed('GET', '/vulnerable-firmware-versions')
  table.push(await measure('vulnerable firmware versions', vulnerable, VERSIONS_BUDGET_MS))
  for (const [what, body] of Object.entries(DEVICE_LISTS))
    table.push(await measure(`devices ${what}`, list('/devices/list', body)))
  table.push(await measure('blind spots', list('/blind-spots/list', {})))
  table.push(await measure('device summary', () => timed('GET', '/device-summary')))
} finally {
  console.table(table)
  await endProcess(service.child, 'SIGTERM')
}
