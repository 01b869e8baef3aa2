/**
 * What a workspace keeps in sums, beside its matches: how many findings each vulnerability has, how many findings of each
 * match are decided how, and the vulnerabilities of each component. A component is what packages of one name are, in
 * whatever versions; the list by component groups these rows.
 */
import { type RawBuilder, sql } from 'kysely'
import { SEVERITIES } from '../../../formats/advisories/model.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import type { HeldChanges } from '../store.ts'

/** 1 for Unknown to 6 for Critical, of `match`. Exactly as in the index over all matches. */
export const SEVERITY_RANK = sql.raw(
  `array_position('{${SEVERITIES.toReversed().join(',')}}'::text[], match.severity)`,
)

/**
 * Adds the amounts in `moved (vulnerability_id, amount, severity, score, is_exploited)` to the numbers of findings, in key
 * order, and keeps how the vulnerabilities are rated now; without a severity they stay as they are. The
 * `offset` of the look-ups in `moved` keeps the planner from reading the matches or packages of all workspaces. An amount
 * of 0 locks the row too, whose time may change afterwards.
 */
export const addingFindings = (workspaceId: string, moved: RawBuilder<unknown>) => sql`
  insert into workspace_vulnerabilities as counted
    (workspace_id, vulnerability_id, finding_count, severity, score, is_exploited)
  select ${workspaceId}::uuid, vulnerability_id, sum(amount)::int, min(severity), min(score),
    coalesce(bool_or(is_exploited), false)
  from (${moved}) as moved
  group by vulnerability_id
  order by vulnerability_id
  on conflict (workspace_id, vulnerability_id) do update
    set finding_count = counted.finding_count + excluded.finding_count,
      severity = coalesce(excluded.severity, counted.severity),
      score = case when excluded.severity is null then counted.score else excluded.score end,
      is_exploited = case when excluded.severity is null then counted.is_exploited else excluded.is_exploited end`

export async function countFindingsOfPackages(
  tx: Tx,
  { workspaceId, changes }: HeldChanges,
): Promise<void> {
  const moved = changes.filter(({ amount, endedSince }) => amount !== 0 || endedSince !== null)
  if (moved.length === 0) return
  await addingFindings(
    workspaceId,
    sql`
    select match.vulnerability_id, changed.amount, match.severity, match.score,
      match.is_exploited
    from unnest(${moved.map(({ packageId }) => packageId)}::uuid[], ${moved.map(({ amount }) => amount)}::int[]) as changed (package_id, amount)
    cross join lateral (
      select each.vulnerability_id, each.severity, each.score, each.is_exploited from package_matches as each
      where each.package_id = changed.package_id and each.until is null offset 0
    ) as match`,
  ).execute(tx)
}

/** Adds findings to those with a decision, of `(vulnerability_id, package_id, assessment, ignored, amount)`. */
export const addingDecisions = (workspaceId: string, moved: RawBuilder<unknown>) => sql`
  insert into workspace_decisions as kept
    (workspace_id, vulnerability_id, package_id, assessment, ignored, finding_count)
  select ${workspaceId}::uuid, vulnerability_id, package_id, assessment, ignored, sum(amount)::int
  from (${moved}) as moved
  group by package_id, vulnerability_id, assessment, ignored having sum(amount) <> 0
  order by package_id, vulnerability_id, assessment, ignored
  on conflict (workspace_id, package_id, vulnerability_id, assessment, ignored) do update
    set finding_count = kept.finding_count + excluded.finding_count`

const IS_OPEN = sql`exists (
  select from package_matches as match
  where match.package_id = decision.package_id and match.vulnerability_id = decision.vulnerability_id
    and match.until is null)`

/** After packages of one version began or ended, and before findings that begin take up decisions. */
export async function keepDecisionsOfVersion(
  tx: Tx,
  { workspaceId, firmwareVersionId, changes }: HeldChanges & { firmwareVersionId: string },
): Promise<void> {
  const moved = changes.filter(({ amount }) => amount !== 0)
  if (moved.length === 0) return
  await addingDecisions(
    workspaceId,
    sql`
    select decision.*
    from unnest(${moved.map(({ packageId }) => packageId)}::uuid[], ${moved.map(({ amount }) => amount)}::int[]) as changed (package_id, amount)
    cross join lateral (
      select each.vulnerability_id, each.package_id, each.assessment, each.ignored, changed.amount
      from finding_decisions as each
      where each.workspace_id = ${workspaceId} and each.firmware_version_id = ${firmwareVersionId}
        and each.package_id = changed.package_id offset 0
    ) as decision
    where ${IS_OPEN}`,
  ).execute(tx)
}

