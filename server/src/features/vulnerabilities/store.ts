/** Chooses the vulnerabilities of a page, and reads what their rows show. */
import { type RawBuilder, sql } from 'kysely'
import type { Severity } from '../../formats/advisories/model.ts'
import type { Db } from '../../platform/db/connect.ts'
import { MOST_COUNTED } from '../../platform/http/paging.ts'
import {
  type Assessment,
  assessment,
  chosenVulnerabilities,
  detectedAtInWorkspace,
  type DeviceMagnitudes,
  epssKey,
  type ExploitedSource,
  exploitedSources,
  firstHeld,
  heldAt,
  ignored,
  isActiveSql,
  isKept,
  isWhole,
  LISTED_EXPLOITS,
  type Moment,
  nameOf,
  paging,
  type Position,
  probedFinding,
  score,
  severityRank,
  statesMeant,
  type SortKey,
  types,
  versionsInScope,
  type WorkspaceFindingFilter,
} from '../findings/index.ts'
import type { VulnerabilitySortColumn } from './sort-columns.ts'

export interface Scope {
  workspaceId: string
  filter: WorkspaceFindingFilter
  moment: Moment
}

export interface VulnerabilityQuery extends Scope {
  isCurrent: boolean
  isSmall: boolean
  isFewSince: boolean
  isFewDecided: boolean
  sortColumn: VulnerabilitySortColumn
  ascending: boolean
  limit: number
  after: Position
  /** By risk only, where the workspace does not keep them by vulnerability: of some versions, or of a past instant. */
  magnitudes: DeviceMagnitudes | undefined
}

export interface VulnerabilityRow {
  cveId: string
  severity: Severity
  cvssScore: number | null
  sortValues: (string | number)[]
}

const ID: SortKey = { value: sql`match.vulnerability_id`, type: types.text }

const isListed = sql`(match.vulnerability_id in ${LISTED_EXPLOITS})::integer`
const isKnownExploit = sql`(match.vulnerability_id in (select id from vulnerabilities where is_known_exploit))::integer`

const SORTS: Record<VulnerabilitySortColumn, readonly SortKey[]> = {
  Risk: [
    { value: sql`match.is_listed`, type: types.integer },
    { value: sql`match.magnitude`, type: types.integer },
    severityRank,
    epssKey,
    score,
  ],
  Severity: [severityRank, score],
  CvssScore: [score],
  EpssScore: [epssKey],
  CveId: [],
  Name: [{ value: sql`match.name collate "C"`, type: types.text }],
  KnownCisaExploit: [{ value: isKnownExploit, type: types.integer }],
  DetectedAt: [{ value: sql`match.detected_at`, type: types.time }],
  FindingCount: [{ value: sql`match.finding_count`, type: types.integer }],
}

/** `running (vulnerability_id, magnitude)`: of the package that most devices run. */
function runningMagnitudes({ workspaceId, magnitudes, moment }: VulnerabilityQuery) {
  const source = magnitudes
    ? sql`(
    select match.vulnerability_id, max(running.magnitude) as magnitude
    from unnest(${[...magnitudes.keys()]}::uuid[], ${[...magnitudes.values()]}::int[])
      as running (package_id, magnitude)
    join package_matches as match on match.package_id = running.package_id and ${heldAt('match', moment)}
    group by match.vulnerability_id
  )`
    : sql`(
    select vulnerability_id, device_magnitude from workspace_vulnerabilities where workspace_id = ${workspaceId}
  )`
  return sql`left join ${source} as running (vulnerability_id, magnitude)
      on running.vulnerability_id = match.vulnerability_id`
}

/** The first page by risk needs EPSS scores only of what comes first by all that comes before them, and of its equals. */
function riskiest(query: VulnerabilityQuery, isProbed: boolean): RawBuilder<unknown> {
  const { limit, ascending, after } = query
  const direction = ascending ? sql`asc` : sql`desc`
  const isFirst = after === undefined && !isProbed
  const rated = isKept(query, { isProbed })
    ? sql`match.is_exploited::integer as is_listed, match.device_magnitude::integer as magnitude from chosen as match`
    : sql`${isListed} as is_listed, coalesce(running.magnitude, 0)::integer as magnitude
      from chosen as match ${runningMagnitudes(query)}`
  return sql`
    select match.*, ${severityRank.value} as rank, ${rated}
    ${isFirst ? sql`order by is_listed ${direction}, magnitude ${direction}, rank ${direction} fetch first ${limit} rows with ties` : sql``}`
}

/** `epss`: the score. What is kept has it. */
const scoresOf = (query: VulnerabilityQuery, isProbed: boolean) =>
  isKept(query, { isProbed })
    ? sql`cross join lateral (select match.epss_score as score) as epss`
    : sql`left join epss_scores as epss on epss.cve_id = match.vulnerability_id`

