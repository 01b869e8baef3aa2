/**
 * Chooses the rows of a page of the workspace's list: one row for each vulnerability and package, in however many
 * firmware versions. `store.ts` reads what these rows show.
 */
import { type RawBuilder, sql } from 'kysely'
import type { Severity } from '../../../formats/advisories/model.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { parseInstant } from '../../../formats/instants.ts'
import { heldAt, isListedExploitAt, type Moment } from '../as-of-store.ts'
import type { WorkspaceSortColumn } from '../assessment.ts'
import type { Confidence } from '../../matching/index.ts'
import { SINCE } from '../list/filter-store.ts'
import {
  type FindingQuery,
  paging,
  score,
  severityRank,
  type SortKey,
  types,
} from '../list/store.ts'
import {
  findingCondition,
  hasFinding,
  matchConditions,
  namedJoins,
  packageConditions,
  versionsInScope,
  type WorkspaceFindingFilter,
} from './filter-store.ts'

export interface WorkspaceFindingQuery {
  workspaceId: string
  filter: WorkspaceFindingFilter
  sortColumn: WorkspaceSortColumn
  ascending: boolean
  limit: number
  moment: Moment
  /** Whether nothing has changed since the instant shown, so that what is kept of the workspace tells it. */
  isCurrent: boolean
  after: FindingQuery['after']
  /** Packages that devices run, by risk only. */
  magnitudes?: DeviceMagnitudes
}

/** By package: the number of digits of the number of devices that run it; without those that no device runs. */
export type DeviceMagnitudes = ReadonlyMap<string, number>

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

/** When a version first held the package, and when the first version that still holds it began to. */
export const firstHeld = sql`
  min(fact.since) filter (where fact.until is null or fact.until > fact.since) as held_since,
  min(fact.since) filter (where fact.until is null) as open_since`

/** `first_seen`: the first time a match of the packages held. */
const firstSeen = (packages: RawBuilder<unknown>) => sql`
  first_seen as materialized (
    select distinct on (package_id, vulnerability_id) package_id, vulnerability_id, since, until
    from package_matches
    where package_id in (select package_id from ${packages}) and (until is null or until > since)
    order by package_id, vulnerability_id, since
  )`

/** The first instant at which a version held the package while it matched. */
export const detectedAt = (
  query: Pick<WorkspaceFindingQuery, 'workspaceId' | 'filter'>,
) => sql`(case
  when first_seen.since <= held.held_since and held.held_since < coalesce(first_seen.until, 'infinity')
    then held.held_since
  when first_seen.until is null and first_seen.since >= held.open_since then first_seen.since
  else (
    select min(greatest(fact.since, seen.since))
    from firmware_version_packages as fact
    join package_matches as seen on seen.package_id = fact.package_id
    where fact.workspace_id = ${query.workspaceId} and fact.package_id = match.package_id
      and seen.vulnerability_id = match.vulnerability_id ${versionsInScope('fact', query)}
      and greatest(fact.since, seen.since)
        < least(coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity'))) end)`

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

/** Of packages that the workspace holds: their names, in how many versions they are, and since when. */
function allPackages(query: WorkspaceFindingQuery): RawBuilder<unknown> {
  const facts = isWhole(query) ? keptFacts(query) : scopedFacts(query)
  return sql`${facts}${isByTime(query) ? sql`, ${firstSeen(sql`fact`)}` : sql``}`
}

type Scoped = Pick<WorkspaceFindingQuery, 'workspaceId' | 'filter' | 'moment' | 'isCurrent'>

/** Of all versions of the workspace, and as they are now. */
export const isWhole = ({ filter, isCurrent }: Pick<Scoped, 'filter' | 'isCurrent'>) =>
  isCurrent && (filter.firmwareIds ?? filter.firmwareVersionIds) === undefined

/** As the workspace keeps it for all its versions. */
const keptFacts = (query: WorkspaceFindingQuery) => sql`
  fact as materialized (
    select package_id, component_name, component_version, version_count, held_since, open_since
    from workspace_packages as owned
    where owned.workspace_id = ${query.workspaceId} and owned.version_count > 0 ${packageConditions(query)}
  ), held as (select * from fact)`

/** The newest of the versions asked for gives the component's name and version. */
const newestFact = (query: Scoped, packageId: RawBuilder<unknown>) => sql`
  select fact.component_name, fact.component_version
  from firmware_version_packages as fact
  where fact.workspace_id = ${query.workspaceId} and fact.package_id = ${packageId}
    and ${heldAt('fact', query.moment)} ${versionsInScope('fact', query)}
  order by fact.firmware_version_id desc limit 1`

const scopedFacts = (query: WorkspaceFindingQuery) => sql`
  fact as materialized (
    select owned.package_id, newest.component_name, newest.component_version
    from workspace_packages as owned
    cross join lateral (${newestFact(query, sql`owned.package_id`)}) as newest
    where owned.workspace_id = ${query.workspaceId} ${packageConditions(query)}
  )${
    isCounted(query)
      ? sql`, held as materialized (
    select fact.package_id, count(*) filter (where ${heldAt('fact', query.moment)})::int as version_count, ${firstHeld}
    from firmware_version_packages as fact
    where fact.workspace_id = ${query.workspaceId} ${versionsInScope('fact', query)}
    group by fact.package_id
  )`
      : sql``
  }`

const isByTime = ({ sortColumn, filter }: WorkspaceFindingQuery) =>
  sortColumn === 'DetectedAt' || filter.detectedSince !== undefined
const isCounted = (query: WorkspaceFindingQuery) =>
  query.sortColumn === 'FirmwareVersionCount' || isByTime(query)

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
  const { cveIds, name, components, firmwareIds, firmwareVersionIds, recheck } = query.filter
  if (isCounted(query) || components || firmwareIds || firmwareVersionIds) return false
  if (cveIds) return true
  return INDEXED.has(query.sortColumn) && !isOfFewExploited(query) && !name && !recheck
}

const ownedFacts = (query: WorkspaceFindingQuery) =>
  isWhole(query)
    ? sql`
  join workspace_packages as fact on fact.workspace_id = ${query.workspaceId}
    and fact.package_id = match.package_id and fact.version_count > 0`
    : sql`
  join workspace_packages as owned
    on owned.workspace_id = ${query.workspaceId} and owned.package_id = match.package_id
  cross join lateral (${newestFact(query, sql`match.package_id`)}) as fact`

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
      facts,
      namedJoins(query),
      isCounted(query) && sql`join held on held.package_id = match.package_id`,
      isByTime(query) &&
        sql`join first_seen on first_seen.package_id = match.package_id
          and first_seen.vulnerability_id = match.vulnerability_id`,
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

/** From the matches on: the rows of the list. */
function selected(
  query: WorkspaceFindingQuery,
  stage?: Stage,
  isProbed = false,
): RawBuilder<unknown> {
  const since = query.filter.detectedSince
  const source =
    stage?.source ?? sql`package_matches as match ${stage ? ownedFacts(query) : joins(query)}`
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
  const { name, components, confidences, detectedSince } = query.filter
  const ofPackages = name ?? components ?? confidences ?? detectedSince
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
