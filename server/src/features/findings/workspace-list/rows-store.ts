/**
 * Chooses the rows of a page of the workspace's list: one row for each vulnerability and package, in however many
 * firmware versions. `store.ts` reads what these rows show.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Severity } from '../../../formats/advisories/model.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { parseInstant } from '../../../formats/instants.ts'
import { heldAt, isListedExploitAt } from '../as-of-store.ts'
import type { WorkspaceSortColumn } from '../assessment.ts'
import type { Confidence } from '../../matching/index.ts'
import { SINCE } from '../list/filter-store.ts'
import { paging, score, severityRank, type SortKey, types } from '../list/store.ts'
import {
  findingCondition,
  hasFinding,
  matchConditions,
  type Named,
  namedJoins,
} from './filter-store.ts'
import {
  allPackages,
  detectedAt,
  firstSeen,
  isByTime,
  isCounted,
  isWhole,
  ownedFacts,
  type Scoped,
  type DeviceMagnitudes,
  type WorkspaceFindingQuery,
} from './facts-store.ts'

export interface WorkspaceRow {
  packageId: string
  vulnerabilityId: string
  componentName: string
  componentVersion: string | null
  severity: Severity
  cvssScore: number | null
  confidence: Confidence
  sortValues: (string | number)[]
}

export const epssKey: SortKey = { value: sql`coalesce(epss.score, '-1'::real)`, type: types.real }

const sortsOf = (
  query: WorkspaceFindingQuery,
): Record<WorkspaceSortColumn, readonly SortKey[]> => ({
  Risk: [
    { value: sql`${isListedExploitAt(query.moment)}::integer`, type: types.integer },
    { value: sql`coalesce(running.magnitude, 0)`, type: types.integer },
    severityRank,
    epssKey,
    score,
  ],
  Severity: [severityRank, score],
  CvssScore: [score],
  EpssScore: [epssKey],
  CveId: [],
  Name: [{ value: sql`vulnerability.name collate "C"`, type: types.text }],
  ComponentName: [{ value: sql`fact.component_name`, type: types.text }],
  ComponentVersion: [
    { value: sql`coalesce(fact.component_version, '') collate "C"`, type: types.text },
  ],
  KnownCisaExploit: [{ value: sql`vulnerability.is_known_exploit::integer`, type: types.integer }],
  DetectedAt: [{ value: detectedAt(query), type: types.time }],
  FirmwareVersionCount: [{ value: sql`held.version_count`, type: types.integer }],
})

const ID: readonly SortKey[] = [
  { value: sql`match.vulnerability_id`, type: types.text },
  { value: sql`match.package_id`, type: types.uuid },
]

/** Orders of indexes, or of indexes one after another: PostgreSQL finds the first rows without reading the others. */
const INDEXED = new Set<WorkspaceSortColumn>([
  'Risk',
  'Severity',
  'CvssScore',
  'EpssScore',
  'CveId',
  'KnownCisaExploit',
])

/** By risk, they are a stage of their own. */
export const isOfFewExploited = ({ sortColumn, filter }: WorkspaceFindingQuery) =>
  filter.knownCisaExploit === true || (filter.exploited === true && sortColumn !== 'Risk')

/** Reads row by row until the page is full, or reads all packages first. */
export function isRowByRow(query: WorkspaceFindingQuery): boolean {
  const { cveIds, name, named, components, firmwareIds, firmwareVersionIds, recheck } = query.filter
  if (
    query.isSmall ||
    named?.isBroad === false ||
    isCounted(query) ||
    components ||
    firmwareIds ||
    firmwareVersionIds
  )
    return false
  if (cveIds) return true
  return INDEXED.has(query.sortColumn) && !isOfFewExploited(query) && !name && !recheck
}

/** The `offset` of the look-up keeps the planner from a join with the matches of all workspaces. */
const readsPackagesFirst = ({ isSmall, filter }: Scoped) =>
  isSmall && filter.detectedSince === undefined

const BY_VULNERABILITY = new Set<WorkspaceSortColumn>(['Name', 'KnownCisaExploit'])

export const runningPackages = (magnitudes: DeviceMagnitudes) => sql`
  left join unnest(${[...magnitudes.keys()]}::uuid[], ${[...magnitudes.values()]}::int[])
    as running (package_id, magnitude) on running.package_id = match.package_id`

function joins(query: WorkspaceFindingQuery): RawBuilder<unknown> {
  const { sortColumn } = query
  const facts = isRowByRow(query)
    ? ownedFacts(query)
    : sql`join fact on fact.package_id = match.package_id`
  return sql.join(
    [
      !readsPackagesFirst(query) && facts,
      namedJoins(query),
      isCounted(query) && sql`join held on held.package_id = match.package_id`,
      isByTime(query) && firstSeen,
      sortColumn === 'Risk' && runningPackages(query.magnitudes ?? new Map()),
      BY_VULNERABILITY.has(sortColumn) &&
        sql`join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id`,
      (sortColumn === 'EpssScore' || sortColumn === 'Risk') &&
        sql`left join epss_scores as epss on epss.cve_id = match.vulnerability_id`,
    ].filter((join) => join !== false),
    sql` `,
  )
}

/** Restricts a query to some of the rows, in which these keys are constant or found by other joins. */
export interface Stage {
  keys: readonly SortKey[]
  joins: RawBuilder<unknown>
  where: RawBuilder<unknown>
  /** `match` and `fact`, if they are read in another order than that of an index. */
  source?: RawBuilder<unknown>
}

/**
 * `match`, with `fact` where packages are read first. What was detected since an instant began then: the match, or the first
 * of the versions that hold the package. The exact time is compared afterwards.
 */
