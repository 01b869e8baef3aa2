/** Each check finds the fault it is for, and repairs it where what it examines is derived. */
import { OF_TEST_SERVER, SHALLOW } from '../../test/doctor.ts'
import { readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../test/app.ts'
import { givenAlertRule } from '../../test/given-alerts.ts'
import { putArtifact } from '../../test/given-artifacts.ts'
import { givenDecision, givenProduct } from '../../test/given-findings.ts'
import { type Fleet, givenFleet } from '../../test/given-fleet.ts'
import { matchedSboms, upload } from '../../test/given.ts'
import { metrics, storeTelemetry } from '../../test/given-telemetry.ts'
import { evaluateDueRules } from '../features/alert-evaluation/index.ts'
import { maintainDailyCounters, maintainDailyDevices } from '../features/reports/index.ts'
import { maintainTelemetry, rollUpMetrics } from '../features/telemetry/index.ts'
import { createClockCheck } from '../clock/checks-service.ts'
import { CHECKS, type CheckReport, examine, chooseExitCode } from './doctor.ts'

let test: TestApp
let fleet: Fleet
let sbomId: string
let product: Awaited<ReturnType<typeof givenProduct>>

async function startsAndStopsWorker(work: () => Promise<unknown>): Promise<void> {
  const node = await startTestApp({ blobs: test.ctx.config.blobs }, test.connectionString)
  await node.startWorker()
  await work()
  await node.close()
}

/** One of everything that is examined. Afterwards no worker runs that would take part. */
beforeAll(async () => {
  test = await startTestApp()
  fleet = await givenFleet(test)
  const { client, versions, workspaceId } = fleet
  product = await givenProduct(test.ctx, ['High', 'Low'])
  const firmwareVersionId = versions['1.0'] ?? ''
  // A worker makes them beside its jobs, and is stopped below as soon as its job is done.
  await maintainTelemetry(test.ctx)
  await startsAndStopsWorker(async () => {
    const components = [{ type: 'library', name: 'part', version: '1.0', cpe: product.cpes[0] }]
    const bytes = JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components })
    await upload(test, client, { firmwareVersionId, files: [{ name: 'a.json', bytes }] })
    const [sbom] = await matchedSboms(client, firmwareVersionId)
    sbomId = sbom?.id ?? ''
  })
  // The test wrote advisories without the job of a merge.
  await test.ctx.db.deleteFrom('knowledgeChanges').execute()
  await givenDecision(
    test.ctx,
    { workspaceId, firmwareVersionId },
    { vulnerabilityId: product.cveIds[0] ?? '', assessment: 'InTriage' },
  )
  await givenStatements(firmwareVersionId)
  for (const id of Object.values(versions))
    await putArtifact(test, client, { firmwareVersionId: id, bytes: `bytes of ${id}` })
  for (const id of fleet.deviceIds) await fleet.boots(id, '1.0')
  await fleet.deploy('2.0')
  await fleet.boots('device-001', '2.0')
  await givenRolledUpHour()
  await client.post('/deployment-cohorts', { name: 'by tag', tagRule: { any: ['by-tag'] } })
  await test.ctx.db
    .transaction()
    .execute((tx) =>
      givenAlertRule(tx, { workspaceId, at: new Date(Date.now() - 60_000) }, FIRING_RULE),
    )
  await evaluateDueRules(test.ctx)
  await maintainDailyCounters(test.ctx)
  await maintainDailyDevices(test.ctx)
  // The fleet was written without counting its devices and files.
  await run('usage', { repairs: true })
})

/** About the version and its component, of a vulnerability that neither has. */
async function givenStatements(firmwareVersionId: string): Promise<void> {
  const products = [
    { '@id': 'pkg:generic/gateway@1.0' },
    { identifiers: { cpe23: product.cpes[0] } },
  ]
  const answer = await fleet.client.post(`/firmware-versions/${firmwareVersionId}/vex`, {
    '@context': 'https://openvex.dev/ns/v0.2.0',
    '@id': 'https://example.com/vex/1',
    author: 'Acme',
    timestamp: '2026-01-02T03:04:05Z',
    version: 1,
    statements: [
      { vulnerability: { name: 'CVE-1999-0001' }, status: 'under_investigation', products },
    ],
  })
  expect(answer.json()).toMatchObject({ statementCount: 1, unmatched: [] })
}

