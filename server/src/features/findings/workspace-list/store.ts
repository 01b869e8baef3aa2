/** Reads what the rows of a page of the workspace's list show, and the vulnerabilities that its other list shows. */
import { type RawBuilder, sql } from 'kysely'
import { parseInstant } from '../../../formats/instants.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { type ExploitedSource, exploitedSources, heldAt } from '../as-of-store.ts'
import type { Assessment } from '../assessment.ts'
import { isActiveSql } from '../counters-store.ts'
import { assessment, ignored, SINCE } from '../list/filter-store.ts'
import { severityRank } from '../list/store.ts'
import {
  isWhole,
  keptName,
  keptScore,
  limitOf,
  LISTED_EXPLOITS,
  matchConditions,
  type Named,
  sinceOf,
  versionsInScope,
} from './filter-store.ts'
import { asksKeptDecisions, findingCondition, hasStates } from './finding-filter-store.ts'
import {
  allPackages,
  detectedAtOfRow,
  firstHeld,
  detectedAt,
  type Scoped,
  type WorkspaceFindingQuery,
} from './facts-store.ts'
import { isRowByRow, selected, type WorkspaceRow } from './rows-store.ts'
import { statesMeant } from './states-store.ts'

export interface RowDescription {
  name: string
  isKnownExploit: boolean
  isDisputed: boolean
  exploitedSources: ExploitedSource[]
  epssScore: number | null
  detectedAt: Date
  firmwareVersionCount: number
  activeFirmwareVersionCount: number
  assessments: { assessment: Assessment; count: number }[]
  firmwareVersions: { id: string; name: string; firmwareId: string; firmwareName: string }[]
}

const MOST_SHOWN_VERSIONS = 5

/** Counts findings with a decision by assessment. All others count alike, so they are not read. */
const decidedOnes = (query: WorkspaceFindingQuery) => sql`
  select decision.assessment, count(*)::int as count,
    count(*) filter (where ${isActiveSql({ assessment, ignored, confidence: sql`match.confidence` })})::int as active
  from finding_decisions as decision
  join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
    and fact.firmware_version_id = decision.firmware_version_id and fact.package_id = decision.package_id
    and ${heldAt('fact', query.moment)}
  where decision.workspace_id = ${query.workspaceId} and decision.package_id = match.package_id
    and decision.vulnerability_id = match.vulnerability_id ${versionsInScope('fact', query)}
  group by decision.assessment`

/**
 * The newest versions with a finding that meets the filter. The `offset` and the `limit` of the look-up have PostgreSQL read
 * one version after another until there are enough.
 */
function shownVersions(query: WorkspaceFindingQuery) {
  const condition = findingCondition(query)
  return sql`
    select version.id, version.name, firmware.id as firmware_id, firmware.name as firmware_name
    from (
      select fact.firmware_version_id
      from (
        select * from firmware_version_packages as fact
        where fact.workspace_id = ${query.workspaceId} and fact.package_id = match.package_id
          and ${heldAt('fact', query.moment)} ${versionsInScope('fact', query)}
        order by fact.firmware_version_id desc offset 0
      ) as fact
      left join lateral (
        select * from finding_decisions as each
        where each.workspace_id = ${query.workspaceId} and each.firmware_version_id = fact.firmware_version_id
          and each.package_id = fact.package_id and each.vulnerability_id = match.vulnerability_id limit 1
      ) as decision on true
      ${condition ? sql`where ${condition}` : sql``}
      order by fact.firmware_version_id desc limit ${sql.lit(MOST_SHOWN_VERSIONS)}
    ) as chosen
    join firmware_versions as version
      on version.workspace_id = ${query.workspaceId} and version.id = chosen.firmware_version_id
    join firmwares as firmware
      on firmware.workspace_id = version.workspace_id and firmware.id = version.firmware_id
    order by chosen.firmware_version_id desc`
}

/** In how many versions the packages of `match` are, and since when. */
const heldPackages = (query: WorkspaceFindingQuery) =>
  isWhole(query)
    ? sql`
      select package_id, version_count, held_since, open_since from workspace_packages
      where workspace_id = ${query.workspaceId} and package_id in (select package_id from match)`
    : sql`
      select fact.package_id, count(*) filter (where ${heldAt('fact', query.moment)})::int as version_count, ${firstHeld}
      from (select distinct package_id from match) as shown
      join firmware_version_packages as fact using (package_id)
      where fact.workspace_id = ${query.workspaceId} ${versionsInScope('fact', query)}
      group by fact.package_id`

