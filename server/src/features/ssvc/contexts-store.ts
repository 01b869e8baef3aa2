/** In which contexts the versions and packages of a workspace stand (docs/design/ssvc.md). */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { selectRatedClass } from './conditions-store.ts'
import type { VersionContexts } from './contexts-service.ts'

/** By package, which versions hold it: bits of the numbers that versions have, 32 of them a block. */
interface HeldPackages {
  held: ReadonlyMap<string, readonly (readonly [block: number, bits: number])[]>
}

/** Writes in which contexts versions stand, and packages by the versions that hold them. The workspace is locked. */
export async function writeContexts(
  tx: Tx,
  workspaceId: string,
  { held, contexts }: { held: HeldPackages; contexts: readonly VersionContexts[] },
): Promise<void> {
  await sql`
    update workspace_versions as numbered set ssvc_contexts = now.contexts
    from unnest(${contexts.map((one) => one.firmwareVersionId)}::uuid[], ${contexts.map((one) => String(one.contexts))}::bigint[])
      as now (id, contexts)
    where numbered.workspace_id = ${workspaceId} and numbered.firmware_version_id = now.id
      and numbered.ssvc_contexts <> now.contexts`.execute(tx)
  const packages = [...listPackageContexts(held, contexts)]
  await sql`
    update workspace_packages as owned set ssvc_contexts = now.contexts
    from unnest(${packages.map(([id]) => id)}::uuid[], ${packages.map(([, bits]) => String(bits))}::bigint[]) as now (id, contexts)
    where owned.workspace_id = ${workspaceId} and owned.package_id = now.id and owned.ssvc_contexts <> now.contexts`.execute(
    tx,
  )
}

/** The workspace states something else since it was counted in which contexts its versions stand. */
export async function areContextsOld(db: Db, workspaceId: string): Promise<boolean> {
  const { rows } = await sql<{ areOld: boolean }>`
    select ssvc_inputs <> coalesce((
      select inputs_revision from ssvc_settings where workspace_id = ${workspaceId} order by revision desc limit 1), 0) as are_old
    from workspace_kept_locks where workspace_id = ${workspaceId}`.execute(db)
  return rows[0]?.areOld ?? false
}

/** Packages that are kept in other contexts than their versions stand in. */
export async function listMisplaced(
  db: Db,
  workspaceId: string,
  { held, contexts }: { held: HeldPackages; contexts: readonly VersionContexts[] },
): Promise<string[]> {
  const expected = listPackageContexts(held, contexts)
  const { rows } = await sql<{ packageId: string; contexts: string }>`
    select package_id, ssvc_contexts::text as contexts from workspace_packages
    where workspace_id = ${workspaceId} and version_count > 0`.execute(db)
  return rows.flatMap(({ packageId, contexts: kept }) => {
    const now = expected.get(packageId) ?? 0n
    return BigInt(kept) === now
      ? []
      : [`package ${packageId} is kept in the contexts ${kept} of SSVC instead of ${now}`]
  })
}

/** By package. Versions in the same contexts are looked up together: there are few different ones. */
export function listPackageContexts(
  { held }: HeldPackages,
  contexts: readonly VersionContexts[],
): Map<string, bigint> {
  const groups = [...Map.groupBy(contexts, (one) => one.contexts)].map(([bits, versions]) => {
    const blocks = new Map<number, number>()
    for (const { number } of versions)
      blocks.set(number >> 5, (blocks.get(number >> 5) ?? 0) | (1 << (number & 31)))
    return { bits, blocks }
  })
  return new Map(
    [...held].map(([packageId, blocks]) => [
      packageId,
      groups
        .filter((group) =>
          blocks.some(([block, bits]) => (bits & (group.blocks.get(block) ?? 0)) !== 0),
        )
        .reduce((all, { bits }) => all | bits, 0n),
    ]),
  )
}

/** How many matches have each class, in each contexts as they are and as they would be. */
export async function countClasses(
  db: Db,
  workspaceId: string,
  { before, after }: Record<'before' | 'after', ReadonlyMap<string, bigint>>,
): Promise<{ ratedClass: number; contexts: bigint; otherContexts: bigint; count: number }[]> {
  const ids = [...before.keys()]
  const textsOf = (contexts: ReadonlyMap<string, bigint>) =>
    ids.map((id) => String(contexts.get(id) ?? 0n))
  const { rows } = await sql<{
    ratedClass: number
    contexts: string
    otherContexts: string
    count: number
  }>`
    select ${selectRatedClass('pair')} as rated_class, owned.contexts::text as contexts,
      owned.other_contexts::text as other_contexts, count(*)::int as count
    from workspace_matches as match
    join workspace_component_vulnerabilities as pair on pair.workspace_id = ${workspaceId}
      and pair.component_name = match.component_name and pair.vulnerability_id = match.vulnerability_id
    join unnest(${ids}::uuid[], ${textsOf(before)}::bigint[], ${textsOf(after)}::bigint[])
      as owned (package_id, contexts, other_contexts) on owned.package_id = match.package_id
    where match.workspace_id = ${workspaceId}
    group by 1, 2, 3`.execute(db)
  return rows.map((row) => ({
    ...row,
    contexts: BigInt(row.contexts),
    otherContexts: BigInt(row.otherContexts),
  }))
}
