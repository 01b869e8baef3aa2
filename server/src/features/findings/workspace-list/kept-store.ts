/**
 * What a workspace keeps beside the facts, so that its lists need not read them: packages and matches of all its versions as
 * they are now. It changes in the transactions that change facts and matches (docs/design/findings.md).
 */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../platform/db/connect.ts'
import type { ChangedMatch } from '../../matching/index.ts'
import type { ChangedMatches } from '../counters-store.ts'
import type { HeldChanges, HeldCount } from '../store.ts'
import {
  countFindings,
  deleteMatches,
  rateMatches,
  SEVERITY_RANK,
} from './component-vulnerabilities-store.ts'
import { deleteDecisions, deleteUncounted, readDecisions } from './states-store.ts'
import { refreshStates, statesOfMatch } from './states-store.ts'

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
  const changed = await updateFirstHeld(tx, held)
  const amounts = new Map(held.changes.map(({ packageId, amount }) => [packageId, amount]))
  const all = counts.map(({ packageId, count }) => {
    const amount = amounts.get(packageId) ?? 0
    const before = count - amount
    const stays = count > 0 && before > 0 && !changed.has(packageId)
    return { packageId, amount, count, before, stays }
  })
  const counted = all.filter(({ stays, amount }) => stays && amount !== 0)
  const gone = all.filter(({ stays, before }) => !stays && before > 0)
  const begun = all.filter(({ stays, count }) => !stays && count > 0)
  await countFindings(tx, workspaceId, counted)
  if (gone.length > 0) await deleteMatches(tx, workspaceId, matchesOfPackages(gone))
  if (begun.length > 0) await addMatches(tx, workspaceId, heldByPackage(workspaceId, begun))
  if (counted.length > 0)
    await refreshStates(tx, workspaceId, decidedMatchesOf(workspaceId, idsOf(counted)))
  await deleteUncounted(tx, workspaceId, {
    changed: idsOf(all.filter(({ amount }) => amount < 0)),
    unheld: idsOf(all.filter(({ count }) => count === 0)),
  })
}

/** All matches of packages that so many versions held before. */
const matchesOfPackages = (packages: readonly { packageId: string; before: number }[]) => ({
  held: sql`select * from unnest(${idsOf(packages)}::uuid[], ${packages.map(({ before }) => before)}::int[])
    as held (package_id, version_count)`,
  isMeant: sql`kept.package_id = held.package_id and kept.package_id = any(${idsOf(packages)}::uuid[])`,
})

/** Open matches with decisions. The findings of all others are without one, in however many versions. */
const decidedMatchesOf = (workspaceId: string, packageIds: readonly string[]) => sql`
  select distinct decided.vulnerability_id, decided.package_id
  from unnest(${packageIds}::uuid[]) as changed (package_id)
  cross join lateral (
    select * from workspace_decisions as each
    where each.workspace_id = ${workspaceId} and each.package_id = changed.package_id offset 0
  ) as decided`

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
 * times, and only then all versions that hold the package are read. Returns the packages whose matches are written anew: they may
 * count as detected later than before, or the package is called otherwise.
 */
async function updateFirstHeld(
  tx: Tx,
  { workspaceId, at, changes }: HeldChanges,
): Promise<Set<string>> {
  const { rows } = await sql<{ packageId: string }>`
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
        coalesce(now.called <> coalesce(now.component_name, ''), false) as is_renamed
    )
    select package_id from moved where is_later or is_renamed order by package_id`.execute(tx)
  return new Set(idsOf(rows))
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
  await deleteDecisions(tx, workspaceId, matchesOf([...begun, ...ended]))
  if (ended.length > 0) await deleteMatches(tx, workspaceId, eachOf(matchesOf(ended)))
  if (rerated.length > 0) await rateMatches(tx, workspaceId, matchesOf(rerated))
  const doubted = rerated.filter(
    ({ oldConfidence, newConfidence }) => oldConfidence !== newConfidence,
  )
  if (doubted.length > 0) await refreshStates(tx, workspaceId, matchesOf(doubted))
  if (begun.length === 0) return
  await readDecisions(tx, workspaceId, matchesOf(begun))
  await addMatches(tx, workspaceId, matchesOf(begun))
}

