/** Lists the findings of a firmware version: its packages, their matches and the decisions. */
import { type RawBuilder, sql } from 'kysely'
import { type Assessment, ASSESSMENTS, isActiveSql } from '../../../formats/assessments.ts'
import type { SortColumn } from '../sort-columns.ts'
import type { ExploitedSource, Severity } from '../../../formats/advisories/model.ts'
import { severityRankSql } from '../../../formats/advisories/severity.ts'
import type { Db } from '../../../platform/db/connect.ts'
import {
  decisionsAt,
  epssScoreAt,
  exploitedSources,
  type FirmwareVersion,
  heldAt,
  isKnownExploitAt,
  isListedExploitAt,
  type Moment,
  wasKnownExploit,
} from '../as-of-store.ts'
import type { Confidence } from '../../matching/index.ts'
import {
  asksDecision,
  assessment,
  type FindingFilter,
  ignored,
  IS_DISPUTED,
  IS_FUZZING,
  ofMatches,
  ofPackages,
  restrictions,
} from './filter-store.ts'

export interface FindingQuery extends FirmwareVersion {
  filter: FindingFilter
  sortColumn: SortColumn
  ascending: boolean
  limit: number
  moment: Moment
  /** By risk, disputed ones come after all others. */
  areDisputedLast?: boolean
  after: Position
}

/** The sort values of the last row of the previous page. */
export type Position = readonly (string | number | boolean | null)[] | undefined

export interface FindingRow {
  packageId: string
  vulnerabilityId: string
  name: string
  componentName: string
  componentVersion: string | null
  severity: Severity
  assessment: Assessment
  ignored: boolean
  isKnownExploit: boolean
  exploitedSources: ExploitedSource[]
  isDisputed: boolean
  cvssScore: number | null
  epssScore: number | null
  confidence: Confidence
  recheckReason: string | null
  detectedAt: Date
  sortValues: (string | number)[]
}

export interface SortKey {
  value: RawBuilder<unknown>
  /** The type to cast a cursor's value to: JSON returns texts and doubles only. */
  type: RawBuilder<unknown>
}

export const types = {
  integer: sql`integer`,
  real: sql`real`,
  text: sql`text collate "C"`,
  time: sql`timestamptz`,
  uuid: sql`uuid`,
}

const severityRank: SortKey = {
  value: sql.raw(severityRankSql('match.severity')),
  type: types.integer,
}
const score: SortKey = {
  value: sql`coalesce(match.score, '-1'::real)`,
  type: types.real,
}

/** When the version held a package, as columns of a query grouped by the package. */
const heldTimes = sql`array_agg(fact.since order by fact.since) as sinces,
  array_agg(coalesce(fact.until, 'infinity') order by fact.since) as untils`

/**
 * The first instant at which the version held the package while it matched. Interruptions do not change it. `table` has
 * the columns of `heldTimes`.
 */
const detectedAt = (table: 'fact' | 'match') => sql`(
  select min(greatest(held.since, seen.since))
  from package_matches as seen
  cross join unnest(${sql.ref(`${table}.sinces`)}, ${sql.ref(`${table}.untils`)}) as held (since, until)
  where seen.package_id = match.package_id and seen.vulnerability_id = match.vulnerability_id
    and greatest(held.since, seen.since) < least(held.until, coalesce(seen.until, 'infinity')))`

/** The same for all findings at once. Usually package or match already held when the other one first did. */
const detectedAtOfAll = sql`(
  case when greatest(fact.sinces[1], match.first_since)
      < least(fact.untils[1], coalesce(match.first_until, 'infinity'))
    then greatest(fact.sinces[1], match.first_since) else ${detectedAt('fact')} end)`