/** Points of the hour before, which are added up, and of ten minutes ago, which may not be. */
async function givenRolledUpHour(): Promise<void> {
  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  const device = { workspaceId: fleet.workspaceId, deviceId: 'device-000' }
  const store = (at: Date) =>
    storeTelemetry(test.ctx, metrics(device, [{ name: 'x', value: 9 }], at))
  await store(ago(130))
  await rollUpMetrics({ ...test.ctx, now: () => ago(130) })
  await store(ago(130))
  await store(ago(10))
  await rollUpMetrics(test.ctx)
}

const FIRING_RULE = {
  type: 'MetricFixedThreshold' as const,
  evaluationFrequency: '1m',
  condition: {
    metric: 'x',
    labels: {},
    deploymentCohortId: null,
    aggregation: 'Maximum' as const,
    groupBy: 'None' as const,
    operator: 'GreaterThan' as const,
    threshold: 1,
    window: '1h' as const,
    delaySeconds: 0,
    onNoData: 'Keep' as const,
  },
}

async function run(name: string, asked: Omit<DoctorOptions, 'name'> = {}): Promise<CheckReport> {
  const [report] = await examineAll({ name, ...asked })
  if (!report) throw new Error(`no check ${name}`)
  return report
}

interface DoctorOptions {
  name?: string
  repairs?: boolean
  isDeep?: boolean
}

const examineAll = ({ name, repairs = false, isDeep = false }: DoctorOptions = {}) =>
  examine(test.ctx, {
    checks: CHECKS.filter((check) =>
      name === undefined ? !OF_TEST_SERVER.includes(check.name) : check.name === name,
    ),
    workspaceIds: [fleet.workspaceId],
    readsFiles: true,
    isDeep,
    repairs,
    onProgress: () => undefined,
  })

async function execute(text: string): Promise<void> {
  for (const statement of text.split('; '))
    await sql.raw(statement.replaceAll('$W', fleet.workspaceId)).execute(test.ctx.db)
}

it('finds nothing in what the service made, and says what it does not judge', async () => {
  const reports = await examineAll({ isDeep: true })

  expect(reports.filter(({ state }) => state !== 'Clean')).toEqual([])
  expect(reports).toHaveLength(CHECKS.length - OF_TEST_SERVER.length)
  expect(reports.find(({ name }) => name === 'schema')?.notJudged).toEqual([])
  const sources = reports.find(({ name }) => name === 'sources')
  expect(sources?.notJudged).toContain('nvd: never read, and not fetched')
  expect(chooseExitCode(reports)).toBe(0)
})