function matchesOf(query: Scoped): RawBuilder<unknown> {
  const { detectedSince, named } = query.filter
  if (readsPackagesFirst(query))
    return sql`fact cross join lateral (
      select * from package_matches as each where each.package_id = fact.package_id offset 0
    ) as match`
  if (named?.isBroad === false) return matchesNamed(named)
  if (detectedSince === undefined || !isWhole(query)) return sql`package_matches as match`
  const since = sql`${parseInstant(detectedSince, SINCE)}::timestamptz`
  return sql`(
    select each.* from fact
    cross join lateral (
      select * from package_matches as one where one.package_id = fact.package_id and one.until is null offset 0
    ) as each
    where fact.open_since >= ${since}
    union all
    select each.* from (
      select distinct package_id, vulnerability_id from package_matches
      where since >= ${since} and package_id in (select package_id from fact where open_since < ${since})
    ) as begun
    cross join lateral (
      select * from package_matches as one
      where one.package_id = begun.package_id and one.vulnerability_id = begun.vulnerability_id and one.until is null
      limit 1
    ) as each
  ) as match`
}

const matchesNamed = ({ packageIds, vulnerabilityIds }: Named) => sql`(
    select each.*
    from unnest(${packageIds}::uuid[]) as named (package_id)
    cross join lateral (
      select * from package_matches as one where one.package_id = named.package_id offset 0
    ) as each
    union all
    select each.*
    from unnest(${vulnerabilityIds}::text[]) as named (vulnerability_id)
    cross join lateral (
      select * from package_matches as one where one.vulnerability_id = named.vulnerability_id offset 0
    ) as each
    where each.package_id <> all(${packageIds}::uuid[])
  ) as match`

/** From the matches on: the rows of the list. */
function selected(
  query: WorkspaceFindingQuery,
  stage?: Stage,
  isProbed = false,
): RawBuilder<unknown> {
  const since = query.filter.detectedSince
  const source =
    stage?.source ?? sql`${matchesOf(query)} ${stage ? ownedFacts(query) : joins(query)}`
  return sql`from ${source} ${stage ? stage.joins : sql``}
      where ${heldAt('match', query.moment)} ${matchConditions(query)} ${isProbed ? sql`` : hasFinding(query)} ${stage ? stage.where : sql``}
        ${since === undefined ? sql`` : sql`and ${detectedAt(query)} >= ${parseInstant(since, SINCE)}::timestamptz`}`
}

export async function listWorkspaceRows(
  db: Db,
  query: WorkspaceFindingQuery,
  stage?: Stage,
): Promise<WorkspaceRow[]> {
  const { sortColumn, ascending, limit, after } = query
  const keys = [...(stage ? stage.keys : sortsOf(query)[sortColumn]), ...ID]
  const { columns, order, beyond, sortValues, place } = paging(keys, ascending, after)
  const { rows } = await sql<WorkspaceRow>`
    ${stage || isRowByRow(query) ? sql`` : sql`with ${allPackages(query)}`}
    select package_id, vulnerability_id, component_name, component_version, severity, cvss_score, confidence,
      ${sortValues} as sort_values
    from (
      select match.package_id, match.vulnerability_id, fact.component_name, fact.component_version,
        match.severity, match.score as cvss_score, match.confidence, ${columns}
      ${selected(query, stage)} ${beyond}
      order by ${order} limit ${limit}
    ) as chosen
    order by ${place}`.execute(db)
  return rows
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

/** Whether the rows that the workspace keeps by vulnerability tell all that is asked. */
function isKept(query: Scoped, { isTimed, isProbed }: AskedOfVulnerabilities): boolean {
  const { name, named, components, confidences, detectedSince } = query.filter
  const ofPackages = name ?? named ?? components ?? confidences ?? detectedSince
  const isDecided = findingCondition(query) !== undefined && !isProbed
  return !isTimed && isWhole(query) && ofPackages === undefined && !isDecided
}

const keptVulnerabilities = (query: Scoped) => sql`
  chosen as materialized (
    select match.vulnerability_id, match.finding_count
    from (
      select counted.vulnerability_id, counted.finding_count
        ${query.filter.severities ? sql`, vulnerability.severity, vulnerability.primary_score as score` : sql``}
      from workspace_vulnerabilities as counted
      ${query.filter.severities ? sql`join vulnerabilities as vulnerability on vulnerability.id = counted.vulnerability_id` : sql``}
      where counted.workspace_id = ${query.workspaceId} and counted.finding_count > 0
    ) as match
    where true ${matchConditions(query)}
  )`

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
  const first = sql`min(${detectedAt(asked)})`
  return sql`
    ${isRowByRow(asked) ? sql`` : sql`${allPackages(asked)},`}
    chosen as materialized (
      select match.vulnerability_id
        ${timed ? sql`, ${first} as detected_at` : sql``}
        ${counts ? sql`, sum(held.version_count)::integer as finding_count` : sql``}
      ${selected(asked, undefined, isProbed)}
      group by match.vulnerability_id
      ${detectedSince === undefined ? sql`` : sql`having ${first} >= ${parseInstant(detectedSince, SINCE)}::timestamptz`}
    )`
}

/** Counts the rows of the list, `most` at the most. */
export async function countWorkspaceRows(
  db: Db,
  query: WorkspaceFindingQuery,
  most: number,
): Promise<number> {
  // An order without joins of its own.
  const asked = { ...query, sortColumn: 'CveId' as const }
  const { rows } = await sql<{ count: number }>`
    ${isRowByRow(asked) ? sql`` : sql`with ${allPackages(asked)}`}
    select count(*)::int as count from (select ${selected(asked)} limit ${most}) as counted`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}
