/** SQL fragments for the decisions and the knowledge at an instant. */
import { type RawBuilder, sql } from 'kysely'
import { NO_MARK } from './decisions-store.ts'
import type { FindingFilter } from './list/schemas.ts'

/** The instant that a list shows. */
export interface Moment {
  at: Date
  /** Whether the caller asked for a past instant. If not, `at` only keeps the pages of a list consistent. */
  isPast: boolean
}

export interface FirmwareVersion {
  workspaceId: string
  firmwareVersionId: string
}

/**
 * The source of `decision` in joins. For the past it is built from the timeline, whose entries hold the resulting state.
 * Entries that ignore a finding do not repeat the details of its assessment, so the last assessment gives them.
 */
export function decisionsAt(
  { workspaceId, firmwareVersionId }: FirmwareVersion,
  { at, isPast }: Moment,
): RawBuilder<unknown> {
  if (!isPast) return sql`finding_decisions`
  const last = (column: 'justification' | 'detail' | 'responses') =>
    sql`(jsonb_agg(${sql.ref(column)} order by created_at desc, id desc) filter (where type = 'Assessment')) -> 0`
  // An entry that ignores the finding may clear the mark, and the end of an acceptance sets one.
  const isMark = sql`type = 'Assessment' or recheck_reason = ${NO_MARK} or (type = 'Unignored' and recheck_reason is not null)`
  const mark = sql`nullif((jsonb_agg(recheck_reason order by created_at desc, id desc) filter (where ${isMark}))
    -> 0 #>> '{}', ${NO_MARK})`
  const lineOf = (isOne: RawBuilder<unknown>) =>
    sql`(array_agg(line_id order by created_at desc, id desc) filter (where ${isOne}))[1]`
  const newest = (column: 'assessment' | 'ignored' | 'acceptance') =>
    sql`(array_agg(${sql.ref(column)} order by created_at desc, id desc))[1]`
  return sql`(
    select workspace_id, firmware_version_id, package_id, vulnerability_id, ${newest('assessment')} as assessment,
      ${newest('ignored')} as ignored, ${newest('acceptance')} as acceptance,
      ${lineOf(sql`type = 'Assessment'`)} as assessed_line_id,
      case when ${newest('ignored')} then ${lineOf(sql`ignored`)} end as ignored_line_id, ${mark} as recheck_reason,
      null::jsonb as previous_decision, ${last('justification')} #>> '{}' as justification, ${last('detail')} #>> '{}' as detail,
      array(select jsonb_array_elements_text(coalesce(${last('responses')}, '[]'))) as responses
    from finding_timeline
    where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId} and created_at <= ${at}
    group by workspace_id, firmware_version_id, package_id, vulnerability_id)`
}

/** Of `match`: its decision, as `decision`. */
export const joinDecision = ({ moment, ...version }: FirmwareVersion & { moment: Moment }) => sql`
left join lateral (
  select decision.*
  from ${decisionsAt(version, moment)} as decision
  where decision.workspace_id = ${version.workspaceId}
    and decision.firmware_version_id = ${version.firmwareVersionId}
    and decision.package_id = match.package_id and decision.vulnerability_id = match.vulnerability_id
  limit 1
) as decision on true`

/** Of `decision`, which findings without one lack. */
export const assessment = sql`coalesce(decision.assessment, 'NotAssessed')`
export const ignored = sql`coalesce(decision.ignored, false)`

/** Conditions on the earlier decision that the mark to check again names. */
export function listEarlierConditions({ previouslyIgnored, previousAssessments }: FindingFilter) {
  return [
    previouslyIgnored !== undefined &&
      sql`coalesce((decision.previous_decision -> 'ignored')::boolean, false) = ${previouslyIgnored}`,
    previousAssessments &&
      sql`decision.previous_decision ->> 'assessment' = any(${previousAssessments}::text[])`,
  ]
}

/** Whether `vulnerability` was known as exploited at the instant. */
export function wasKnownExploit({ at, isPast }: Moment): RawBuilder<unknown> {
  return isPast
    ? sql`(vulnerability.is_known_exploit and vulnerability.known_exploit_since is not null
        and vulnerability.known_exploit_since <= ${at})`
    : sql`vulnerability.is_known_exploit`
}

/** The same for `match`, looked up in the index of the few exploited vulnerabilities. */
export function isKnownExploitAt({ at, isPast }: Moment): RawBuilder<unknown> {
  return sql`((
    select true from vulnerabilities as known
    where known.id = match.vulnerability_id and known.is_known_exploit
      ${isPast ? sql`and known.known_exploit_since <= ${at}` : sql``}
    limit 1) is true)`
}

/** Whether any public list named the vulnerability of `match` as exploited at the instant. */
export function isListedExploitAt(moment: Moment): RawBuilder<unknown> {
  return sql`(${isKnownExploitAt(moment)} or (
    select true from eu_exploited_entries as listed
    where listed.cve_id = match.vulnerability_id ${moment.isPast ? sql`and listed.date_added <= ${moment.at}` : sql``}
    limit 1) is true)`
}

/** `ExploitedSource[]` in SQL. */
export function exploitedSources(
  vulnerabilityId: RawBuilder<unknown>,
  { at, isPast }: Moment,
): RawBuilder<unknown> {
  return sql`(
    select coalesce(json_agg(json_build_object('source', source, 'dateAdded', date_added) order by date_added, source), '[]')
    from (
      select 'cisa' as source, date_added from kev_entries where cve_id = ${vulnerabilityId}
      union all
      select 'enisa', date_added from eu_exploited_entries where cve_id = ${vulnerabilityId}) as listed
    ${isPast ? sql`where date_added <= ${at}` : sql``})`
}

/** Only current scores are stored, so the past has no scores. */
export function epssScoreAt({ isPast }: Moment): RawBuilder<unknown> {
  return isPast ? sql`null::real` : sql`epss.score`
}

/**
 * Whether the row held at the instant. `is true` keeps PostgreSQL 18 from searching an index for `since`, its last
 * column: the planner expects a scan over all values of the columns before it and chooses a worse plan.
 */
export function heldAt(table: 'fact' | 'match' | 'held', { at }: Moment): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  return sql`(${column('since')} <= ${at} and (${column('until')} is null or ${column('until')} > ${at})) is true`
}