/** What is kept has the name. */
const NAMED = sql`select match.*, known.name from chosen as match ${nameOf(sql`match`)}`

function sourceOf(query: VulnerabilityQuery, isProbed: boolean): RawBuilder<unknown> {
  if (query.sortColumn === 'Risk') return riskiest(query, isProbed)
  return query.sortColumn === 'Name' && !isKept(query, { isProbed })
    ? NAMED
    : sql`select * from chosen`
}

export interface ListedVulnerabilities {
  rows: VulnerabilityRow[]
  /** Of all that meet the filter, on the first page: as many as are counted, or one more. */
  total: number
}

/** The first page counts in the statement that lists: both read the matches of all packages. */
export async function listVulnerabilities(
  db: Db,
  query: VulnerabilityQuery,
): Promise<ListedVulnerabilities> {
  const { sortColumn, ascending, limit, after } = query
  const keys = [...SORTS[sortColumn], ID]
  const { columns, order, beyond, sortValues, place } = paging(keys, ascending, after)
  const isByEpss = sortColumn === 'Risk' || sortColumn === 'EpssScore'
  const probe = probedFinding(query)
  const asked = {
    isTimed: sortColumn === 'DetectedAt',
    isCounted: sortColumn === 'FindingCount',
    isProbed: probe !== undefined,
  }
  const { rows } = await sql<VulnerabilityRow & { total: number }>`
    with ${chosenVulnerabilities(query, asked)}
    select page.vulnerability_id as cve_id, rated.severity, rated.primary_score as cvss_score,
      ${sortValues} as sort_values, ${after ? sql`0` : counted(probe)} as total
    from (
      select page.*
      from (
        select match.vulnerability_id, ${columns}
        from (${sourceOf(query, probe !== undefined)}) as match
        ${isByEpss ? scoresOf(query, probe !== undefined) : sql``}
        where true ${beyond}
        order by ${order} ${probe ? sql`offset 0` : sql`limit ${limit}`}
      ) as page ${probe ?? sql``}
      order by ${place} limit ${limit}
    ) as page
    cross join lateral (
      select * from vulnerabilities as known where known.id = page.vulnerability_id limit 1
    ) as rated
    order by ${place}`.execute(db)
  return { rows, total: rows[0]?.total ?? 0 }
}

/** Counts the rows of the list as its first page does: as many as are counted, or one more. */
export async function countVulnerabilities(
  db: Db,
  query: Omit<VulnerabilityQuery, 'magnitudes'>,
): Promise<number> {
  const probe = probedFinding(query)
  const asked = { isTimed: false, isCounted: false, isProbed: probe !== undefined }
  const { rows } = await sql<{ total: number }>`
    with ${chosenVulnerabilities(query, asked)} select ${counted(probe)} as total`.execute(db)
  return rows[0]?.total ?? 0
}

const counted = (probe: RawBuilder<unknown> | undefined) => sql`(
  select count(*)::int
  from (select from chosen as page ${probe ?? sql``} limit ${sql.lit(MOST_COUNTED + 1)}) as counted)`

export interface VulnerabilityDescription {
  cveId: string
  name: string
  isKnownExploit: boolean
  isDisputed: boolean
  exploitedSources: ExploitedSource[]
  epssScore: number | null
  detectedAt: Date
  findingCount: number
  activeFindingCount: number
  assessments: { assessment: Assessment; count: number }[]
  packageIds: string[]
}

/**
 * Of all findings of the vulnerabilities in the firmware versions asked for. Findings without a decision count alike in
 * all versions that hold the package, so they are not read one by one.
 */
