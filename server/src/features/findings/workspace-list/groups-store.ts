/** The lists by vulnerability and by component of a workspace: which rows are on a page, and how many there are. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import { MOST_COUNTED } from '../../../platform/http/paging.ts'
import {
  type Position,
  selectPage,
  type SortKey,
  types,
} from '../../../platform/db/keyset-paging.ts'
import { parseDetectedSince } from '../list/orders-store.ts'
import {
  hasCertainMatch,
  isOfAllVersions,
  type ListScope,
  mayHaveMatch,
  meetsFilter,
  selectScopedMatches,
} from './filter-store.ts'
import {
  hasWantedOutcome,
  selectRatedClass,
  selectOutcome,
  selectMostUrgent,
  type SsvcScope,
} from '../../ssvc/index.ts'
import { rankFleetRisk } from '../list/orders-store.ts'

export interface GroupQuery<SortColumn> extends ListScope {
  sortColumn: SortColumn
  ascending: boolean
  limit: number
  after: Position
}

/** How many rows meet the filter: as many as are counted, or one more. Later pages do not count. */
export interface GroupPage<Row> {
  rows: Row[]
  total: number
}

/**
 * `with pair`: what the matches of each vulnerability of each component have together, and whether one of them meets the filter.
 * Of all versions only those are looked up of which what they have together does not tell it.
 */
function pairs(
  scope: ListScope,
  /** Where outcomes are asked for, and not only filtered by. */
  ssvc: SsvcScope | undefined,
): RawBuilder<unknown> {
  const { workspaceId } = scope
  if (isOfAllVersions(scope))
    return sql`
  with pair as (
    select pair.*, ${mayHaveMatch(scope)} and (${hasCertainMatch(scope)} or exists (
        select from workspace_matches as match
        where match.workspace_id = ${workspaceId} and match.vulnerability_id = pair.vulnerability_id
          and match.component_name = pair.component_name and ${meetsFilter(scope)} offset 0)) as meets
    from workspace_component_vulnerabilities as pair
    where pair.workspace_id = ${workspaceId}
  )`
  return sql`
  ${selectScopedMatches(scope)}, pair as materialized (
    select pair.*, kept.name, kept.score, kept.epss_score ${ssvc ? sql`, ${selectOutcome(ssvc, selectRatedClass('kept'), sql`pair.contexts`)} as outcome` : sql``}
    from (
      select match.component_name, match.vulnerability_id, min(match.kept_name) as kept_name,
        max(match.severity_rank) as severity_rank, bool_or(match.is_exploited) as is_exploited,
        max(match.device_magnitude) as device_magnitude, min(match.detected_at) as first_detected_at,
        max(match.detected_at) filter (where ${meetsFilter(scope)}) as last_detected_at,
        sum(match.version_count)::int as finding_count, bool_or(${meetsFilter(scope)}) as meets
        ${ssvc ? sql`, bit_or(match.ssvc_contexts) as contexts` : sql``}
      from scoped_matches as match group by match.component_name, match.vulnerability_id
    ) as pair
    cross join lateral (
      select * from workspace_component_vulnerabilities as one
      where one.workspace_id = ${workspaceId} and one.component_name = pair.kept_name
        and one.vulnerability_id = pair.vulnerability_id limit 1
    ) as kept
  )`
}

/** The outcome of rows of `pair` together, and what it reads beside them. Of all versions only pairs that are asked for are judged. */
const outcomeOf = (scope: ListScope, ssvc: SsvcScope | undefined) => {
  if (!ssvc) return { column: sql``, joined: sql`` }
  const isOfAll = isOfAllVersions(scope)
  const outcome = isOfAll ? selectOutcomeOfPair(scope.workspaceId, ssvc) : sql`pair.outcome`
  return {
    column: sql`, max(${outcome})::integer as outcome`,
    joined: isOfAll ? joinContexts(scope.workspaceId) : sql``,
  }
}

