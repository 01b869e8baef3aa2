/** Which vulnerabilities of components meet a filter, as the workspace keeps them. */
import { type RawBuilder, sql } from 'kysely'
import { SEVERITIES } from '../../../formats/advisories/model.ts'
import { parseInstant } from '../../../formats/instants.ts'
import {
  hasStates,
  isKept,
  keptScore,
  matchConditions,
  type Named,
  SINCE,
  statesMeant,
} from '../../findings/index.ts'
import type { VulnerabilityQuery } from '../store.ts'

type Query = Omit<VulnerabilityQuery, 'sortColumn' | 'magnitudes'>

/** Whether what is kept of components tells all that the filter asks. */
export const hasKeptComponents = (query: Query): boolean => isKept(query, { isProbed: false })

type Severity = (typeof SEVERITIES)[number]
const rankOf = (severity: Severity) => SEVERITIES.length - SEVERITIES.indexOf(severity)

/** Vulnerabilities of components that meet the filter. */
export function keptRows(query: Query): RawBuilder<unknown> {
  const { workspaceId } = query
  const {
    severities,
    exploited,
    named,
    detectedSince,
    dueBefore,
    confidences: _,
    ...rest
  } = query.filter
  const states = statesMeant(query.filter)
  const conditions = [
    states && sql`match.states & ${states} <> 0`,
    severities && sql`match.severity_rank = any(${severities.map(rankOf)}::smallint[])`,
    exploited !== undefined && sql`match.is_exploited = ${exploited}`,
    detectedSince !== undefined && isDetectedSince(query, parseInstant(detectedSince, SINCE)),
    dueBefore && isLate(query, dueBefore),
    named && isNamed(query, named),
  ].filter((one) => one !== undefined && one !== false)
  return sql`
    select match.component_name, match.vulnerability_id, match.severity_rank, match.is_exploited, match.last_detected_at,
      ${keptScore(sql`match`)} as epss_score
    from workspace_component_vulnerabilities as match
    where match.workspace_id = ${workspaceId} ${and(conditions)} ${matchConditions({ ...query, filter: rest })}`
}

const and = (conditions: readonly RawBuilder<unknown>[]) =>
  sql.join(
    conditions.map((condition) => sql`and ${condition}`),
    sql` `,
  )

const isDetectedSince = (query: Query, since: Date) => sql`
  match.last_detected_at >= ${since}::timestamptz
    and ${hasMatch(query, (at) => sql`${at} >= ${since}::timestamptz`)}`

function isLate(query: Query, dueBefore: Partial<Record<Severity, Date>>) {
  const limits = SEVERITIES.flatMap((severity) => {
    const before = dueBefore[severity]
    return before ? [sql`when ${rankOf(severity)} then ${before}::timestamptz`] : []
  })
  const limit = sql`case match.severity_rank ${sql.join(limits, sql` `)} end`
  return sql`match.first_detected_at < ${limit} and ${hasMatch(query, (at) => sql`${at} < ${limit}`)}`
}

/**
 * One and the same match has the states of the filter and was detected then. Without other states than these, any match
 * does.
 */
function hasMatch(
  query: Query,
  condition: (detectedAt: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const states = statesMeant(query.filter)
  if (!states) return sql`true`
  return sql`(match.states & ~${states} = 0 or ${matchOfRow(
    query.workspaceId,
    sql`
    each.states & ${states} <> 0 and ${condition(sql`each.detected_at`)}`,
  )})`
}

/** The package is looked up for each match of the vulnerability: there is no index by the name of the component. */
const matchOfRow = (workspaceId: string, condition: RawBuilder<unknown>) => sql`exists (
  select from workspace_matches as each
  cross join lateral (
    select * from workspace_packages as one
    where one.workspace_id = ${workspaceId} and one.package_id = each.package_id limit 1
  ) as held
  where each.workspace_id = ${workspaceId} and each.vulnerability_id = match.vulnerability_id
    and held.component_name = match.component_name and ${condition} offset 0)`

/** Of components all packages of which are named, matches need not be asked. */
function isNamed(query: Query, named: Named) {
  if (named.isRunning) return isRunning(query)
  const { componentNames, otherPackageIds, vulnerabilityIds } = named
  const meant = (table: RawBuilder<unknown>) =>
    sql`(${table}.package_id = any(${otherPackageIds}::uuid[])) is true`
  const ofOthers = sql`or ${calledBy(query, sql`bool_or(${meant(sql`owned`)})`)} and ${matchOfRow(
    query.workspaceId,
    sql`${meant(sql`held`)} ${hasStates(query, sql`each`)}`,
  )}`
  return sql`(match.vulnerability_id = any(${vulnerabilityIds}::text[])
    or match.component_name = any(${componentNames}::text[])
    ${otherPackageIds.length > 0 ? ofOthers : sql``})`
}

function isRunning(query: Query) {
  const states = statesMeant(query.filter)
  const isSure = states ? sql`match.states & ~${states} = 0` : sql`true`
  return sql`match.device_magnitude > 0 and (${isSure} or ${matchOfRow(
    query.workspaceId,
    sql`held.device_magnitude > 0 ${hasStates(query, sql`each`)}`,
  )})`
}

const calledBy = ({ workspaceId }: Query, having: RawBuilder<unknown>) => sql`
  match.component_name in (
    select owned.component_name from workspace_packages as owned
    where owned.workspace_id = ${workspaceId} and owned.version_count > 0
    group by owned.component_name having ${having})`

/**
 * The packages of the components of `page` that have findings of the filter: `(name, package_ids, versions)`. The
 * vulnerabilities of a component, of `rated`, are asked one after another for each package. The `offset` keeps PostgreSQL
 * from asking packages of other components.
 */
export function keptPackages(query: Query): RawBuilder<unknown> {
  const { workspaceId, filter } = query
  return sql`
    select held.name, array_agg(held.package_id order by held.package_id) as package_ids,
      coalesce(array_agg(distinct held.component_version) filter (where held.component_version is not null), '{}')
        as versions
    from (
      select chosen.name, owned.package_id, owned.component_version, chosen.ids
      from (
        select rated.component_name as name, array_agg(rated.vulnerability_id) as ids
        from rated where rated.component_name in (select name from page)
        group by rated.component_name
      ) as chosen
      join workspace_packages as owned
        on owned.workspace_id = ${workspaceId} and owned.component_name = chosen.name and owned.version_count > 0
      ${filter.named?.isRunning ? sql`where owned.device_magnitude > 0` : sql``}
      offset 0
    ) as held
    where exists (
      select from (select unnest(held.ids) as id) as rated
      cross join lateral (
        select * from workspace_matches as each
        where each.workspace_id = ${workspaceId} and each.vulnerability_id = rated.id
          and each.package_id = held.package_id offset 0
      ) as match
      where true ${ofMatch(query)} offset 0)
    group by held.name`
}

/** Conditions on `match`, a row of `workspace_matches`. Those on its vulnerability, and how overdue it is, are left out. */
function ofMatch({ workspaceId, filter, moment }: Query): RawBuilder<unknown> {
  const { detectedSince, named } = filter
  const states = statesMeant(filter)
  const conditions = [
    states && sql`match.states & ${states} <> 0`,
    detectedSince !== undefined &&
      sql`match.detected_at >= ${parseInstant(detectedSince, SINCE)}::timestamptz`,
  ].filter((one) => one !== undefined && one !== false)
  const ofIds = { ...(named && !named.isRunning && { named }) }
  return sql`${and(conditions)} ${matchConditions({ workspaceId, moment, filter: ofIds })}`
}
