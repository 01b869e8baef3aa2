/** Counts the devices that run a version which holds a package. */
import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'
import { heldAt } from '../as-of-store.ts'
import type { DeviceMagnitudes, WorkspaceFindingQuery } from './facts-store.ts'
import { versionsInScope } from './filter-store.ts'

/** A set of versions, and the number of devices that run exactly these. */
interface VersionSet {
  devices: number
  versions: readonly number[]
}

type Scope = Pick<WorkspaceFindingQuery, 'workspaceId' | 'filter' | 'moment'>

/** Counts each device once; leaves out packages that no device runs. */
export async function countDevicesOfPackages(
  db: Db,
  query: Scope,
  /** undefined: all that the workspace holds. */
  packageIds: readonly string[] | undefined,
): Promise<Map<string, number>> {
  const { sets, held } = await readVersionNumbers(db, query, { packageIds, runningOnly: true })
  return countOverlapping(sets, held)
}

/**
 * What devices run, and the versions that hold each package. The database returns versions as small numbers and the
 * service joins them: a join in SQL would produce each pair of a set of versions and a package in one of them.
 */
export async function readVersionNumbers(
  db: Db,
  query: Scope,
  { packageIds, runningOnly }: { packageIds: readonly string[] | undefined; runningOnly: boolean },
): Promise<{ sets: VersionSet[]; held: Map<string, number[]> }> {
  const { workspaceId, moment } = query
  const shown = packageIds
    ? sql`(select distinct unnest(${packageIds}::uuid[]) as package_id)`
    : sql`(select package_id from workspace_packages where workspace_id = ${workspaceId})`
  const { rows } = await sql<{ packageId: string | null; numbers: string }>`
    with member as materialized (
      select counts.place, counts.devices, unnest(counts.firmware_version_ids) as firmware_version_id
      from (
        select firmware_version_ids, devices, row_number() over () as place
        from firmware_set_device_counts where workspace_id = ${workspaceId}
      ) as counts
    ), fact as materialized (
      select fact.package_id, fact.firmware_version_id
      from ${shown} as shown
      join firmware_version_packages as fact using (package_id)
      where fact.workspace_id = ${workspaceId} and ${heldAt('fact', moment)} ${versionsInScope('fact', query)}
        ${runningOnly ? sql`and fact.firmware_version_id in (select firmware_version_id from member)` : sql``}
    ), numbered as materialized (
      select firmware_version_id, row_number() over () as number
      from (select distinct firmware_version_id from fact) as each
    )
    select null::uuid as package_id, string_agg(numbers, ';') as numbers
    from (
      select member.devices || ',' || string_agg(numbered.number::text, ',') as numbers
      from member join numbered using (firmware_version_id) group by member.place, member.devices
    ) as each
    having count(*) > 0
    union all
    select fact.package_id, string_agg(numbered.number::text, ',')
    from fact join numbered using (firmware_version_id)
    group by fact.package_id`.execute(db)
  const numbersOf = (text: string) => text.split(',').map(Number)
  const sets = rows
    .filter(({ packageId }) => packageId === null)
    .flatMap(({ numbers }) => numbers.split(';').map(numbersOf))
    .map(([devices = 0, ...versions]) => ({ devices, versions }))
  const held = new Map<string, number[]>()
  for (const { packageId, numbers } of rows)
    if (packageId !== null) held.set(packageId, numbersOf(numbers))
  return { sets, held }
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

/** Of each vulnerability that a package has which devices run: the magnitude of the package that most of them run. */
export interface VulnerabilityMagnitudes {
  vulnerabilityIds: readonly string[]
  magnitudes: readonly number[]
}

/** As the workspace keeps its matches. */
export async function listVulnerabilityMagnitudes(
  db: Db,
  workspaceId: string,
  magnitudes: DeviceMagnitudes,
): Promise<VulnerabilityMagnitudes> {
  if (magnitudes.size === 0) return { vulnerabilityIds: [], magnitudes: [] }
  const { rows } = await sql<VulnerabilityMagnitudes>`
    select array_agg(vulnerability_id) as vulnerability_ids, array_agg(magnitude) as magnitudes
    from (
      select kept.vulnerability_id, max(running.magnitude) as magnitude
      from workspace_matches as kept
      join unnest(${[...magnitudes.keys()]}::uuid[], ${[...magnitudes.values()]}::int[])
        as running (package_id, magnitude) on running.package_id = kept.package_id
      where kept.workspace_id = ${workspaceId}
      group by kept.vulnerability_id
    ) as each`.execute(db)
  const { vulnerabilityIds, magnitudes: found } = rows[0] ?? {}
  return { vulnerabilityIds: vulnerabilityIds ?? [], magnitudes: found ?? [] }
}

/** Changes when devices begin or cease to run a set of versions. */
export async function readDeviceState(db: Db, workspaceId: string): Promise<string> {
  const { sets, devices } = await db
    .selectFrom('firmwareSetDeviceCounts')
    .select((eb) => [
      eb.fn.countAll<string>().as('sets'),
      eb.fn.sum<string>('devices').as('devices'),
    ])
    .where('workspaceId', '=', workspaceId)
    .executeTakeFirstOrThrow()
  return `${sets} ${devices}`
}

/** For each key, the number of devices in sets that contain at least one of the key's versions. */
export function countOverlapping<Key>(
  sets: readonly VersionSet[],
  asked: ReadonlyMap<Key, readonly number[]>,
): Map<Key, number> {
  const setsOf: number[][] = []
  for (const [index, { versions }] of sets.entries())
    for (const version of versions) (setsOf[version] ??= []).push(index)
  // The number of the last key that counted a set; cheaper than a new Set for each key.
  const countedFor = new Uint32Array(sets.length)
  let turn = 0
  const counts = new Map<Key, number>()
  for (const [key, versions] of asked) {
    turn += 1
    let devices = 0
    for (const index of versions.flatMap((version) => setsOf[version] ?? [])) {
      if (countedFor[index] === turn) continue
      countedFor[index] = turn
      devices += sets[index]?.devices ?? 0
    }
    counts.set(key, devices)
  }
  return counts
}
