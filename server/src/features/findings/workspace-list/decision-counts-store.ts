/** How many findings of each match of a workspace are decided how: `workspace_decisions`. */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../platform/db/connect.ts'
import type { HeldChanges, HeldCount } from '../store.ts'

/** Adds findings to those with a decision, of `(vulnerability_id, package_id, assessment, ignored, amount)`. */
export const addDecisions = (workspaceId: string, moved: RawBuilder<unknown>) => sql`
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

/** After packages of one version began or ended, of which so many versions hold each now, and before findings that begin take up decisions. */
export async function keepDecisionsOfVersion(
  tx: Tx,
  { workspaceId, firmwareVersionId, changes }: HeldChanges & { firmwareVersionId: string },
  counts: readonly HeldCount[],
): Promise<void> {
  const held = new Set(counts.filter(({ count }) => count > 0).map(({ packageId }) => packageId))
  // Of the others, all decisions are deleted.
  const moved = changes.filter(({ packageId, amount }) => amount !== 0 && held.has(packageId))
  if (moved.length === 0) return
  await addDecisions(
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

/** Before the versions are deleted with what they hold: of packages that other versions hold, too. */
export async function dropDecisionsOfVersions(
  tx: Tx,
  {
    workspaceId,
    firmwareVersionIds,
  }: { workspaceId: string; firmwareVersionIds: readonly string[] },
): Promise<void> {
  await addDecisions(
    workspaceId,
    sql`
    select decision.vulnerability_id, decision.package_id, decision.assessment, decision.ignored, -1 as amount
    from (
      select fact.package_id, array_agg(fact.firmware_version_id) as version_ids
      from firmware_version_packages as fact
      where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = any(${firmwareVersionIds}::uuid[])
        and fact.until is null
      group by fact.package_id
      having count(*) < (
        select owned.version_count from workspace_packages as owned
        where owned.workspace_id = ${workspaceId} and owned.package_id = fact.package_id)
    ) as held
    cross join lateral (
      select * from finding_decisions as each
      where each.workspace_id = ${workspaceId} and each.firmware_version_id = any(held.version_ids)
        and each.package_id = held.package_id offset 0
    ) as decision
    where ${IS_OPEN}`,
  ).execute(tx)
}

/** Of packages that changed: all rows of those that no version holds now, and those that count nothing any more. */
export async function deleteUncounted(
  tx: Tx,
  workspaceId: string,
  { changed, unheld }: { changed: readonly string[]; unheld: readonly string[] },
): Promise<void> {
  if (changed.length === 0) return
  await sql`
    delete from workspace_decisions as kept
    where kept.workspace_id = ${workspaceId} and kept.package_id = any(${changed}::uuid[])
      and (kept.finding_count = 0 or kept.package_id = any(${unheld}::uuid[]))`.execute(tx)
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
  await addDecisions(
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
