/** What the rows of a page of lists over a workspace show, as it is now. */
import { type RawBuilder, sql } from 'kysely'
import { type Assessment, isActiveSql } from '../../../formats/assessments.ts'
import type { ExploitedSource, Severity } from '../../../formats/advisories/model.ts'
import type { Db } from '../../../platform/db/connect.ts'
import type { Confidence } from '../../matching/index.ts'
import { exploitedSources } from '../as-of-store.ts'
import {
  computeDetectedAt,
  type FilterScope,
  firstSeen,
  isInVersions,
  isOfAllVersions,
  meetsFindingFilter,
  selectHeld,
} from './filter-store.ts'
import { ALL_CONTEXTS, CLASS_COUNT } from '../../../formats/ssvc/classes.ts'
import type { WorkspaceRow } from './rows-store.ts'
import { readConfidenceSql, selectStates } from './states-store.ts'

const PRESENT = { at: new Date(0), isPast: false }
const MOST_SHOWN_VERSIONS = 5

interface Description {
  name: string
  severity: Severity
  cvssScore: number | null
  isKnownCisaExploit: boolean
  isDisputed: boolean
  exploitedSources: ExploitedSource[]
  epssScore: number | null
  detectedAt: Date
  assessments: { assessment: Assessment; count: number }[]
}

export interface RowDescription extends Description {
  componentName: string
  componentVersion: string | null
  confidence: Confidence
  firmwareVersionCount: number
  activeFirmwareVersionCount: number
  firmwareVersions: { id: string; name: string; firmwareId: string; firmwareName: string }[]
}

/** Of `match`: its findings with a decision by assessment, and how many of them are active. All others count alike. */
const decidedFindings = (scope: FilterScope) => sql`
  select decision.assessment, count(*)::int as count,
    (count(*) filter (where ${sql.raw(isActiveSql())}))::int as active
  from finding_decisions as decision
  join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
    and fact.firmware_version_id = decision.firmware_version_id and fact.package_id = decision.package_id
    and fact.until is null and ${isInVersions('fact', scope)}
  where decision.workspace_id = ${scope.workspaceId} and decision.package_id = match.package_id
    and decision.vulnerability_id = match.vulnerability_id
  group by decision.assessment`

/**
 * The newest versions with a finding that meets the filter. The `offset` and the `limit` of the look-up have PostgreSQL read
 * one version after another until there are enough.
 */
const shownVersions = (scope: FilterScope) => sql`
  select version.id, version.name, firmware.id as firmware_id, firmware.name as firmware_name
  from (
    select fact.firmware_version_id
    from (
      select * from firmware_version_packages as fact
      where fact.workspace_id = ${scope.workspaceId} and fact.package_id = match.package_id
        and fact.until is null and ${isInVersions('fact', scope)}
      order by fact.firmware_version_id desc offset 0
    ) as fact
    left join lateral (
      select * from finding_decisions as each
      where each.workspace_id = ${scope.workspaceId} and each.firmware_version_id = fact.firmware_version_id
        and each.package_id = fact.package_id and each.vulnerability_id = match.vulnerability_id limit 1
    ) as decision on true
    where ${meetsFindingFilter(scope, 'match.confidence')}
    order by fact.firmware_version_id desc limit ${sql.lit(MOST_SHOWN_VERSIONS)}
  ) as chosen
  join firmware_versions as version
    on version.workspace_id = ${scope.workspaceId} and version.id = chosen.firmware_version_id
  join firmwares as firmware
    on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
  order by chosen.firmware_version_id desc`

/** The packages of `match`: how they are called, in how many versions they are, and since when. */
const heldPackages = (scope: FilterScope) =>
  isOfAllVersions(scope)
    ? sql`
      select package_id, component_name, component_version, version_count, held_since, open_since from workspace_packages
      where workspace_id = ${scope.workspaceId} and package_id in (select package_id from match) and version_count > 0`
    : selectHeld(
        scope,
        sql`(select distinct package_id from match) as shown join firmware_version_packages as fact using (package_id)`,
      )

