/**
 * Counts the versions that hold packages, and the devices that run these. Versions are numbers: 32 of them are the bits of
 * one integer, so that counting many packages together takes few of these (`workspace_package_versions`).
 */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import { type FilterScope, isInVersions, isOfAllVersions } from './filter-store.ts'

/** By package: the number of digits of the number of devices that run it; without those that no device runs. */
export type DeviceMagnitudes = ReadonlyMap<string, number>

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

type Scope = Pick<FilterScope, 'workspaceId' | 'filter'>

/** Each device once. */
export async function countDevicesOfPackages(
  db: Db,
  query: Scope,
  /** undefined: all that the workspace holds. */
  packageIds: readonly string[] | undefined,
): Promise<Map<string, number>> {
  const counts = countPackages(await readHeldVersions(db, query, packageIds))
  return new Map([...counts].map(([packageId, { devices }]) => [packageId, devices]))
}

/** For each key: the versions that hold one of its packages, and the devices that run one of these. */
export async function countHeldVersions<Key>(
  db: Db,
  query: Scope,
  packageIds: ReadonlyMap<Key, readonly string[]>,
): Promise<Map<Key, HeldCounts>> {
  const all = new Set([...packageIds.values()].flat())
  return countHeld(await readHeldVersions(db, query, [...all]), packageIds)
}

/** What devices run, and the versions that hold each package, in all versions or those asked for. */
export async function readHeldVersions(
  db: Db,
  query: Scope,
  packageIds: readonly string[] | undefined,
): Promise<HeldVersions> {
  const { workspaceId } = query
  const isOfAll = isOfAllVersions(query)
  const { rows } = await sql<{ packageId: string | null; numbers: string }>`
    with numbered as not materialized (
      select held.firmware_version_id, held.number from workspace_versions as held
      where held.workspace_id = ${workspaceId} and ${isInVersions('held', query)}
    ), asked as materialized (
      select number / 32 as block, bit_or(1 << number % 32) as versions from numbered group by number / 32
    ), held as not materialized (
      select kept.package_id, kept.block, ${isOfAll ? sql`kept.versions` : sql`kept.versions & asked.versions as versions`}
      from ${keptVersions(workspaceId, packageIds)} as kept
      ${isOfAll ? sql`` : sql`join asked on asked.block = kept.block and kept.versions & asked.versions <> 0`}
    )
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

/** What the workspace keeps of these packages. The `offset` keeps the planner from reading all of them. */
const keptVersions = (workspaceId: string, packageIds: readonly string[] | undefined) =>
  packageIds
    ? sql`(
        select each.* from (select distinct unnest(${packageIds}::uuid[]) as package_id) as shown
        cross join lateral (
          select one.package_id, one.block, one.versions from workspace_package_versions as one
          where one.workspace_id = ${workspaceId} and one.package_id = shown.package_id offset 0
        ) as each)`
    : sql`(
        select package_id, block, versions from workspace_package_versions where workspace_id = ${workspaceId})`

/** The same of what was read. */
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

/** How many digits the number of devices has that run each package. Packages that no device runs are left out. */
export const listDeviceMagnitudes = async (db: Db, query: Scope): Promise<DeviceMagnitudes> =>
  countMagnitudes(await readHeldVersions(db, query, undefined))

export function countMagnitudes(found: HeldVersions): DeviceMagnitudes {
  return new Map(
    [...countPackages(found)]
      .filter(([, { devices }]) => devices > 0)
      .map(([packageId, { devices }]) => [packageId, String(devices).length]),
  )
}

const countPackages = (found: HeldVersions) =>
  countHeld(found, new Map([...found.held.keys()].map((id) => [id, [id]])))

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
