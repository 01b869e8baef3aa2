/**
 * Counts the versions that hold packages, and the devices that run these. Versions are numbers: 32 of them are the bits of
 * one integer, so that counting many packages together takes few of these (`workspace_package_versions`).
 */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import type { DerivedRows } from '../../../platform/doctor/check.ts'
import { heldAt } from '../as-of-store.ts'
import type { HeldChange } from '../store.ts'
import type { DeviceMagnitudes, WorkspaceFindingQuery } from './facts-store.ts'
import { isWhole, versionsInScope } from './filter-store.ts'

/** The number of devices that run exactly these versions. */
interface VersionSet {
  devices: number
  versions: readonly number[]
}

/** Versions with the numbers 32 × block + bit. */
type Block = readonly [block: number, bits: number]

export interface HeldVersions {
  sets: readonly VersionSet[]
  /** By package. */
  held: ReadonlyMap<string, readonly Block[]>
}

export interface HeldCounts {
  versions: number
  /** Each device once, whichever of the versions it runs. */
  devices: number
}

type Scope = Pick<WorkspaceFindingQuery, 'workspaceId' | 'filter' | 'moment' | 'isCurrent'>

/** Each device once. */
export async function countDevicesOfPackages(
  db: Db,
  query: Scope,
  /** undefined: all that the workspace holds. */
  packageIds: readonly string[] | undefined,
): Promise<Map<string, number>> {
  const found = await readHeldVersions(db, query, packageIds)
  const counts = countHeld(found, new Map([...found.held.keys()].map((id) => [id, [id]])))
  return new Map([...counts].map(([packageId, { devices }]) => [packageId, devices]))
}

/** What devices run, and the versions that hold each package, in all versions or those asked for. */
export async function readHeldVersions(
  db: Db,
  query: Scope,
  packageIds: readonly string[] | undefined,
): Promise<HeldVersions> {
  const { workspaceId } = query
  const source = isWhole(query)
    ? keptVersions(workspaceId, packageIds)
    : readVersions(query, packageIds)
  const { rows } = await sql<{ packageId: string | null; numbers: string }>`
    with ${source}
    select null::uuid as package_id, string_agg(numbers, ',') as numbers
    from (
      select member.devices || ' ' || string_agg(numbered.number::text, ' ') as numbers
      from (
        select counts.place, counts.devices, unnest(counts.firmware_version_ids) as firmware_version_id
        from (
          select firmware_version_ids, devices, row_number() over () as place
          from firmware_set_device_counts where workspace_id = ${workspaceId}
        ) as counts
      ) as member
      join numbered using (firmware_version_id) group by member.place, member.devices
    ) as each
    having count(*) > 0
    union all
    select package_id, string_agg(block || ' ' || versions, ',') from held group by package_id`.execute(
    db,
  )
  const partsOf = (text: string) => text.split(',').map((part) => part.split(' ').map(Number))
  const held = new Map<string, Block[]>()
  for (const { packageId, numbers } of rows)
    if (packageId !== null)
      held.set(
        packageId,
        partsOf(numbers).map(([block = 0, bits = 0]) => [block, bits]),
      )
  const sets = rows
    .filter(({ packageId }) => packageId === null)
    .flatMap(({ numbers }) => partsOf(numbers))
    .map(([devices = 0, ...versions]) => ({ devices, versions }))
  return { sets, held }
}

/** `numbered` and `held`, as the workspace keeps them. The `offset` keeps the planner from reading all packages. */
const keptVersions = (workspaceId: string, packageIds: readonly string[] | undefined) => sql`
  numbered as not materialized (
    select firmware_version_id, number from workspace_versions where workspace_id = ${workspaceId}
  ), held as not materialized (${
    packageIds
      ? sql`
    select each.* from (select distinct unnest(${packageIds}::uuid[]) as package_id) as shown
    cross join lateral (
      select kept.package_id, kept.block, kept.versions from workspace_package_versions as kept
      where kept.workspace_id = ${workspaceId} and kept.package_id = shown.package_id offset 0
    ) as each`
      : sql`
    select package_id, block, versions from workspace_package_versions where workspace_id = ${workspaceId}`
  })`

