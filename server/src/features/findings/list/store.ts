/** Lists the findings of a firmware version: its packages, their matches and the decisions. */
import { type RawBuilder, sql } from 'kysely'
import {
  type Assessment,
  CLOSED_ASSESSMENTS,
  CONFIRMED_ASSESSMENTS,
  isActiveSql,
  OPEN_ASSESSMENTS,
} from '../../../formats/assessments.ts'
import type { ExploitedSource, Severity } from '../../../formats/advisories/model.ts'
import {
  containsAny,
  containsAnyLowered,
  joinAll,
  joinAny,
  lowerParts,
} from '../../../platform/db/conditions.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { isFromCursorOn, type Position, selectPage } from '../../../platform/db/keyset-paging.ts'
import { listAssigneeConditions } from '../../discussions/index.ts'
import type { Confidence } from '../../matching/index.ts'
import { isOwnedBy, type OwnedScope } from '../../owners/index.ts'
import {
  assessment,
  epssScoreAt,
  exploitedSources,
  type FirmwareVersion,
  heldAt,
  ignored,
  isKnownExploitAt,
  isListedExploitAt,
  joinDecision,
  listEarlierConditions,
  type Moment,
  wasKnownExploit,
} from '../as-of-store.ts'
import { proposedFindings } from '../proposals-store.ts'
import type { SortColumn } from '../schemas.ts'
import {
  asksVulnerability,
  DETECTED_AT,
  IS_DISPUTED,
  IS_FUZZING,
  listRiskKeys,
  listSortKeys,
  parseDetectedSince,
  SCORE,
  selectDetectedAt,
  TIMED_MATCHES,
  VULNERABILITY,
} from './orders-store.ts'
import { IS_LISTED, selectVersionOutcome, type VersionOutcomes } from '../../ssvc/index.ts'
import type { FindingFilter } from './schemas.ts'

interface Scope extends FirmwareVersion {
  filter: FindingFilter
  moment: Moment
  ssvc?: VersionOutcomes
  owned?: OwnedScope
}

export interface FindingQuery extends Scope {
  sortColumn: SortColumn
  ascending: boolean
  limit: number
  /** By risk, disputed ones come after all others. */
  areDisputedLast?: boolean
  after: Position
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
  exploitedSources: ExploitedSource[]
  isDisputed: boolean
  cvssScore: number | null
  epssScore: number | null
  confidence: Confidence
  recheckReason: string | null
  detectedAt: Date
  ssvcClass: number
  isListed: boolean
  sortValues: (string | number)[]
}

/** Chooses the rows of the page with few columns, then looks up the other columns for these rows. */
export function selectFindings(query: FindingQuery): RawBuilder<FindingRow> {
  const { sortColumn, ascending, limit, after, moment } = query
  const { rows: chosen, keys } =
    sortColumn === 'Risk'
      ? sortByRisk(query)
      : { rows: selectFiltered(query), keys: listSortKeys(sortColumn, query) }
  const { columns, order, beyond, sortValues, place } = selectPage(keys, ascending, after)
  return sql<FindingRow>`
    with ${selectFacts(query)}, page as materialized (
      select chosen.*, ${sortValues} as sort_values, row_number() over (order by ${place}) as place
      from (
        select fact.package_id, fact.component_name, fact.component_version, fact.sinces, fact.untils,
          match.vulnerability_id, match.severity, match.score, match.confidence, ${columns}
        ${chosen} ${beyond}
        order by ${order} limit ${limit}
      ) as chosen
    )
    select match.package_id, match.vulnerability_id, vulnerability.name, match.component_name,
      match.component_version, match.severity, ${assessment} as assessment, ${ignored} as ignored,
      ${wasKnownExploit(moment)} as is_known_exploit,
      ${exploitedSources(sql`match.vulnerability_id`, moment)} as exploited_sources, vulnerability.is_disputed,
      match.score as cvss_score,
      ${epssScoreAt(moment)} as epss_score, vulnerability.ssvc_class, ${IS_LISTED} as is_listed, match.confidence, decision.recheck_reason,
      ${selectDetectedAt('match')} as detected_at, match.sort_values
    from page as match ${VULNERABILITY} ${SCORE} ${joinDecision(query)}
    order by match.place`
}

