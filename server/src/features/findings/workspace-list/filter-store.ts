/* eslint-disable max-lines -- whoever adds a filter finds all that it says in one place */
/**
 * The filter of lists over a workspace, as conditions in SQL. A row of these lists is a match: a vulnerability of a package, in
 * whatever versions. Rows of `workspace_component_vulnerabilities` tell what their matches have together, so a condition on
 * them leaves out most matches unread; the condition on the match is the exact one.
 */
import { type RawBuilder, sql } from 'kysely'
import { isActiveSql } from '../../../formats/assessments.ts'
import { SEVERITIES, type Severity } from '../../../formats/advisories/model.ts'
import { joinAll } from '../../../platform/db/conditions.ts'
import { listAssigneeConditions } from '../../discussions/index.ts'
import { isOwnedBy, type OwnedScope } from '../../owners/index.ts'
import type { WorkspaceFindingFilter } from '../list/schemas.ts'
import { assessment, ignored, listEarlierConditions } from '../as-of-store.ts'
import { parseDetectedSince } from '../list/orders-store.ts'
import { detectedAtOf } from './kept-store.ts'
import {
  classifyWanted,
  isOfClass,
  type OutcomeLimits,
  selectClassLimits,
  hasWantedOutcome,
  selectOutcomeLimit,
  selectRatedClass,
  type SsvcScope,
} from '../../ssvc/index.ts'
import { computeShift, DECISION_BIT, readConfidenceSql, selectStates } from './states-store.ts'

/** What the parts of a filter stand for that are looked up first. */
export interface FilterScope {
  workspaceId: string
  filter: WorkspaceFindingFilter
  /** A row must be in each of these sets: of the names, of the components, of the packages. */
  sets: readonly MatchSet[]
  /** By severity: rows that were detected before are overdue. */
  dueBefore?: Partial<Record<Severity, Date>>
  /** The same by outcome of SSVC, where the workspace has such targets: the later of both limits counts. */
  dueByOutcome?: OutcomeLimits
  /** Where the list asks for outcomes of SSVC. */
  ssvc?: SsvcScope
  /** Where the filter asks for owners. */
  owned?: OwnedScope
}

/** Matches of these packages, and of these vulnerabilities. */
export interface MatchSet {
  packageIds: string[]
  vulnerabilityIds: string[]
  /** The components of the packages, and those all of whose packages are in the set. */
  componentNames: string[]
  wholeComponentNames: string[]
}

type Row = 'match' | 'pair'
const rankOf = (severity: Severity) => SEVERITIES.length - SEVERITIES.indexOf(severity)

/** Restricts facts to the firmware versions that the filter names. */
export function isInVersions(
  table: 'fact' | 'held',
  { workspaceId, filter }: Pick<FilterScope, 'workspaceId' | 'filter'>,
): RawBuilder<unknown> {
  const { firmwareIds, firmwareVersionIds, lineIds } = filter
  const id = sql.ref(`${table}.firmwareVersionId`)
  return joinAll([
    firmwareIds &&
      sql`${id} in (select version.id from firmware_versions as version
        where version.workspace_id = ${workspaceId} and version.firmware_id = any(${firmwareIds}::uuid[]))`,
    firmwareVersionIds && sql`${id} = any(${firmwareVersionIds}::uuid[])`,
    lineIds &&
      sql`${id} in (select version.id from firmware_versions as version
        where version.workspace_id = ${workspaceId} and version.line_id = any(${lineIds}::uuid[]))`,
  ])
}

/** The versions of the filter hold `fact` now. */
export const isHeldInVersions = (scope: Pick<FilterScope, 'workspaceId' | 'filter'>) =>
  sql`fact.until is null and ${isInVersions('fact', scope)}`

/** Whether the list is of all versions of the workspace. */
export const isOfAllVersions = ({ filter }: Pick<FilterScope, 'filter'>) =>
  (filter.firmwareIds ?? filter.firmwareVersionIds ?? filter.lineIds) === undefined