/**
 * The outcome of each `pair`, in all versions. It is as urgent as some package that matches makes it. Matches are read only where some
 * packages of the component stand in a wanted context and others do not, and only until one is found: reading all takes seconds in a portfolio.
 */
const selectOutcomeOfPair = (workspaceId: string, ssvc: SsvcScope) =>
  selectMostUrgent(
    ssvc,
    selectRatedClass('pair'),
    (
      wanted,
    ) => sql`(component.common_contexts & ${wanted} <> 0 or (component.some_contexts & ${wanted} <> 0 and (
        not exists (select from unnest(component.contexts) as each (contexts) where each.contexts & ${wanted} = 0) or exists (
        select from workspace_matches as match
        join workspace_packages as standing
          on standing.workspace_id = match.workspace_id and standing.package_id = match.package_id
        where match.workspace_id = ${workspaceId} and match.vulnerability_id = pair.vulnerability_id
          and match.component_name = pair.component_name and standing.ssvc_contexts & ${wanted} <> 0 offset 0))))`,
  )

/** The contexts of the packages of each component: each once, those of some package, and those that all have in common. */
const joinContexts = (workspaceId: string) => sql`
    left join (
      select component_name, array_agg(distinct ssvc_contexts) as contexts, bit_or(ssvc_contexts) as some_contexts,
        bit_and(ssvc_contexts) as common_contexts
      from workspace_packages where workspace_id = ${workspaceId} and version_count > 0 group by component_name
    ) as component on component.component_name = pair.component_name`

/** Each vulnerability that has a finding of the filter, with what belongs to all its findings. */
function vulnerabilities(
  { filter: { detectedSince, ...filter }, ...rest }: ListScope,
  ssvc?: SsvcScope,
) {
  const scope = { ...rest, filter }
  const outcome = outcomeOf(scope, ssvc)
  return sql`
  ${pairs(scope, ssvc)}, grouped as (
    select pair.vulnerability_id, max(pair.severity_rank)::integer as severity_rank,
      coalesce(max(pair.score), '-1'::real) as score, max(pair.epss_score) as epss_score, max(pair.name) as name,
      bool_or(pair.is_exploited) as is_exploited, max(pair.device_magnitude)::integer as magnitude,
      min(pair.first_detected_at) as detected_at, sum(pair.finding_count)::integer as finding_count
      ${outcome.column}
    from pair ${outcome.joined}
    ${ssvc ? sql`where pair.vulnerability_id in (select asked.vulnerability_id from pair as asked where asked.meets)` : sql``}
    group by pair.vulnerability_id
    having bool_or(pair.meets) ${
      detectedSince === undefined
        ? sql``
        : sql`and min(pair.first_detected_at) >= ${parseDetectedSince(detectedSince)}`
    }
  )`
}

/** The same without what belongs to the other findings: pairs that do not meet the filter are left out before they are grouped. */
const countedVulnerabilities = (scope: ListScope) =>
  scope.filter.detectedSince === undefined
    ? sql`${pairs(scope, undefined)}, grouped as (select from pair where pair.meets group by pair.vulnerability_id)`
    : vulnerabilities(scope)

/** Each component, with what is worst of its findings that the filter selects. */
function components(scope: ListScope, ssvc?: SsvcScope): RawBuilder<unknown> {
  const outcome = outcomeOf(scope, ssvc)
  return sql`
  ${pairs(scope, ssvc)}, grouped as (
    select pair.component_name as name, max(pair.severity_rank)::integer as severity_rank,
      bool_or(pair.is_exploited) as is_exploited, nullif(max(pair.epss_score), -1) as epss_score,
      max(pair.last_detected_at) as detected_at, count(*)::integer as vulnerability_count, max(run.magnitude) as magnitude
      ${outcome.column}
    from pair ${outcome.joined} left join (
      ${
        isOfAllVersions(scope)
          ? sql`select component_name, max(device_magnitude)::integer as magnitude from workspace_packages
      where workspace_id = ${scope.workspaceId} and version_count > 0 group by component_name`
          : sql`select component_name, max(device_magnitude)::integer as magnitude from scoped_matches group by component_name`
      }
    ) as run on run.component_name = pair.component_name
    where pair.meets group by pair.component_name
  )`
}

