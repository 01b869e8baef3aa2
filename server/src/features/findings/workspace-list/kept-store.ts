/**
 * What a workspace keeps beside the facts, so that its lists need not read them: packages, vulnerabilities and matches of
 * all its versions as they are now. It changes in the transactions that change facts and matches (docs/design/findings.md).
 */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../platform/db/connect.ts'
import type { ChangedMatch } from '../../matching/index.ts'
import type { ChangedMatches } from '../counters-store.ts'
import type { HeldChanges } from '../store.ts'
import {
  addingFindings,
  addingToComponents,
  countFindingsOfPackages,
  deleteDecisions,
  leaveComponents,
  leaveGoneComponents,
  type LostOfComponent,
  rateInComponents,
  readComponentsAgain,
  readDecisions,
  renameInComponents,
  SEVERITY_RANK,
} from './kept-sums-store.ts'
import { moveStates, refreshStates, statesOfMatch } from './states-store.ts'

/**
 * Makes all others wait who would change what the workspaces keep. It is locked after firmware versions and packages, and
 * before counters.
 */
export async function lockKeptOf(tx: Tx, workspaceId: string): Promise<void> {
  await sql`
    insert into workspace_kept_locks as held (workspace_id) values (${workspaceId})
    on conflict (workspace_id) do update set workspace_id = held.workspace_id`.execute(tx)
}

/**
 * After packages of versions of the workspace changed, and decisions followed; the packages are shared. `counts` is what
 * `countHeldVersions` gave.
 */
export async function keepHeldPackages(
  tx: Tx,
  held: HeldChanges,
  counts: readonly HeldCount[],
): Promise<void> {
  if (held.changes.length === 0) return
  const { workspaceId } = held
  const { moved, renamed } = await updateFirstHeld(tx, held)
  await countFindingsOfPackages(tx, held)
  const before = new Map(held.changes.map(({ packageId, amount }) => [packageId, amount]))
  const begun = counts.filter(
    ({ packageId, count }) => count > 0 && before.get(packageId) === count,
  )
  const ended = counts.filter(({ packageId, count }) => count === 0 && before.get(packageId) !== 0)
  const matchesOf = (packageIds: readonly string[]) => openMatches(workspaceId, packageIds, renamed)
  if (ended.length > 0) await deleteMatches(tx, workspaceId, matchesOf(idsOf(ended)))
  const written = [...new Set([...idsOf(begun), ...moved])]
  if (written.length > 0) await writeMatches(tx, workspaceId, matchesOf(written))
  if (moved.length > 0) {
    await readFirstDetected(tx, workspaceId, matchesOf(moved))
    await readComponentsAgain(tx, workspaceId, matchesOf(moved))
  }
  const kept = counts.filter(
    ({ packageId, count }) =>
      count > 0 && before.get(packageId) !== 0 && before.get(packageId) !== count,
  )
  await renameInComponents(tx, workspaceId, renamed)
  if (kept.length > 0)
    await refreshStates(tx, workspaceId, decidedMatchesOf(workspaceId, idsOf(kept)))
}

/** Open matches with decisions. The findings of all others are without one, in however many versions. */
const decidedMatchesOf = (workspaceId: string, packageIds: readonly string[]) => sql`
  select distinct decided.vulnerability_id, decided.package_id
  from unnest(${packageIds}::uuid[]) as changed (package_id)
  cross join lateral (
    select * from workspace_decisions as each
    where each.workspace_id = ${workspaceId} and each.package_id = changed.package_id offset 0
  ) as decided`

interface HeldCount {
  packageId: string
  /** Firmware versions that hold the package now. */
  count: number
}

const idsOf = (rows: readonly { packageId: string }[]) => rows.map(({ packageId }) => packageId)

/**
 * Once packages of versions of the workspace changed, and before decisions follow. Locks the rows: what is read afterwards
 * includes the changes of others who held the locks.
 */
