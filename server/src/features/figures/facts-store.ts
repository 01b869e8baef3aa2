/** Facts as they were at the end of a period, as parts of statements. None reads what changed later. */
import { sql } from 'kysely'
import type { Period } from './asked.ts'

/** Of `table`, when the row held; an end after the period is not known yet. */
const heldSpan = (table: 'fact' | 'match', { to }: Period) => sql`
  tstzrange(${sql.ref(`${table}.since`)}, case when ${sql.ref(`${table}.until`)} < ${to} then ${sql.ref(`${table}.until`)} end)`

/** Of `entry`: the state in which a finding is decided, and the one in which it counts no more. */
const IS_DECIDED = sql`(entry.ignored or entry.assessment in ('Exploitable', 'NotAffected', 'FalsePositive', 'Resolved'))`
const IS_CLOSED = sql`(entry.ignored or entry.assessment in ('NotAffected', 'FalsePositive', 'Resolved'))`

/**
 * `fact`: which version had which package; `version`: those with an inventory, numbered within their firmware by the time of it; `held`:
 * which finding held when, without matches of low confidence; `entry`: what was decided; `state`: what was decided last.
 */
export const selectFacts = (period: Period) => sql`
  fact as materialized (
    select fact.firmware_version_id, version.firmware_id, fact.package_id, fact.since, ${heldSpan('fact', period)} as span
    from firmware_version_packages as fact
    join firmware_versions as version on version.workspace_id = fact.workspace_id and version.id = fact.firmware_version_id
    where fact.workspace_id = ${period.workspaceId} and fact.since < ${period.to}
      ${period.firmwareId === undefined ? sql`` : sql`and version.firmware_id = ${period.firmwareId}`}
  ), version as materialized (
    select firmware_version_id, firmware_id, inventory_at,
      (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int as place
    from (select firmware_version_id, firmware_id, min(since) as inventory_at from fact group by 1, 2) as each
  ), held as materialized (
    select fact.firmware_version_id, match.vulnerability_id, fact.package_id, match.severity,
      fact.span * ${heldSpan('match', period)} as span
    from fact
    join package_matches as match on match.package_id = fact.package_id
    where match.since < ${period.to} and match.confidence <> 'Low' and fact.span && ${heldSpan('match', period)}
  ), entry as materialized (
    select entry.firmware_version_id, entry.package_id, entry.vulnerability_id, entry.id, entry.created_at, entry.source,
      entry.created_by_email, entry.assessment, entry.ignored, entry.batch_id, entry.undone_batch_id,
      ${IS_DECIDED} as is_decided, ${IS_CLOSED} as is_closed
    from finding_timeline as entry
    where entry.workspace_id = ${period.workspaceId} and entry.created_at < ${period.to}
      and entry.firmware_version_id in (select firmware_version_id from version)
  ), state as materialized (
    select distinct on (firmware_version_id, package_id, vulnerability_id) firmware_version_id, package_id, vulnerability_id,
      created_at, assessment, ignored, source
    from entry
    order by firmware_version_id, package_id, vulnerability_id, created_at desc, id desc
  )`

/** Severities in the order of their numbers, as `rankSeverity` has them. */
export const RANKS = ['Unknown', 'None', 'Low', 'Medium', 'High', 'Critical'] as const

/** As an array, so that the greatest is the latest rating, and of two at one instant the worse. */
export const RATED = sql`max(array[extract(epoch from lower(held.span))::float8,
  array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], held.severity)::float8])`