/** What spoils derived data, and what the check says of it. */
const DERIVED = [
  [
    'matching-jobs',
    `update sboms set vulnerabilities_parsed_at = null where workspace_id = '$W'`,
    'not matched, and has no job',
  ],
  [
    'inventories',
    `update firmware_version_packages set until = since, ended_cause = 'SbomDeleted' where workspace_id = '$W'`,
    'is missing',
  ],
  [
    'finding-counters',
    `update firmware_version_counters set high = high + 2 where workspace_id = '$W'`,
    'high is 3 instead of 1',
  ],
  [
    'component-counters',
    `update firmware_version_counters set judged_components = 9 where workspace_id = '$W'`,
    'judged_components is 9 instead of 1',
  ],
  [
    'knowledge-jobs',
    `insert into knowledge_changes (revision, key, vulnerability_id) values (987654, 'cpe:a:b', 'CVE-1')`,
    'the merge 987654 waits to be matched, and has no job',
  ],
  [
    'exploited-vulnerabilities',
    `update vulnerabilities set is_known_exploit = true`,
    'is marked otherwise than listed',
  ],
  [
    'known-distributions',
    `insert into known_distributions (stated, amount) values ('Debian:99', 3)`,
    'Debian:99: 3 records instead of 0',
  ],
  [
    'metric-hours',
    `update metric_hours set sum = sum + 1 where workspace_id = '$W';
     delete from metric_packed_days where workspace_id = '$W'`,
    'is not the sum of its points',
  ],
  [
    'cohort-members',
    `update devices set cohort_id = null, tags = '{by-tag}' where workspace_id = '$W' and id = 'device-002'`,
    'device device-002 is in cohort none instead of',
  ],
  [
    'customer-devices',
    `insert into customers (workspace_id, id, name, tag, contacts, created_at, updated_at)
     values ('$W', gen_random_uuid(), 'Nord', 'nord', '[]', now(), now());
     update devices set tags = '{nord}' where workspace_id = '$W' and id = 'device-002'`,
    'device device-002 is not shown to Nord, whose it is',
  ],
  [
    'configuration-jobs',
    `insert into device_configuration_changes (workspace_id, id, selection, created_at, state, total)
     values ('$W', gen_random_uuid(), '{}', now(), 'InProgress', 0)`,
    'is in progress, and has no job',
  ],
  [
    'daily-counters',
    `update firmware_version_daily_counters set high = -1 where workspace_id = '$W'`,
    'rows of',
  ],
  [
    'daily-devices',
    `update firmware_set_daily_devices set worst = 'Clean', exploited = true where workspace_id = '$W'`,
    'rows of',
  ],
  [
    'daily-devices',
    `update device_firmwares set since = now() - interval '3 hours' where workspace_id = '$W';
     delete from firmware_set_daily_devices where workspace_id = '$W'`,
    'no rows of',
  ],
  [
    'sbom-reasons',
    `update sboms set not_matched = '{"no version": 2}' where workspace_id = '$W'`,
    'stands for nothing',
  ],
  [
    'workspace-packages',
    `update workspace_packages set version_count = 7 where workspace_id = '$W'`,
    'version_count is 7 instead of 1',
  ],
  ['workspace-packages', `delete from workspace_packages where workspace_id = '$W'`, 'is missing'],
  ['workspace-matches', `delete from workspace_matches where workspace_id = '$W'`, 'is missing'],
  [
    'workspace-matches',
    `insert into workspace_matches select '$W', 'CVE-1', gen_random_uuid(), now(), 1, 'part', 1, false`,
    'stands for nothing',
  ],
  [
    'workspace-components',
    `update workspace_component_vulnerabilities set first_detected_at = now() where workspace_id = '$W'`,
    'first_detected_at is',
  ],
  [
    'workspace-components',
    `update workspace_component_vulnerabilities set states = 0 where workspace_id = '$W'`,
    'states is 0 instead of',
  ],
  [
    'workspace-components',
    `update workspace_component_vulnerabilities set device_magnitude = 7 where workspace_id = '$W'`,
    'device_magnitude is 7 instead of',
  ],
  [
    'workspace-scores',
    `with copied as (
      update workspace_kept_locks set score_revision = coalesce((
        select sum(score_revision)::int from vulnerability_sources), 0)
      where workspace_id = '$W')
    update workspace_component_vulnerabilities set epss_score = 0.25 where workspace_id = '$W'`,
    'is kept with EPSS score 0.25 instead of -1',
  ],
  ['workspace-versions', `delete from workspace_versions where workspace_id = '$W'`, 'is missing'],
  [
    'workspace-package-versions',
    `update workspace_package_versions set versions = 0 where workspace_id = '$W'`,
    'versions is 0 instead of',
  ],
  [
    'workspace-devices',
    `with counted as (
      update workspace_kept_locks set devices_counted_at = now() + interval '1 second', devices_counted = (
        select count(*) || ' ' || coalesce(sum(hashtextextended(firmware_version_ids::text || ' ' || devices, 0)), 0)
          || ' ' || (select count(*) from firmware_version_counters where workspace_id = '$W')
          || ' ' || (select count(*) from ssvc_settings where workspace_id = '$W')
        from firmware_set_device_counts
        where workspace_id = '$W')
      where workspace_id = '$W')
    update workspace_packages set device_magnitude = 7 where workspace_id = '$W'`,
    'is kept with magnitude 7 instead of',
  ],
  [
    'workspace-decisions',
    `update workspace_decisions set ignored = true where workspace_id = '$W'`,
    'is missing',
  ],
  [
    'vex-targets',
    `delete from vex_statement_targets where workspace_id = '$W'`,
    'applies to nothing instead of CVE-1999-0001 in all, CVE-1999-0001 in',
  ],
  [
    'vex-targets',
    `update vex_statement_targets set package_id = '00000000-0000-4000-8000-000000000000' where workspace_id = '$W'`,
    'instead of CVE-1999-0001 in all',
  ],
  [
    'device-counts',
    `update firmware_version_device_counts set devices = devices - 1 where workspace_id = '$W'`,
    'instead of',
  ],
  [
    'device-counts',
    `delete from firmware_version_device_counts where workspace_id = '$W'`,
    'is missing',
  ],
  [
    'device-set-counts',
    `insert into firmware_set_device_counts select '$W', array[gen_random_uuid()], 3`,
    'stands for nothing',
  ],
  [
    'device-image-counts',
    `insert into device_image_counts (workspace_id, firmware_version_id, image_hash, devices)
     select '$W', id, 'ab', 3 from firmware_versions where workspace_id = '$W' limit 1`,
    'stands for nothing',
  ],
  [
    'device-images',
    `update device_firmwares set image_hash = 'ab' where workspace_id = '$W' and device_id = 'device-001'`,
    'device device-001: the image of gateway is kept as ab instead of not reported',
  ],
  [
    'image-facts',
    `insert into image_facts (workspace_id, firmware_version_id, blob_id, examiner_version, facts, awaits_key, examined_at)
     select '$W', id, gen_random_uuid(), 1, '{}', false, now() from firmware_versions where workspace_id = '$W' limit 1`,
    'and what was read of it is kept',
  ],
  ...(
    [
      [`[{"of": null, "value": "abc"}]`, 'a hash is kept of it which is none: abc'],
      [
        `[{"of": null, "value": "${'ab'.repeat(32)}"}]`,
        'the hashes that are kept of it are those of other bytes',
      ],
      ['null', 'no hashes are kept of it'],
    ] as const
  ).map(
    ([hashes, fault]) =>
      [
        'image-facts',
        `delete from pgboss.job where name = 'artifacts.stored'; delete from image_facts where workspace_id = '$W'; ` +
          `insert into image_facts (workspace_id, firmware_version_id, blob_id, examiner_version, facts, awaits_key, examined_at)
         select '$W', firmware_version_id, blob_id, 1000000, jsonb_strip_nulls('{"hashes": ${hashes}}'), false, now()
         from firmware_artifacts where workspace_id = '$W'`,
        fault,
      ] as const,
  ),
  [
    'device-links',
    `update device_firmwares set firmware_version_id = null where workspace_id = '$W' and device_id = 'device-000'`,
    'device-000',
  ],
  [
    'deployment-counters',
    `update deployments set pending = pending + 1, failed = 4 where workspace_id = '$W'`,
    'failed is 4 instead of 0',
  ],
  [
    'usage',
    `update workspace_usage set used = used + 7 where workspace_id = '$W' and quota = 'devices'`,
    'used is 10 instead of 3',
  ],
  [
    'sbom-jobs',
    `update sboms set parsing_state = 'InProgress' where workspace_id = '$W'`,
    'has no job',
  ],
  [
    'sbom-components',
    `update sboms set component_count = 5 where workspace_id = '$W'`,
    'component_count is 5 instead of 1',
  ],
  [
    'telemetry-partitions',
    `drop table device_logs_` +
      new Date(Date.now() + 86_400_000).toISOString().slice(0, 10).replaceAll('-', ''),
    'device_logs has partitions for 0',
  ],
  [
    'log-stretches',
    `with line as (
       insert into device_logs (workspace_id, time, id, device_id, severity, message, labels)
       values ('$W', now() - interval '1 hour', gen_random_uuid(), 'device-000', 'Info', 'lost', '{}') returning time)
     insert into device_log_stretches (workspace_id, time, oldest_time, oldest_id, line_count, trigrams)
     select '$W', date_trunc('hour', time, 'UTC'), time, gen_random_uuid(), 0, '\\x00' from line`,
    '1 log line of the hour',
  ],
  // Matching again moves counters, which were right.
  [
    'match-ratings',
    `update package_matches set is_exploited = true where until is null`,
    'its match has not the severity, score and exploitation',
  ],
  [
    'matches',
    `update package_matches set confidence = 'Low' where until is null`,
    'Low is stored, the rules give',
  ],
  ['matches', `delete from package_matches`, 'nothing is stored, the rules give'],
] as const