/** What both kinds of rows tell: of a match exactly, of several together that one may meet it. */
function tellsBoth(row: Row, { workspaceId, filter }: FilterScope): RawBuilder<unknown> {
  const { severities, exploited, knownCisaExploit, disputed, cveIds, fuzzing } = filter
  const id = sql.ref(`${row}.vulnerabilityId`)
  const isFuzzing = sql`(${id} >= 'OSV-' and ${id} < 'OSV.')`
  const isIn = (isWanted: boolean, ids: RawBuilder<unknown>) =>
    sql`${id} ${isWanted ? sql`` : sql`not`} in (${ids})`
  return joinAll([
    severities &&
      sql`${sql.ref(`${row}.severityRank`)} = any(${severities.map(rankOf)}::smallint[])`,
    exploited !== undefined && sql`${sql.ref(`${row}.isExploited`)} = ${exploited}`,
    knownCisaExploit !== undefined &&
      isIn(knownCisaExploit, sql`select id from vulnerabilities where is_known_exploit`),
    disputed !== undefined && isIn(disputed, sql`select id from vulnerabilities where is_disputed`),
    cveIds &&
      isIn(
        true,
        sql`select vulnerability_id from vulnerability_aliases where alias = any(${cveIds}::text[])`,
      ),
    fuzzing !== undefined && sql`${isFuzzing} = ${fuzzing}`,
    ...listAssigneeConditions(id, { workspaceId, filter }),
    // A crash that somebody assessed is listed wherever it is found.
    filter.withoutFuzzing === true &&
      sql`(not ${isFuzzing} or ${id} in (
        select assessed.vulnerability_id from finding_decisions as assessed
        where assessed.workspace_id = ${workspaceId} and assessed.assessment <> 'NotAssessed'
          and assessed.vulnerability_id >= 'OSV-' and assessed.vulnerability_id < 'OSV.'))`,
  ])
}

/** When rows of the severity of `row` must have been detected to be overdue; null: they never are. */
export function selectDueLimit(row: Row, dueBefore: NonNullable<FilterScope['dueBefore']>) {
  const limits = SEVERITIES.flatMap((severity) => {
    const before = dueBefore[severity]
    return before ? [sql`when ${rankOf(severity)} then ${before}::timestamptz`] : []
  })
  return sql`case ${sql.ref(`${row}.severityRank`)} ${sql.join(limits, sql` `)} end`
}

const since = ({ detectedSince }: WorkspaceFindingFilter) =>
  detectedSince === undefined ? undefined : parseDetectedSince(detectedSince)

/** What a row of several matches tells of a condition in which they differ. */
interface Told {
  /** That one of them may meet it; if `isExact`, that one does. */
  some: RawBuilder<unknown>
  /** That all of them meet it. */
  all: RawBuilder<unknown>
  isExact: boolean
}

const NEVER = sql`false`

function tellsOfPair(scope: FilterScope): Told[] {
  const { workspaceId, filter, sets, ssvc } = scope
  const told: Told[] = sets.map(({ vulnerabilityIds, componentNames, wholeComponentNames }) => {
    const isIn = (names: readonly string[]) =>
      sql`(pair.component_name = any(${names}::text[]) or pair.vulnerability_id = any(${vulnerabilityIds}::text[]))`
    return { some: isIn(componentNames), all: isIn(wholeComponentNames), isExact: false }
  })
  const tell = (some: RawBuilder<unknown>, all: RawBuilder<unknown>, isExact = true) =>
    told.push({ some, all, isExact })
  const { owned } = scope
  if (owned) {
    const isAmong = (names: readonly string[]) =>
      isOwned('pair', scope, sql`pair.component_name = any(${names}::text[])`) ?? NEVER
    tell(isAmong(owned.componentNames), isAmong(owned.wholeComponentNames), false)
  }
  const states = selectStates(filter)
  if (states) tell(sql`pair.states & ${states} <> 0`, sql`pair.states & ~${states} = 0`)
  if (ssvc?.wanted) {
    const { some, all } = classifyWanted(ssvc)
    tell(isOfClass('pair', some), isOfClass('pair', all), false)
  }
  const instant = since(filter)
  if (instant)
    tell(sql`pair.last_detected_at >= ${instant}`, sql`pair.first_detected_at >= ${instant}`)
  const overdue = tellsOverdue(scope)
  if (overdue) told.push(overdue)
  if (filter.affectedDevicesOnly === true) tell(sql`pair.device_magnitude > 0`, NEVER)
  if (asksMark(filter))
    tell(filter.recheck === true ? isRechecked(workspaceId) : sql`true`, NEVER, false)
  return told
}

/** Limits by outcome differ among the matches of a pair, so they are exact only where there are none. */
function tellsOverdue({ dueBefore, dueByOutcome }: FilterScope): Told | undefined {
  if (!dueBefore) return undefined
  const limit = selectDueLimit('pair', dueBefore)
  const ofClass = dueByOutcome && selectClassLimits(dueByOutcome, 'pair')
  const latest = (other: RawBuilder<unknown> | undefined) =>
    other ? sql`greatest(${limit}, ${other})` : limit
  return {
    some: sql`pair.first_detected_at < ${latest(ofClass?.some)}`,
    all: sql`pair.last_detected_at < ${latest(ofClass?.all)}`,
    isExact: !dueByOutcome,
  }
}