const column = (name: string, type: RawBuilder<unknown>): SortKey => ({
  value: sql.ref(`grouped.${name}`),
  type,
})
const SEVERITY = column('severity_rank', types.integer)
const EPSS: SortKey = { value: sql`coalesce(grouped.epss_score, '-1'::real)`, type: types.real }
const SCORE = column('score', types.real)
const RISK = rankFleetRisk({
  isExploited: sql`grouped.is_exploited`,
  magnitude: sql`coalesce(grouped.magnitude, 0)`,
  severityRank: sql`grouped.severity_rank`,
  epssScore: EPSS.value,
})
const DETECTED_AT = column('detected_at', types.time)
const ID = column('vulnerability_id', types.text)
const NAME: SortKey = { value: sql`grouped.name collate "C"`, type: types.text }

export const VULNERABILITY_ORDERS = {
  Risk: [RISK, EPSS, SCORE, ID],
  Severity: [SEVERITY, SCORE, ID],
  CvssScore: [SCORE, ID],
  EpssScore: [EPSS, ID],
  CveId: [ID],
  Name: [NAME, ID],
  KnownCisaExploit: [
    {
      value: sql`(grouped.vulnerability_id in (select id from vulnerabilities where is_known_exploit))::integer`,
      type: types.integer,
    },
    ID,
  ],
  DetectedAt: [DETECTED_AT, ID],
  FindingCount: [column('finding_count', types.integer), ID],
  Ssvc: [column('outcome', types.integer), SEVERITY, SCORE, ID],
} satisfies Record<string, readonly SortKey[]>
export type VulnerabilitySortColumn = keyof typeof VULNERABILITY_ORDERS

export const COMPONENT_ORDERS = {
  Risk: [RISK, EPSS, NAME],
  Severity: [SEVERITY, NAME],
  EpssScore: [EPSS, NAME],
  DetectedAt: [DETECTED_AT, NAME],
  VulnerabilityCount: [column('vulnerability_count', types.integer), NAME],
  Name: [NAME],
  Ssvc: [column('outcome', types.integer), SEVERITY, NAME],
} satisfies Record<string, readonly SortKey[]>
export type ComponentSortColumn = keyof typeof COMPONENT_ORDERS

const total = sql`(
  select count(*)::int from (select from grouped limit ${sql.lit(MOST_COUNTED + 1)}) as counted)`

/** `grouped`: the rows of the list. `described`: columns of `page`, and what is joined to it. */
function selectGroups<Row>(
  { limit, after, ascending }: GroupQuery<string>,
  keys: readonly SortKey[],
  { grouped, described }: Record<'grouped' | 'described', RawBuilder<unknown>>,
): RawBuilder<Row> {
  const paged = selectPage(keys, ascending, after)
  return sql<Row>`
    ${grouped}, page as materialized (
      select grouped.*, ${paged.columns} from grouped where true ${paged.beyond} order by ${paged.order} limit ${limit}
    )
    select ${paged.sortValues} as sort_values, ${after ? sql`0` : total} as total, ${described}
    order by ${paged.place}`
}

const toPage = <Row extends { total: number }>(rows: Row[]): GroupPage<Row> => ({
  rows,
  total: rows[0]?.total ?? 0,
})

export interface VulnerabilityRow {
  total: number
  vulnerabilityId: string
  sortValues: (string | number)[]
}

export async function listVulnerabilityRows(
  db: Db,
  query: GroupQuery<VulnerabilitySortColumn>,
): Promise<GroupPage<VulnerabilityRow>> {
  const page = selectGroups<VulnerabilityRow>(query, VULNERABILITY_ORDERS[query.sortColumn], {
    grouped: vulnerabilities(query, query.sortColumn === 'Ssvc' ? query.ssvc : undefined),
    described: sql`page.vulnerability_id from page`,
  })
  return toPage((await page.execute(db)).rows)
}

