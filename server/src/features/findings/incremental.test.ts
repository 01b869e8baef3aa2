/** Whatever happens in whatever order and side by side comes to what a recomputation of everything comes to. */
import { SHALLOW } from '../../../test/doctor.ts'
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp, poolsOf } from '../../../test/app.ts'
import { givenFirmwareVersion, givenSbom, removeSbom } from '../../../test/given-inventory.ts'
import { affectedIn, givenAdvisory, toggleExploited } from '../../../test/given-knowledge.ts'
import { propertyRuns } from '../../../test/property-runs.ts'
import type { AppContext } from '../../platform/context.ts'
import { newId } from '../../platform/ids.ts'
import { type Decision, recordDecisions } from './service.ts'
import { matchChangedPackages } from '../matching/index.ts'
import { findingChecks } from './checks-store.ts'
import { matchFirmwareVersion } from './service.ts'
import { countDevices } from './workspace-list/refresh-service.ts'

let service: TestApp
let ctx: AppContext
beforeAll(async () => {
  service = await startTestApp({ databasePools: poolsOf(16) })
  ctx = service.ctx
})

/** So few that commands meet: a decision is about a finding that holds, and a later command ends it. */
const PRODUCTS = 2
const VERSIONS = ['0.9', '1.0', '2.5']
const index = (length: number) => fc.integer({ min: 0, max: length - 1 })

const upload = fc.record({
  type: fc.constant('upload' as const),
  version: index(3),
  components: fc.array(
    fc.record({
      name: fc.constantFrom('a', 'b'),
      product: index(PRODUCTS),
      version: index(VERSIONS.length),
    }),
    { minLength: 1, maxLength: 4 },
  ),
})
const removal = fc.record({ type: fc.constant('removal' as const), version: index(3) })
/** A new version takes the place of the deleted one. */
const deletion = fc.record({ type: fc.constant('deletion' as const), version: index(3) })
const advisory = fc.record({
  type: fc.constant('advisory' as const),
  product: index(PRODUCTS),
  nth: index(2),
  source: fc.constantFrom('nvd' as const, 'cvelist' as const),
  fixed: fc.constantFrom('0.5', '1.0', '1.2', '3.0', undefined),
  isWithdrawn: fc.constantFrom(true, false, false),
  severity: fc.constantFrom('Critical' as const, 'High' as const, 'Low' as const),
})
const decision = fc.record({
  type: fc.constant('decision' as const),
  version: index(3),
  product: index(PRODUCTS),
  componentVersion: index(VERSIONS.length),
  nth: index(2),
  /** All findings of the version; otherwise one of a package that the version need not hold. */
  isOfAll: fc.constantFrom(true, true, false),
  assessment: fc.constantFrom(
    'NotAffected' as const,
    'Exploitable' as const,
    'InTriage' as const,
    undefined,
  ),
  ignored: fc.boolean(),
})
/** A public list names the vulnerabilities of a product as exploited, or no longer. */
const listing = fc.record({
  type: fc.constant('listing' as const),
  product: index(PRODUCTS),
  list: fc.constantFrom('cisa' as const, 'enisa' as const),
})
/** So many devices run the firmware version, and are counted. */
const move = fc.record({
  type: fc.constant('move' as const),
  version: index(3),
  devices: fc.constantFrom(0, 5, 50),
})
type Of<Arbitrary> = Arbitrary extends fc.Arbitrary<infer Value> ? Value : never
type Command = Of<
  | typeof upload
  | typeof removal
  | typeof deletion
  | typeof advisory
  | typeof decision
  | typeof listing
  | typeof move
>

const anyRounds = fc.array(
  fc.array(
    fc.oneof(
      upload,
      upload,
      removal,
      removal,
      deletion,
      advisory,
      advisory,
      decision,
      decision,
      listing,
      move,
    ),
    { minLength: 1, maxLength: 6 },
  ),
  { minLength: 2, maxLength: 6, size: 'max' },
)

const ofEachVersion = <Made extends { version: number }>(command: fc.Arbitrary<Made>) =>
  [0, 1, 2].map((version) => command.map((made) => ({ ...made, version })))

/** Uploads and records first, then decisions about what they lead to, then anything. */
const rounds = fc
  .tuple(
    fc.tuple(...ofEachVersion(upload)),
    fc.array(advisory, { minLength: 3, maxLength: 4 }),
    fc.tuple(...ofEachVersion(decision)),
    anyRounds,
  )
  .map(([uploads, records, decisions, more]): Command[][] => [
    [...uploads, ...records],
    decisions,
    ...more,
  ])