/** The vulnerability of `row` is assigned to one of the owners, or to nobody and a rule gives the row to one of them. */
const isOwned = (
  row: Row,
  { workspaceId, owned }: Pick<FilterScope, 'workspaceId' | 'owned'>,
  byRule: RawBuilder<unknown>,
) =>
  owned &&
  isOwnedBy(sql.ref(`${row}.vulnerabilityId`), { workspaceId, personIds: owned.personIds }, byRule)

/** `match` was detected before the limit of its severity, or of its outcome. */
function isOverdue(scope: FilterScope): RawBuilder<unknown> | undefined {
  const { dueBefore, dueByOutcome } = scope
  if (!dueBefore) return undefined
  const ofSeverity = sql`match.detected_at < ${selectDueLimit('match', dueBefore)}`
  if (!dueByOutcome) return ofSeverity
  const limit = selectOutcomeLimit(dueByOutcome, selectRatedClass('rated'), selectContexts(scope))
  return sql`(${ofSeverity} or exists (
    select from ${ratedOfMatch(scope)} and match.detected_at < ${limit}))`
}

const isRechecked = (workspaceId: string) => sql`pair.vulnerability_id in (
  select vulnerability_id from finding_decisions where workspace_id = ${workspaceId} and recheck_reason is not null)`

/** A match of `pair` may meet the filter. */
export const mayHaveMatch = (scope: FilterScope): RawBuilder<unknown> =>
  joinAll([tellsBoth('pair', scope), ...tellsOfPair(scope).map(({ some }) => some)])

/** Of a `pair` that may have such a match: it has one, as all its matches meet all conditions but one that is exact. */
export function hasCertainMatch(scope: FilterScope): RawBuilder<unknown> {
  const told = tellsOfPair(scope)
  const exact = told.filter(({ isExact }) => isExact)
  const met = sql.join([sql`0`, ...exact.map(({ all }) => sql`(${all})::int`)], sql` + `)
  return joinAll([
    ...told.filter(({ isExact }) => !isExact).map(({ all }) => all),
    exact.length > 1 && sql`${met} >= ${exact.length - 1}`,
  ])
}

/** `match` meets the filter. */
export function meetsFilter(scope: FilterScope): RawBuilder<unknown> {
  const { filter, sets } = scope
  const [states, detectedSince] = [selectStates(filter), since(filter)]
  return joinAll([
    tellsBoth('match', scope),
    states && sql`match.states & ${states} <> 0`,
    ...sets.map(
      ({ vulnerabilityIds, packageIds }) =>
        sql`(match.package_id = any(${packageIds}::uuid[]) or match.vulnerability_id = any(${vulnerabilityIds}::text[]))`,
    ),
    detectedSince && sql`match.detected_at >= ${detectedSince}`,
    // `is true` keeps PostgreSQL from looking up each package of the owners for each pair.
    isOwned(
      'match',
      scope,
      sql`(match.package_id = any(${scope.owned?.packageIds ?? []}::uuid[])) is true`,
    ),
    isOverdue(scope),
    filter.affectedDevicesOnly === true && sql`match.device_magnitude > 0`,
    meetsOutcome(scope),
    hasFinding(scope),
  ])
}

/** In which contexts of SSVC the package of `match` stands. */
export const selectContexts = (scope: Pick<FilterScope, 'workspaceId' | 'filter'>) =>
  isOfAllVersions(scope)
    ? sql`(select standing.ssvc_contexts from workspace_packages as standing
        where standing.workspace_id = ${scope.workspaceId} and standing.package_id = match.package_id)`
    : sql`match.ssvc_contexts`

/** Contexts are looked up only where they decide. */
function meetsOutcome(scope: FilterScope): RawBuilder<unknown> | undefined {
  const { ssvc } = scope
  if (!ssvc?.wanted) return undefined
  const { some, all } = classifyWanted(ssvc)
  const wanted = hasWantedOutcome(ssvc, selectRatedClass('rated'), selectContexts(scope))
  return sql`(
    select ${isOfClass('rated', all)} or (${isOfClass('rated', some)} and ${wanted})
    from ${ratedOfMatch(scope)})`
}