it.each(DERIVED)('%s: finds and repairs %s', async (name, spoil, fault) => {
  await execute(spoil)

  const found = await run(name)
  const repaired = await run(name, { repairs: true })

  expect(found).toMatchObject({ state: 'Faults', repaired: 0 })
  expect(found.faults.join('\n')).toContain(fault)
  expect(chooseExitCode([found])).toBe(1)
  expect(repaired).toMatchObject({ state: 'Clean', faultCount: 0, repaired: found.faultCount })
  if (name === 'sbom-jobs' || name === 'matching-jobs') await startsAndStopsWorker(settled)
})

it('leaves nothing to repair when it is run once more', async () => {
  // A repair of facts moves what is counted of them, which may have been right.
  await examineAll({ repairs: true })

  expect((await examineAll()).filter(({ state }) => state !== 'Clean')).toEqual([])
})

const settled = () => matchedSboms(fleet.client, fleet.versions['1.0'] ?? '')

/** Faults that nothing can be derived from: they are named, and stay. */
const NAMED = [
  [
    'migrations',
    `update schema_migrations set name = 'x' where name like '0001-%'`,
    `update schema_migrations set name = '0001-workspaces.sql' where name = 'x'`,
    '0001-workspaces.sql is not applied',
  ],
  [
    'schema',
    `alter table device_logs rename to lost; alter table saved_views rename to gone`,
    `alter table lost rename to device_logs; alter table gone rename to saved_views`,
    'the table device_logs is missing\nthe table saved_views is missing',
  ],
  [
    'schema',
    `alter table devices alter column tags drop not null`,
    `alter table devices alter column tags set not null`,
    'the column tags of the table devices is text[] default',
  ],
  [
    'schema',
    `alter table sboms rename column file_name to name`,
    `alter table sboms rename column name to file_name`,
    'the column file_name of the table sboms is missing: text not null',
  ],
  [
    'schema',
    `alter index devices_pkey rename to other`,
    `alter index other rename to devices_pkey`,
    'the constraint devices_pkey of the table devices is missing: PRIMARY KEY (workspace_id, id)',
  ],
  [
    'schema',
    `alter index packages_of_address rename to other`,
    `alter index other rename to packages_of_address`,
    'the index packages_of_address of the table packages is missing: CREATE INDEX',
  ],
  [
    'indexes',
    `update pg_index set indisvalid = false where indexrelid = 'sboms_pkey'::regclass`,
    `update pg_index set indisvalid = true where indexrelid = 'sboms_pkey'::regclass`,
    'sboms_pkey',
  ],
  [
    'advisory-links',
    `delete from vulnerability_aliases where alias = vulnerability_id`,
    `insert into vulnerability_aliases select id, id from vulnerabilities on conflict do nothing`,
    'is not found by its own name',
  ],
  [
    'advisory-links',
    `update advisory_vulnerabilities set vulnerability_id = 'CVE-' || vulnerability_id`,
    `update advisory_vulnerabilities set vulnerability_id = substring(vulnerability_id from 5)`,
    'is evidence for CVE-',
  ],
  [
    'jobs',
    `insert into pgboss.job (name, start_after) values ('sboms.parsed', now() - interval '1 hour')`,
    `delete from pgboss.job where start_after < now() - interval '50 minutes'`,
    'sboms.parsed: 1 job waits',
  ],
  [
    'jobs',
    `insert into pgboss.job (name, state, heartbeat_on) values ('sboms.parsed', 'active', now() - interval '1 hour')`,
    `delete from pgboss.job where heartbeat_on < now() - interval '50 minutes'`,
    '1 job is held by a process that is gone',
  ],
  [
    'alert-evaluations',
    `update alert_rules set next_evaluation_at = now() - interval '1 hour'`,
    `update alert_rules set next_evaluation_at = now() + interval '1 minute'`,
    'overdue for 60 minutes',
  ],
  [
    'incidents',
    `update alert_incidents set ended_at = now(), ended_cause = 'Recovered'`,
    `update alert_incidents set ended_at = null, ended_cause = null`,
    'which is not open',
  ],
  [
    'metric-rollup',
    `update metric_packing set packed_until = (packed_until at time zone 'UTC' - interval '1 day') at time zone 'UTC'`,
    `update metric_packing set packed_until = (packed_until at time zone 'UTC' + interval '1 day') at time zone 'UTC'`,
    '2',
  ],
  [
    'sources',
    `insert into vulnerability_sources (source, last_success_at) values ('kev', now() - interval '90 days')`,
    `delete from vulnerability_sources where source = 'kev'`,
    'kev: stale, last complete 2,160 hours ago',
  ],
  [
    'sbom-files',
    `update sboms set sha256 = repeat('0', 64) where workspace_id = '$W'`,
    '',
    'another SHA-256',
  ],
  [
    'artifact-files',
    `update firmware_artifacts set size_bytes = size_bytes + 1 where workspace_id = '$W'`,
    `update firmware_artifacts set size_bytes = size_bytes - 1 where workspace_id = '$W'`,
    'bytes instead of',
  ],
] as const

