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
  isWhole,
  limitOf,
  LISTED_EXPLOITS,
  matchConditions,
  type Named,
  namedJoins,
  type WorkspaceFindingFilter,
} from './filter-store.ts'
import {
  asksKeptDecided,
  asksKeptDecisions,
  decidedMatches,
  findingCondition,
  hasFinding,
  hasStates,
} from './finding-filter-store.ts'
import { statesMeant } from './states-store.ts'
import {
  allPackages,
  detectedAtOfRow,
  detectionTimes,
  isByTime,
  isCounted,
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
  DetectedAt: [{ value: detectedAtOfRow(query), type: types.time }],
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
export const isOfFewExploited = ({ sortColumn, filter }: Scoped & { sortColumn?: string }) =>
  filter.knownCisaExploit === true || (filter.exploited === true && sortColumn !== 'Risk')

/** Few rows can meet the filter, or the workspace has few. */
const isOfFew = (query: WorkspaceFindingQuery) =>
  query.isSmall ||
  isOfFewRecent(query) ||
  isOfFewDecided(query) ||
  query.filter.named?.isBroad === false

/** Reads row by row until the page is full, or reads all packages first. */
export function isRowByRow(query: WorkspaceFindingQuery): boolean {
  const { cveIds, name, components, firmwareIds, firmwareVersionIds, recheck } = query.filter
  const isOfPart = (components ?? firmwareIds ?? firmwareVersionIds) !== undefined
  if (isOfFew(query) || isCounted(query) || isOfPart) return false
  if (cveIds) return true
  return INDEXED.has(query.sortColumn) && !isOfFewExploited(query) && !name && !recheck
}

/** The `offset` of the look-up keeps the planner from a join with the matches of all workspaces. */
const readsPackagesFirst = (query: Scoped) =>
  query.isSmall && !isOfFewRecent(query) && !isOfFewDecided(query)

export const isOfFewRecent = (query: Scoped) =>
  (query.filter.detectedSince ?? query.filter.dueBefore) !== undefined &&
  query.isFewSince &&
  isWhole(query)

/** Conditions on `recent`, a row of `workspace_matches`: the widest bounds of when it was detected. */
export function detectedIn({ detectedSince, dueBefore }: WorkspaceFindingFilter) {
  const last = dueBefore && new Date(Math.max(...Object.values(dueBefore).map(Number)))
  const since =
    detectedSince === undefined
      ? sql``
      : sql`and recent.detected_at >= ${parseInstant(detectedSince, SINCE)}::timestamptz`
  return sql`${since} ${last ? sql`and recent.detected_at < ${last}::timestamptz` : sql``}`
}
export const isOfFewDecided = (query: Scoped) => query.isFewDecided && asksKeptDecided(query)

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
      isByTime(query) &&
        !(isOfFewRecent(query) && sortColumn !== 'DetectedAt') &&
        detectionTimes(query),
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
  /** `match`, if it is not read from all matches. */
  matches?: RawBuilder<unknown>
  /** The source is packages: of each, the first matches are read. Without it, all of those that come at one place. */
  isByPackage?: boolean
  /** What the source calls the vulnerability and the package, if it is ordered by them. */
  id?: readonly SortKey[]
  /** The source has only rows with a finding that meets the filter. */
  isDecided?: boolean
}

/** `match`, with `fact` where packages are read first. */
function matchesOf(query: Scoped): RawBuilder<unknown> {
  const { named } = query.filter
  if (readsPackagesFirst(query))
    return sql`fact cross join lateral (
      select * from package_matches as each where each.package_id = fact.package_id offset 0
    ) as match`
  if (named?.isBroad === false) return matchesNamed(named)
  if (isOfFewExploited(query)) return matchesOfExploited
  if (isOfFewDecided(query))
    return sql`(
    select each.* from (select decided.* from ${decidedMatches(query)}) as decided ${matchOf(sql`decided`, sql`each`)}
  ) as match`
  if (!isOfFewRecent(query)) return sql`package_matches as match`
  return sql`(
    select each.* from workspace_matches as recent ${matchOf(sql`recent`, sql`each`)}
    where recent.workspace_id = ${query.workspaceId} ${detectedIn(query.filter)}
  ) as match`
}