/** Products and firmware versions of one run, apart from those of any other. */
async function givenWorld() {
  const { workspaceId, apiKey } = await service.givenWorkspace()
  const run = newId()
  const versions = [0, 1, 2].map(() => givenFirmwareVersion(ctx, workspaceId))
  return {
    workspaceId,
    apiKey,
    run,
    versions: await Promise.all(versions),
    sboms: [[], [], []] as string[][],
  }
}
type World = Awaited<ReturnType<typeof givenWorld>>

const productOf = ({ run }: World, product: number) => `product-${run}-${product}`
const cveOf = ({ run }: World, product: number, nth: number) => `CVE-2024-${run}-${product}-${nth}`

/** A version is deleted beside changes of knowledge and of other versions only. */
function isPossible(command: Command, at: number, round: readonly Command[]): boolean {
  if (command.type === 'advisory' || command.type === 'listing') return true
  const others = round.flatMap((other, place) =>
    place === at || other.type === 'advisory' || other.type === 'listing' ? [] : [other],
  )
  const isAlone = others.every(({ version }) => version !== command.version)
  return isAlone || (command.type !== 'deletion' && others.every(({ type }) => type !== 'deletion'))
}

async function perform(world: World, command: Command): Promise<void> {
  switch (command.type) {
    case 'upload':
      return uploadSbom(world, command)
    case 'removal':
      return removeOldest(world, command)
    case 'deletion':
      return replaceVersion(world, command)
    case 'advisory':
      return publish(world, command)
    case 'decision':
      return decide(world, command)
    case 'listing':
      return changeListing(world, command)
    case 'move':
      return moveDevices(world, command)
  }
}

async function uploadSbom(world: World, { version, components }: Of<typeof upload>) {
  const firmwareVersionId = world.versions[version] ?? ''
  const { workspaceId } = world
  const sbomId = await givenSbom(ctx, {
    workspaceId,
    firmwareVersionId,
    components: components.map(({ name, product, version: of }) => ({
      packageName: name,
      cpes: [`cpe:2.3:a:acme:${productOf(world, product)}:${VERSIONS[of] ?? ''}:*:*:*:*:*:*:*`],
    })),
  })
  world.sboms[version]?.push(sbomId)
  await matchFirmwareVersion(ctx, { workspaceId, firmwareVersionId })
}

async function removeOldest(world: World, { version }: Of<typeof removal>) {
  const sbomId = world.sboms[version]?.shift()
  const firmwareVersionId = world.versions[version] ?? ''
  if (sbomId === undefined) return
  await removeSbom(ctx, { workspaceId: world.workspaceId, firmwareVersionId, sbomId })
  await matchFirmwareVersion(ctx, { workspaceId: world.workspaceId, firmwareVersionId })
}

async function replaceVersion(world: World, { version }: Of<typeof deletion>) {
  const { workspaceId } = world
  const firmwareVersionId = world.versions[version] ?? ''
  world.versions[version] = await givenFirmwareVersion(ctx, workspaceId)
  world.sboms[version] = []
  const answer = await service.app.inject({
    method: 'DELETE',
    url: `/workspaces/${workspaceId}/firmware-versions/${firmwareVersionId}`,
    headers: { authorization: `Bearer ${world.apiKey}` },
  })
  expect(answer.statusCode).toBe(204)
}

async function publish(world: World, command: Of<typeof advisory>) {
  const { product, nth, source, fixed, isWithdrawn, severity } = command
  const id = cveOf(world, product, nth)
  const range = fixed === undefined ? {} : { fixed }
  const revision = await givenAdvisory(ctx.db, {
    id,
    source,
    severity,
    score: severity.length,
    affected: isWithdrawn ? [] : [affectedIn(`cpe:acme:${productOf(world, product)}`, [range])],
  })
  await matchChangedPackages(ctx, { revision })
}

async function changeListing(world: World, { product, list }: Of<typeof listing>) {
  for (const nth of [0, 1]) {
    const revision = await toggleExploited(ctx.db, cveOf(world, product, nth), list)
    await matchChangedPackages(ctx, { revision })
  }
}

async function moveDevices(world: World, { version, devices }: Of<typeof move>) {
  const { workspaceId } = world
  await sql`
    insert into firmware_set_device_counts (workspace_id, firmware_version_ids, devices)
    values (${workspaceId}, ${[world.versions[version]]}::uuid[], ${devices})
    on conflict (workspace_id, firmware_version_ids) do update set devices = excluded.devices`.execute(
    ctx.db,
  )
  await countDevices(ctx, { workspaceId })
}

