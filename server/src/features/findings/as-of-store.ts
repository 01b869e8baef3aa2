/** SQL fragments for the decisions and the knowledge at an instant. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
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
  // An entry that ignores the finding may clear the mark.
  const isMark = sql`type = 'Assessment' or recheck_reason = ${NO_MARK}`
  const mark = sql`nullif((jsonb_agg(recheck_reason order by created_at desc, id desc) filter (where ${isMark}))
    -> 0 #>> '{}', ${NO_MARK})`
  const newest = (column: 'assessment' | 'ignored') =>
    sql`(array_agg(${sql.ref(column)} order by created_at desc, id desc))[1]`
  return sql`(
    select workspace_id, firmware_version_id, package_id, vulnerability_id, ${newest('assessment')} as assessment,
      ${newest('ignored')} as ignored, ${mark} as recheck_reason,
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
export function heldAt(
  table: 'fact' | 'match' | 'held',
  { at }: Pick<Moment, 'at'>,
): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  return sql`(${column('since')} <= ${at} and (${column('until')} is null or ${column('until')} > ${at})) is true`
}

/** What is asked of a past instant. */
export interface FindingsAt {
  workspaceId: string
  at: Date
  of: { firmwareVersionId: string } | { vulnerabilityId: string }
}

/** The newest entry of the timeline of `fact` and `match` that meets the condition: entries hold the resulting state. */
const findEntry = ({ workspaceId, at }: FindingsAt, condition: RawBuilder<unknown>) => sql`(
  select entry.* from finding_timeline as entry
  where entry.workspace_id = ${workspaceId} and entry.firmware_version_id = fact.firmware_version_id
    and entry.package_id = match.package_id and entry.vulnerability_id = match.vulnerability_id
    and entry.created_at <= ${at} and ${condition}
  order by entry.created_at desc, entry.id desc limit 1)`

/** `fact`, `match`, `decision` and `epss`. Entries that ignore do not repeat the reasons; an empty mark takes the mark away. */
export function selectFindingsAt(past: FindingsAt): RawBuilder<unknown> {
  const { workspaceId, at, of } = past
  const matches =
    'firmwareVersionId' in of
      ? sql`firmware_version_packages as fact
        cross join lateral (
          select match.* from package_matches as match
          where match.package_id = fact.package_id and ${heldAt('match', { at })} offset 0
        ) as match`
      : sql`package_matches as match
        join firmware_version_packages as fact
          on fact.workspace_id = ${workspaceId} and fact.package_id = match.package_id`
  const isAsked =
    'firmwareVersionId' in of
      ? sql`fact.firmware_version_id = ${of.firmwareVersionId}`
      : sql`match.vulnerability_id = ${of.vulnerabilityId}`
  return sql`${matches}
  left join lateral (
    select newest.assessment, newest.ignored, newest.source, newest.created_by_email as decided_by_email,
      newest.created_at as updated_at, reason.justification, reason.responses, reason.detail,
      nullif(mark.recheck_reason, ${NO_MARK}) as recheck_reason
    from ${findEntry(past, sql`true`)} as newest
    left join lateral ${findEntry(past, sql`entry.type = 'Assessment'`)} as reason on true
    left join lateral ${findEntry(past, sql`(entry.type = 'Assessment' or entry.recheck_reason = ${NO_MARK})`)} as mark on true
  ) as decision on true
  cross join (select null::real as score) as epss
  where fact.workspace_id = ${workspaceId} and ${isAsked} and ${heldAt('fact', { at })} and ${heldAt('match', { at })}`
}

export interface LookedAt {
  /** The packages that the firmware version, or all of the workspace, held then. */
  packageCount: number
  firmwareVersionCount: number
}

/** What could be compared then. */
export async function countLookedAt(
  db: Db,
  { workspaceId, at, of }: FindingsAt,
): Promise<LookedAt> {
  const isAsked = 'firmwareVersionId' in of ? sql`version.id = ${of.firmwareVersionId}` : sql`true`
  const { rows } = await sql<LookedAt>`
    select coalesce(sum(held.count), 0)::int as package_count,
      (count(*) filter (where held.count > 0))::int as firmware_version_count
    from firmware_versions as version
    cross join lateral (
      select count(*) from firmware_version_packages as fact
      where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = version.id and ${heldAt('fact', { at })}
    ) as held
    where version.workspace_id = ${workspaceId} and ${isAsked}`.execute(db)
  const [looked] = rows
  if (!looked) throw new Error('An aggregate answers one row.')
  return looked
}
