/**
 * Chooses the rows of a page of the workspace's list: one row for each vulnerability and package, in however many
 * firmware versions. `store.ts` reads what these rows show.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Severity } from '../../../formats/advisories/model.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { heldAt, isListedExploitAt } from '../as-of-store.ts'
import type { WorkspaceSortColumn } from '../assessment.ts'
import type { Confidence } from '../../matching/index.ts'
import { paging, score, severityRank, type SortKey, types } from '../list/store.ts'
import {
  detectedIn,
  isWhole,
  limitOf,
  LISTED_EXPLOITS,
  matchConditions,
  type Named,
  namedJoins,
  sinceOf,
} from './filter-store.ts'
import { asksKeptDecided, decidedMatches, hasFinding, hasStates } from './finding-filter-store.ts'
import { statesMeant } from './states-store.ts'
import {
  allPackages,
  detectedAtOfRow,
  detectionTimes,
  isByTime,
  isCounted,
  matchOf,
  ownedFactOf,
  ownedFacts,
  runningPackages,
  type Scoped,
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

export const ID: readonly SortKey[] = [
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
const isOfFewExploited = ({ sortColumn, filter }: Scoped & { sortColumn?: string }) =>
  filter.knownCisaExploit === true || (filter.exploited === true && sortColumn !== 'Risk')

/** Few rows can meet the filter, or the workspace has few. */
const isOfFew = (query: WorkspaceFindingQuery) =>
  query.isSmall ||
  isOfFewRecent(query) ||
  isOfFewDecided(query) ||
  query.filter.named?.isBroad === false

/** High and Medium are frequent everywhere. An index finds the others, if they are few. */
const isOfRareSeverities = ({ filter: { severities } }: WorkspaceFindingQuery) =>
  severities !== undefined && !severities.includes('High') && !severities.includes('Medium')

/** Of a filter that few rows meet, all are read. */
export function isSelective(query: WorkspaceFindingQuery): boolean {
  const { cveIds, name, named, recheck, disputed } = query.filter
  if (named?.isBroad === false || isOfFewExploited(query)) return true
  if (isOfFewRecent(query) || isOfFewDecided(query) || isOfRareSeverities(query)) return true
  return disputed === true || (cveIds ?? name ?? recheck) !== undefined
}

/** Reads row by row until the page is full, or reads all packages first. */
export function isRowByRow(query: WorkspaceFindingQuery): boolean {
  const { cveIds, name, components, firmwareIds, firmwareVersionIds, recheck, disputed } =
    query.filter
  const isOfPart = (components ?? firmwareIds ?? firmwareVersionIds) !== undefined
  if (isOfFew(query) || isCounted(query) || isOfPart) return false
  if (cveIds) return true
  if (disputed === true) return false
  return INDEXED.has(query.sortColumn) && !isOfFewExploited(query) && !name && !recheck
}

/** The `offset` of the look-up keeps the planner from a join with the matches of all workspaces. */
const readsPackagesFirst = (query: Scoped) =>
  query.isSmall && !isOfFewRecent(query) && !isOfFewDecided(query)

export const isOfFewRecent = (query: Scoped) =>
  (query.filter.detectedSince ?? query.filter.dueBefore) !== undefined &&
  query.isFewSince &&
  isWhole(query)

export const isOfFewDecided = (query: Scoped) => query.isFewDecided && asksKeptDecided(query)

const BY_VULNERABILITY = new Set<WorkspaceSortColumn>(['Name', 'KnownCisaExploit'])

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
      BY_VULNERABILITY.has(sortColumn) && vulnerabilitiesOf(query),
      (sortColumn === 'EpssScore' || sortColumn === 'Risk') && likelihoodsOf(query),
    ].filter((join) => join !== false),
    sql` `,
  )
}

/** Of few matches one by one: the planner expects many, and would read all vulnerabilities, or all scores, for them. */
const vulnerabilitiesOf = (query: Scoped) =>
  readsPackagesFirst(query)
    ? sql`cross join lateral (
        select one.name, one.is_known_exploit from vulnerabilities as one
        where one.id = match.vulnerability_id offset 0
      ) as vulnerability`
    : sql`join vulnerabilities as vulnerability on vulnerability.id = match.vulnerability_id`

const likelihoodsOf = (query: Scoped) =>
  readsPackagesFirst(query)
    ? sql`left join lateral (
        select one.score from epss_scores as one where one.cve_id = match.vulnerability_id offset 0
      ) as epss on true`
    : sql`left join epss_scores as epss on epss.cve_id = match.vulnerability_id`