export async function describeVulnerabilities(
  db: Db,
  query: Scope & { isCurrent: boolean },
  ids: readonly string[],
): Promise<VulnerabilityDescription[]> {
  const { rows } = await sql<VulnerabilityDescription>`
    with asked as materialized (
      select * from unnest(${ids}::text[]) as asked (vulnerability_id)
    ), ${isWhole(query) ? keptFindings(query) : countedFindings(query)}
    select vulnerability.id as cve_id, vulnerability.name, vulnerability.is_known_exploit,
      vulnerability.is_disputed,
      ${exploitedSources(sql`vulnerability.id`, query.moment)} as exploited_sources, epss.score as epss_score,
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

/** `counted` and `decided`, as the workspace keeps them. Of matches without decisions no decisions are looked up. */
const keptFindings = ({ workspaceId }: Scope) => sql`
  match as materialized (
    select kept.vulnerability_id, kept.package_id, kept.detected_at, kept.states, held.version_count,
      case when kept.states & ${statesMeant({ confidences: ['Low'] })} <> 0 then 'Low' else 'High' end as confidence
    from asked
    join workspace_matches as kept
      on kept.workspace_id = ${workspaceId} and kept.vulnerability_id = asked.vulnerability_id
    join workspace_packages as held on held.workspace_id = ${workspaceId} and held.package_id = kept.package_id
  ), decided as materialized (
    select decision.vulnerability_id, decision.assessment, sum(decision.finding_count)::int as count,
      sum(decision.finding_count * (${isActiveSql({ assessment: sql`decision.assessment`, ignored: sql`decision.ignored`, confidence: sql`match.confidence` })}::int
        - (match.confidence <> 'Low')::int))::int as active
    from match
    join workspace_decisions as decision on decision.workspace_id = ${workspaceId}
      and decision.vulnerability_id = match.vulnerability_id and decision.package_id = match.package_id
    where decision.finding_count > 0
      and match.states & ~${statesMeant({ assessments: ['NotAssessed'], ignored: false })} <> 0
    group by decision.vulnerability_id, decision.assessment
  ), counted as (
    select vulnerability_id, sum(version_count)::int as findings,
      coalesce(sum(version_count) filter (where confidence <> 'Low'), 0)::int as active,
      min(detected_at) as detected_at, array_agg(package_id) as package_ids
    from match group by vulnerability_id
  )`

/** The same of the facts. */
const countedFindings = (query: Scope) => sql`
  ${heldMatches(query)}, ${decidedFindings(query)}, counted as (
    select match.vulnerability_id, sum(held.version_count)::int as findings,
      coalesce(sum(held.version_count) filter (where match.confidence <> 'Low'), 0)::int as active,
      min(${detectedAtInWorkspace(query)}) as detected_at, array_agg(match.package_id) as package_ids
    from match
    join held on held.package_id = match.package_id and held.version_count > 0
    cross join lateral (
      select seen.since, seen.until from package_matches as seen
      where seen.package_id = match.package_id and seen.vulnerability_id = match.vulnerability_id
        and (seen.until is null or seen.until > seen.since)
      order by seen.since limit 1
    ) as first_seen
    group by match.vulnerability_id
  )`

/** `match`: the matches of the workspace's packages. `held`: in how many versions each package is, and since when. */
const heldMatches = (query: Scope) => sql`
  match as materialized (
    select match.package_id, match.vulnerability_id, match.confidence
    from asked
    join package_matches as match on match.vulnerability_id = asked.vulnerability_id and ${heldAt('match', query.moment)}
    join workspace_packages as owned
      on owned.workspace_id = ${query.workspaceId} and owned.package_id = match.package_id
  ), held as materialized (
    select fact.package_id, count(*) filter (where ${heldAt('fact', query.moment)})::int as version_count, ${firstHeld}
    from (select distinct package_id from match) as shown
    join firmware_version_packages as fact using (package_id)
    where fact.workspace_id = ${query.workspaceId} ${versionsInScope('fact', query)}
    group by fact.package_id
  )`

/** `decided`: findings with a decision by assessment; how many more are active than would be without a decision. */
const decidedFindings = (query: Scope) => sql`
  decided as materialized (
    select decision.vulnerability_id, decision.assessment, count(*)::int as count,
      sum(${isActiveSql({ assessment, ignored, confidence: sql`match.confidence` })}::int
        - (match.confidence <> 'Low')::int)::int as active
    from match
    join finding_decisions as decision on decision.workspace_id = ${query.workspaceId}
      and decision.package_id = match.package_id and decision.vulnerability_id = match.vulnerability_id
    join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
      and fact.firmware_version_id = decision.firmware_version_id and fact.package_id = decision.package_id
      and ${heldAt('fact', query.moment)}
    where true ${versionsInScope('fact', query)}
    group by decision.vulnerability_id, decision.assessment
  )`

export interface NamedComponent {
  packageId: string
  name: string
  version: string | null
}

/** As the newest firmware version that holds the package names it; those of the newest versions first. */
export async function nameComponents(
  db: Db,
  query: Scope,
  packageIds: readonly string[],
): Promise<NamedComponent[]> {
  const { rows } = await sql<NamedComponent>`
    select asked.package_id, newest.component_name as name, newest.component_version as version
    from unnest(${packageIds}::uuid[]) as asked (package_id)
    cross join lateral (
      select fact.component_name, fact.component_version, fact.firmware_version_id
      from firmware_version_packages as fact
      where fact.workspace_id = ${query.workspaceId} and fact.package_id = asked.package_id
        and ${heldAt('fact', query.moment)} ${versionsInScope('fact', query)}
      order by fact.firmware_version_id desc limit 1
    ) as newest
    order by newest.firmware_version_id desc, newest.component_name, newest.component_version collate "C",
      asked.package_id`.execute(db)
  return rows
}
