/** Keeps which versions of a workspace hold each package, as bits of numbers that versions have (`workspace_package_versions`). */
import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/connect.ts'
import type { DerivedRows } from '../../../platform/doctor/check.ts'
import type { HeldChange } from '../store.ts'

/**
 * Gives the version a number: the next one of the newest version of its firmware, as versions of one firmware hold the same
 * packages, and else the first of a block. The workspace is locked.
 */
async function numberVersion(tx: Tx, workspaceId: string, firmwareVersionId: string) {
  await sql`
    insert into workspace_versions (workspace_id, firmware_version_id, number)
    select ${workspaceId}, ${firmwareVersionId}, case
      when newest.number % 32 < 31 and not exists (
        select from workspace_versions as taken
        where taken.workspace_id = ${workspaceId} and taken.number = newest.number + 1) then newest.number + 1
      else coalesce((
        select 32 * (max(number) / 32 + 1) from workspace_versions where workspace_id = ${workspaceId}), 0) end
    from (select) as one
    left join lateral (
      select numbered.number
      from firmware_versions as version
      join workspace_versions as numbered
        on numbered.workspace_id = ${workspaceId} and numbered.firmware_version_id = version.id
      where version.workspace_id = ${workspaceId} and version.firmware_id = (
        select firmware_id from firmware_versions where workspace_id = ${workspaceId} and id = ${firmwareVersionId})
      order by version.created_at desc, version.id desc limit 1
    ) as newest on true
    on conflict (workspace_id, firmware_version_id) do nothing`.execute(tx)
}

/** After packages of one version of the workspace changed. */
export async function moveVersion(
  tx: Tx,
  version: { workspaceId: string; firmwareVersionId: string },
  changes: readonly HeldChange[],
): Promise<void> {
  const idsOf = (amount: number) =>
    changes.filter((change) => change.amount === amount).map(({ packageId }) => packageId)
  const { workspaceId, firmwareVersionId } = version
  const [begun, ended] = [idsOf(1), idsOf(-1)]
  if (begun.length > 0) {
    await numberVersion(tx, workspaceId, firmwareVersionId)
    await sql`
      insert into workspace_package_versions as kept (workspace_id, package_id, block, versions)
      select ${workspaceId}, package_id, number / 32, 1 << number % 32
      from unnest(${begun}::uuid[]) as begun (package_id)
      join workspace_versions
        on workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}
      order by package_id
      on conflict (workspace_id, package_id, block) do update set versions = kept.versions | excluded.versions`.execute(
      tx,
    )
  }
  const left = { workspaceId, firmwareVersionIds: [firmwareVersionId], packageIds: ended }
  if (ended.length > 0) await leaveVersions(tx, left)
}

/** After versions no longer hold packages: one of them, or many that are deleted. */
async function leaveVersions(
  tx: Tx,
  {
    workspaceId,
    firmwareVersionIds,
    packageIds,
  }: { workspaceId: string; firmwareVersionIds: readonly string[]; packageIds: string[] },
): Promise<void> {
  await sql`
    with gone as (
      select number / 32 as block, bit_or(1 << number % 32) as versions
      from workspace_versions
      where workspace_id = ${workspaceId} and firmware_version_id = any(${firmwareVersionIds}::uuid[])
      group by number / 32
    ), emptied as (
      delete from workspace_package_versions as kept using gone
      where kept.workspace_id = ${workspaceId} and kept.package_id = any(${packageIds}::uuid[])
        and kept.block = gone.block and kept.versions & ~gone.versions = 0
    )
    update workspace_package_versions as kept set versions = kept.versions & ~gone.versions
    from gone
    where kept.workspace_id = ${workspaceId} and kept.package_id = any(${packageIds}::uuid[])
      and kept.block = gone.block and kept.versions & ~gone.versions <> 0`.execute(tx)
}

/** Of versions that are deleted. Others may get their numbers. */
export async function deleteVersionNumbers(
  tx: Tx,
  {
    workspaceId,
    firmwareVersionIds,
  }: { workspaceId: string; firmwareVersionIds: readonly string[] },
  changes: readonly HeldChange[],
): Promise<void> {
  const packageIds = changes.map(({ packageId }) => packageId)
  await leaveVersions(tx, { workspaceId, firmwareVersionIds, packageIds })
  await tx
    .deleteFrom('workspaceVersions')
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`firmware_version_id = any(${[...firmwareVersionIds]}::uuid[])`)
    .execute()
}

/** Of a row `each`, which names its version so. */
const holds = (workspaceId: string, id: 'id' | 'firmware_version_id') => sql`
  select from firmware_version_packages as fact
  where fact.workspace_id = ${workspaceId} and fact.firmware_version_id = each.${sql.raw(id)}
    and fact.until is null`

/** What `admin doctor` compares. A version that holds nothing may have a number. */
export const VERSION_NUMBERS: DerivedRows = {
  table: 'workspace_versions',
  keys: ['firmware_version_id'],
  values: ['number'],
  states: (workspaceId) => sql`exists (${holds(workspaceId, 'firmware_version_id')})`,
  expected: (workspaceId) => sql`
    select each.id as firmware_version_id, coalesce(numbered.number, last.number + row_number() over (
      partition by numbered.number is null order by each.firmware_id, each.created_at, each.id))::int as number
    from firmware_versions as each
    left join workspace_versions as numbered
      on numbered.workspace_id = each.workspace_id and numbered.firmware_version_id = each.id
    cross join (
      select coalesce(max(number), -1) as number from workspace_versions where workspace_id = ${workspaceId}
    ) as last
    where each.workspace_id = ${workspaceId} and exists (${holds(workspaceId, 'id')})`,
}

export const PACKAGE_VERSIONS: DerivedRows = {
  table: 'workspace_package_versions',
  keys: ['package_id', 'block'],
  values: ['versions'],
  states: sql`true`,
  expected: (workspaceId) => sql`
    select fact.package_id, numbered.number / 32 as block, bit_or(1 << numbered.number % 32) as versions
    from firmware_version_packages as fact
    join workspace_versions as numbered
      on numbered.workspace_id = fact.workspace_id and numbered.firmware_version_id = fact.firmware_version_id
    where fact.workspace_id = ${workspaceId} and fact.until is null
    group by fact.package_id, numbered.number / 32`,
}
