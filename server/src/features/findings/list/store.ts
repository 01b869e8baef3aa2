/** Lists the findings of a firmware version: its packages, their matches and the decisions. */
import { type RawBuilder, sql } from 'kysely'
import { SEVERITIES, type Severity } from '../../../formats/advisories/model.ts'
import type { Db } from '../../../platform/db/connect.ts'
import {
  decisionsAt,
  epssScoreAt,
  type FirmwareVersion,
  heldAt,
  isKnownExploitAt,
  type Moment,
  wasKnownExploit,
} from '../as-of-store.ts'
import { type Assessment, ASSESSMENTS, type SortColumn } from '../assessment.ts'
import { isActiveSql } from '../counters-store.ts'
import type { Confidence } from '../../matching/index.ts'
import { assessment, type FindingFilter, ignored, ofMatches, restrictions } from './filter-store.ts'

export interface FindingQuery extends FirmwareVersion {
  filter: FindingFilter
  sortColumn: SortColumn
  ascending: boolean
  limit: number
  moment: Moment
  /** The sort values of the last row of the previous page. */
  after: readonly (string | number | boolean | null)[] | undefined
}

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

// Exactly as in the index over all matches.
export const severityRank: SortKey = {
  value: sql.raw(
    `array_position('{${SEVERITIES.toReversed().join(',')}}'::text[], match.severity)`,
  ),
  type: types.integer,
}
export const score: SortKey = {
  value: sql`coalesce(match.score, '-1'::real)`,
  type: types.real,
}

/** The first instant at which the version held the package while it matched. Interruptions do not change it. */
export const detectedAt = sql`(
  select min(greatest(held.since, seen.since))
  from firmware_version_packages as held
  join package_matches as seen on seen.package_id = held.package_id
  where held.workspace_id = fact.workspace_id and held.firmware_version_id = fact.firmware_version_id
    and held.package_id = fact.package_id and seen.vulnerability_id = match.vulnerability_id
    and greatest(held.since, seen.since)
      < least(coalesce(held.until, 'infinity'), coalesce(seen.until, 'infinity')))`

/** The same for all findings at once. Usually package or match already held when the other one first did. */
const detectedAtOfAll = sql`(
  case when greatest(first_held.since, first_seen.since)
      < least(coalesce(first_held.until, 'infinity'), coalesce(first_seen.until, 'infinity'))
    then greatest(first_held.since, first_seen.since) else ${detectedAt} end)`

const firsts = ({ workspaceId, firmwareVersionId }: FirmwareVersion) => sql`
  first_held as materialized (
    select distinct on (package_id) package_id, since, until
    from firmware_version_packages
    where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}
    order by package_id, since
  ), first_seen as materialized (
    select distinct on (package_id, vulnerability_id) package_id, vulnerability_id, since, until
    from package_matches where package_id in (select package_id from first_held)
    order by package_id, vulnerability_id, since
  )`
const joinFirsts = sql`
  join first_held on first_held.package_id = fact.package_id
  join first_seen
    on first_seen.package_id = match.package_id and first_seen.vulnerability_id = match.vulnerability_id`

const sortsAt = (moment: Moment): Record<SortColumn, readonly SortKey[]> => ({
  Severity: [severityRank, score],
  CvssScore: [score],
  EpssScore: [{ value: sql`coalesce(${epssScoreAt(moment)}, '-1'::real)`, type: types.real }],
  CveId: [],
  Name: [{ value: sql`vulnerability.name collate "C"`, type: types.text }],
  ComponentName: [{ value: sql`fact.component_name`, type: types.text }],
  ComponentVersion: [
    { value: sql`coalesce(fact.component_version, '') collate "C"`, type: types.text },
  ],
  Assessment: [
    { value: sql`array_position(${[...ASSESSMENTS]}::text[], ${assessment})`, type: types.integer },
  ],
  KnownCisaExploit: [{ value: sql`${isKnownExploitAt(moment)}::integer`, type: types.integer }],
  DetectedAt: [{ value: detectedAtOfAll, type: types.time }],
})

/** Makes every order total. */
const ID: readonly SortKey[] = [
  { value: sql`match.vulnerability_id`, type: types.text },
  { value: sql`fact.package_id`, type: types.uuid },
]

/** All findings of the version at an instant. */
function findings(version: FirmwareVersion, moment: Moment): RawBuilder<unknown> {
  return sql`
    from firmware_version_packages as fact
    join package_matches as match on match.package_id = fact.package_id
    left join ${decisionsAt(version, moment)} as decision on decision.workspace_id = fact.workspace_id
      and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
      and decision.vulnerability_id = match.vulnerability_id
    where fact.workspace_id = ${version.workspaceId}
      and fact.firmware_version_id = ${version.firmwareVersionId}
      and ${heldAt('fact', moment)} and ${heldAt('match', moment)}`
}