export async function countHeldVersions(
  tx: Tx,
  { workspaceId, changes }: HeldChanges,
): Promise<HeldCount[]> {
  if (changes.length === 0) return []
  const { rows } = await sql<HeldCount>`
    insert into workspace_packages as owned (workspace_id, package_id, version_count)
    select ${workspaceId}, package_id, amount
    from unnest(${idsOf(changes)}::uuid[], ${changes.map(({ amount }) => amount)}::int[]) as changed (package_id, amount)
    order by package_id
    on conflict (workspace_id, package_id) do update set version_count = owned.version_count + excluded.version_count
    returning package_id, version_count as count`.execute(tx)
  return rows
}

/**
 * Keeps since when the workspace holds each package, and how the newest version calls it. An end seldom moves the first
 * times, and only then all versions that hold the package are read. Returns packages whose matches may count as detected
 * later than before, and those that were called otherwise, with the old name.
 */
async function updateFirstHeld(tx: Tx, { workspaceId, at, changes }: HeldChanges) {
  const { rows } = await sql<{ packageId: string; isLater: boolean; called: string | null }>`
    with moved as (
      update workspace_packages as owned
      set component_name = now.component_name, component_version = now.component_version,
        held_since = now.held_since, open_since = now.open_since
      from (
        select changed.package_id, changed.ended_since, known.component_name as called, newest.component_name,
          newest.component_version,
          case when earliest.is_moved then earliest.held_since
            when changed.amount > 0 then least(known.held_since, ${at}) else known.held_since end as held_since,
          case when earliest.is_moved then earliest.open_since
            when changed.amount > 0 then least(known.open_since, ${at}) else known.open_since end as open_since
        from unnest(${idsOf(changes)}::uuid[], ${changes.map(({ amount }) => amount)}::int[],
          ${changes.map(({ endedSince }) => endedSince?.toISOString() ?? null)}::timestamptz[])
          as changed (package_id, amount, ended_since)
        join workspace_packages as known
          on known.workspace_id = ${workspaceId} and known.package_id = changed.package_id
        left join lateral (
          select fact.component_name, fact.component_version
          from firmware_version_packages as fact
          where fact.workspace_id = ${workspaceId} and fact.package_id = changed.package_id and fact.until is null
          order by fact.firmware_version_id desc limit 1
        ) as newest on true
        left join lateral (
          select true as is_moved, min(fact.since) filter (where fact.until is null or fact.until > fact.since) as held_since,
            min(fact.since) filter (where fact.until is null) as open_since
          from firmware_version_packages as fact
          where fact.workspace_id = ${workspaceId} and fact.package_id = changed.package_id
          having changed.ended_since <= coalesce(known.open_since, known.held_since)
        ) as earliest on true
      ) as now
      where owned.workspace_id = ${workspaceId} and owned.package_id = now.package_id
      returning owned.package_id, owned.version_count > 0 and owned.open_since > now.ended_since as is_later,
        case when now.called <> coalesce(now.component_name, '') then now.called end as called
    )
    select * from moved where is_later or called is not null order by package_id`.execute(tx)
  const renamed = rows.flatMap(({ packageId, called }) =>
    called === null ? [] : [{ packageId, called }],
  )
  return { moved: idsOf(rows.filter(({ isLater }) => isLater)), renamed }
}

/** After matches began or ended; the packages are locked exclusively. */
export async function keepChangedMatches(
  tx: Tx,
  { workspaceId, changes }: ChangedMatches,
): Promise<void> {
  const matchesOf = (some: readonly ChangedMatch[]) => heldMatches(workspaceId, some)
  const begun = changes.filter(({ oldConfidence }) => oldConfidence === null)
  const ended = changes.filter(({ newConfidence }) => newConfidence === null)
  const rerated = changes.filter(
    ({ oldConfidence, newConfidence }) => oldConfidence !== null && newConfidence !== null,
  )
  const movedOf = (some: readonly ChangedMatch[], sign: number) => sql`
    select match.vulnerability_id, ${sign}::int * match.version_count as amount, match.severity, match.score,
      match.is_exploited
    from (${matchesOf(some)}) as match`
  await addingFindings(
    workspaceId,
    sql`${movedOf(begun, 1)} union all ${movedOf(ended, -1)} union all ${movedOf(rerated, 0)}`,
  ).execute(tx)
  await deleteDecisions(tx, workspaceId, matchesOf([...begun, ...ended]))
  if (ended.length > 0) await deleteMatches(tx, workspaceId, matchesOf(ended))
  if (rerated.length > 0) await rateInComponents(tx, workspaceId, matchesOf(rerated))
  const doubted = rerated.filter(
    ({ oldConfidence, newConfidence }) => oldConfidence !== newConfidence,
  )
  if (doubted.length > 0) await refreshStates(tx, workspaceId, matchesOf(doubted))
  if (begun.length === 0) return
  await readDecisions(tx, workspaceId, matchesOf(begun))
  await writeMatches(tx, workspaceId, matchesOf(begun))
}