/** The same of the facts, with other numbers. */
function readVersions(query: Scope, packageIds: readonly string[] | undefined) {
  const { workspaceId, moment } = query
  const shown = packageIds
    ? sql`(select distinct unnest(${packageIds}::uuid[]) as package_id)`
    : sql`(select package_id from workspace_packages where workspace_id = ${workspaceId})`
  return sql`
    fact as materialized (
      select fact.package_id, fact.firmware_version_id
      from ${shown} as shown
      join firmware_version_packages as fact using (package_id)
      where fact.workspace_id = ${workspaceId} and ${heldAt('fact', moment)} ${versionsInScope('fact', query)}
    ), numbered as materialized (
      select firmware_version_id, row_number() over ()::int - 1 as number
      from (select distinct firmware_version_id from fact) as each
    ), held as (
      select fact.package_id, numbered.number / 32 as block, bit_or(1 << numbered.number % 32) as versions
      from fact join numbered using (firmware_version_id)
      group by fact.package_id, numbered.number / 32
    )`
}

/** For each key: the versions that hold one of its packages, and the devices that run one of these. */
export function countHeld<Key>(
  { sets, held }: HeldVersions,
  asked: ReadonlyMap<Key, readonly string[]>,
): Map<Key, HeldCounts> {
  const union = new Int32Array(blockCountOf(held))
  const counts = new Map<Key, HeldCounts>()
  for (const [key, packageIds] of asked) {
    union.fill(0)
    for (const packageId of packageIds)
      for (const [block, bits] of held.get(packageId) ?? [])
        union[block] = (union[block] ?? 0) | bits
    const has = (version: number) => ((union[version >> 5] ?? 0) & (1 << (version & 31))) !== 0
    let devices = 0
    for (const set of sets) if (set.versions.some(has)) devices += set.devices
    counts.set(key, { versions: union.reduce((sum, bits) => sum + bitCount(bits), 0), devices })
  }
  return counts
}

function blockCountOf(held: HeldVersions['held']): number {
  let last = -1
  for (const blocks of held.values()) for (const [block] of blocks) last = Math.max(last, block)
  return last + 1
}

/** Of 32 bits: sums of two, four and eight of them side by side, then of these. */
function bitCount(bits: number): number {
  const twos = bits - ((bits >>> 1) & 0x55555555)
  const fours = (twos & 0x33333333) + ((twos >>> 2) & 0x33333333)
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

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

/** How many digits the number of devices has that run each package. Packages that no device runs are left out. */
export async function listDeviceMagnitudes(db: Db, query: Scope): Promise<DeviceMagnitudes> {
  const counts = await countDevicesOfPackages(db, query, undefined)
  return new Map(
    [...counts]
      .filter(([, devices]) => devices > 0)
      .map(([packageId, devices]) => [packageId, String(devices).length]),
  )
}

/** As they were counted last, of packages that devices run. */
export async function readKeptMagnitudes(db: Db, workspaceId: string): Promise<DeviceMagnitudes> {
  const rows = await db
    .selectFrom('workspacePackages')
    .select(['packageId', 'deviceMagnitude'])
    .where('workspaceId', '=', workspaceId)
    .where('deviceMagnitude', '>', 0)
    .where('versionCount', '>', 0)
    .execute()
  return new Map(rows.map(({ packageId, deviceMagnitude }) => [packageId, deviceMagnitude]))
}

/** When devices were counted and names and scores copied, and the state that they had. */
export async function findRefreshed(db: Db, workspaceId: string) {
  return db
    .selectFrom('workspaceKeptLocks')
    .select(['devicesCounted', 'devicesCountedAt', 'namesCopiedAt', 'scoreRevision'])
    .where('workspaceId', '=', workspaceId)
    .executeTakeFirst()
}

/** Changes when devices begin or cease to run versions. */
export async function readDeviceState(db: Db, workspaceId: string): Promise<string> {
  const { rows } = await sql<{ state: string }>`
    select count(*) || ' ' || coalesce(sum(hashtextextended(firmware_version_ids::text || ' ' || devices, 0)), 0) as state
    from firmware_set_device_counts where workspace_id = ${workspaceId}`.execute(db)
  return rows[0]?.state ?? ''
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