/** There are few of them. */
export const matchesOfExploited = sql`(
    select each.* from ${LISTED_EXPLOITS} as listed
    cross join lateral (
      select * from package_matches as one where one.vulnerability_id = listed.id offset 0
    ) as each
  ) as match`

/** `known`: name and id of the vulnerability of a row. Looked up, as knowledge has many more than a workspace. */
export const nameOf = (row: RawBuilder<unknown>) => sql`
  cross join lateral (
    select each.id, each.name from vulnerabilities as each where each.id = ${row}.vulnerability_id offset 0
  ) as known`

/** The open match of a row of `workspace_matches`. The `limit` keeps the planner from a join with all matches. */
export const matchOf = (kept: RawBuilder<unknown>, match: RawBuilder<unknown>) => sql`
  cross join lateral (
    select * from package_matches as one
    where one.package_id = ${kept}.package_id and one.vulnerability_id = ${kept}.vulnerability_id and one.until is null
    limit 1
  ) as ${match}`

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

const matchesIn = (query: Scoped, stage: Stage | undefined) => stage?.matches ?? matchesOf(query)

/** From the matches on: the rows of the list. */
export function selected(
  query: WorkspaceFindingQuery,
  stage?: Stage,
  isProbed = false,
): RawBuilder<unknown> {
  const isTimed = query.filter.detectedSince !== undefined && !isOfFewRecent(query)
  const isDecided = isProbed || stage?.isDecided === true
  return sql`from ${sourceOf(query, stage, isTimed)} ${stage?.joins ?? sql``}
      where ${heldAt('match', query.moment)} ${matchConditions(query)} ${isDecided ? sql`` : hasFinding(query)} ${stage?.where ?? sql``}
        ${isTimed ? sinceOf(query, detectedAtOfRow(query)) : sql``}`
}

function sourceOf(query: WorkspaceFindingQuery, stage: Stage | undefined, isTimed: boolean) {
  if (stage?.source) return stage.source
  const times = isTimed ? detectionTimes(query) : sql``
  return sql`${matchesIn(query, stage)} ${stage ? sql`${ownedFacts(query)} ${times}` : joins(query)}`
}

export const sinceOf = (
  { filter: { detectedSince: since } }: Scoped,
  detected: RawBuilder<unknown>,
) =>
  since === undefined ? sql`` : sql`and ${detected} >= ${parseInstant(since, SINCE)}::timestamptz`

export async function listWorkspaceRows(
  db: Db,
  query: WorkspaceFindingQuery,
  stage?: Stage,
): Promise<WorkspaceRow[]> {
  const { sortColumn, ascending, limit, after } = query
  const keys = [...(stage ? stage.keys : sortsOf(query)[sortColumn]), ...(stage?.id ?? ID)]
  const { columns, order, beyond, sortValues, place } = paging(keys, ascending, after)
  const { rows } = await sql<WorkspaceRow>`
    ${stage || isRowByRow(query) ? sql`` : sql`with ${allPackages(query)}`}
    select package_id, vulnerability_id, component_name, component_version, severity, cvss_score, confidence,
      ${sortValues} as sort_values
    from (
      select match.package_id, match.vulnerability_id, fact.component_name, fact.component_version,
        match.severity, match.score as cvss_score, match.confidence, ${columns}
      ${stage?.isByPackage ? firstOfPackages(query, stage, beyond) : sql`${selected(query, stage)} ${beyond}`}
      order by ${order} limit ${limit}
    ) as chosen
    order by ${place}`.execute(db)
  return rows
}