type Renamed = Pick<LostOfComponent, 'called'> & { packageId: string }

/**
 * `match`: the open matches of packages of the workspace, with what the workspace keeps of the package. `called`: the
 * component that the package belonged to until now, if it did.
 */
const openMatches = (
  workspaceId: string,
  packageIds: readonly string[],
  renamed: readonly Renamed[],
) => sql`
  select held.*, coalesce(named.called, held.component_name) as called, match.*
  from workspace_packages as held
  left join unnest(${idsOf(renamed)}::uuid[], ${renamed.map(({ called }) => called)}::text[])
    as named (named_id, called) on named.named_id = held.package_id
  cross join lateral (
    select each.vulnerability_id, each.since, each.confidence, each.severity, each.is_exploited
    from package_matches as each
    where each.package_id = held.package_id and each.until is null offset 0
  ) as match
  where held.workspace_id = ${workspaceId} and held.package_id = any(${packageIds}::uuid[])`

/** The same for matches of packages that the workspace holds. */
const heldMatches = (workspaceId: string, changes: readonly ChangedMatch[]) => sql`
  select held.*, held.component_name as called, changed.vulnerability_id, match.since, match.confidence, match.severity,
    match.score, match.is_exploited
  from unnest(${idsOf(changes)}::uuid[], ${changes.map((one) => one.vulnerabilityId)}::text[])
    as changed (package_id, vulnerability_id)
  cross join lateral (
    select holding.* from workspace_packages as holding
    where holding.workspace_id = ${workspaceId} and holding.package_id = changed.package_id
      and holding.version_count > 0 offset 0
  ) as held
  left join lateral (
    select * from package_matches as each
    where each.package_id = changed.package_id and each.vulnerability_id = changed.vulnerability_id
      and each.until is null limit 1
  ) as match on true`

/** The first instant at which a version held the package while it matched. */
export const detectedAtOf = (workspaceId: RawBuilder<unknown>, inScope = sql``) => sql`(case
  when first_seen.since <= held.held_since and held.held_since < coalesce(first_seen.until, 'infinity')
    then held.held_since
  when first_seen.until is null and first_seen.since >= held.open_since then first_seen.since
  else (
    select min(greatest(fact.since, seen.since))
    from firmware_version_packages as fact
    join package_matches as seen on seen.package_id = fact.package_id
    where fact.workspace_id = ${workspaceId} and fact.package_id = match.package_id
      and seen.vulnerability_id = match.vulnerability_id ${inScope}
      and greatest(fact.since, seen.since)
        < least(coalesce(fact.until, 'infinity'), coalesce(seen.until, 'infinity'))) end)`

/**
 * Writes when matches were detected first, and the states of those that are new. A vulnerability is detected with the first
 * of its matches. Three statements, as Citus takes no insert that reads tables within another one.
 */
