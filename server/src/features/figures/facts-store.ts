/** Facts as they were at the end of a period, as parts of statements. None reads what changed later. */
import { sql } from 'kysely'
import type { Period } from './asked.ts'

/** Of `entry`: the state in which a finding is decided, and the one in which it counts no more. */
const IS_DECIDED = sql`(entry.ignored or entry.assessment in ('Exploitable', 'NotAffected', 'FalsePositive', 'Resolved'))`
const IS_CLOSED = sql`(entry.ignored or entry.assessment in ('NotAffected', 'FalsePositive', 'Resolved'))`

/** Of `version`: it is of the firmware and the release line that were asked for. */
export const isAsked = ({ firmwareId, lineId }: Period) => sql`
  ${firmwareId === undefined ? sql`` : sql`and version.firmware_id = ${firmwareId}`}
  ${lineId === undefined ? sql`` : sql`and version.line_id = ${lineId}`}`

/** An end after the period is not known yet. */
const knownUntil = (table: 'fact' | 'match', { to }: Period) =>
  sql`case when ${sql.ref(`${table}.until`)} < ${to} then ${sql.ref(`${table}.until`)} end`

/**
 * `match`: what was known of packages of the workspace, without matches of low confidence; `version`: versions with an inventory,
 * numbered within their firmware by the time of it; `fact`: which of them had which package that has a match; `entry`: what was
 * decided; `state`: what was decided last.
 */
export const selectFacts = (period: Period) => sql`
  held_package as materialized (
    select version.id as firmware_version_id, version.firmware_id, held.package_id, held.since, held.until
    from firmware_versions as version
    cross join lateral (
      -- Instants are compared outside: PostgreSQL 18 else looks for each package of each version.
      select fact.package_id, fact.since, ${knownUntil('fact', period)} as until
      from firmware_version_packages as fact
      where fact.workspace_id = ${period.workspaceId} and fact.firmware_version_id = version.id offset 0
    ) as held
    where version.workspace_id = ${period.workspaceId} and held.since < ${period.to}
      ${isAsked(period)}
  ), version as materialized (
    select firmware_version_id, firmware_id, inventory_at,
      (row_number() over (partition by firmware_id order by inventory_at, firmware_version_id))::int as place
    from (select firmware_version_id, firmware_id, min(since) as inventory_at from held_package group by 1, 2) as each
  ), match as materialized (
    select match.package_id, match.vulnerability_id, match.since, ${knownUntil('match', period)} as until, match.severity
    from (select distinct package_id from held_package) as each
    join package_matches as match on match.package_id = each.package_id
    where match.since < ${period.to} and match.confidence <> 'Low' and match.until is distinct from match.since
  ), fact as materialized (
    select held_package.*, version.place
    from held_package
    join (select distinct package_id from match) as matched on matched.package_id = held_package.package_id
    join version on version.firmware_version_id = held_package.firmware_version_id
    where held_package.until is distinct from held_package.since
  ), entry as materialized (
    select entry.firmware_version_id, entry.package_id, entry.vulnerability_id, entry.id, entry.created_at, entry.source,
      entry.created_by_email, entry.assessment, entry.ignored, entry.batch_id, entry.undone_batch_id,
      ${IS_DECIDED} as is_decided, ${IS_CLOSED} as is_closed
    from finding_timeline as entry
    where entry.workspace_id = ${period.workspaceId} and entry.created_at < ${period.to}
      and entry.firmware_version_id in (select firmware_version_id from version)
  ), state as materialized (
    select distinct on (firmware_version_id, package_id, vulnerability_id) firmware_version_id, package_id, vulnerability_id,
      created_at, assessment, ignored, is_closed
    from entry
    order by firmware_version_id, package_id, vulnerability_id, created_at desc, id desc
  )`

/** Whether `fact` and `match` held at one time. */
export const HELD = sql`(match.package_id = fact.package_id
  and (match.until is null or fact.since < match.until) and (fact.until is null or match.since < fact.until))`

/** Severities in the order of their numbers, as `rankSeverity` has them. */
export const RANKS = ['Unknown', 'None', 'Low', 'Medium', 'High', 'Critical'] as const

/** Of `match`, as an array, so that the greatest is the latest rating, and of two at one instant the worse. */
export const RATED = sql`max(array[extract(epoch from match.since)::float8,
  array_position('{Unknown,None,Low,Medium,High,Critical}'::text[], match.severity)::float8])`