/** Before the versions are deleted with what they hold. */
export async function dropDecisionsOfVersions(
  tx: Tx,
  {
    workspaceId,
    firmwareVersionIds,
  }: { workspaceId: string; firmwareVersionIds: readonly string[] },
): Promise<void> {
  await addingDecisions(
    workspaceId,
    sql`
    select decision.vulnerability_id, decision.package_id, decision.assessment, decision.ignored, -1 as amount
    from finding_decisions as decision
    join firmware_version_packages as fact on fact.workspace_id = decision.workspace_id
      and fact.firmware_version_id = decision.firmware_version_id and fact.package_id = decision.package_id
    where decision.workspace_id = ${workspaceId} and decision.firmware_version_id = any(${firmwareVersionIds}::uuid[])
      and fact.until is null and ${IS_OPEN}`,
  ).execute(tx)
}

/** Of matches that begin or end. */
export async function deleteDecisions(
  tx: Tx,
  workspaceId: string,
  matches: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    delete from workspace_decisions as kept using (${matches}) as held
    where kept.workspace_id = ${workspaceId} and kept.vulnerability_id = held.vulnerability_id
      and kept.package_id = held.package_id`.execute(tx)
}

/** Counts all decisions about the matches: those from before, and those that were taken up. */
export async function readDecisions(
  tx: Tx,
  workspaceId: string,
  matches: RawBuilder<unknown>,
): Promise<void> {
  await addingDecisions(
    workspaceId,
    sql`
    select decision.vulnerability_id, decision.package_id, decision.assessment, decision.ignored, 1 as amount
    from (${matches}) as held
    cross join lateral (
      select each.* from finding_decisions as each
      where each.package_id = held.package_id and each.vulnerability_id = held.vulnerability_id
        and each.workspace_id = ${workspaceId} offset 0
    ) as decision
    cross join lateral (
      select from firmware_version_packages as each
      where each.workspace_id = ${workspaceId} and each.firmware_version_id = decision.firmware_version_id
        and each.package_id = decision.package_id and each.until is null offset 0
    ) as fact`,
  ).execute(tx)
}

/**
 * Adds rows of `added (called, vulnerability_id, detected_at, states, severity_rank, is_exploited,
 * device_magnitude)`, one for each match. `called` is the component; null: no version holds the package.
 */
export const addingToComponents = (workspaceId: string, added: RawBuilder<unknown>) => sql`
  insert into workspace_component_vulnerabilities as kept (workspace_id, component_name, vulnerability_id,
    first_detected_at, last_detected_at, states, severity_rank, is_exploited, device_magnitude)
  select ${workspaceId}::uuid, called, vulnerability_id, min(detected_at), max(detected_at), bit_or(states), max(severity_rank),
    bool_or(is_exploited), max(device_magnitude)
  from (${added}) as added where called is not null
  group by called, vulnerability_id order by called, vulnerability_id
  on conflict (workspace_id, component_name, vulnerability_id) do update
    set first_detected_at = least(kept.first_detected_at, excluded.first_detected_at),
      last_detected_at = greatest(kept.last_detected_at, excluded.last_detected_at),
      states = kept.states | excluded.states, severity_rank = excluded.severity_rank,
      is_exploited = excluded.is_exploited,
      device_magnitude = greatest(kept.device_magnitude, excluded.device_magnitude)`

/** After the vulnerabilities of `matches` are rated anew. */
export async function rateInComponents(
  tx: Tx,
  workspaceId: string,
  matches: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    update workspace_component_vulnerabilities as kept
    set severity_rank = rated.severity_rank, is_exploited = rated.is_exploited
    from (
      select called, vulnerability_id, max(${SEVERITY_RANK}) as severity_rank, bool_or(is_exploited) as is_exploited
      from (${matches}) as match group by called, vulnerability_id
    ) as rated
    where kept.workspace_id = ${workspaceId} and kept.component_name = rated.called
      and kept.vulnerability_id = rated.vulnerability_id
      and (kept.severity_rank, kept.is_exploited) is distinct from (rated.severity_rank, rated.is_exploited)`.execute(
    tx,
  )
}

/** `held`: looked up for each match, as there is no index by the name of the component. */
const packageOf = (workspaceId: string, match: RawBuilder<unknown>) => sql`
  cross join lateral (
    select * from workspace_packages as one
    where one.workspace_id = ${workspaceId} and one.package_id = ${match}.package_id limit 1
  ) as held`

export interface LostOfComponent {
  vulnerabilityId: string
  called: string
  /** Bits, as a text. */
  lost: string
  /** Of matches that are gone. */
  firstDetectedAt: Date | null
  lastDetectedAt: Date | null
  /** The most of them; 0: no device runs their packages, or none is gone. */
  deviceMagnitude: number
}

/** Of these components, those that no version holds any more lose their rows at once. Returns the others. */
export async function leaveGoneComponents(
  tx: Tx,
  workspaceId: string,
  all: readonly LostOfComponent[],
): Promise<LostOfComponent[]> {
  const names = [...new Set(all.map(({ called }) => called))]
  const { rows } = await sql<{ name: string }>`
    select distinct component_name as name from workspace_packages
    where workspace_id = ${workspaceId} and component_name = any(${names}::text[]) and version_count > 0`.execute(
    tx,
  )
  const held = new Set(rows.map(({ name }) => name))
  const gone = names.filter((name) => !held.has(name))
  if (gone.length > 0)
    await sql`
      delete from workspace_component_vulnerabilities
      where workspace_id = ${workspaceId} and component_name = any(${gone}::text[])`.execute(tx)
  return all.filter(({ called }) => held.has(called))
}