async function writeMatches(
  tx: Tx,
  workspaceId: string,
  matches: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    insert into workspace_matches as kept (workspace_id, vulnerability_id, package_id, detected_at, states)
    select ${workspaceId}::uuid, match.vulnerability_id, match.package_id, ${detectedAtOf(sql`${workspaceId}::uuid`)},
      ${statesOfMatch(workspaceId)}
    from (${matches}) as match
    left join lateral (
      select seen.since, seen.until from package_matches as seen
      where seen.package_id = match.package_id and seen.vulnerability_id = match.vulnerability_id
        and seen.until > seen.since
      order by seen.since limit 1
    ) as ended on true
    cross join lateral (
      select coalesce(ended.since, match.since) as since, ended.until
    ) as first_seen
    cross join lateral (select match.version_count, match.held_since, match.open_since) as held
    order by match.vulnerability_id, match.package_id
    on conflict (workspace_id, vulnerability_id, package_id) do update set detected_at = excluded.detected_at
      where kept.detected_at <> excluded.detected_at`.execute(tx)
  const written = sql`
    select match.vulnerability_id, match.called, match.device_magnitude, ${SEVERITY_RANK} as severity_rank,
      match.is_exploited, kept.detected_at, kept.states
    from (${matches}) as match
    cross join lateral (
      select each.detected_at, each.states from workspace_matches as each
      where each.workspace_id = ${workspaceId} and each.vulnerability_id = match.vulnerability_id
        and each.package_id = match.package_id limit 1
    ) as kept`
  await addingToComponents(workspaceId, written).execute(tx)
  await sql`
    update workspace_vulnerabilities as counted
    set detected_at = least(counted.detected_at, first.detected_at), states = counted.states | first.states,
      device_magnitude = greatest(counted.device_magnitude, first.device_magnitude)
    from (
      select vulnerability_id, min(detected_at) as detected_at, bit_or(states) as states,
        max(device_magnitude) as device_magnitude
      from (${written}) as each group by vulnerability_id
    ) as first
    where counted.workspace_id = ${workspaceId} and counted.vulnerability_id = first.vulnerability_id
      and (counted.detected_at is null or counted.detected_at > first.detected_at
        or counted.device_magnitude < first.device_magnitude
        or counted.states | first.states <> counted.states)`.execute(tx)
}

/** Deletes the rows of matches, and reads again what their vulnerabilities and components have of them. */
async function deleteMatches(
  tx: Tx,
  workspaceId: string,
  matches: RawBuilder<unknown>,
): Promise<void> {
  const { rows } = await sql<LostOfComponent & { isFirst: boolean }>`
    with gone as (
      delete from workspace_matches as kept using (${matches}) as held
      where kept.workspace_id = ${workspaceId} and kept.vulnerability_id = held.vulnerability_id
        and kept.package_id = held.package_id
      returning kept.vulnerability_id, kept.detected_at, kept.states, held.called, held.device_magnitude
    )
    select gone.vulnerability_id, gone.called, bit_or(gone.states)::text as lost,
      min(gone.detected_at) as first_detected_at, max(gone.detected_at) as last_detected_at,
      max(gone.device_magnitude) as device_magnitude, bool_or(gone.detected_at <= counted.detected_at
        or gone.device_magnitude > 0 and gone.device_magnitude >= counted.device_magnitude) as is_first
    from gone
    join workspace_vulnerabilities as counted
      on counted.workspace_id = ${workspaceId} and counted.vulnerability_id = gone.vulnerability_id
    group by gone.vulnerability_id, gone.called`.execute(tx)
  await moveStates(
    tx,
    workspaceId,
    rows.map((one) => ({ ...one, gained: '0' })),
  )
  await leaveComponents(tx, workspaceId, await leaveGoneComponents(tx, workspaceId, rows))
  const first = rows.filter(({ isFirst }) => isFirst)
  const ids = first.map(({ vulnerabilityId }) => vulnerabilityId)
  if (first.length > 0)
    await readFirstDetected(tx, workspaceId, sql`select unnest(${ids}::text[]) as vulnerability_id`)
}

/** Reads also how many devices run the packages. The rows of the vulnerabilities are locked. */
async function readFirstDetected(
  tx: Tx,
  workspaceId: string,
  vulnerabilities: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    update workspace_vulnerabilities as counted
    set detected_at = first.detected_at, device_magnitude = first.device_magnitude
    from (
      select each.vulnerability_id, now.*
      from (select distinct vulnerability_id from (${vulnerabilities}) as each) as each
      cross join lateral (
        select min(kept.detected_at) as detected_at, coalesce(max(held.device_magnitude), 0) as device_magnitude
        from workspace_matches as kept
        join workspace_packages as held on held.workspace_id = kept.workspace_id and held.package_id = kept.package_id
        where kept.workspace_id = ${workspaceId} and kept.vulnerability_id = each.vulnerability_id
      ) as now
    ) as first
    where counted.workspace_id = ${workspaceId} and counted.vulnerability_id = first.vulnerability_id
      and (counted.detected_at is distinct from first.detected_at
        or counted.device_magnitude <> first.device_magnitude)`.execute(tx)
}