async function decide(world: World, command: Of<typeof decision>) {
  const { workspaceId } = world
  const firmwareVersionId = world.versions[command.version] ?? ''
  const decisions = (await listDecided(world, command)).map((finding): Decision => ({
    ...finding,
    firmwareVersionId,
    source: 'User',
    createdByEmail: 'a@example.com',
    ...(command.assessment ? { assessment: command.assessment } : { ignored: command.ignored }),
  }))
  await ctx.db.transaction().execute((tx) => recordDecisions(ctx, tx, { workspaceId, decisions }))
}

type DecidedPair = Pick<Decision, 'packageId' | 'vulnerabilityId'>

async function listDecided(world: World, command: Of<typeof decision>): Promise<DecidedPair[]> {
  if (command.isOfAll) return listFindings(world, command.version)
  const cpe = `cpe:2.3:*:acme:${productOf(world, command.product)}:${VERSIONS[command.componentVersion] ?? ''}:%`
  const { rows } = await sql<{ packageId: string }>`
    select id as package_id from packages where identity::text like ${`%${cpe.slice(10)}`}`.execute(
    ctx.db,
  )
  const vulnerabilityId = cveOf(world, command.product, command.nth)
  return rows.map(({ packageId }) => ({ packageId, vulnerabilityId }))
}

async function listFindings(
  { workspaceId, versions }: World,
  version: number,
): Promise<DecidedPair[]> {
  const { rows } = await sql<DecidedPair>`
    select match.package_id, match.vulnerability_id
    from firmware_version_packages as fact join package_matches as match using (package_id)
    where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = ${versions[version]}
      and fact.until is null and match.until is null
    order by match.package_id, match.vulnerability_id`.execute(ctx.db)
  return rows
}

async function stateOf({ run, workspaceId }: World) {
  const { rows: matches } = await sql`
    select match.package_id, match.vulnerability_id, match.confidence, match.severity, match.score
    from package_matches as match
    where vulnerability_id like ${`CVE-2024-${run}-%`} and until is null
    order by package_id, vulnerability_id`.execute(ctx.db)
  const { rows: counters } = await sql`
    select firmware_version_id, critical, high, medium, low, none, unknown, exploited, undecided_critical,
      undecided_high, judged_components, silent_components
    from firmware_version_counters
    where workspace_id = ${workspaceId}
    order by firmware_version_id`.execute(ctx.db)
  const { rows: packages } = await sql`
    select package_id, version_count, held_since, open_since, component_name, component_version
    from workspace_packages where workspace_id = ${workspaceId} order by package_id`.execute(ctx.db)
  const { rows: detected } = await sql`
    select * from workspace_matches
    where workspace_id = ${workspaceId} order by package_id, vulnerability_id`.execute(ctx.db)
  const { rows: decisions } = await sql`
    select package_id, vulnerability_id, assessment, ignored, finding_count from workspace_decisions
    where workspace_id = ${workspaceId} and finding_count <> 0
    order by package_id, vulnerability_id, assessment, ignored`.execute(ctx.db)
  const { rows: components } = await sql`
    select * from workspace_component_vulnerabilities where workspace_id = ${workspaceId}
    order by component_name, vulnerability_id`.execute(ctx.db)
  return { components, matches, counters, packages, detected, decisions }
}

/** What the doctor of operators says of it: it compares all that is kept with the facts. */
async function faultsOf({ workspaceId }: World) {
  const found = findingChecks.map((check) => check.find(ctx, workspaceId, SHALLOW))
  return (await Promise.all(found)).flatMap(({ faults }) => faults)
}

/** As naive as it can be said: every finding that holds, counted by what was decided. */
async function countNaively({ workspaceId }: World) {
  const { rows } = await sql<{ firmwareVersionId: string; counter: string; count: number }>`
    select fact.firmware_version_id, counter, count(*)::int as count
    from firmware_version_packages as fact
    join package_matches as match using (package_id)
    left join finding_decisions as decision using (workspace_id, firmware_version_id, package_id, vulnerability_id)
    join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
    cross join lateral (values (lower(match.severity)),
      (case when vulnerability.is_known_exploit or match.vulnerability_id in (select cve_id from eu_exploited_entries)
        then 'exploited' end),
      (case when coalesce(decision.assessment, 'NotAssessed') in ('NotAssessed', 'InTriage')
        then 'undecided' || match.severity end)) as counted (counter)
    where fact.workspace_id = ${workspaceId} and fact.until is null and match.until is null
      and coalesce(decision.ignored, false) = false
      and coalesce(decision.assessment, '') not in ('NotAffected', 'FalsePositive', 'Resolved')
      and (match.confidence <> 'Low' or decision.assessment in ('Exploitable', 'InTriage'))
    group by 1, 2`.execute(ctx.db)
  return rows
}

