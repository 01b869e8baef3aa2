/**
 * SQL conditions of the filter for findings: a row of the list has one that meets them. What the workspace keeps of
 * decisions tells it of all its versions as they are now; otherwise facts and decisions do.
 */
import { type RawBuilder, sql } from 'kysely'
import { heldAt } from '../as-of-store.ts'
import { ASSESSMENTS, CONFIRMED_ASSESSMENTS } from '../assessment.ts'
import { isActiveSql } from '../counters-store.ts'
import {
  assessment as assessmentOf,
  ignored as ignoredOf,
  previously,
} from '../list/filter-store.ts'
import {
  type Filtered,
  isWhole,
  matchConditions,
  versionsInScope,
  type WorkspaceFindingFilter,
} from './filter-store.ts'
import { statesMeant } from './states-store.ts'

const PERHAPS_DECIDED = { assessment: assessmentOf, ignored: ignoredOf }
/** Of a finding that has a decision: the columns as the index has them. */
const DECIDED_ONLY = {
  assessment: sql.ref('decision.assessment'),
  ignored: sql.ref('decision.ignored'),
}

interface FindingState {
  assessment: RawBuilder<unknown>
  ignored: RawBuilder<unknown>
  /** Of `match` by default. */
  confidence?: RawBuilder<unknown>
}

/** The condition that one finding of the row must meet; undefined: the filter has no such condition. */
export function findingCondition(
  { workspaceId, filter }: Pick<Filtered, 'workspaceId' | 'filter'>,
  { assessment, ignored, confidence = sql`match.confidence` }: FindingState = PERHAPS_DECIDED,
): RawBuilder<unknown> | undefined {
  const { activeOnly, affectedDevicesOnly, named, assessments, recheck } = filter
  const all = [
    (affectedDevicesOnly === true || named?.isRunning === true) &&
      sql`(fact.firmware_version_id in ${runningVersions(workspaceId)}) is true`,
    activeOnly === true && isActiveSql({ assessment, ignored, confidence }),
    assessments && sql`${assessment} = any(${assessments}::text[])`,
    filter.ignored !== undefined && sql`${ignored} = ${filter.ignored}`,
    recheck !== undefined && sql`(decision.recheck_reason is not null) = ${recheck}`,
    ...previously(filter),
  ].filter((condition) => condition !== undefined && condition !== false)
  return all.length === 0 ? undefined : sql.join(all, sql` and `)
}

/** `is true` below keeps PostgreSQL from joining them, of which it does not know how many there are. */
const runningVersions = (workspaceId: string) => sql`(
  select unnest(counts.firmware_version_ids) from firmware_set_device_counts as counts
  where counts.workspace_id = ${workspaceId})`

/** Whether a finding without a decision can meet the filter. */
function meansUndecided(filter: WorkspaceFindingFilter) {
  const {
    assessments,
    ignored: isIgnored,
    recheck,
    previouslyIgnored,
    previousAssessments,
  } = filter
  const isMarked = recheck === true || previouslyIgnored === true || previousAssessments
  return (assessments?.includes('NotAssessed') ?? true) && isIgnored !== true && !isMarked
}

const decidedIn = (workspaceId: string) => sql`decision.workspace_id = ${workspaceId}
    and decision.firmware_version_id = fact.firmware_version_id and decision.package_id = fact.package_id
    and decision.vulnerability_id = match.vulnerability_id`
/** The decision about a finding, looked up: the `limit` keeps the planner from a join with all decisions of the match. */
const decisionIn = (workspaceId: string) => sql`
  left join lateral (
    select * from finding_decisions as decision where ${decidedIn(workspaceId)} limit 1
  ) as decision on true`

/** Without a decision, a match of low confidence is active nowhere: its versions need not be read. */
function possiblyActive({ workspaceId, filter }: Filtered): RawBuilder<unknown> {
  if (filter.activeOnly !== true) return sql``
  return sql`and (match.confidence <> 'Low' or exists (
    select from finding_decisions as decision
    where decision.workspace_id = ${workspaceId} and decision.package_id = match.package_id
      and decision.vulnerability_id = match.vulnerability_id
      and decision.assessment = any(${[...CONFIRMED_ASSESSMENTS]}::text[])))`
}

