/**
 * Creates a portfolio of the size of docs/design/budgets.md in a folder for the benchmarks of matching, deltas and lists:
 * `node bench/portfolio.ts FOLDER [firmware versions] [advisories]` (default 10,000 and 300,000).
 *
 * Knowledge goes through the operator's import, packages through identification and matching. Facts of firmware versions and
 * decisions are written as uploads and people would leave them; what is kept and counted beside them is filled as
 * `admin doctor --repair` does. In a folder with a portfolio it migrates the database and fills what is missing.
 */
import { createReadStream, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createGunzip } from 'node:zlib'
import { sql } from 'kysely'
import { importFeeds } from '../server/src/features/advisories/index.ts'
import { bootstrapWorkspace } from '../server/src/features/workspaces/index.ts'
import { parseCpe } from '../server/src/formats/cpe.ts'
import { identifyPackage, listPackageKeys } from '../server/src/formats/identity.ts'
import type { Tx } from '../server/src/platform/db/connect.ts'
import { withoutTimeLimit } from '../server/src/platform/doctor/check.ts'
import { newId } from '../server/src/platform/ids.ts'
import { sharedData } from '../server/test/shared-data.ts'
import { countArgument, declareFolder, readBenchArguments } from './bench-arguments.ts'
import { generateProductFeed } from './generated-feeds.ts'
import { openBenchContext } from './bench-context.ts'
import { COUNTER_ROWS } from '../server/src/features/findings/counters-store.ts'
import { deviceChecks } from '../server/src/features/devices/index.ts'
import { findingChecks, matchFirmwareVersion } from '../server/src/features/findings/index.ts'
import { MATCH_RULES_VERSION } from '../server/src/features/matching/match.ts'
import { quotaChecks } from '../server/src/features/quotas/index.ts'

const {
  folder,
  versions: VERSIONS,
  advisories: ADVISORIES,
} = readBenchArguments({
  folder: declareFolder(),
  versions: countArgument(10_000),
  advisories: countArgument(300_000),
})
if (sharedData === undefined) throw new Error('The shared test data is needed: ../shared/data')
const data: string = sharedData
const FAMILY = 100
const PACKAGES_OF_A_VERSION = 300
const PRODUCTS = 3_000
const RELEASES = 3
const KERNELS = 100
const KERNEL_MEMBERS = 100
const DECISIONS_OF_A_KERNEL = 5_000

const feeds = join(folder, 'feeds')
const kernelRecords = join(data, 'cve5/linux-kernel-cna.jsonl.gz')
const { ctx, close } = await openBenchContext(folder)