const eachOf = (held: RawBuilder<unknown>) => ({
  held,
  isMeant: sql`kept.vulnerability_id = held.vulnerability_id and kept.package_id = held.package_id`,
})

/** The open matches of packages, with what the workspace keeps of these. `count`: how many versions hold the package. */
const heldByPackage = (workspaceId: string, packages: readonly HeldCount[]) => sql`
  select held.*, changed.version_count, match.*
  from unnest(${idsOf(packages)}::uuid[], ${packages.map(({ count }) => count)}::int[])
    as changed (package_id, version_count)
  cross join lateral (
    select one.package_id, one.held_since, one.open_since, one.component_name, one.device_magnitude
    from workspace_packages as one
    where one.workspace_id = ${workspaceId} and one.package_id = changed.package_id offset 0
  ) as held
  cross join lateral (
    select each.vulnerability_id, each.since, each.confidence, each.severity, each.score, each.is_exploited
    from package_matches as each
    where each.package_id = changed.package_id and each.until is null offset 0
  ) as match`

/** The same for matches of packages that the workspace holds. */
const heldMatches = (workspaceId: string, changes: readonly ChangedMatch[]) => sql`
  select held.*, changed.vulnerability_id, match.since, match.confidence, match.severity, match.score, match.is_exploited
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
 * Writes new matches with all that lists need of them, and adds them to what their components have. Rows that are there already,
 * which only a fault can leave, are for `admin doctor`.
 */
async function addMatches(
  tx: Tx,
  workspaceId: string,
  matches: RawBuilder<unknown>,
): Promise<void> {
  await sql`
    with added as materialized (
      select match.component_name, match.vulnerability_id, match.package_id, match.score, match.version_count, match.is_exploited,
        match.device_magnitude, ${SEVERITY_RANK} as severity_rank, ${statesOfMatch(workspaceId)} as states,
        ${detectedAtOf(sql`${workspaceId}::uuid`)} as detected_at
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
    ), written as (
      insert into workspace_matches (workspace_id, vulnerability_id, package_id, detected_at, states, component_name,
        severity_rank, is_exploited, device_magnitude)
      select ${workspaceId}::uuid, vulnerability_id, package_id, detected_at, states, component_name, severity_rank,
        is_exploited, device_magnitude
      from added order by vulnerability_id, package_id on conflict do nothing
    )
    insert into workspace_component_vulnerabilities as pair (workspace_id, component_name, vulnerability_id, name,
      severity_rank, score, epss_score, ssvc_class, is_exploited, device_magnitude, first_detected_at, last_detected_at, states,
      finding_count)
    select ${workspaceId}::uuid, component_name, vulnerability_id, coalesce((
        select known.name from vulnerabilities as known where known.id = added.vulnerability_id), ''), max(severity_rank), max(score),
      coalesce((select epss.score from epss_scores as epss where epss.cve_id = added.vulnerability_id), -1),
      coalesce((select known.ssvc_class from vulnerabilities as known where known.id = added.vulnerability_id), 0), bool_or(is_exploited),
      max(device_magnitude), min(detected_at), max(detected_at), bit_or(states), sum(version_count)::int
    from added group by component_name, vulnerability_id order by component_name, vulnerability_id
    on conflict (workspace_id, component_name, vulnerability_id) do update
      set severity_rank = excluded.severity_rank, score = excluded.score, is_exploited = excluded.is_exploited,
        device_magnitude = greatest(pair.device_magnitude, excluded.device_magnitude),
        first_detected_at = least(pair.first_detected_at, excluded.first_detected_at),
        last_detected_at = greatest(pair.last_detected_at, excluded.last_detected_at),
        states = pair.states | excluded.states, finding_count = pair.finding_count + excluded.finding_count`.execute(
    tx,
  )
}
