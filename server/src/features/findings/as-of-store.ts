/** How decisions and knowledge stood at an instant, as pieces of the queries that show findings. */
import { type RawBuilder, sql } from 'kysely'

/** The instant a list tells of. */
export interface Moment {
  at: Date
  /** Asked for as such: decisions are then those of that instant as well. Else `at` only keeps pages together. */
  isPast: boolean
}

export interface FirmwareVersion {
  workspaceId: string
  firmwareVersionId: string
}

/**
 * What `decision` is joined from. The timeline holds the state each entry led to; ignoring leaves what belongs to the
 * assessment as the entry before it had it.
 */
export function decisionsAt(
  { workspaceId, firmwareVersionId }: FirmwareVersion,
  { at, isPast }: Moment,
): RawBuilder<unknown> {
  if (!isPast) return sql`finding_decisions`
  const last = (column: 'recheck_reason' | 'justification' | 'detail' | 'responses') =>
    sql`(jsonb_agg(${sql.ref(column)} order by created_at desc, id desc) filter (where type = 'Assessment')) -> 0`
  const newest = (column: 'assessment' | 'ignored') =>
    sql`(array_agg(${sql.ref(column)} order by created_at desc, id desc))[1]`
  return sql`(
    select workspace_id, firmware_version_id, package_id, vulnerability_id, ${newest('assessment')} as assessment,
      ${newest('ignored')} as ignored, ${last('recheck_reason')} #>> '{}' as recheck_reason,
      ${last('justification')} #>> '{}' as justification, ${last('detail')} #>> '{}' as detail,
      array(select jsonb_array_elements_text(coalesce(${last('responses')}, '[]'))) as responses
    from finding_timeline
    where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId} and created_at <= ${at}
    group by workspace_id, firmware_version_id, package_id, vulnerability_id)`
}

/** Of `vulnerability`. */
export function wasKnownExploit({ at, isPast }: Moment): RawBuilder<unknown> {
  return isPast
    ? sql`(vulnerability.is_known_exploit and vulnerability.known_exploit_since is not null
        and vulnerability.known_exploit_since <= ${at})`
    : sql`vulnerability.is_known_exploit`
}

/** The same of `match`; few are known, so that these are read instead of looking each vulnerability up. */
export function isKnownExploitAt({ at, isPast }: Moment): RawBuilder<unknown> {
  return sql`(match.vulnerability_id in (select id from vulnerabilities where is_known_exploit
    ${isPast ? sql`and known_exploit_since <= ${at}` : sql``}))`
}

/** Only today's scores are kept: of the past nothing is said. */
export function epssScoreAt({ isPast }: Moment): RawBuilder<unknown> {
  return isPast ? sql`null::real` : sql`epss.score`
}

/**
 * `fact` or `match` held then. `is true` keeps `since` from being looked for in an index it is the last column of:
 * PostgreSQL 18 takes that for work over all values of the columns between, and chooses worse.
 */
export function heldAt(table: 'fact' | 'match' | 'held', { at }: Moment): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  return sql`(${column('since')} <= ${at} and (${column('until')} is null or ${column('until')} > ${at})) is true`
}