/** The row that has the class of the vulnerability of `match`. */
const ratedOfMatch = (scope: FilterScope) => sql`workspace_component_vulnerabilities as rated
    where rated.workspace_id = ${scope.workspaceId} and rated.vulnerability_id = match.vulnerability_id
      and rated.component_name = ${isOfAllVersions(scope) ? sql`match.component_name` : sql`match.kept_name`}`

/** The filter asks for the mark to check again, or for what was decided before: states do not tell it. */
const asksMark = ({ recheck, previouslyIgnored, previousAssessments }: WorkspaceFindingFilter) =>
  (recheck ?? previouslyIgnored ?? previousAssessments) !== undefined

/** Only findings with a decision have what it asks for. */
const asksMarked = ({ recheck, previouslyIgnored, previousAssessments }: WorkspaceFindingFilter) =>
  recheck === true || previouslyIgnored === true || previousAssessments !== undefined

/** One finding must both meet the rest and belong to one of the owners, and its package does not tell it. */
const asksOwnedFinding = ({ owned, filter }: FilterScope) =>
  owned?.isMixed === true &&
  (selectStates(filter) !== undefined || filter.affectedDevicesOnly === true)

/** One finding of `match` meets all that the filter asks of findings, where states do not tell it. */
function hasFinding(scope: FilterScope): RawBuilder<unknown> | undefined {
  const { workspaceId, filter } = scope
  const states = selectStates(filter)
  const isMixed = asksOwnedFinding(scope)
  const isTold =
    !isMixed && (filter.affectedDevicesOnly !== true || (!states && isOfAllVersions(scope)))
  if (isTold && !asksMark(filter)) return undefined
  const confidence = readConfidenceSql('match.states')
  const ofFact = sql`fact.workspace_id = ${workspaceId} and fact.package_id = match.package_id and fact.until is null
      and ${isInVersions('fact', scope)} and ${meetsFindingFilter(scope, confidence)}`
  const isOne = asksMarked(filter)
    ? sql`exists (
    select from finding_decisions as decision
    join firmware_version_packages as fact on fact.firmware_version_id = decision.firmware_version_id
    where decision.workspace_id = ${workspaceId} and decision.package_id = match.package_id
      and decision.vulnerability_id = match.vulnerability_id and ${ofFact})`
    : sql`exists (
    select from firmware_version_packages as fact
    left join lateral (
      select * from finding_decisions as decision
      where decision.workspace_id = ${workspaceId} and decision.firmware_version_id = fact.firmware_version_id
        and decision.package_id = fact.package_id and decision.vulnerability_id = match.vulnerability_id
      limit 1
    ) as decision on true
    where ${ofFact})`
  // Where all findings have the states, those in versions that devices run have them.
  return asksMark(filter) ||
    !states ||
    !isOfAllVersions(scope) ||
    (isMixed && filter.affectedDevicesOnly === true)
    ? isOne
    : sql`(match.states & ~${states} = 0 or ${isOne})`
}

/** The finding of `fact` and its `decision`, if it has one, meets all that the filter asks of findings. */
export function meetsFindingFilter(
  scope: Pick<FilterScope, 'workspaceId' | 'filter' | 'owned'>,
  confidence: string,
): RawBuilder<unknown> {
  const { workspaceId, filter, owned } = scope
  const { activeOnly, affectedDevicesOnly, assessments, recheck } = filter
  // `is true` keeps PostgreSQL from joining the versions, of which it does not know how many there are.
  return joinAll([
    affectedDevicesOnly === true &&
      sql`(fact.firmware_version_id in (
        select unnest(counts.firmware_version_ids) from firmware_set_device_counts as counts
        where counts.workspace_id = ${workspaceId})) is true`,
    activeOnly === true && sql.raw(isActiveSql({ confidence })),
    assessments && sql`${assessment} = any(${assessments}::text[])`,
    filter.ignored !== undefined && sql`${ignored} = ${filter.ignored}`,
    recheck !== undefined && sql`(decision.recheck_reason is not null) = ${recheck}`,
    owned && isOwned('match', scope, belongsByRule(owned)),
    ...listEarlierConditions(filter),
  ])
}

/** The finding of `fact` belongs to one of the owners by a rule. Most packages tell it by themselves. */
const belongsByRule = ({ wholePackageIds, isMixed, findings }: OwnedScope) => sql`
  (fact.package_id = any(${wholePackageIds}::uuid[]) ${
    isMixed ? sql`or (fact.firmware_version_id, fact.package_id) in (${findings})` : sql``
  })`