/** By the place of the row in the page. Rows that are gone since they were read have none. */
export async function describeRows(
  db: Db,
  scope: FilterScope,
  page: readonly WorkspaceRow[],
): Promise<Map<number, RowDescription>> {
  const { rows } = await sql<RowDescription & { place: number }>`
    with match as materialized (
      select page.*, one.confidence
      from unnest(${page.map((row) => row.packageId)}::uuid[], ${page.map((row) => row.vulnerabilityId)}::text[])
        with ordinality as page (package_id, vulnerability_id, place)
      cross join lateral (
        select each.confidence from package_matches as each
        where each.package_id = page.package_id and each.vulnerability_id = page.vulnerability_id and each.until is null limit 1
      ) as one
    ), held as materialized (${heldPackages(scope)}
    )
    select match.place::int - 1 as place, vulnerability.name, vulnerability.severity, vulnerability.primary_score as cvss_score,
      vulnerability.is_known_exploit as is_known_cisa_exploit, vulnerability.is_disputed, match.confidence,
      ${exploitedSources(sql`match.vulnerability_id`, PRESENT)} as exploited_sources, epss.score as epss_score,
      held.component_name, held.component_version, seen.detected_at, held.version_count as firmware_version_count,
      coalesce(decided.active, 0) + case when match.confidence = 'Low' then 0
        else held.version_count - coalesce(decided.count, 0) end as active_firmware_version_count,
      coalesce(decided.assessments, '[]') as assessments, shown.versions as firmware_versions
    from match
    join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
    join held on held.package_id = match.package_id ${firstSeen}
    cross join lateral (select ${computeDetectedAt(scope)} as detected_at offset 0) as seen
    left join epss_scores as epss on epss.cve_id = match.vulnerability_id
    cross join lateral (
      select sum(count)::int as count, sum(active)::int as active,
        json_agg(json_build_object('assessment', assessment, 'count', count)) as assessments
      from (${decidedFindings(scope)}) as each
    ) as decided
    cross join lateral (
      select coalesce(json_agg(json_build_object('id', id, 'name', name, 'firmwareId', firmware_id,
        'firmwareName', firmware_name)), '[]') as versions
      from (${shownVersions(scope)}) as each
    ) as shown
    where seen.detected_at is not null`.execute(db)
  return new Map(rows.map(({ place, ...description }) => [place, description]))
}

export interface VulnerabilityDescription extends Description {
  cveId: string
  findingCount: number
  activeFindingCount: number
  packageIds: string[]
}

/**
 * Of all findings of the vulnerabilities in the versions asked for. Findings without a decision count alike in all versions that
 * hold the package, so they are not read one by one.
 */
export async function describeVulnerabilities(
  db: Db,
  scope: FilterScope,
  ids: readonly string[],
): Promise<VulnerabilityDescription[]> {
  const { rows } = await sql<VulnerabilityDescription>`
    with match as materialized (
      select kept.package_id, kept.vulnerability_id, kept.detected_at, kept.states,
        ${sql.raw(readConfidenceSql('kept.states'))} as confidence
      from unnest(${ids}::text[]) as asked (vulnerability_id)
      cross join lateral (
        select * from workspace_matches as each
        where each.workspace_id = ${scope.workspaceId} and each.vulnerability_id = asked.vulnerability_id offset 0
      ) as kept
    ), held as materialized (${heldPackages(scope)}
    ), ${decidedVulnerabilities(scope)}, counted as (
      select match.vulnerability_id, sum(held.version_count)::int as findings,
        coalesce(sum(held.version_count) filter (where match.confidence <> 'Low'), 0)::int as active,
        min(${isOfAllVersions(scope) ? sql`match.detected_at` : computeDetectedAt(scope)}) as detected_at,
        array_agg(match.package_id) as package_ids
      from match
      join held on held.package_id = match.package_id ${isOfAllVersions(scope) ? sql`` : firstSeen}
      group by match.vulnerability_id
    )
    select vulnerability.id as cve_id, vulnerability.name, vulnerability.severity, vulnerability.primary_score as cvss_score,
      vulnerability.is_known_exploit as is_known_cisa_exploit, vulnerability.is_disputed,
      ${exploitedSources(sql`vulnerability.id`, PRESENT)} as exploited_sources, epss.score as epss_score,
      counted.detected_at, counted.findings as finding_count,
      counted.active + coalesce(decided.active, 0) as active_finding_count,
      coalesce(decided.assessments, '[]') as assessments, counted.package_ids
    from counted
    join vulnerabilities as vulnerability on vulnerability.id = counted.vulnerability_id
    left join epss_scores as epss on epss.cve_id = counted.vulnerability_id
    left join (
      select vulnerability_id, sum(active)::int as active,
        json_agg(json_build_object('assessment', assessment, 'count', count)) as assessments
      from decided group by vulnerability_id
    ) as decided on decided.vulnerability_id = counted.vulnerability_id`.execute(db)
  return rows
}