const epssKey = (moment: Moment): SortKey => ({
  value: sql`coalesce(${epssScoreAt(moment)}, '-1'::real)`,
  type: types.real,
})
const exploitKey = (moment: Moment): SortKey => ({
  value: sql`${isKnownExploitAt(moment)}::integer`,
  type: types.integer,
})
/** At present, the lists are read once and hashed: they are shorter than the findings of a kernel. */
const listedKey = (moment: Moment): SortKey => ({
  value: moment.isPast
    ? sql`${isListedExploitAt(moment)}::integer`
    : sql`(match.vulnerability_id in (select id from vulnerabilities where is_known_exploit)
        or match.vulnerability_id in (select cve_id from eu_exploited_entries))::integer`,
  type: types.integer,
})

const undisputedKey: SortKey = {
  value: sql`(not ${IS_DISPUTED})::integer`,
  type: types.integer,
}

const sortsAt = (moment: Moment): Record<Exclude<SortColumn, 'Risk'>, readonly SortKey[]> => ({
  Severity: [severityRank, score],
  CvssScore: [score],
  EpssScore: [epssKey(moment)],
  CveId: [],
  Name: [{ value: sql`vulnerability.name collate "C"`, type: types.text }],
  ComponentName: [{ value: sql`fact.component_name`, type: types.text }],
  ComponentVersion: [
    { value: sql`coalesce(fact.component_version, '') collate "C"`, type: types.text },
  ],
  Assessment: [
    { value: sql`array_position(${[...ASSESSMENTS]}::text[], ${assessment})`, type: types.integer },
  ],
  KnownCisaExploit: [exploitKey(moment)],
  DetectedAt: [{ value: detectedAtOfAll, type: types.time }],
})

/** Makes every order total. */
const ID: readonly SortKey[] = [
  { value: sql`match.vulnerability_id`, type: types.text },
  { value: sql`fact.package_id`, type: types.uuid },
]

type Scope = Pick<FindingQuery, 'filter' | 'moment' | keyof FirmwareVersion>

/**
 * `fact`: the packages that the version holds. It is read first, and everything else is looked up for its rows. A
 * `limit` or `offset` in a lateral keeps the planner from turning the look-ups into joins: right after an upload it knows
 * nothing of the new rows, and a join of what it takes for a few rows reads all pairs of them.
 */
const facts = (query: Scope) => sql`
  fact as materialized (
    select fact.package_id, ${heldTimes}, ${shownAt(sql`fact.component_name`, query)} as component_name,
      ${shownAt(sql`fact.component_version`, query)} as component_version
    from firmware_version_packages as fact
    where fact.workspace_id = ${query.workspaceId} and fact.firmware_version_id = ${query.firmwareVersionId}
      ${ofPackages(query, query.filter)}
    group by fact.package_id having bool_or(${heldAt('fact', query.moment)})
  )`

/** A package is held at most once at an instant. */
const shownAt = (column: RawBuilder<unknown>, { moment }: Scope) =>
  sql`max(${column}) filter (where ${heldAt('fact', moment)})`

/** `match`: the matches of `fact`. */
const matched = ({ filter, moment }: Scope, isTimed: boolean) => sql`
  cross join lateral (
    select match.* from ${isTimed ? TIMED_MATCHES : sql`package_matches`} as match
    where match.package_id = fact.package_id and ${heldAt('match', moment)} ${ofMatches(filter)}
    offset 0
  ) as match`

/** Each match with the first time that it held. */
const TIMED_MATCHES = sql`(
  select match.*, first_value(match.since) over earlier as first_since,
    first_value(match.until) over earlier as first_until
  from package_matches as match where match.package_id = fact.package_id
  window earlier as (partition by match.vulnerability_id order by match.since)
)`

const lookedUp = sql`cross join lateral (
  select vulnerability.name, vulnerability.is_disputed, vulnerability.is_known_exploit,
    vulnerability.known_exploit_since
  from vulnerabilities as vulnerability where vulnerability.id = match.vulnerability_id limit 1
) as vulnerability`
const scored = sql`left join lateral (
  select epss.score from epss_scores as epss where epss.cve_id = match.vulnerability_id limit 1
) as epss on true`
const decided = (version: FirmwareVersion, moment: Moment) => sql`left join lateral (
  select decision.*
  from ${decisionsAt(version, moment)} as decision
  where decision.workspace_id = ${version.workspaceId}
    and decision.firmware_version_id = ${version.firmwareVersionId}
    and decision.package_id = match.package_id and decision.vulnerability_id = match.vulnerability_id
  limit 1
) as decision on true`

