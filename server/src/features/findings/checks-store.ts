/** What `admin doctor` examines of findings: what versions hold, and what is counted and kept of it. */
import { sql } from 'kysely'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { lockPackages } from '../../platform/db/package-locks.ts'
import {
  type DerivedRows,
  summariseFaults,
  findDifferences,
  readSnapshot,
  listDifferingKeys,
  type WorkspaceCheck,
  withoutTimeLimit,
  writeExpected,
} from '../../platform/doctor/check.ts'
import { listWithoutJob } from '../../platform/jobs/late-jobs.ts'
import { lockFirmwareVersion } from '../firmware/index.ts'
import { SbomParsed } from '../sboms/index.ts'
import { COMPONENT_ROWS, COUNTER_ROWS, recountFirmwareVersion } from './counters-store.ts'
import { SbomsRelinked } from './schemas.ts'
import { listInvolvedPackageIds } from './store.ts'
import { SEVERITY_RANK } from './workspace-list/component-vulnerabilities-store.ts'
import { lockKeptOf } from './workspace-list/kept-store.ts'
import { PACKAGE_VERSIONS, VERSION_NUMBERS } from './workspace-list/version-numbers-store.ts'
import {
  countDevices,
  listMiscopied,
  listMiscounted,
  refreshCopies,
} from './workspace-list/refresh-service.ts'
import { statesOfMatch } from './workspace-list/states-store.ts'

const INVENTORY: DerivedRows = {
  table: 'firmware_version_packages',
  keys: ['firmware_version_id', 'package_id'],
  values: [],
  states: sql`until is null`,
  expected: (workspaceId) => sql`
    select distinct sbom.firmware_version_id, component.package_id
    from sboms as sbom
    join sbom_components as component
      on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
    where sbom.workspace_id = ${workspaceId} and sbom.parsing_state = 'Succeeded'
      and component.package_id is not null`,
}

const PACKAGES: DerivedRows = {
  table: 'workspace_packages',
  keys: ['package_id'],
  values: ['version_count', 'held_since', 'open_since', 'component_name', 'component_version'],
  states: sql`version_count <> 0 or coalesce(held_since, open_since) is not null
    or coalesce(component_name, component_version) is not null`,
  reset: sql`version_count = 0, held_since = null, open_since = null, component_name = null, component_version = null`,
  expected: (workspaceId) => sql`
    select package_id, (count(*) filter (where until is null))::int as version_count,
      min(since) filter (where until is null or until > since) as held_since,
      min(since) filter (where until is null) as open_since,
      (array_agg(component_name order by firmware_version_id desc) filter (where until is null))[1] as component_name,
      (array_agg(component_version order by firmware_version_id desc) filter (where until is null))[1]
        as component_version
    from firmware_version_packages
    where workspace_id = ${workspaceId} and (until is null or until > since)
    group by package_id`,
}

/**
 * The open matches of what the workspace holds now, with the first instant at which a version held the package while it
 * matched. Most packages were held before, and still are, when they began to match; only for the others are all times
 * compared.
 */
const detectedMatches = (workspaceId: string) => sql`
  select match.vulnerability_id, match.package_id, match.since, match.severity, match.score, match.is_exploited,
    held.version_count, owned.component_name, owned.device_magnitude, ${SEVERITY_RANK} as severity_rank,
    ${statesOfMatch(workspaceId)} as states, (
      select min(case
        when held.open_since <= seen.since then seen.since
        when held.first_since >= seen.since then
          case when held.first_since < coalesce(seen.until, 'infinity') then held.first_since end
        else (
          select min(greatest(fact.since, seen.since)) from firmware_version_packages as fact
          where fact.workspace_id = ${workspaceId} and fact.package_id = match.package_id
            and greatest(fact.since, seen.since)
              < least(coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity')))
        end)
      from package_matches as seen
      where seen.package_id = match.package_id and seen.vulnerability_id = match.vulnerability_id
        and (seen.until is null or seen.until > seen.since)
    ) as detected_at
  from (
    select workspace_id, package_id, (count(*) filter (where until is null))::int as version_count, min(since) as first_since,
      min(since) filter (where until is null) as open_since
    from firmware_version_packages
    where workspace_id = ${workspaceId} and (until is null or until > since) group by workspace_id, package_id
  ) as held
  join workspace_packages as owned on owned.workspace_id = ${workspaceId} and owned.package_id = held.package_id
  join package_matches as match on match.package_id = held.package_id and match.until is null
  where held.version_count > 0`