it.each(NAMED)('%s: finds %s', async (name, spoil, undo, fault) => {
  const { rows } = await sql<{ sha256: string }>`
    select sha256 from sboms where id = ${sbomId}`.execute(test.ctx.db)
  await execute(spoil)

  const found = await run(name, { repairs: true })

  await execute(
    undo || `update sboms set sha256 = '${rows[0]?.sha256 ?? ''}' where workspace_id = '$W'`,
  )
  expect(found).toMatchObject({ state: 'Faults', canRepair: false })
  expect(found.advice).not.toEqual([])
  expect(found.faults.join('\n')).toContain(fault)
  expect((await run(name)).state).toBe('Clean')
})

it('finds missing files and files without a row, and deletes only these', async () => {
  const { blobs } = test.ctx
  const { workspaceId, versions } = fleet
  const key = `sboms/${workspaceId}/${versions['1.0'] ?? ''}/${sbomId}`
  const path = blobs.localPath(key) ?? ''
  const bytes = readFileSync(path)
  const stray = `${path.slice(0, -sbomId.length)}${crypto.randomUUID()}`
  writeFileSync(stray, 'left over')
  utimesSync(stray, 0, 0)
  rmSync(path)

  const missing = await run('sbom-files', { repairs: true })
  const leftOver = await run('sbom-left-overs')
  const swept = await run('sbom-left-overs', { repairs: true })

  writeFileSync(path, bytes)
  expect(missing.faults.join()).toContain(`SBOM ${sbomId} (a.json): the file ${key} is missing`)
  expect(leftOver.faults).toHaveLength(1)
  expect(swept).toMatchObject({ state: 'Clean', repaired: 1 })
  expect((await run('sbom-files')).state).toBe('Clean')
})