/** Joins that the order or the filter needs. */
function joinsOf(query: Scope & { sortColumn: SortColumn | undefined }): RawBuilder<unknown> {
  const { sortColumn, filter, moment } = query
  const all = [
    (asksDecision(query) || sortColumn === 'Assessment') && decided(query, moment),
    (filter.name !== undefined || sortColumn === 'Name') && lookedUp,
    sortColumn === 'EpssScore' && !moment.isPast && scored,
  ]
  return sql.join(
    all.filter((join) => join !== false),
    sql` `,
  )
}

const isByTime = (sortColumn: SortColumn | undefined, { detectedSince }: FindingFilter) =>
  sortColumn === 'DetectedAt' || detectedSince !== undefined

/** From `fact` on: all findings that meet the filter, with what the order needs. */
function filtered(query: Scope & { sortColumn: SortColumn | undefined }): RawBuilder<unknown> {
  const isTimed = isByTime(query.sortColumn, query.filter)
  return sql`from fact ${matched(query, isTimed)} ${joinsOf(query)}
    where true ${restrictions({ ...query, detectedAt: detectedAtOfAll })}`
}

/**
 * By risk, the number of devices is left out, as all findings of a version affect the same devices. Findings are sorted by what needs no look-up first, and EPSS scores are looked up afterwards. The `offset` keeps the
 * order, so that PostgreSQL looks up and sorts those of one severity after another, and stops with the one that fills the page. To
 * look up the scores of all 25,000 findings of a version takes longer than all else.
 */
function sortedByRisk(query: FindingQuery): { rows: RawBuilder<unknown>; keys: SortKey[] } {
  const { moment, ascending } = query
  const disputed = query.areDisputedLast === true ? [undisputedKey] : []
  const first = [...disputed, listedKey(moment), severityRank]
  const { columns, place } = paging(first, ascending, undefined)
  const rows = sql`
    from (
      select fact.*, match.vulnerability_id, match.severity, match.score, match.confidence, ${columns}
      ${filtered({ ...query, sortColumn: undefined })} and ${isFromCursorOn(first, query)}
      order by ${place} offset 0
    ) as match
    cross join lateral (
      select match.package_id, match.component_name, match.component_version, match.sinces, match.untils
    ) as fact ${moment.isPast ? sql`` : scored}
    where true`
  const sorted = first.map(({ type }, index) => ({ value: sql.ref(`match.sort_${index}`), type }))
  return { rows, keys: [...sorted, epssKey(moment), score, ...ID] }
}

/** Chooses the rows of the page with few columns, then looks up the other columns for these rows. */
export function findingsQuery(query: FindingQuery): RawBuilder<FindingRow> {
  const { sortColumn, ascending, limit, after, moment } = query
  const { rows, keys } =
    sortColumn === 'Risk'
      ? sortedByRisk(query)
      : { rows: filtered(query), keys: [...sortsAt(moment)[sortColumn], ...ID] }
  const { columns, order, beyond, sortValues, place } = paging(keys, ascending, after)
  return sql<FindingRow>`
    with ${facts(query)}, page as materialized (
      select chosen.*, ${sortValues} as sort_values, row_number() over (order by ${place}) as place
      from (
        select fact.package_id, fact.component_name, fact.component_version, fact.sinces, fact.untils,
          match.vulnerability_id, match.severity, match.score, match.confidence, ${columns}
        ${rows} ${beyond}
        order by ${order} limit ${limit}
      ) as chosen
    )
    select match.package_id, match.vulnerability_id, vulnerability.name, match.component_name,
      match.component_version, match.severity, ${assessment} as assessment, ${ignored} as ignored,
      ${wasKnownExploit(moment)} as is_known_exploit,
      ${exploitedSources(sql`match.vulnerability_id`, moment)} as exploited_sources, vulnerability.is_disputed,
      match.score as cvss_score,
      ${epssScoreAt(moment)} as epss_score, match.confidence, decision.recheck_reason,
      ${detectedAt('match')} as detected_at, match.sort_values
    from page as match ${lookedUp} ${scored} ${decided(query, moment)}
    order by match.place`
}