export async function listFindings(db: Db, query: FindingQuery): Promise<FindingRow[]> {
  return (await selectFindings(query).execute(db)).rows
}

/** Counts the findings that meet the filter, `most` at the most. */
export async function countFindings(db: Db, query: Scope, most?: number): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with ${selectFacts(query)}
    select count(*)::int as count from (select ${selectFiltered(query)} limit ${most ?? null}) as counted`.execute(
    db,
  )
  return rows[0]?.count ?? 0
}

/** Counts active findings at a past instant. For the present, use the counters. */
export async function countActiveFindings(
  db: Db,
  version: FirmwareVersion,
  moment: Moment,
): Promise<{ severity: Severity; count: number }[]> {
  const query = { ...version, moment, filter: { activeOnly: true } }
  const { rows } = await sql<{ severity: Severity; count: number }>`
    with ${selectFacts(query)}
    select match.severity, count(*)::int as count ${selectFiltered(query)} group by match.severity`.execute(
    db,
  )
  return rows
}

/**
 * `fact`: the packages that the version holds, each at most once at an instant. It is read first, and everything else is looked
 * up for its rows. A `limit` or `offset` in a lateral keeps the planner from turning the look-ups into joins: right after an
 * upload it knows nothing of the new rows, and a join of what it takes for a few rows reads all pairs of them.
 */
function selectFacts(query: Scope): RawBuilder<unknown> {
  const { workspaceId, firmwareVersionId, moment } = query
  const { components } = query.filter
  const holds = heldAt('fact', moment)
  return sql`
  fact as materialized (
    select fact.package_id, array_agg(fact.since order by fact.since) as sinces,
      array_agg(coalesce(fact.until, 'infinity') order by fact.since) as untils,
      max(fact.component_name) filter (where ${holds}) as component_name,
      max(fact.component_version) filter (where ${holds}) as component_version
    from firmware_version_packages as fact
    where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = ${firmwareVersionId}
      and ${components ? joinAny(components.map((one) => hasMember(query, one))) : sql`true`}
    group by fact.package_id having bool_or(${holds})
  )`
}

/** From `fact` on: all findings that meet the filter, with what the order needs. */
function selectFiltered(
  query: Scope & { sortColumn?: SortColumn | undefined },
): RawBuilder<unknown> {
  const { sortColumn, filter, moment, owned } = query
  const { cveIds, severities, confidences, disputed, fuzzing } = filter
  const isTimed = sortColumn === 'DetectedAt' || filter.detectedSince !== undefined
  return sql`
    from fact
    cross join lateral (
      select match.* from ${isTimed ? TIMED_MATCHES : sql`package_matches`} as match
      where match.package_id = fact.package_id and ${heldAt('match', moment)}
        and ${joinAll([
          cveIds &&
            sql`match.vulnerability_id in (
              select vulnerability_id from vulnerability_aliases where alias = any(${cveIds}::text[]))`,
          severities && sql`match.severity = any(${severities}::text[])`,
          confidences && sql`match.confidence = any(${confidences}::text[])`,
          disputed !== undefined && sql`${IS_DISPUTED} = ${disputed}`,
          fuzzing !== undefined && sql`${IS_FUZZING} = ${fuzzing}`,
          ...listAssigneeConditions(sql`match.vulnerability_id`, query),
          owned &&
            isOwnedBy(
              sql`match.vulnerability_id`,
              { workspaceId: query.workspaceId, personIds: owned.personIds },
              sql`match.package_id = any(${owned.packageIds}::uuid[])`,
            ),
        ])}
      offset 0
    ) as match ${selectJoins(query)}
    where ${meetsFilter(query)}`
}

/** What the conditions or the order need. */
function selectJoins(query: Scope & { sortColumn?: SortColumn | undefined }) {
  const { sortColumn, moment } = query
  return sql`${asksDecision(query) || sortColumn === 'Assessment' ? joinDecision(query) : sql``}
    ${asksVulnerability(query) ? VULNERABILITY : sql``}
    ${sortColumn === 'EpssScore' && !moment.isPast ? SCORE : sql``}`
}

/**
 * By risk, the number of devices is left out, as all findings of a version affect the same devices. Findings are sorted by what
 * needs no look-up first, and EPSS scores are looked up afterwards. The `offset` keeps the order, so that PostgreSQL looks up
 * and sorts those of one severity after another, and stops with the one that fills the page. To look up the scores of all
 * 25,000 findings of a version takes longer than all else.
 */
function sortByRisk(query: FindingQuery) {
  const { moment, ascending } = query
  const { first, rest } = listRiskKeys(moment, query.areDisputedLast === true)
  const { columns, place } = selectPage(first, ascending, undefined)
  const rows = sql`
    from (
      select fact.*, match.vulnerability_id, match.severity, match.score, match.confidence, ${columns}
      ${selectFiltered({ ...query, sortColumn: undefined })} and ${isFromCursorOn(first, query)}
      order by ${place} offset 0
    ) as match
    cross join lateral (
      select match.package_id, match.component_name, match.component_version, match.sinces, match.untils
    ) as fact ${moment.isPast ? sql`` : SCORE}
    where true`
  const sorted = first.map(({ type }, index) => ({ value: sql.ref(`match.sort_${index}`), type }))
  return { rows, keys: [...sorted, ...rest] }
}

/** What the filter asks of findings beyond packages and matches. */
function meetsFilter(query: Scope): RawBuilder<unknown> {
  const { filter, moment } = query
  const { knownCisaExploit, name, recheck, proposed, detectedSince } = filter
  return joinAll([
    ...listDecisionConditions(query),
    filter.ignored !== undefined && sql`${ignored} = ${filter.ignored}`,
    knownCisaExploit !== undefined && sql`${isKnownExploitAt(moment)} = ${knownCisaExploit}`,
    filter.exploited !== undefined && sql`${isListedExploitAt(moment)} = ${filter.exploited}`,
    name && isNamed(query, lowerParts(name)),
    recheck !== undefined && sql`(decision.recheck_reason is not null) = ${recheck}`,
    ...listEarlierConditions(filter),
    proposed !== undefined && sql`${isProposed(query)} = ${proposed}`,
    detectedSince !== undefined && sql`${DETECTED_AT} >= ${parseDetectedSince(detectedSince)}`,
    query.ssvc?.wanted &&
      sql`${selectVersionOutcome(query.ssvc)} = any(${[...query.ssvc.wanted]}::int[])`,
  ])
}

/** Whether the conditions or the order need the decision of each finding, as `decision`. */
function asksDecision({ filter, moment }: Scope): boolean {
  const { assessments, activeOnly, withoutFuzzing } = filter
  const always = [filter.ignored, filter.recheck, filter.proposed, filter.previouslyIgnored]
  const single = [...always, filter.previousAssessments]
  if (single.some((one) => one !== undefined)) return true
  if (assessments && !assessments.includes('NotAssessed')) return true
  const asksAny = activeOnly === true || withoutFuzzing === true || assessments !== undefined
  return moment.isPast && asksAny
}

/**
 * Conditions that most findings meet without a decision. The decisions of the version against them are read once and hashed:
 * to look up the decision of each finding of a kernel takes five times as long.
 */
function listDecisionConditions(query: Scope) {
  const { assessments, activeOnly, withoutFuzzing } = query.filter
  if (asksDecision(query))
    return [
      activeOnly === true && sql.raw(isActiveSql()),
      assessments && sql`${assessment} = any(${assessments}::text[])`,
      withoutFuzzing === true && sql`(not ${IS_FUZZING} or ${assessment} <> 'NotAssessed')`,
    ]
  const isDecided = (
    how: RawBuilder<unknown>,
  ) => sql`(match.package_id, match.vulnerability_id) in (
    select decided.package_id, decided.vulnerability_id from finding_decisions as decided
    where decided.workspace_id = ${query.workspaceId}
      and decided.firmware_version_id = ${query.firmwareVersionId} and ${how})`
  const isOf = (names: readonly Assessment[]) =>
    sql`decided.assessment = any(${[...names]}::text[])`
  return [
    activeOnly === true &&
      sql`not ${isDecided(sql`(decided.ignored or ${isOf(CLOSED_ASSESSMENTS)})`)}`,
    activeOnly === true &&
      sql`(match.confidence <> 'Low' or ${isDecided(isOf(CONFIRMED_ASSESSMENTS))})`,
    assessments && sql`not ${isDecided(sql`not ${isOf(assessments)}`)}`,
    withoutFuzzing === true &&
      sql`(not ${IS_FUZZING} or ${isDecided(sql`decided.assessment <> 'NotAssessed'`)})`,
  ]
}

/**
 * Proposals of the present, also in a list of a past instant. They are looked up in one object of all of them: the planner
 * cannot estimate how many there are, and compares each with each finding if it expects too many to hash.
 */
function isProposed(version: FirmwareVersion): RawBuilder<unknown> {
  return sql`(${assessment} = any(${[...OPEN_ASSESSMENTS]}::text[])
    and jsonb_exists((
      select coalesce(jsonb_object_agg(package_id || ' ' || vulnerability_id, true), '{}')
      from (${proposedFindings(version)}) as proposed
    ), fact.package_id || ' ' || match.vulnerability_id))`
}

/** Searches the package's names in advisories too: people search for `openssl`, though `libcrypto3` is shown. */
function isNamed(version: FirmwareVersion, parts: readonly string[]): RawBuilder<unknown> {
  return sql`(${containsAnyLowered(sql`vulnerability.name`, parts)}
    or ${containsAnyLowered(sql`match.vulnerability_id`, parts)}
    or ${containsAnyLowered(sql`fact.component_name`, parts)}
    or fact.package_id in (
      select held.package_id
      from firmware_version_packages as held
      join packages as package on package.id = held.package_id
      cross join jsonb_array_elements(package.identity -> 'pairs') as pair
      where held.workspace_id = ${version.workspaceId} and held.firmware_version_id = ${version.firmwareVersionId}
        and ${containsAny(sql`substring(pair ->> 'key' from '[^:/]*$')`, parts)})
    or (
      select true from vulnerability_aliases as other
      where other.vulnerability_id = match.vulnerability_id and other.alias <> other.vulnerability_id
        and ${containsAnyLowered(sql`other.alias`, parts)}
      limit 1))`
}

/** Starts from the components of the version, which are few; a package may have components in many versions. */
function hasMember(
  { workspaceId, firmwareVersionId }: FirmwareVersion,
  { vendor, packageName, version }: NonNullable<FindingFilter['components']>[number],
): RawBuilder<unknown> {
  return sql`fact.package_id = any(array(
    select distinct member.package_id
    from sboms as sbom
    join sbom_components as member
      on member.workspace_id = sbom.workspace_id and member.sbom_id = sbom.id
    where sbom.workspace_id = ${workspaceId} and sbom.firmware_version_id = ${firmwareVersionId}
      and sbom.parsing_state = 'Succeeded' and member.package_id is not null
      and ${joinAll([
        vendor !== undefined && sql`member.vendor = ${vendor}`,
        packageName !== undefined && sql`member.package_name = ${packageName}`,
        version !== undefined && sql`member.version = ${version}`,
      ])}))`
}