/** Whether the filter asks for decisions, and for nothing about them but what the workspace keeps. */
export function asksKeptDecisions(query: { filter: WorkspaceFindingFilter; isCurrent: boolean }) {
  const { filter } = query
  const { affectedDevicesOnly, recheck, previouslyIgnored, previousAssessments } = filter
  const more = recheck ?? previouslyIgnored ?? previousAssessments
  const isRunning = filter.named?.isRunning === true
  const asked =
    isRunning || filter.activeOnly === true || (filter.assessments ?? filter.ignored) !== undefined
  return isWhole(query) && asked && more === undefined && affectedDevicesOnly !== true
}

/** The same, of decisions that somebody made: findings without one do not meet it. */
export const asksKeptDecided = (query: { filter: WorkspaceFindingFilter; isCurrent: boolean }) =>
  asksKeptDecisions(query) && !meansUndecided(query.filter)

/** Conditions on `decided`, a row of `workspace_decisions`; those on the match are left out. */
export const keptDecided = ({
  workspaceId,
  filter,
}: Pick<Filtered, 'workspaceId' | 'filter'>) => sql`
  decided.workspace_id = ${workspaceId} and decided.finding_count > 0
    and decided.assessment = any(${filter.assessments ?? [...ASSESSMENTS]}::text[])
    ${filter.ignored === undefined ? sql`` : sql`and decided.ignored = ${filter.ignored}`}`

/** `decided`: each match with such a decision once, though findings of it may have several. */
export const decidedMatches = (query: Pick<Filtered, 'workspaceId' | 'filter'>) => sql`
  workspace_decisions as decided
  where ${keptDecided(query)} and not exists (
    select from workspace_decisions as other
    where other.workspace_id = ${query.workspaceId} and other.vulnerability_id = decided.vulnerability_id
      and other.package_id = decided.package_id and other.finding_count > 0
      and other.assessment = any(${query.filter.assessments ?? [...ASSESSMENTS]}::text[])
      ${query.filter.ignored === undefined ? sql`` : sql`and other.ignored = ${query.filter.ignored}`}
      and (other.assessment, other.ignored) < (decided.assessment, decided.ignored) offset 0)`

/** Only packages with decisions, if the filter asks for decisions. They are found one by one: each has many. */
export const packagesDecided = (query: Filtered & { isCurrent: boolean }) =>
  asksKeptDecided(query)
    ? sql`and owned.package_id in (
        with recursive decided as (
          (select package_id from workspace_decisions as first
            where first.workspace_id = ${query.workspaceId} order by first.package_id limit 1)
          union all
          select (
              select next.package_id from workspace_decisions as next
              where next.workspace_id = ${query.workspaceId} and next.package_id > decided.package_id
              order by next.package_id limit 1)
          from decided where decided.package_id is not null
        ) select package_id from decided)`
    : sql``

/** A finding of `kept`, a row of `workspace_matches`, meets the filter, as far as states tell. */
export function hasStates(
  query: Pick<Filtered, 'workspaceId' | 'filter'> & { isCurrent: boolean },
  kept: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const states = statesMeant(query.filter)
  if (!states || !asksKeptDecisions(query)) return sql``
  const isRunning = query.filter.named?.isRunning === true
  return sql`and ${kept}.states & ${states} <> 0 ${isRunning ? sql`and (${kept}.states & ~${states} = 0 or ${runsSuch(query, kept)})` : sql``}`
}