/** Restricts a query to some of the rows, in which these keys are constant or found by other joins. */
export interface Stage {
  keys: readonly SortKey[]
  joins: RawBuilder<unknown>
  where: RawBuilder<unknown>
  /** `match`, if it is not read from all matches. */
  matches?: RawBuilder<unknown>
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
  return sql`from ${sourceOf(query, stage, isTimed)} ${stage?.joins ?? sql``}
      where ${heldAt('match', query.moment)} ${matchConditions(query)} ${isProbed ? sql`` : hasFinding(query)} ${stage?.where ?? sql``}
        ${isTimed ? sinceOf(query, detectedAtOfRow(query)) : sql``}`
}

function sourceOf(query: WorkspaceFindingQuery, stage: Stage | undefined, isTimed: boolean) {
  const times = isTimed ? detectionTimes(query) : sql``
  return sql`${matchesIn(query, stage)} ${stage ? sql`${ownedFacts(query)} ${times}` : joins(query)}`
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

/** Rows of `workspace_matches` that meet the filter, and `where`, which may name the columns of `kept`. */
export function keptMatches(query: WorkspaceFindingQuery, where: RawBuilder<unknown>) {
  const { workspaceId } = query
  const { confidences, dueBefore, detectedSince: _, ...filter } = query.filter
  const states = confidences && statesMeant(query.filter)
  const rated =
    (dueBefore ?? filter.severities) &&
    sql`
    cross join lateral (
      select one.severity from workspace_vulnerabilities as one
      where one.workspace_id = ${workspaceId} and one.vulnerability_id = kept.vulnerability_id offset 0
    ) as rated`
  return sql`(
      select kept.vulnerability_id, kept.package_id, kept.detected_at, kept.states ${rated ? sql`, rated.severity` : sql``}
      from workspace_matches as kept ${rated ?? sql``}
      where kept.workspace_id = ${workspaceId} ${where}
    ) as match
    where true ${states ? sql`and match.states & ${states} <> 0` : sql``} ${hasStates(query, sql`match`)}
      ${matchConditions({ ...query, filter })} ${sinceOf(query, sql`match.detected_at`)}
      ${dueBefore ? sql`and match.detected_at < ${limitOf(dueBefore)}` : sql``}`
}

/** An order of what the workspace keeps: vulnerabilities, packages, or none of both, and the matches of each. */
export interface KeptOrder {
  /** Of the columns of `place` and `match`. */
  keys: readonly SortKey[]
  /** A query in order, which may end with a limit. */
  places?: RawBuilder<unknown>
  /** Which matches belong to `place`. */
  of?: RawBuilder<unknown>
  /** How many matches of a place may be on the page: those of several places are mixed. They come in this order. */
  first?: RawBuilder<unknown>
}

/**
 * How many places are read first: most often they fill the page. PostgreSQL does not know that, and may read all before it
 * sorts.
 */
const PLACES = [200, 3_000, undefined]

/** Reads the rows until the page is full. */
export async function listKeptRows(
  db: Db,
  query: WorkspaceFindingQuery,
  order: KeptOrder,
): Promise<WorkspaceRow[]> {
  let rows: WorkspaceRow[] = []
  for (const most of order.places ? PLACES : [undefined]) {
    rows = await listRowsOfPlaces(db, query, { ...order, most })
    if (rows.length >= query.limit) break
  }
  return rows
}

/** What the rows show is looked up for the page alone. */
async function listRowsOfPlaces(
  db: Db,
  query: WorkspaceFindingQuery,
  { keys, places, of = sql``, first, most }: KeptOrder & { most: number | undefined },
): Promise<WorkspaceRow[]> {
  const { limit, ascending, after } = query
  const { columns, order, beyond, sortValues, place } = paging(keys, ascending, after)
  const matches = keptMatches(query, of)
  const source = places
    ? sql`(${places} ${most === undefined ? sql`` : sql`fetch first ${most} rows with ties`}) as place
      cross join lateral (
        select match.vulnerability_id, match.package_id, match.detected_at from ${matches}
          ${first ? sql`${beyond} order by ${first} limit ${limit}` : sql`offset 0`}
      ) as match where true`
    : sql`${matches}`
  const { rows } = await sql<WorkspaceRow>`
    select chosen.package_id, chosen.vulnerability_id, fact.component_name, fact.component_version, match.severity,
      match.score as cvss_score, match.confidence, ${sortValues} as sort_values
    from (
      select match.package_id, match.vulnerability_id, ${columns} from ${source} ${beyond}
      order by ${order} limit ${limit}
    ) as chosen ${ownedFactOf(query, sql`chosen`)} ${matchOf(sql`chosen`, sql`match`)}
    order by ${place}`.execute(db)
  return rows
}