it('finds connections to gateways that are gone, and ends them', async () => {
  await execute(
    `insert into gateways values ('00000000-0000-7000-8000-000000000001', now(), now() - interval '1 hour')`,
  )
  await execute(
    `update devices set connected = true, gateway_id = '00000000-0000-7000-8000-000000000001' where id = 'device-002'`,
  )
  await run('device-counts', { repairs: true })

  expect((await run('device-connections')).faults[0]).toContain('device-002')
  expect(await run('device-connections', { repairs: true })).toMatchObject({ repaired: 1 })
  expect((await run('device-counts')).state).toBe('Clean')
})

it('finds settings of the database that make it forget', async () => {
  const { faults } = await run('durability')

  expect(faults).toContain('fsync is off: a crash may lose what was accepted')
})

it('finds that nothing tends the tables', async () => {
  await execute('alter table finding_decisions set (autovacuum_enabled = no)')

  const { faults } = await run('autovacuum')
  const { rows } = await sql<{ autovacuum: string }>`show autovacuum`.execute(test.ctx.db)

  expect(faults).toEqual([
    // Of the server of the tests. Another one may have it on.
    ...(rows[0]?.autovacuum === 'off'
      ? ['autovacuum is off: lists get slower and files larger']
      : []),
    'finding_decisions has autovacuum_enabled = off',
  ])
})

it('finds a clock that is off', async () => {
  const found = await createClockCheck(() => Date.now() + 60_000).find(test.ctx, SHALLOW)

  expect(found.faults[0]).toMatch(/is (60\.\d|59\.\d) s ahead of/)
})

it('says of each check what to do, where it cannot repair', () => {
  const without = CHECKS.filter(({ repair, remedy }) => !repair && remedy === undefined)

  expect(without.map(({ name }) => name)).toEqual(['embedded-database'])
})

it('never calls clean what it could not check', async () => {
  const blobs = {
    ...test.ctx.blobs,
    list: () => {
      throw new Error('the bucket is away')
    },
  }
  const [report] = await examine(
    { ...test.ctx, blobs },
    {
      checks: CHECKS.filter(({ name }) => name === 'sbom-left-overs'),
      workspaceIds: [],
      readsFiles: true,
      isDeep: false,
      repairs: true,
      onProgress: () => undefined,
    },
  )

  expect(report).toMatchObject({
    state: 'CouldNotCheck',
    faultCount: null,
    error: 'the bucket is away',
  })
  expect(chooseExitCode(report ? [report] : [])).toBe(3)
})

it('does not judge statements about a name that a firmware had before', async () => {
  await execute(`update firmwares set slug = 'other', name = 'Other' where workspace_id = '$W'`)
  await execute(
    `delete from vex_statement_targets where workspace_id = '$W' and package_id is not null`,
  )
  await execute(
    `update vex_statements set products = ('[' || (products -> 0)::text || ']')::json where workspace_id = '$W'`,
  )

  expect(await run('vex-targets')).toMatchObject({
    state: 'Clean',
    notJudged: [expect.stringContaining('names nothing that is there today')],
  })
})