/** The states of findings one by one, and those of the workspace's rows, also by component. */
async function readStates({ workspaceId }: World) {
  const states = sql`bit_or(1::bigint << (array_position('{High,Medium,Low}', match.confidence) * 12 - 12
    + array_position('{NotAssessed,InTriage,Exploitable,NotAffected,FalsePositive,Resolved}',
      coalesce(decision.assessment, 'NotAssessed')) * 2 - 2 + coalesce(decision.ignored, false)::int))`
  const { rows } = await sql<{ kept: unknown; real: unknown }>`
    with open as (
      select match.vulnerability_id, match.package_id, ${states} as states
      from firmware_version_packages as fact
      join package_matches as match using (package_id)
      left join finding_decisions as decision using (workspace_id, firmware_version_id, package_id, vulnerability_id)
      where fact.workspace_id = ${workspaceId} and fact.until is null and match.until is null
      group by 1, 2
    ), both_sides as (
      select jsonb_build_array('match', vulnerability_id, package_id, states) as row, 1 as sides from open
      union all
      select jsonb_build_array('component', vulnerability_id, component_name, bit_or(states)), 1
      from open join workspace_packages using (package_id)
      where workspace_id = ${workspaceId} group by vulnerability_id, component_name
      union all
      select jsonb_build_array('match', vulnerability_id, package_id, states), 2
      from workspace_matches where workspace_id = ${workspaceId}
      union all
      select jsonb_build_array('component', vulnerability_id, component_name, states), 2
      from workspace_component_vulnerabilities where workspace_id = ${workspaceId}
    )
    select jsonb_agg(row order by row) filter (where sides = 1) as real,
      jsonb_agg(row order by row) filter (where sides = 2) as kept from both_sides`.execute(ctx.db)
  return { real: rows[0]?.real, kept: rows[0]?.kept }
}

/** Vulnerabilities that the workspace has rated otherwise than knowledge has. */
async function readMisrated({ workspaceId }: World) {
  const { rows } = await sql`
    select kept.*, vulnerability.severity as real_severity, vulnerability.primary_score as real_score
    from workspace_component_vulnerabilities as kept
    join vulnerabilities as vulnerability on vulnerability.id = kept.vulnerability_id
    where kept.workspace_id = ${workspaceId}
      and (kept.severity_rank, kept.score, kept.is_exploited) is distinct from (
        array_position('{Unknown,None,Low,Medium,High,Critical}', vulnerability.severity),
        vulnerability.primary_score, vulnerability.is_known_exploit or kept.vulnerability_id in (
          select cve_id from eu_exploited_entries))`.execute(ctx.db)
  return rows
}

const COUNTERS =
  'critical high medium low none unknown exploited undecidedCritical undecidedHigh'.split(' ')

describe('incremental matching', () => {
  it('equals a full recomputation, counters included', async () => {
    let seen = 0
    await fc.assert(
      fc.asyncProperty(rounds, async (commands) => {
        const world = await givenWorld()
        for (const round of commands)
          await Promise.all(round.filter(isPossible).map((command) => perform(world, command)))
        const incremental = await stateOf(world)

        expect(await faultsOf(world)).toEqual([])
        const { kept, real } = await readStates(world)
        expect(kept).toEqual(real)
        expect(await readMisrated(world)).toEqual([])
        const counted = await countNaively(world)
        const { rows: packages } = await sql<{ id: string }>`
          select distinct package_id as id from package_keys where key like ${`%${world.run}%`}`.execute(
          ctx.db,
        )
        const revision = await everythingChanged(packages.map(({ id }) => id))
        await matchChangedPackages(ctx, { revision })

        expect(await stateOf(world)).toEqual(incremental)
        for (const counters of incremental.counters as Record<string, number>[])
          for (const counter of COUNTERS)
            expect([counter, counters[counter]]).toEqual([
              counter,
              counted.find(
                (one) =>
                  one.counter === counter &&
                  one.firmwareVersionId === String(counters['firmwareVersionId']),
              )?.count ?? 0,
            ])
        seen += incremental.matches.length
      }),
      { numRuns: propertyRuns(20, 5), endOnFailure: true },
    )
    expect(seen).toBeGreaterThan(0)
  }, 300_000)
})

async function everythingChanged(packageIds: readonly string[]): Promise<number> {
  const { rows } = await sql<{ revision: number }>`
    with revision as (select nextval('knowledge_revision') as revision), written as (
      insert into knowledge_changes (revision, key)
      select distinct revision.revision, key from revision cross join package_keys
      where package_id = any(${packageIds}::uuid[])
    )
    select revision from revision`.execute(ctx.db)
  return rows[0]?.revision ?? 0
}