/** Selects `fact` and `match` of the version first: they are few among all. */
const heldAndFound = ({ workspaceId, firmwareVersionId, moment, filter }: FindingQuery) => sql`
  fact as materialized (
    select * from firmware_version_packages as fact
    where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = ${firmwareVersionId}
      and ${heldAt('fact', moment)}
  ), match as materialized (
    select match.* from fact join package_matches as match using (package_id)
    where ${heldAt('match', moment)} ${ofMatches(filter)}
  )`

/** `lateral` makes the planner look up each vulnerability instead of reading all of them. */
const lookedUp = sql`cross join lateral (
  select vulnerability.* from vulnerabilities as vulnerability where vulnerability.id = match.vulnerability_id limit 1
) as vulnerability`
const scored = sql`left join lateral (
  select epss.score from epss_scores as epss where epss.cve_id = match.vulnerability_id limit 1
) as epss on true`
const decided = sql`left join decision
  on decision.package_id = match.package_id and decision.vulnerability_id = match.vulnerability_id`

/** Joins that the order or the filter needs. */
function joinsOf({ sortColumn, filter, moment }: FindingQuery): RawBuilder<unknown> {
  const { assessments, recheck, proposed, name } = filter
  const { previouslyIgnored, previousAssessments } = filter
  const asked = [assessments, filter.ignored, recheck, proposed]
  const asksDecision = [...asked, previouslyIgnored, previousAssessments].some(
    (one) => one !== undefined,
  )
  const all = [
    (asksDecision || sortColumn === 'Assessment') && decided,
    (name !== undefined || sortColumn === 'Name') && lookedUp,
    sortColumn === 'EpssScore' && !moment.isPast && scored,
    isByTime({ sortColumn, filter }) && joinFirsts,
  ]
  return sql.join(
    all.filter((join) => join !== false),
    sql` `,
  )
}

const isByTime = ({ sortColumn, filter }: Pick<FindingQuery, 'sortColumn' | 'filter'>) =>
  sortColumn === 'DetectedAt' || filter.detectedSince !== undefined

/** Chooses the rows of the page with few columns, then reads the other columns for these rows. */
export async function listFindings(db: Db, query: FindingQuery): Promise<FindingRow[]> {
  const { sortColumn, ascending, limit, after, moment } = query
  const { workspaceId, firmwareVersionId } = query
  const keys = [...sortsAt(moment)[sortColumn], ...ID]
  const { columns, order, beyond, sortValues, place } = paging(keys, ascending, after)
  const rows = sql<FindingRow>`
    with ${heldAndFound(query)}, decision as (
      select * from ${decisionsAt(query, moment)} as decision
      where decision.workspace_id = ${workspaceId} and decision.firmware_version_id = ${firmwareVersionId}
    ) ${isByTime(query) ? sql`, ${firsts(query)}` : sql``}, page as materialized (
      select package_id, vulnerability_id, ${sortValues} as sort_values, row_number() over (order by ${place}) as place
      from (
        select match.package_id, match.vulnerability_id, ${columns}
        from match join fact on fact.package_id = match.package_id ${joinsOf(query)}
        where true ${restrictions({ ...query, detectedAt: detectedAtOfAll })} ${beyond}
        order by ${order} limit ${limit}
      ) as chosen
    )
    select fact.package_id, match.vulnerability_id, vulnerability.name, fact.component_name,
      fact.component_version, match.severity, ${assessment} as assessment, ${ignored} as ignored,
      ${wasKnownExploit(moment)} as is_known_exploit, match.score as cvss_score,
      ${epssScoreAt(moment)} as epss_score, match.confidence, decision.recheck_reason,
      ${detectedAt} as detected_at, page.sort_values
    from page
    join match on match.package_id = page.package_id and match.vulnerability_id = page.vulnerability_id
    join fact on fact.package_id = page.package_id
    ${lookedUp} ${scored} ${decided}
    order by page.place`
  return (await rows.execute(db)).rows
}

type Paging = Record<'columns' | 'order' | 'beyond' | 'sortValues' | 'place', RawBuilder<unknown>>

/**
 * The next page in a total order, after the last row of the previous one. An outer query computes `sortValues` and
 * `place`, so that PostgreSQL computes them for the rows of the page only.
 */
export function paging(
  keys: readonly SortKey[],
  ascending: boolean,
  after: FindingQuery['after'],
): Paging {
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

const isActive = isActiveSql({ assessment, ignored, confidence: sql`match.confidence` })

/** Counts active findings at a past instant. For the present, use the counters. */
export async function countActiveFindings(
  db: Db,
  version: FirmwareVersion,
  moment: Moment,
): Promise<{ severity: Severity; count: number }[]> {
  const counts = sql<{ severity: Severity; count: number }>`
    select match.severity, count(*)::int as count
    ${findings(version, moment)} and ${isActive}
    group by match.severity`
  return (await counts.execute(db)).rows
}
