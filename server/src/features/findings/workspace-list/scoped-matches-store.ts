/** The matches of some firmware versions of a workspace, from facts: what is kept of the workspace is of all its versions. */
import { type RawBuilder, sql } from 'kysely'
import { type FilterScope, isInVersions, isOfAllVersions } from './filter-store.ts'
import { detectedAtOf } from './kept-store.ts'
import { DECISION_BIT, computeShift } from './states-store.ts'

export interface ListScope extends FilterScope {
  /**
   * By package, how many digits the number of devices has that run it in the versions asked for. Of all versions the workspace
   * keeps them.
   */
  magnitudes?: ReadonlyMap<string, number>
}

/** Since when packages are held, as columns of facts grouped by package. */
export const heldTimes = sql`(count(*) filter (where fact.until is null))::int as version_count,
  min(fact.since) filter (where fact.until is null or fact.until > fact.since) as held_since,
  min(fact.since) filter (where fact.until is null) as open_since`

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

/** `with scoped_matches`: the columns of `workspace_matches` and those of its package; nothing for all versions. */
export function selectScopedMatches(scope: ListScope): RawBuilder<unknown> {
  if (isOfAllVersions(scope)) return sql``
  const { workspaceId, magnitudes = new Map<string, number>() } = scope
  return sql`
  with held as materialized (
    select fact.package_id, ${heldTimes},
      (array_agg(fact.component_name order by fact.firmware_version_id desc) filter (where fact.until is null))[1] as component_name,
      (array_agg(fact.component_version order by fact.firmware_version_id desc) filter (where fact.until is null))[1] as component_version
    from firmware_version_packages as fact
    where fact.workspace_id = ${workspaceId} and ${isInVersions('fact', scope)}
    group by fact.package_id having bool_or(fact.until is null)
  ), decided as materialized (
    select decided.package_id, decided.vulnerability_id, bit_or(${DECISION_BIT}) as bits, count(*) as findings
    from finding_decisions as decided
    join firmware_version_packages as fact on fact.workspace_id = ${workspaceId}
      and fact.firmware_version_id = decided.firmware_version_id and fact.package_id = decided.package_id and fact.until is null
    where decided.workspace_id = ${workspaceId} and ${isInVersions('fact', scope)}
    group by decided.package_id, decided.vulnerability_id
  ), scoped_matches as materialized (
    select match.package_id, match.vulnerability_id, match.severity_rank, match.is_exploited, held.version_count,
      held.component_name, held.component_version, match.component_name as kept_name,
      coalesce(running.magnitude, 0) as device_magnitude, ${computeDetectedAt(scope)} as detected_at,
      (coalesce(decided.bits, 0) | (held.version_count > coalesce(decided.findings, 0))::int::bigint)
        << ${computeShift(sql`match.states`)} as states
    from held
    cross join lateral (
      select * from workspace_matches as one
      where one.workspace_id = ${workspaceId} and one.package_id = held.package_id offset 0
    ) as match ${firstSeen}
    left join decided on decided.package_id = match.package_id and decided.vulnerability_id = match.vulnerability_id
    left join unnest(${[...magnitudes.keys()]}::uuid[], ${[...magnitudes.values()]}::int[])
      as running (package_id, magnitude) on running.package_id = match.package_id
  )`
}