export async function listFindings(db: Db, query: FindingQuery): Promise<FindingRow[]> {
  return (await findingsQuery(query).execute(db)).rows
}

/** Counts the findings that meet the filter, `most` at the most. */
export async function countFindings(db: Db, query: Scope, most: number): Promise<number> {
  const asked = { ...query, sortColumn: undefined }
  const { rows } = await sql<{ count: number }>`
    with ${facts(query)}
    select count(*)::int as count from (select ${filtered(asked)} limit ${most}) as counted`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

type PageSql = Record<'columns' | 'order' | 'beyond' | 'sortValues' | 'place', RawBuilder<unknown>>

/**
 * The next page in a total order, after the last row of the previous one. An outer query computes `sortValues` and
 * `place`, so that PostgreSQL computes them for the rows of the page only.
 */
export function paging(keys: readonly SortKey[], ascending: boolean, after: Position): PageSql {
  const direction = ascending ? sql`asc` : sql`desc`
  const values = sql.join(keys.map(({ value }) => value))
  const names = keys.map((_, index) => sql.ref(`sort_${index}`))
  const position = after && sql.join(keys.map(({ type }, index) => sql`${after[index]}::${type}`))
  return {
    columns: sql.join(keys.map(({ value }, index) => sql`${value} as ${names[index]}`)),
    order: sql.join(keys.map(({ value }) => sql`${value} ${direction}`)),
    beyond: position ? sql`and (${values}) ${ascending ? sql`>` : sql`<`} (${position})` : sql``,
    sortValues: sql`json_build_array(${sql.join(names)})`,
    place: sql.join(names.map((name) => sql`${name} ${direction}`)),
  }
}

/** The first keys of the order do not come before those of the cursor. */
export function isFromCursorOn(
  keys: readonly SortKey[],
  { ascending, after }: { ascending: boolean; after: Position },
): RawBuilder<unknown> {
  if (!after) return sql`true`
  const position = sql.join(keys.map(({ type }, index) => sql`${after[index]}::${type}`))
  return sql`(${sql.join(keys.map(({ value }) => value))}) ${ascending ? sql`>=` : sql`<=`} (${position})`
}

export async function countUnassessedFuzzing(
  db: Db,
  { workspaceId, firmwareVersionId }: FirmwareVersion,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
    from firmware_version_packages as fact
    join package_matches as match
      on match.package_id = fact.package_id and match.until is null and ${IS_FUZZING}
    where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = ${firmwareVersionId}
      and fact.until is null and not exists (
        select from finding_decisions as decision
        where decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
          and decision.workspace_id = ${workspaceId}
          and decision.firmware_version_id = fact.firmware_version_id
          and decision.assessment <> 'NotAssessed')`.execute(db)
  return rows[0]?.count ?? 0
}

/** Counts active findings at a past instant. For the present, use the counters. */
export async function countActiveFindings(
  db: Db,
  version: FirmwareVersion,
  moment: Moment,
): Promise<{ severity: Severity; count: number }[]> {
  const query = { ...version, moment, filter: {} }
  const counts = sql<{ severity: Severity; count: number }>`
    with ${facts(query)}
    select match.severity, count(*)::int as count
    from fact ${matched(query, false)} ${decided(version, moment)}
    where ${sql.raw(isActiveSql())}
    group by match.severity`
  return (await counts.execute(db)).rows
}