/** Whether devices run a version with such a finding. It is asked only where findings of the row differ. */
function runsSuch(
  { workspaceId, filter }: Pick<Filtered, 'workspaceId' | 'filter'>,
  kept: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const isLow = sql`${kept}.states & ${statesMeant({ confidences: ['Low'] })} <> 0`
  const confidence = sql`case when ${isLow} then 'Low' else 'High' end`
  const state = { ...PERHAPS_DECIDED, confidence }
  return sql`exists (
    select from firmware_version_packages as fact
    left join lateral (
      select * from finding_decisions as decision
      where decision.workspace_id = ${workspaceId} and decision.firmware_version_id = fact.firmware_version_id
        and decision.package_id = fact.package_id and decision.vulnerability_id = ${kept}.vulnerability_id
      limit 1
    ) as decision on true
    where fact.workspace_id = ${workspaceId} and fact.package_id = ${kept}.package_id and fact.until is null
      and ${findingCondition({ workspaceId, filter }, state)})`
}

/** A finding of the row meets the filter, as the workspace keeps it. */
const hasKeptFinding = (query: Filtered & { isCurrent: boolean }) => sql`exists (
  select from workspace_matches as kept
  where kept.workspace_id = ${query.workspaceId} and kept.vulnerability_id = match.vulnerability_id
    and kept.package_id = match.package_id ${hasStates(query, sql`kept`)} offset 0)`

/** The row has a finding that meets the filter. Searches the decisions if only a decided one can meet it. */
export function hasFinding(query: Filtered & { isCurrent: boolean }): RawBuilder<unknown> {
  const { workspaceId, filter, moment } = query
  if (asksKeptDecisions(query))
    return statesMeant(filter) ? sql`and ${hasKeptFinding(query)}` : sql``
  const condition = findingCondition(query)
  if (!condition) return sql``
  const of = sql`fact.workspace_id = ${workspaceId} and fact.package_id = match.package_id
    and ${heldAt('fact', moment)} ${versionsInScope('fact', query)}`
  if (meansUndecided(filter))
    return sql`${possiblyActive(query)} and exists (
      select from firmware_version_packages as fact ${decisionIn(workspaceId)} where ${of} and ${condition})`
  const rare =
    filter.recheck === true
      ? sql`and (match.package_id, match.vulnerability_id) in (
          select package_id, vulnerability_id from finding_decisions
          where workspace_id = ${workspaceId} and recheck_reason is not null)`
      : sql``
  return sql`${rare} and exists (
    select from finding_decisions as decision
    join firmware_version_packages as fact on ${decidedIn(workspaceId)}
    where decision.workspace_id = ${workspaceId} and decision.package_id = match.package_id
      and decision.vulnerability_id = match.vulnerability_id and ${of} and ${findingCondition(query, DECIDED_ONLY)})`
}

/** A lateral that finds one such finding of `page.vulnerability_id`; undefined: `hasFinding` asks each match. */
export function probedFinding(
  query: Filtered & { isCurrent: boolean },
): RawBuilder<unknown> | undefined {
  const { workspaceId, filter, moment } = query
  const condition = findingCondition(query)
  if (!condition || asksKeptDecisions(query)) return undefined
  if (filter.name || filter.named || filter.components) return undefined
  const ofFact = sql`fact.workspace_id = ${workspaceId} and ${heldAt('fact', moment)} ${versionsInScope('fact', query)}`
  const ofMatch = sql`match.vulnerability_id = page.vulnerability_id and ${heldAt('match', moment)} ${matchConditions(query)}`
  return meansUndecided(filter)
    ? sql`cross join lateral (
    select from package_matches as match
    join firmware_version_packages as fact on fact.package_id = match.package_id and ${ofFact}
    ${decisionIn(workspaceId)}
    where ${ofMatch} ${possiblyActive(query)} and ${condition}
    limit 1
  ) as probed`
    : sql`cross join lateral (
    select from finding_decisions as decision
    join package_matches as match on match.package_id = decision.package_id and ${ofMatch}
    join firmware_version_packages as fact on ${decidedIn(workspaceId)} and ${ofFact}
    where decision.workspace_id = ${workspaceId} and decision.vulnerability_id = page.vulnerability_id
      and ${findingCondition(query, DECIDED_ONLY)}
    limit 1
  ) as probed`
}