export interface ListScope extends FilterScope {
  /**
   * By package, how many digits the number of devices has that run it in the versions asked for. Of all versions the workspace
   * keeps them.
   */
  magnitudes?: ReadonlyMap<string, number>
}

/** The packages of facts, `fact`: how they are called, in how many versions they are, and since when. */
export const selectHeld = (
  scope: Pick<FilterScope, 'workspaceId' | 'filter'>,
  facts: RawBuilder<unknown>,
) => sql`
    select fact.package_id, (count(*) filter (where fact.until is null))::int as version_count,
      min(fact.since) filter (where fact.until is null or fact.until > fact.since) as held_since,
      min(fact.since) filter (where fact.until is null) as open_since,
      (array_agg(fact.component_name order by fact.firmware_version_id desc) filter (where fact.until is null))[1] as component_name,
      (array_agg(fact.component_version order by fact.firmware_version_id desc) filter (where fact.until is null))[1] as component_version
    from ${facts}
    where fact.workspace_id = ${scope.workspaceId} and ${isInVersions('fact', scope)}
    group by fact.package_id having bool_or(fact.until is null)`

/** `first_seen`: the first time that `match` held. */
export const firstSeen = sql`
  cross join lateral (
    select seen.since, seen.until from package_matches as seen
    where seen.package_id = match.package_id and seen.vulnerability_id = match.vulnerability_id
      and (seen.until is null or seen.until > seen.since)
    order by seen.since limit 1
  ) as first_seen`

/** When `match` was detected in the versions of the filter: `held` has the times of its package. */
export const computeDetectedAt = (scope: Pick<FilterScope, 'workspaceId' | 'filter'>) =>
  detectedAtOf(sql`${scope.workspaceId}::uuid`, sql`and ${isInVersions('fact', scope)}`)

/** By package, in which contexts of SSVC the versions of the filter stand that hold it. */
const selectStanding = (scope: ListScope) => sql`
    select fact.package_id, bit_or(numbered.ssvc_contexts) as contexts
    from firmware_version_packages as fact
    join workspace_versions as numbered on numbered.workspace_id = ${scope.workspaceId}
      and numbered.firmware_version_id = fact.firmware_version_id
    where fact.workspace_id = ${scope.workspaceId} and fact.until is null and ${isInVersions('fact', scope)}
    group by fact.package_id`

/** `with scoped_matches`: the columns of `workspace_matches` and those of its package; nothing for all versions. */
export function selectScopedMatches(scope: ListScope): RawBuilder<unknown> {
  if (isOfAllVersions(scope)) return sql``
  const { workspaceId, magnitudes = new Map<string, number>() } = scope
  const ssvc = scope.ssvc ?? scope.dueByOutcome
  return sql`
  with held as materialized (${selectHeld(scope, sql`firmware_version_packages as fact`)}
  ), decided as materialized (
    select decided.package_id, decided.vulnerability_id, bit_or(${DECISION_BIT}) as bits, count(*) as findings
    from finding_decisions as decided
    join firmware_version_packages as fact on fact.workspace_id = ${workspaceId}
      and fact.firmware_version_id = decided.firmware_version_id and fact.package_id = decided.package_id and fact.until is null
    where decided.workspace_id = ${workspaceId} and ${isInVersions('fact', scope)}
    group by decided.package_id, decided.vulnerability_id
  ) ${ssvc ? sql`, standing as materialized (${selectStanding(scope)})` : sql``}, scoped_matches as materialized (
    select match.package_id, match.vulnerability_id, match.severity_rank, match.is_exploited, held.version_count,
      held.component_name, held.component_version, match.component_name as kept_name,
      coalesce(running.magnitude, 0) as device_magnitude, ${computeDetectedAt(scope)} as detected_at,
      (coalesce(decided.bits, 0) | (held.version_count > coalesce(decided.findings, 0))::int::bigint)
        << ${computeShift(sql`match.states`)} as states ${ssvc ? sql`, coalesce(standing.contexts, -1) as ssvc_contexts` : sql``}
    from held ${ssvc ? sql`left join standing on standing.package_id = held.package_id` : sql``}
    cross join lateral (
      select * from workspace_matches as one
      where one.workspace_id = ${workspaceId} and one.package_id = held.package_id offset 0
    ) as match ${firstSeen}
    left join decided on decided.package_id = match.package_id and decided.vulnerability_id = match.vulnerability_id
    left join unnest(${[...magnitudes.keys()]}::uuid[], ${[...magnitudes.values()]}::int[])
      as running (package_id, magnitude) on running.package_id = match.package_id
  )`
}