function firstOfPackages(query: WorkspaceFindingQuery, stage: Stage, beyond: RawBuilder<unknown>) {
  const direction = query.ascending ? sql`asc` : sql`desc`
  const matches = sql`(${matchesOfPackage(query, direction)} offset 0) as match ${query.filter.detectedSince === undefined ? sql`` : detectionTimes(query)}`
  const isDecided = asksKeptDecisions(query)
  return sql`from ${stage.source} cross join lateral (
    select match.* ${selected(query, { ...stage, source: matches, isDecided })} ${beyond}
    order by match.vulnerability_id ${direction} limit ${query.limit}
  ) as match`
}

const isNamedSo = ({ filter: { named } }: WorkspaceFindingQuery) =>
  named
    ? sql`and ((kept.package_id = any(${named.packageIds}::uuid[])) is true
        or (kept.vulnerability_id = any(${named.vulnerabilityIds}::text[])) is true)`
    : sql``

/**
 * The matches of `fact` in order, only those with the states of the filter. Said twice, so that PostgreSQL knows the order
 * after the look-ups too, and stops when the page is full.
 */
const matchesOfPackage = (query: WorkspaceFindingQuery, direction: RawBuilder<unknown>) => sql`
  select kept.vulnerability_id, each.package_id, each.severity, each.score, each.confidence, each.since, each.until from (
    select * from workspace_matches as kept
    where kept.workspace_id = ${query.workspaceId} and kept.package_id = fact.package_id ${hasStates(query, sql`kept`)}
      ${isNamedSo(query)}
    order by kept.vulnerability_id ${direction} offset 0
  ) as kept ${matchOf(sql`kept`, sql`each`)}
  order by kept.vulnerability_id ${direction}`

/** Whether what the workspace keeps of its matches and vulnerabilities tells all that the filter asks, best of all ways. */
function isCountedAsKept(query: WorkspaceFindingQuery): boolean {
  const { name, components, named, packageIds } = query.filter
  if (name ?? components ?? packageIds ?? named?.isBroad === false) return false
  if (!isWhole(query) || isOfFewDecided(query) || isOfFewRecent(query)) return false
  return findingCondition(query) === undefined || asksKeptDecisions(query)
}

/** Counts the rows of the list, `most` at the most. */
export async function countWorkspaceRows(
  db: Db,
  query: WorkspaceFindingQuery,
  most: number,
): Promise<number> {
  if (isCountedAsKept(query)) return countKeptRows(db, query, most)
  // An order without joins of its own.
  const asked = { ...query, sortColumn: 'CveId' as const, isFewDecided: true, isFewSince: true }
  const { rows } = await sql<{ count: number }>`
    ${isRowByRow(asked) ? sql`` : sql`with ${allPackages(asked)}`}
    select count(*)::int as count from (select ${selected(asked)} limit ${most}) as counted`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** The same, of what the workspace keeps. */
async function countKeptRows(db: Db, query: WorkspaceFindingQuery, most: number): Promise<number> {
  const { confidences, dueBefore, detectedSince: _, ...filter } = query.filter
  const states = confidences && statesMeant(query.filter)
  const isRated = dueBefore ?? filter.severities
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select from ${isRated ? ratedMatches(query.workspaceId) : sql`workspace_matches`} as match
      where match.workspace_id = ${query.workspaceId} ${states ? sql`and match.states & ${states} <> 0` : sql``}
        ${hasStates(query, sql`match`)} ${matchConditions({ ...query, filter })} ${sinceOf(query, sql`match.detected_at`)}
        ${dueBefore ? sql`and match.detected_at < ${limitOf(dueBefore)}` : sql``}
      limit ${most}) as counted`.execute(db)
  return rows[0]?.count ?? 0
}

const ratedMatches = (workspaceId: string) => sql`(
  select kept.*, rated.severity
  from workspace_matches as kept
  join workspace_vulnerabilities as rated
    on rated.workspace_id = kept.workspace_id and rated.vulnerability_id = kept.vulnerability_id and kept.workspace_id = ${workspaceId})`
