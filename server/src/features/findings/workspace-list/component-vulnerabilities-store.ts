/**
 * What a workspace keeps of each vulnerability of each component (`workspace_component_vulnerabilities`): what its matches have
 * together. A component is what packages of one name are. Lists by vulnerability and by component group these rows, and the list
 * of findings finds its matches by them: a kernel in a hundred versions has as few of them as one.
 */
import { type RawBuilder, sql } from 'kysely'
import { severityRankSql } from '../../../formats/advisories/severity.ts'
import type { Tx } from '../../../platform/db/connect.ts'

/** 1 for Unknown to 6 for Critical, of `match`. */
export const SEVERITY_RANK = sql.raw(severityRankSql('match.severity'))

/** Of packages that other numbers of versions hold than before. */
export async function countFindings(
  tx: Tx,
  workspaceId: string,
  changes: readonly { packageId: string; amount: number }[],
): Promise<void> {
  if (changes.length === 0) return
  await sql`
    update workspace_component_vulnerabilities as pair set finding_count = pair.finding_count + moved.amount
    from (
      select kept.component_name, kept.vulnerability_id, sum(changed.amount)::int as amount
      from unnest(${changes.map((one) => one.packageId)}::uuid[], ${changes.map((one) => one.amount)}::int[])
        as changed (package_id, amount)
      cross join lateral (
        select one.component_name, one.vulnerability_id from workspace_matches as one
        where one.workspace_id = ${workspaceId} and one.package_id = changed.package_id offset 0
      ) as kept
      group by kept.component_name, kept.vulnerability_id
    ) as moved
    where pair.workspace_id = ${workspaceId} and pair.component_name = moved.component_name
      and pair.vulnerability_id = moved.vulnerability_id`.execute(tx)
}

/** After the vulnerabilities of `matches (vulnerability_id, package_id, severity, score, is_exploited)` are rated anew. */
export async function rateMatches(
  tx: Tx,
  workspaceId: string,
  matches: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    with rated as (
      update workspace_matches as kept set severity_rank = ${SEVERITY_RANK}, is_exploited = match.is_exploited
      from (${matches}) as match
      where kept.workspace_id = ${workspaceId} and kept.vulnerability_id = match.vulnerability_id
        and kept.package_id = match.package_id
      returning kept.component_name, kept.vulnerability_id, kept.severity_rank, match.score, kept.is_exploited
    )
    update workspace_component_vulnerabilities as pair
    set severity_rank = now.severity_rank, score = now.score, is_exploited = now.is_exploited
    from (
      select component_name, vulnerability_id, max(severity_rank) as severity_rank, max(score) as score,
        bool_or(is_exploited) as is_exploited
      from rated group by component_name, vulnerability_id
    ) as now
    where pair.workspace_id = ${workspaceId} and pair.component_name = now.component_name
      and pair.vulnerability_id = now.vulnerability_id`.execute(tx)
}

/** One vulnerability of a component. */
export interface ComponentVulnerability {
  componentName: string
  vulnerabilityId: string
}

/** What the matches `other` of a component have together. */
const TOGETHER = sql`min(other.detected_at) as first_detected_at, max(other.detected_at) as last_detected_at,
  bit_or(other.states) as states, max(other.device_magnitude) as device_magnitude`

/** Matches of the same vulnerability of the component as `pair`. */
const matchesLike = (workspaceId: string, pair: 'gone' | 'changed') => sql`
  from workspace_matches as other
  where other.workspace_id = ${workspaceId} and other.vulnerability_id = ${sql.raw(pair)}.vulnerability_id
    and other.component_name = ${sql.raw(pair)}.component_name`

/** After matches were detected at other times, got other states, or run on other devices: reads all that the components have of them. */
export async function readMatchesAgain(
  tx: Tx,
  workspaceId: string,
  changed: readonly ComponentVulnerability[],
): Promise<void> {
  if (changed.length === 0) return
  await sql`
    update workspace_component_vulnerabilities as pair
    set states = now.states, first_detected_at = now.first_detected_at, last_detected_at = now.last_detected_at,
      device_magnitude = now.device_magnitude
    from (
      select changed.*, found.*
      from unnest(${changed.map((one) => one.componentName)}::text[],
        ${changed.map((one) => one.vulnerabilityId)}::text[]) as changed (component_name, vulnerability_id)
      cross join lateral (select ${TOGETHER} ${matchesLike(workspaceId, 'changed')}) as found
    ) as now
    where pair.workspace_id = ${workspaceId} and pair.component_name = now.component_name
      and pair.vulnerability_id = now.vulnerability_id`.execute(tx)
}

/**
 * Deletes matches `kept` that meet the condition: of `held`, which says in how many versions each was. A component whose
 * findings are all gone loses the vulnerability without a look at other matches. Else these most often have the same states, and
 * were detected before and after; only where they may not, all of them are read. One statement does all, so that no row of the
 * many goes to this process and back.
 */
export async function deleteMatches(
  tx: Tx,
  workspaceId: string,
  { held, isMeant }: { held: RawBuilder<unknown>; isMeant: RawBuilder<unknown> },
): Promise<void> {
  // The statement still sees the rows that it deletes.
  const others = sql`${matchesLike(workspaceId, 'gone')} and other.package_id <> all(gone.package_ids)`
  await sql`
    with deleted as (
      delete from workspace_matches as kept using (${held}) as held
      where kept.workspace_id = ${workspaceId} and ${isMeant}
      returning kept.*, held.version_count
    ), gone as (
      select component_name, vulnerability_id, array_agg(package_id) as package_ids, bit_or(states) as states,
        min(detected_at) as first_at, max(detected_at) as last_at, max(device_magnitude) as magnitude,
        sum(version_count)::int as finding_count
      from deleted group by component_name, vulnerability_id
    ), now as materialized (
      select gone.component_name, gone.vulnerability_id, pair.finding_count - gone.finding_count as finding_count, found.*
      from gone
      cross join lateral (
        select * from workspace_component_vulnerabilities as one
        where one.workspace_id = ${workspaceId} and one.component_name = gone.component_name
          and one.vulnerability_id = gone.vulnerability_id limit 1
      ) as pair
      cross join lateral (
        select pair.finding_count > gone.finding_count and (
          gone.first_at <= pair.first_detected_at or gone.last_at >= pair.last_detected_at
          or (gone.magnitude > 0 and gone.magnitude >= pair.device_magnitude)
          or not exists (select ${others} and other.states & gone.states = gone.states)) as is_read
        offset 0
      ) as changed
      cross join lateral (
        select ${TOGETHER} from (select other.* ${others} and changed.is_read) as other
      ) as found
    ), emptied as (
      delete from workspace_component_vulnerabilities as pair using now
      where pair.workspace_id = ${workspaceId} and pair.component_name = now.component_name
        and pair.vulnerability_id = now.vulnerability_id and now.finding_count = 0
    )
    update workspace_component_vulnerabilities as pair
    set finding_count = now.finding_count, states = coalesce(now.states, pair.states),
      first_detected_at = coalesce(now.first_detected_at, pair.first_detected_at),
      last_detected_at = coalesce(now.last_detected_at, pair.last_detected_at),
      device_magnitude = coalesce(now.device_magnitude, pair.device_magnitude)
    from now
    where pair.workspace_id = ${workspaceId} and pair.component_name = now.component_name
      and pair.vulnerability_id = now.vulnerability_id and now.finding_count > 0`.execute(tx)
}