/** `decided`: findings with a decision by assessment, and how many more are active than would be without a decision. */
function decidedVulnerabilities(scope: FilterScope): RawBuilder<unknown> {
  const moreActive = (state: Parameters<typeof isActiveSql>[0]) =>
    sql.raw(`(${isActiveSql(state)}::int - (match.confidence <> 'Low')::int)`)
  if (isOfAllVersions(scope))
    return sql`decided as materialized (
    select decision.vulnerability_id, decision.assessment, sum(decision.finding_count)::int as count,
      sum(decision.finding_count
        * ${moreActive({ assessment: 'decision.assessment', ignored: 'decision.ignored' })})::int as active
    from match
    cross join lateral (
      select * from workspace_decisions as each
      where each.workspace_id = ${scope.workspaceId} and each.package_id = match.package_id
        and each.vulnerability_id = match.vulnerability_id and each.finding_count > 0 offset 0
    ) as decision
    where match.states & ~${selectStates({ assessments: ['NotAssessed'], ignored: false })} <> 0
    group by decision.vulnerability_id, decision.assessment
  )`
  return sql`decided as materialized (
    select decision.vulnerability_id, decision.assessment, count(*)::int as count,
      sum(${moreActive({})})::int as active
    from match
    join finding_decisions as decision on decision.workspace_id = ${scope.workspaceId}
      and decision.package_id = match.package_id and decision.vulnerability_id = match.vulnerability_id
    join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
      and fact.firmware_version_id = decision.firmware_version_id and fact.package_id = decision.package_id
      and fact.until is null and ${isInVersions('fact', scope)}
    group by decision.vulnerability_id, decision.assessment
  )`
}

export interface NamedComponent {
  packageId: string
  name: string
  version: string | null
}

/** As the newest firmware version that holds the package names it; those of the newest versions first. */
export async function nameComponents(
  db: Db,
  scope: FilterScope,
  packageIds: readonly string[],
): Promise<NamedComponent[]> {
  const { rows } = await sql<NamedComponent>`
    select asked.package_id, newest.component_name as name, newest.component_version as version
    from unnest(${packageIds}::uuid[]) as asked (package_id)
    cross join lateral (
      select fact.component_name, fact.component_version, fact.firmware_version_id
      from firmware_version_packages as fact
      where fact.workspace_id = ${scope.workspaceId} and fact.package_id = asked.package_id
        and fact.until is null and ${isInVersions('fact', scope)}
      order by fact.firmware_version_id desc limit 1
    ) as newest
    order by newest.firmware_version_id desc, newest.component_name, newest.component_version collate "C",
      asked.package_id`.execute(db)
  return rows
}

interface OutcomeKey {
  vulnerabilityId: string
  packageId: string
}

/** The classes and contexts of matches, in the order of the keys: by the versions of the filter. */
export async function readOutcomeInputs(
  db: Db,
  scope: Pick<FilterScope, 'workspaceId' | 'filter'>,
  keys: readonly OutcomeKey[],
): Promise<{ ratedClass: number; contexts: bigint }[]> {
  const { rows } = await sql<{ ssvcClass: number; isListed: boolean; contexts: string }>`
    select coalesce(known.ssvc_class, 0) as ssvc_class, coalesce(match.ssvc_contexts, -1)::text as contexts,
      coalesce(known.is_known_exploit, false) or exists (
        select from eu_exploited_entries as entry where entry.cve_id = match.vulnerability_id) as is_listed
    from (
      select asked.*, ${isOfAllVersions(scope) ? selectContextsOfPackage(scope) : selectContextsInVersions(scope)} as ssvc_contexts
      from unnest(${keys.map((one) => one.vulnerabilityId)}::text[], ${keys.map((one) => one.packageId)}::uuid[]) with ordinality
        as asked (vulnerability_id, package_id, place)
    ) as match
    left join vulnerabilities as known on known.id = match.vulnerability_id
    order by match.place`.execute(db)
  return rows.map(({ ssvcClass, isListed, contexts }) => ({
    ratedClass: ssvcClass + (isListed ? CLASS_COUNT : 0),
    contexts: BigInt(contexts) & ALL_CONTEXTS,
  }))
}

const selectContextsOfPackage = ({ workspaceId }: Pick<FilterScope, 'workspaceId'>) => sql`(
  select standing.ssvc_contexts from workspace_packages as standing
  where standing.workspace_id = ${workspaceId} and standing.package_id = asked.package_id)`

const selectContextsInVersions = (scope: Pick<FilterScope, 'workspaceId' | 'filter'>) => sql`(
  select bit_or(numbered.ssvc_contexts)
  from firmware_version_packages as fact
  join workspace_versions as numbered on numbered.workspace_id = ${scope.workspaceId}
    and numbered.firmware_version_id = fact.firmware_version_id
  where fact.workspace_id = ${scope.workspaceId} and fact.package_id = asked.package_id and fact.until is null
    and ${isInVersions('fact', scope)})`