/** By the place of the row in the page. Rows whose last version was deleted since they were read have none. */
export async function describeRows(
  db: Db,
  query: WorkspaceFindingQuery,
  page: readonly WorkspaceRow[],
): Promise<Map<number, RowDescription>> {
  const { moment } = query
  const { rows } = await sql<RowDescription & { place: number }>`
    with match as materialized (
      select * from unnest(${page.map((row) => row.packageId)}::uuid[],
        ${page.map((row) => row.vulnerabilityId)}::text[], ${page.map((row) => row.confidence)}::text[])
        with ordinality as match (package_id, vulnerability_id, confidence, place)
    ), held as materialized (${heldPackages(query)}
    )
    select match.place::int - 1 as place, vulnerability.name, vulnerability.is_known_exploit,
      vulnerability.is_disputed,
      ${exploitedSources(sql`match.vulnerability_id`, moment)} as exploited_sources, epss.score as epss_score,
      seen.detected_at, held.version_count as firmware_version_count,
      coalesce(decided.active, 0) + case when match.confidence = 'Low' then 0
        else held.version_count - coalesce(decided.count, 0) end as active_firmware_version_count,
      coalesce(decided.assessments, '[]') as assessments, shown.versions as firmware_versions
    from match
    join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id
    join held on held.package_id = match.package_id
    cross join lateral (
      select seen.since, seen.until
      from package_matches as seen
      where seen.package_id = match.package_id and seen.vulnerability_id = match.vulnerability_id
        and (seen.until is null or seen.until > seen.since)
      order by seen.since limit 1
    ) as first_seen
    cross join lateral (select ${detectedAt(query)} as detected_at offset 0) as seen
    left join epss_scores as epss on epss.cve_id = match.vulnerability_id
    cross join lateral (
      select sum(count)::int as count, sum(active)::int as active,
        json_agg(json_build_object('assessment', assessment, 'count', count)) as assessments
      from (${decidedOnes(query)}) as each
    ) as decided
    cross join lateral (
      select coalesce(json_agg(json_build_object('id', id, 'name', name, 'firmwareId', firmware_id,
        'firmwareName', firmware_name)), '[]') as versions
      from (${shownVersions(query)}) as each
    ) as shown
    where seen.detected_at is not null`.execute(db)
  return new Map(rows.map(({ place, ...description }) => [place, description]))
}

/** What a list by vulnerability needs of each: times and counts are there only if they are asked for. */
interface AskedOfVulnerabilities {
  isTimed: boolean
  isCounted: boolean
  /** `probedFinding` follows. */
  isProbed: boolean
}

/** The vulnerabilities of the rows that meet the filter, each once: `chosen (vulnerability_id, …)`, with what it needs. */
export function chosenVulnerabilities(
  query: Scoped,
  asked: AskedOfVulnerabilities,
): RawBuilder<unknown> {
  return isKept(query, asked) ? keptVulnerabilities(query) : readVulnerabilities(query, asked)
}

/** Whether the rows that the workspace keeps by vulnerability, or by component, tell all that is asked. */
export function isKept(query: Scoped, { isProbed }: { isProbed: boolean }): boolean {
  const { name, named, components, packageIds, dueBefore } = query.filter
  const isDecided = findingCondition(query) !== undefined && !isProbed && !asksKeptDecisions(query)
  const ofMatches = name ?? components ?? packageIds ?? (named && dueBefore)
  return isWhole(query) && ofMatches === undefined && !isDecided
}

/** `chosen`: what the workspace keeps of the vulnerabilities with a finding that meets the filter. */
export function keptVulnerabilities(query: Scoped): RawBuilder<unknown> {
  const { workspaceId } = query
  const { dueBefore, named, confidences: _, ...filter } = query.filter
  const states = statesMeant(query.filter)
  return sql`
  chosen as ${probesMatches(query) ? sql`materialized` : sql`not materialized`} (
    select match.vulnerability_id, match.finding_count, match.detected_at, match.severity, match.score,
      match.is_exploited, match.device_magnitude, ${keptName(sql`match`)} as name, ${keptScore(sql`match`)} as epss_score
    from workspace_vulnerabilities as match
    where match.workspace_id = ${workspaceId} and match.finding_count > 0
      ${states ? sql`and match.states & ${states} <> 0` : sql``} ${matchConditions({ ...query, filter })}
      ${sinceOf(query, sql`match.detected_at`)} ${filter.recheck === true ? isMarked(workspaceId) : sql``}
      ${dueBefore && states ? hasLate(workspaceId, limitOf(dueBefore), states) : sql``}
      ${named ? isNamed(query, named, states) : sql``}
  )`
}

/** Then the rows are chosen once, for what is listed and what is counted. */
const probesMatches = ({ filter: { named } }: Scoped) =>
  named?.isRunning === true || named?.isBroad === true

/**
 * What the workspace keeps of components tells it of all their packages. Of many other packages the matches are not read:
 * each vulnerability is asked whether it has one of them. `is true` keeps
 * PostgreSQL from searching the index for each of the packages.
 */