/** Counts the rows of one of the lists. What is not needed for it is not computed, as nothing else reads `grouped`. */
export async function countGroups(
  db: Db,
  scope: ListScope,
  groupBy: 'Vulnerability' | 'Component',
): Promise<number> {
  const grouped = groupBy === 'Vulnerability' ? countedVulnerabilities(scope) : components(scope)
  const { rows } = await sql<{ total: number }>`${grouped} select ${total} as total`.execute(db)
  return rows[0]?.total ?? 0
}

export interface ComponentRow {
  total: number
  name: string
  /** Of its packages with such findings, at most five. */
  versions: string[]
  packageIds: string[]
  /** 1 for `Unknown` to 6 for `Critical`. */
  severityRank: number
  isExploited: boolean
  epssScore: number | null
  vulnerabilityCount: number
  detectedAt: Date
  /** The number of the most urgent outcome; null: the list asks for none. */
  outcome: number | null
  sortValues: (string | number)[]
}

const MOST_VERSIONS = 5

/**
 * The packages of the components of the page that have findings of the filter, as `held (name, package_id, version)`. Of all
 * versions each package is asked for the vulnerabilities of its component one after another, until one has such a match:
 * `unnest` in place of a table gives them one by one.
 */
function packagesOfPage(scope: ListScope): RawBuilder<unknown> {
  if (!isOfAllVersions(scope))
    return sql`
    select distinct match.component_name as name, match.package_id, match.component_version as version
    from scoped_matches as match
    where match.component_name in (select name from page) and ${meetsFilter(scope)}`
  const { workspaceId, ssvc } = scope
  // A package of which the outcome is not wanted is not asked for the vulnerability: a kernel has thousands.
  const isAsked = ssvc?.wanted
    ? sql`where ${hasWantedOutcome(ssvc, sql`rated_class`, sql`owned.ssvc_contexts`)}`
    : sql``
  return sql`
    select owned.name, owned.package_id, owned.version
    from (
      select chosen.name, one.package_id, one.component_version as version, one.ssvc_contexts, chosen.ids, chosen.classes
      from (
        select pair.component_name as name, array_agg(pair.vulnerability_id) as ids, array_agg(${selectRatedClass('pair')}) as classes
        from pair where pair.meets and pair.component_name in (select name from page) group by pair.component_name
      ) as chosen
      join workspace_packages as one
        on one.workspace_id = ${workspaceId} and one.component_name = chosen.name and one.version_count > 0
          ${scope.filter.affectedDevicesOnly === true ? sql`and one.device_magnitude > 0` : sql``} offset 0
    ) as owned
    where exists (
      select from (
        select id from unnest(owned.ids, owned.classes) as listed (id, rated_class) ${isAsked} offset 0) as each
      cross join lateral (
        select * from workspace_matches as one
        where one.workspace_id = ${workspaceId} and one.vulnerability_id = each.id and one.package_id = owned.package_id offset 0
      ) as match
      where ${meetsFilter(scope)} offset 0)`
}

export async function listComponentRows(
  db: Db,
  query: GroupQuery<ComponentSortColumn>,
): Promise<GroupPage<ComponentRow>> {
  const page = selectGroups<ComponentRow>(query, COMPONENT_ORDERS[query.sortColumn], {
    grouped: components(query, query.ssvc),
    described: sql`page.name, held.package_ids, held.versions[1:${sql.lit(MOST_VERSIONS)}] as versions, severity_rank,
      is_exploited, epss_score, vulnerability_count, detected_at,
      ${query.ssvc ? sql`outcome` : sql`null::integer`} as outcome
    from page
    join (
      select each.name, array_agg(each.package_id order by each.package_id) as package_ids,
        coalesce(array_agg(distinct each.version) filter (where each.version is not null), '{}') as versions
      from (${packagesOfPage(query)}) as each group by each.name
    ) as held on held.name = page.name`,
  })
  return toPage((await page.execute(db)).rows)
}