const MATCHES: DerivedRows = {
  table: 'workspace_matches',
  keys: ['vulnerability_id', 'package_id'],
  values: [
    'detected_at',
    'states',
    'component_name',
    'severity_rank',
    'is_exploited',
    'device_magnitude',
  ],
  states: sql`true`,
  expected: detectedMatches,
}

const COMPONENTS: DerivedRows = {
  table: 'workspace_component_vulnerabilities',
  keys: ['component_name', 'vulnerability_id'],
  values: [
    'first_detected_at',
    'last_detected_at',
    'states',
    'severity_rank',
    'score',
    'is_exploited',
    'device_magnitude',
    'finding_count',
  ],
  states: sql`true`,
  expected: (workspaceId) => sql`
    select component_name, vulnerability_id, min(detected_at) as first_detected_at,
      max(detected_at) as last_detected_at, bit_or(states) as states, max(severity_rank) as severity_rank,
      max(score) as score, bool_or(is_exploited) as is_exploited, max(device_magnitude) as device_magnitude,
      sum(version_count)::int as finding_count
    from (${detectedMatches(workspaceId)}) as match
    group by component_name, vulnerability_id`,
}

const DECISIONS: DerivedRows = {
  table: 'workspace_decisions',
  keys: ['vulnerability_id', 'package_id', 'assessment', 'ignored'],
  values: ['finding_count'],
  states: sql`finding_count <> 0`,
  expected: (workspaceId) => sql`
    select decision.vulnerability_id, decision.package_id, decision.assessment, decision.ignored,
      count(*)::int as finding_count
    from finding_decisions as decision
    join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
      and fact.firmware_version_id = decision.firmware_version_id and fact.package_id = decision.package_id
    join package_matches as match
      on match.package_id = decision.package_id and match.vulnerability_id = decision.vulnerability_id
    where decision.workspace_id = ${workspaceId} and fact.until is null and match.until is null
    group by decision.vulnerability_id, decision.package_id, decision.assessment, decision.ignored`,
}

const compare = (rows: DerivedRows) => (ctx: AppContext, workspaceId: string) =>
  readSnapshot(ctx, (db) => findDifferences(db, rows, workspaceId))

const listDifferingVersions = (ctx: AppContext, rows: DerivedRows, workspaceId: string) =>
  readSnapshot(ctx, (db) => listDifferingKeys(db, rows, workspaceId, 'firmware_version_id'))

/** As after an upload: the version takes on what its SBOMs hold, and everything above follows. */
async function repairInventories(ctx: AppContext, workspaceId: string): Promise<void> {
  for (const firmwareVersionId of await listDifferingVersions(ctx, INVENTORY, workspaceId))
    await ctx.db.transaction().execute(async (tx) => {
      await withoutTimeLimit(tx)
      if (!(await lockFirmwareVersion(tx, workspaceId, firmwareVersionId))) return
      const cause = 'RulesChanged'
      await ctx.reactions.inventoryChanged(ctx, tx, { workspaceId, firmwareVersionId, cause })
    })
}

const repairCounters = (rows: DerivedRows) => async (ctx: AppContext, workspaceId: string) => {
  for (const firmwareVersionId of await listDifferingVersions(ctx, rows, workspaceId))
    await ctx.db.transaction().execute(async (tx) => {
      await withoutTimeLimit(tx)
      const version = { workspaceId, firmwareVersionId }
      if (!(await lockFirmwareVersion(tx, workspaceId, firmwareVersionId))) return
      await lockPackages(tx, await listInvolvedPackageIds(tx, version), 'shared')
      await recountFirmwareVersion(tx, { ...version, at: ctx.now() })
    })
}

/** Nobody changes facts, decisions or matches of the workspace meanwhile: each needs one of these locks. */
async function lockAllKept(tx: Tx, workspaceId: string): Promise<void> {
  const { rows } = await sql<{ packageId: string }>`
    select distinct package_id from firmware_version_packages
    where workspace_id = ${workspaceId} and until is null`.execute(tx)
  await lockPackages(
    tx,
    rows.map(({ packageId }) => packageId),
    'shared',
  )
}