function isNamed(
  query: Scoped,
  named: Named,
  states: RawBuilder<unknown> | undefined,
): RawBuilder<unknown> {
  if (named.isRunning) return isRunning(query, states)
  const { workspaceId } = query
  const { componentNames, otherPackageIds, vulnerabilityIds, isBroad } = named
  const having = (table: 'kept' | 'held') => sql`
    ${sql.ref(`${table}.workspaceId`)} = ${workspaceId}
    ${states ? sql`and ${sql.ref(`${table}.states`)} & ${states} <> 0` : sql``}`
  const ofComponents = sql`match.vulnerability_id in (
      select held.vulnerability_id from workspace_component_vulnerabilities as held
      where ${having('held')} and held.component_name = any(${componentNames}::text[]))`
  const ofPackages = isBroad
    ? sql`exists (
        select from workspace_matches as kept
        where ${having('kept')} and kept.vulnerability_id = match.vulnerability_id
          and (kept.package_id = any(${otherPackageIds}::uuid[])) is true offset 0)`
    : sql`match.vulnerability_id in (
        select each.vulnerability_id
        from unnest(${otherPackageIds}::uuid[]) as named (package_id)
        cross join lateral (
          select one.vulnerability_id, one.package_id from package_matches as one
          where one.package_id = named.package_id and one.until is null offset 0
        ) as each
        where exists (
          select from workspace_matches as kept
          where ${having('kept')} and kept.vulnerability_id = each.vulnerability_id and kept.package_id = each.package_id
          offset 0))`
  const ways = [
    sql`match.vulnerability_id = any(${vulnerabilityIds}::text[])`,
    ...(componentNames.length > 0 ? [ofComponents] : []),
    ...(otherPackageIds.length > 0 ? [ofPackages] : []),
  ]
  return sql`and (${sql.join(ways, sql` or `)})`
}

/** Where all findings have the states of the filter, those in versions that devices run have them too. */
const isRunning = (query: Scoped, states: RawBuilder<unknown> | undefined) => sql`
  and match.device_magnitude > 0 ${
    states
      ? sql`and (match.states & ~${states} = 0 or exists (
    select from workspace_matches as kept
    join workspace_packages as held on held.workspace_id = ${query.workspaceId} and held.package_id = kept.package_id
    where kept.workspace_id = ${query.workspaceId} and kept.vulnerability_id = match.vulnerability_id
      and held.device_magnitude > 0 ${hasStates(query, sql`kept`)} offset 0))`
      : sql``
  }`

const isMarked = (workspaceId: string) => sql`and match.vulnerability_id in (
  select vulnerability_id from finding_decisions where workspace_id = ${workspaceId} and recheck_reason is not null)`

/** First as if the first of the matches met the filter. */
const hasLate = (
  workspaceId: string,
  limit: RawBuilder<unknown>,
  states: RawBuilder<unknown>,
) => sql`
  and match.detected_at < ${limit} and exists (
    select from workspace_matches as late
    where late.workspace_id = ${workspaceId} and late.vulnerability_id = match.vulnerability_id
      and late.detected_at < ${limit} and late.states & ${states} <> 0)`

function readVulnerabilities(
  query: Scoped,
  { isTimed, isCounted: counts, isProbed }: AskedOfVulnerabilities,
): RawBuilder<unknown> {
  const { detectedSince, ...filter } = query.filter
  const timed = isTimed || detectedSince !== undefined
  const unindexed = counts ? 'FirmwareVersionCount' : 'ComponentName'
  const whole = { ascending: false, limit: 0, after: undefined }
  const asked = {
    ...query,
    ...whole,
    filter,
    sortColumn: timed ? 'DetectedAt' : unindexed,
  } as const
  const first = sql`min(${detectedAtOfRow(asked)})`
  return sql`
    ${isRowByRow(asked) ? sql`` : sql`${allPackages(asked)},`}
    chosen as materialized (
      select match.vulnerability_id, min(match.severity) as severity, min(match.score) as score
        ${timed ? sql`, ${first} as detected_at` : sql``}
        ${counts ? sql`, sum(held.version_count)::integer as finding_count` : sql``}
      ${selected(asked, undefined, isProbed)}
      group by match.vulnerability_id
      ${detectedSince === undefined ? sql`` : sql`having ${first} >= ${parseInstant(detectedSince, SINCE)}::timestamptz`}
    )`
}

/**
 * All rows that meet the filter: `rated (package_id, vulnerability_id, component_name, component_version, severity_rank,
 * is_exploited, detected_at)`.
 */
export function ratedRows(query: Scoped): RawBuilder<unknown> {
  const whole = { ascending: false, limit: 0, after: undefined, sortColumn: 'DetectedAt' } as const
  const asked = { ...query, ...whole }
  return sql`
    ${isRowByRow(asked) ? sql`` : sql`${allPackages(asked)},`}
    rated as materialized (
      select match.package_id, match.vulnerability_id, fact.component_name, fact.component_version,
        ${severityRank.value} as severity_rank, match.vulnerability_id in ${LISTED_EXPLOITS} as is_exploited,
        ${detectedAtOfRow(asked)} as detected_at
      ${selected(asked)}
    )`
}