function logDuration<Result>(what: string, work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now()
  return work().then((result) => {
    console.log(`${what}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
    return result
  })
}

/** Mulberry32: the same portfolio at every run. */
function randomOf(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
const random = randomOf(20261121)

interface Release {
  id: string
  name: string
  cpe: string
  version: string
}

/** Products in the frequency of records, each in a few releases that some record calls affected. */
async function chooseReleases(file: string): Promise<Release[][]> {
  const versions = new Map<string, Set<string>>()
  for await (const line of createInterface({ input: createReadStream(file) }))
    for (const [, cpe = '', end = ''] of line.matchAll(
      /"criteria":"(cpe:2\.3:a:[^"]+)"(?:,"versionStart\w+":"[^"]*")?(?:,"versionEnd\w+":"([^"]*)")?/g,
    )) {
      const parsed = parseCpe(cpe)
      const version = end === '' ? (parsed?.version ?? '*') : end
      // Branches (`3.x`) and zeros are no releases.
      if (!parsed || !/^\d[\w.]*$/.test(version) || /^0[0.]*$|\.[xy](?=$|_)/i.test(version))
        continue
      const key = `${parsed.vendor}:${parsed.product}`
      versions.set(key, (versions.get(key) ?? new Set()).add(version))
    }
  // Some names of the feed are distributions, which are no packages.
  const weighted = [...versions].filter(
    ([key, stated]) => stated.size >= RELEASES && 'identity' in identify(key, '1'),
  )
  const order = weighted
    .map((one) => ({ one, place: random() ** (1 / one[1].size) }))
    .toSorted((a, b) => b.place - a.place)
  return order.slice(0, PRODUCTS).map(({ one: [key, stated] }) => {
    // Firmware contains older releases, which have more known vulnerabilities.
    const all = [...stated].toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }))
    return Array.from({ length: RELEASES }, (_, index) =>
      releaseOf(key, all[Math.floor(((index + 0.5) * all.length) / (2 * RELEASES))] ?? '1'),
    )
  })
}

function identify(key: string, version: string) {
  return identifyPackage({
    packageName: nameOf(key),
    vendor: undefined,
    version,
    purl: undefined,
    cpes: [formatCpe(key, version)],
    scope: undefined,
    builtFrom: undefined,
  })
}

const nameOf = (key: string) => key.slice(key.indexOf(':') + 1)
const formatCpe = (key: string, version: string) => `cpe:2.3:a:${key}:${version}:*:*:*:*:*:*:*`

function releaseOf(key: string, version: string): Release {
  const cpe = formatCpe(key, version)
  const identified = identify(key, version)
  if (!('identity' in identified)) throw new Error(`${cpe} is no package`)
  identities.set(identified.identity.id, identified.identity)
  return { id: identified.identity.id, name: nameOf(key), cpe, version }
}
type Identity = Extract<ReturnType<typeof identifyPackage>, { identity: unknown }>['identity']
const identities = new Map<string, Identity>()

async function insertPackages(): Promise<void> {
  const all = [...identities.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
  for (let start = 0; start < all.length; start += 1_000) {
    const some = all.slice(start, start + 1_000)
    await sql`
      insert into packages (id, identity, created_at)
      select id, identity, ${ctx.now()}
      from json_to_recordset(${JSON.stringify(some.map((identity) => ({ id: identity.id, identity })))}::json)
        as input (id uuid, identity jsonb)
      on conflict do nothing`.execute(ctx.db)
    const keys = some.flatMap((identity) =>
      listPackageKeys(identity).map((key) => ({ key, id: identity.id })),
    )
    await sql`
      insert into package_keys (key, package_id)
      select key, id from json_to_recordset(${JSON.stringify(keys)}::json) as input (key text, id uuid)
      on conflict do nothing`.execute(ctx.db)
  }
}

interface Version {
  id: string
  firmwareId: string
  index: number
  packages: Release[]
  kernel: Release | undefined
}

/** Families of versions that share most packages, as releases of one product do. */
function chooseVersions(products: readonly Release[][], kernels: readonly Release[]): Version[] {
  const versions: Version[] = []
  for (let family = 0; family * FAMILY < VERSIONS; family++) {
    const firmwareId = newId()
    const chosen = new Set<Release[]>()
    while (chosen.size < Math.min(PACKAGES_OF_A_VERSION - 1, products.length))
      chosen.add(products[Math.floor(random() ** 2 * products.length)] ?? [])
    for (let index = 0; index < FAMILY && versions.length < VERSIONS; index++) {
      const release = Math.floor((index * RELEASES) / FAMILY)
      versions.push({
        id: newId(),
        firmwareId,
        index,
        packages: [...chosen].flatMap((releases) => releases[release] ?? []),
        kernel:
          family % 10 === 0 ? kernels[Math.floor((index * kernels.length) / FAMILY)] : undefined,
      })
    }
  }
  return versions
}

async function insertVersions(workspaceId: string, versions: readonly Version[]): Promise<void> {
  const at = ctx.now()
  const firmwares = [...new Set(versions.map(({ firmwareId }) => firmwareId))]
  await sql`
    insert into firmwares (workspace_id, id, slug, name, created_at, updated_at)
    select ${workspaceId}, id, id::text, 'Firmware', ${at}, ${at} from unnest(${firmwares}::uuid[]) as id`.execute(
    ctx.db,
  )
  for (let start = 0; start < versions.length; start += 100)
    await insertSome(workspaceId, versions.slice(start, start + 100), at)
}

async function insertSome(workspaceId: string, versions: readonly Version[], at: Date) {
  const rows = JSON.stringify(
    versions.map(({ id, firmwareId, index }) => ({
      id,
      firmwareId,
      name: `1.${index}`,
      sbomId: newId(),
    })),
  )
  const held = JSON.stringify(
    versions.flatMap(({ id, packages, kernel }) =>
      (kernel ? [...packages, kernel] : packages).map((one) => ({
        versionId: id,
        packageId: one.id,
      })),
    ),
  )
  await ctx.db.transaction().execute(async (tx) => {
    const input = sql`json_to_recordset(${rows}::json) as input (id uuid, "firmwareId" uuid, name text, "sbomId" uuid)`
    await sql`
      insert into firmware_versions (workspace_id, id, firmware_id, name, created_at)
      select ${workspaceId}, id, "firmwareId", name, ${at} from ${input}`.execute(tx)
    await sql`
      insert into sboms (workspace_id, id, firmware_version_id, file_name, format, parsing_state, size_bytes, sha256,
        created_at, parsed_at, vulnerabilities_parsed_at)
      select ${workspaceId}, "sbomId", id, 'image.cdx.json', 'CycloneDxJson', 'Succeeded', 1, "sbomId"::text, ${at},
        ${at}, ${at} from ${input}`.execute(tx)
    await sql`
      insert into sbom_components (workspace_id, sbom_id, node, id, package_name, version, cpes, licenses, hashes, package_id,
        selector_keys)
      select ${workspaceId}, input."sbomId",
        row_number() over (partition by input.id order by held."packageId", member) - 1, gen_random_uuid(),
        release.name || case when member > 1 then '-module-' || member else '' end, release.version,
        array[release.cpe], '{}', '[]', held."packageId", '{}'
      from ${input}
      join json_to_recordset(${held}::json) as held ("versionId" uuid, "packageId" uuid) on held."versionId" = input.id
      join bench_releases as release on release.id = held."packageId"
      cross join generate_series(1, case when release.name = 'linux_kernel' then ${KERNEL_MEMBERS}::int else 1 end)
        as member`.execute(tx)
    await sql`
      insert into firmware_version_packages (workspace_id, firmware_version_id, package_id, since, cause,
        component_name, component_version, component_cpe)
      select ${workspaceId}, "versionId", "packageId", ${at}, 'SbomParsed', release.name, release.version, release.cpe
      from json_to_recordset(${held}::json) as held ("versionId" uuid, "packageId" uuid)
      join bench_releases as release on release.id = held."packageId"`.execute(tx)
  })
}

async function insertReleases(releases: readonly Release[]): Promise<void> {
  await sql`create table if not exists bench_releases (id uuid primary key, name text, cpe text, version text)`.execute(
    ctx.db,
  )
  await sql`
    insert into bench_releases
    select * from json_to_recordset(${JSON.stringify(releases)}::json) as input (id uuid, name text, cpe text, version text)
    on conflict do nothing`.execute(ctx.db)
}

/** Matches the packages like those of one upload; bench/match.ts times the first match. */
async function matchAll(workspaceId: string, releases: readonly Release[]): Promise<void> {
  const packages = new Map(releases.map((release) => [release.id, release]))
  const version = {
    id: newId(),
    firmwareId: newId(),
    index: 0,
    packages: [...packages.values()],
    kernel: undefined,
  }
  await insertVersions(workspaceId, [version])
  await matchFirmwareVersion(ctx, { workspaceId, firmwareVersionId: version.id })
  await sql`delete from firmwares where workspace_id = ${workspaceId} and id = ${version.firmwareId}`.execute(
    ctx.db,
  )
}

async function decide({
  workspaceId,
  versions,
}: {
  workspaceId: string
  versions: readonly Version[]
}) {
  const at = ctx.now()
  for (const { id, kernel } of versions)
    if (kernel)
      await sql`
        insert into finding_decisions (workspace_id, firmware_version_id, package_id, vulnerability_id, assessment,
          ignored, updated_at, source, assessed_at)
        select ${workspaceId}, ${id}, ${kernel.id}, vulnerability_id,
          (array['NotAffected', 'InTriage', 'Exploitable', 'Resolved'])[1 + abs(hashtext(vulnerability_id)) % 4],
          hashtext(vulnerability_id) % 10 = 0, ${at}, 'User', ${at}
        from package_matches where package_id = ${kernel.id} and until is null
        order by vulnerability_id limit ${DECISIONS_OF_A_KERNEL}`.execute(ctx.db)
}

const EXPLOITED = sql`hashtext(id) % 250 = 0`

/** Scores of EPSS for all vulnerabilities, most of them low, and a known exploit for one of 250. */
async function rateExploits(): Promise<void> {
  await sql`
    insert into epss_scores (cve_id, score, percentile)
    select id, power(abs(hashtext(id)) / 2147483648.0, 6), 0.5 from vulnerabilities on conflict do nothing`.execute(
    ctx.db,
  )
  await sql`
    insert into kev_entries (cve_id, date_added, details)
    select id, '2024-01-01', '{}' from vulnerabilities where ${EXPLOITED} on conflict do nothing`.execute(
    ctx.db,
  )
  await sql`
    update vulnerabilities set is_known_exploit = true, known_exploit_since = '2024-01-01'
    where ${EXPLOITED} and not is_known_exploit`.execute(ctx.db)
  await sql`
    update package_matches set is_exploited = true
    where until is null and not is_exploited
      and vulnerability_id in (select id from vulnerabilities where is_known_exploit)`.execute(
    ctx.db,
  )
}

const DEVICES_OF_A_VERSION = 10

/** Devices run one of five versions, more of them the newer ones of each family. */
async function insertDevices(workspaceId: string): Promise<void> {
  await sql`
    with running as (
      select version.id, version.name, firmware.slug, substring(version.name from 3)::int as number
      from firmware_versions as version
      join firmwares as firmware on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
      where version.workspace_id = ${workspaceId} and substring(version.name from 3)::int % 5 = 0
    ), device as (
      select running.*, 'device-' || running.id || '-' || n as device_id
      from running cross join generate_series(0, running.number * ${DEVICES_OF_A_VERSION}::int / 50) as n
    ), written as (
      insert into devices (workspace_id, id, created_at, first_seen_at, last_seen_at, effective_log_severity)
      select ${workspaceId}, device_id, now(), now(), now(), 'Info' from device
      on conflict do nothing returning id
    )
    insert into device_firmwares (workspace_id, device_id, slug, version, since, firmware_version_id)
    select ${workspaceId}, device.device_id, device.slug, device.name, now(), device.id
    from device join written on written.id = device.device_id`.execute(ctx.db)
}

/** All versions in one statement, with the counts of the doctor, which repairs them one after another. */
async function countFindings(tx: Tx, workspaceId: string): Promise<void> {
  await withoutTimeLimit(tx)
  await sql`
    insert into firmware_version_counters (workspace_id, firmware_version_id, evaluated_at)
    select workspace_id, id, created_at from firmware_versions where workspace_id = ${workspaceId}
    on conflict do nothing`.execute(tx)
  const set = COUNTER_ROWS.values.map((name) => sql`${sql.ref(name)} = ${sql.ref(`now.${name}`)}`)
  await sql`
    update firmware_version_counters as counters set ${sql.join(set)}
    from (${COUNTER_ROWS.expected(workspaceId)}) as now
    where counters.workspace_id = ${workspaceId} and counters.firmware_version_id = now.firmware_version_id`.execute(
    tx,
  )
  await sql`
    update firmware_version_counters as counters set judged_components = now.judged
    from (
      select sbom.firmware_version_id, count(*) as judged
      from sboms as sbom
      join sbom_components as component on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
      where sbom.workspace_id = ${workspaceId} and component.not_matched_reason is null
      group by sbom.firmware_version_id
    ) as now
    where counters.workspace_id = ${workspaceId} and counters.firmware_version_id = now.firmware_version_id`.execute(
    tx,
  )
}

/** Fills what uploads keep beside the facts, and all counters, as `admin doctor --repair` does. */
async function repair(workspaceId: string): Promise<void> {
  await logDuration('findings counted', () =>
    ctx.db.transaction().execute((tx) => countFindings(tx, workspaceId)),
  )
  for (const check of [...deviceChecks, ...findingChecks, ...quotaChecks]) {
    if (check.scope !== 'Workspace' || /^(finding|component)-counters$/.test(check.name)) continue
    await sql`analyze`.execute(ctx.db)
    const options = { readsFiles: false, isDeep: false, onProgress: console.log }
    await logDuration(check.name, () => Promise.resolve(check.repair?.(ctx, workspaceId, options)))
  }
}

/** Writes `portfolio.json` when all is there. */
async function create(): Promise<void> {
  if (!existsSync(feeds)) {
    mkdirSync(feeds, { recursive: true })
    await logDuration('feeds written', () =>
      generateProductFeed(
        join(data, 'nvd/nvd20-sample.jsonl.gz'),
        ADVISORIES,
        join(feeds, 'nvdcve-2.0.json'),
      ),
    )
    const kernels: string[] = []
    for await (const line of createInterface({
      input: createReadStream(kernelRecords).pipe(createGunzip()),
    }))
      kernels.push(line)
    writeFileSync(join(feeds, 'kernel.jsonl'), kernels.join('\n'))
  }
  await logDuration('knowledge imported', () =>
    importFeeds(ctx, { path: feeds, onProgress: console.log }),
  )
  const products = await chooseReleases(join(feeds, 'nvdcve-2.0.json'))
  const kernels = Array.from({ length: KERNELS }, (_, index) =>
    releaseOf(
      'linux:linux_kernel',
      ['5.10', '5.15', '6.1', '6.6'][index % 4] + `.${10 + Math.floor(index / 4) * 3}`,
    ),
  )
  const releases = [...products.flat(), ...kernels]
  await logDuration(`${releases.length} packages inserted`, insertPackages)
  await insertReleases(releases)
  const { workspaceId, apiKey } = await bootstrapWorkspace(ctx, {
    name: 'Bench',
    ownerEmail: 'bench@example.com',
    actor: { type: 'Operator', id: undefined, email: undefined, requestId: undefined },
  })
  await logDuration('packages matched', () => matchAll(workspaceId, releases))
  const versions = chooseVersions(products, kernels)
  await logDuration(`${versions.length} firmware versions inserted`, () =>
    insertVersions(workspaceId, versions),
  )
  await logDuration('decisions inserted', () => decide({ workspaceId, versions }))
  const kernelVersions = versions.flatMap(({ id, kernel }) => (kernel ? [id] : []))
  const described = { workspaceId, apiKey, versions: versions.map(({ id }) => id), kernelVersions }
  writeFileSync(join(folder, 'portfolio.json'), JSON.stringify(described))
}

try {
  const file = join(folder, 'portfolio.json')
  if (!existsSync(file)) await create()
  // Of a portfolio from before migrations too: opening it has migrated it.
  const { workspaceId } = JSON.parse(readFileSync(file, 'utf8')) as { workspaceId: string }
  // The packages were inserted after the import, and are matched: no service has to do it again for minutes.
  await sql`delete from pgboss.job where name = 'advisories.knowledge-changed'`.execute(ctx.db)
  await sql`update packages set match_rules_version = ${MATCH_RULES_VERSION}::int where match_rules_version < ${MATCH_RULES_VERSION}::int`.execute(
    ctx.db,
  )
  await logDuration('exploits rated', rateExploits)
  await logDuration('devices inserted', () => insertDevices(workspaceId))
  await repair(workspaceId)
  await logDuration('vacuumed', () => sql`vacuum analyze`.execute(ctx.db))
  const { rows } = await sql`
    select (select count(*)::int from package_matches where until is null) as matches,
      (select count(*)::int from firmware_version_packages) as facts,
      (select count(*)::int from finding_decisions) as decisions,
      (select sum(critical + high + medium + low + none + unknown)::int from firmware_version_counters) as active,
      pg_size_pretty(pg_database_size(current_database())) as size`.execute(ctx.db)
  console.log(rows[0])
} finally {
  await close()
}