/**
 * After matches lost bits, or are gone: `all` as they were. Most often others of the component have the same, so that
 * its row stays. The others are read again.
 */
export async function leaveComponents(
  tx: Tx,
  workspaceId: string,
  all: readonly LostOfComponent[],
): Promise<void> {
  if (all.length === 0) return
  const other = (condition: RawBuilder<unknown>) => sql`exists (
    select from workspace_matches as other
    ${packageOf(workspaceId, sql`other`)}
    where other.workspace_id = ${workspaceId} and other.vulnerability_id = left_over.vulnerability_id
      and held.component_name = left_over.called and ${condition} offset 0)`
  await readComponentsAgain(
    tx,
    workspaceId,
    sql`
    select called, vulnerability_id
    from unnest(${all.map((one) => one.called)}::text[],
      ${all.map((one) => one.vulnerabilityId)}::text[], ${all.map((one) => one.lost)}::bigint[],
      ${all.map((one) => one.firstDetectedAt?.toISOString() ?? null)}::timestamptz[],
      ${all.map((one) => one.lastDetectedAt?.toISOString() ?? null)}::timestamptz[],
      ${all.map((one) => one.deviceMagnitude)}::smallint[])
      as left_over (called, vulnerability_id, lost, first_at, last_at, magnitude)
    where not (${other(sql`other.states & left_over.lost = left_over.lost`)}
      and (left_over.first_at is null or ${other(sql`other.detected_at <= left_over.first_at`)})
      and (left_over.last_at is null or ${other(sql`other.detected_at >= left_over.last_at`)})
      and (left_over.magnitude = 0 or ${other(sql`held.device_magnitude >= left_over.magnitude`)}))`,
  )
}

/** Of `touched (called, vulnerability_id)`. Matches and packages are as they will be. */
export async function readComponentsAgain(
  tx: Tx,
  workspaceId: string,
  touched: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    with now as materialized (
      select touched.*, found.*
      from (select distinct called, vulnerability_id from (${touched}) as each) as touched
      cross join lateral (
        select min(match.detected_at) as first_detected_at, max(match.detected_at) as last_detected_at,
          bit_or(match.states) as states, coalesce(max(held.device_magnitude), 0) as device_magnitude
        from workspace_matches as match
        ${packageOf(workspaceId, sql`match`)}
        where match.workspace_id = ${workspaceId} and match.vulnerability_id = touched.vulnerability_id
          and held.component_name = touched.called
      ) as found
    ), gone as (
      delete from workspace_component_vulnerabilities as kept using now
      where kept.workspace_id = ${workspaceId} and kept.component_name = now.called
        and kept.vulnerability_id = now.vulnerability_id and now.states is null
    )
    update workspace_component_vulnerabilities as kept
    set first_detected_at = now.first_detected_at, last_detected_at = now.last_detected_at, states = now.states,
      device_magnitude = now.device_magnitude
    from now
    where kept.workspace_id = ${workspaceId} and kept.component_name = now.called
      and kept.vulnerability_id = now.vulnerability_id and now.states is not null
      and (kept.first_detected_at, kept.last_detected_at, kept.states, kept.device_magnitude)
        is distinct from (now.first_detected_at, now.last_detected_at, now.states, now.device_magnitude)`.execute(
    tx,
  )
}

/** After packages got another name. `called` is the old one; null: no version held the package. */
export async function renameInComponents(
  tx: Tx,
  workspaceId: string,
  renamed: readonly { packageId: string; called: string }[],
): Promise<void> {
  if (renamed.length === 0) return
  const matches = sql`
    select match.*, named.called, held.component_name, held.device_magnitude
    from unnest(${renamed.map((one) => one.packageId)}::uuid[], ${renamed.map((one) => one.called)}::text[])
      as named (package_id, called)
    join workspace_packages as held on held.workspace_id = ${workspaceId} and held.package_id = named.package_id
    cross join lateral (
      select each.* from workspace_matches as each
      where each.workspace_id = ${workspaceId} and each.package_id = named.package_id offset 0
    ) as match`
  await readComponentsAgain(
    tx,
    workspaceId,
    sql`select called, vulnerability_id from (${matches}) as match`,
  )
  await addingToComponents(
    workspaceId,
    sql`
    select kept.component_name as called, kept.vulnerability_id, kept.detected_at, kept.states,
      ${SEVERITY_RANK} as severity_rank, match.is_exploited, kept.device_magnitude
    from (${matches}) as kept
    cross join lateral (
      select * from package_matches as one
      where one.package_id = kept.package_id and one.vulnerability_id = kept.vulnerability_id and one.until is null
      limit 1
    ) as match`,
  ).execute(tx)
}