const repairKept = (rows: DerivedRows) => (ctx: AppContext, workspaceId: string) =>
  ctx.db.transaction().execute(async (tx) => {
    await withoutTimeLimit(tx)
    await lockAllKept(tx, workspaceId)
    await lockKeptOf(tx, workspaceId)
    await writeExpected(tx, rows, workspaceId)
  })

const kept = (rows: DerivedRows, name: string, meaning: string): WorkspaceCheck => ({
  scope: 'Workspace',
  name,
  meaning,
  find: compare(rows),
  repair: repairKept(rows),
})

/** Parsed SBOMs that no job will match. */
async function listForgottenSboms(db: Db, workspaceId: string) {
  const rows = await db
    .selectFrom('sboms')
    .select(['id', 'firmwareVersionId'])
    .where('workspaceId', '=', workspaceId)
    .where('parsingState', '=', 'Succeeded')
    .where('vulnerabilitiesParsedAt', 'is', null)
    .orderBy('id')
    .execute()
  return listWithoutJob(db, rows, {
    messages: [SbomParsed, SbomsRelinked],
    isMeant: sql`job.data ->> 'workspaceId' = ${workspaceId}
      and (job.data ->> 'sbomId' = asked.row ->> 'id'
        or job.data ->> 'firmwareVersionId' = asked.row ->> 'firmwareVersionId')`,
  })
}

async function matchForgottenSboms(ctx: AppContext, workspaceId: string): Promise<void> {
  const forgotten = await readSnapshot(ctx, (db) => listForgottenSboms(db, workspaceId))
  await ctx.db.transaction().execute(async (tx) => {
    for (const firmwareVersionId of new Set(forgotten.map((sbom) => sbom.firmwareVersionId)))
      await ctx.queue.enqueue(tx, SbomsRelinked, { workspaceId, firmwareVersionId })
  })
}

/** In this order: what is repaired first is what the later ones are counted from. */
export const findingChecks: readonly WorkspaceCheck[] = [
  {
    scope: 'Workspace',
    name: 'inventories',
    meaning: 'firmware versions hold the packages of their parsed SBOMs',
    find: compare(INVENTORY),
    repair: repairInventories,
  },
  {
    scope: 'Workspace',
    name: 'matching-jobs',
    meaning: 'parsed SBOMs are matched, or a job will match them',
    find: (ctx, workspaceId) =>
      readSnapshot(ctx, async (db) =>
        summariseFaults(
          (await listForgottenSboms(db, workspaceId)).map(
            ({ id }) => `SBOM ${id} is parsed, but not matched, and has no job`,
          ),
        ),
      ),
    repair: matchForgottenSboms,
  },
  {
    scope: 'Workspace',
    name: 'finding-counters',
    meaning: 'counters of active findings are what a recount gives',
    find: compare(COUNTER_ROWS),
    repair: repairCounters(COUNTER_ROWS),
  },
  {
    scope: 'Workspace',
    name: 'component-counters',
    meaning: 'counters of judged and silent components are what a recount gives',
    find: compare(COMPONENT_ROWS),
    repair: repairCounters(COMPONENT_ROWS),
  },
  kept(PACKAGES, 'workspace-packages', 'what is kept of packages is what versions hold'),
  kept(VERSION_NUMBERS, 'workspace-versions', 'versions that hold packages have numbers'),
  kept(
    PACKAGE_VERSIONS,
    'workspace-package-versions',
    'bits of packages are the versions with them',
  ),
  kept(
    DECISIONS,
    'workspace-decisions',
    'findings by decision are what a recount of decisions gives',
  ),
  {
    scope: 'Workspace',
    name: 'workspace-devices',
    meaning:
      'what is kept of the devices of packages is what a recount gives, unless devices moved since',
    find: async ({ db }, workspaceId) => summariseFaults(await listMiscounted(db, workspaceId)),
    repair: (ctx, workspaceId) => countDevices(ctx, { workspaceId }),
  },
  kept(MATCHES, 'workspace-matches', 'the rows of lists over the workspace are its open matches'),
  kept(
    COMPONENTS,
    'workspace-components',
    'vulnerabilities of each component are what its matches have',
  ),
  {
    scope: 'Workspace',
    name: 'workspace-scores',
    meaning: 'copies of EPSS scores are what EPSS says, unless they changed since',
    find: async ({ db }, workspaceId) => summariseFaults(await listMiscopied(db, workspaceId)),
    repair: (ctx, workspaceId) => refreshCopies(ctx, { workspaceId }),
  },
]
