/** Counts the devices that run a version which holds a package. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'
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

/** When devices were counted and the state that they had, and when a job was asked to count them. */
export async function findCountedDevices(db: Db, workspaceId: string) {
  return db
    .selectFrom('workspaceKeptLocks')
    .select(['devicesCounted', 'devicesCountedAt', 'devicesAskedAt'])
    .where('workspaceId', '=', workspaceId)
    .executeTakeFirst()
}

/** Whether devices run so few versions that counting them takes no time worth mentioning. */
export async function hasFewRunningVersions(db: Db, workspaceId: string): Promise<boolean> {
  const { rows } = await sql`
    select distinct unnest(counts.firmware_version_ids) from firmware_set_device_counts as counts
    where counts.workspace_id = ${workspaceId}
    limit ${FEW_RUNNING + 1}`.execute(db)
  return rows.length <= FEW_RUNNING
}
const FEW_RUNNING = 20

/** Makes others wait who would change what the workspace keeps; false: one of them is at work. */
export async function tryLockKept(tx: Tx, workspaceId: string): Promise<boolean> {
  await sql`
    insert into workspace_kept_locks (workspace_id) values (${workspaceId}) on conflict do nothing`.execute(
    tx,
  )
  const { rows } = await sql`
    select from workspace_kept_locks where workspace_id = ${workspaceId} for update skip locked`.execute(
    tx,
  )
  return rows.length > 0
}

/** The workspace is locked. */
export async function updateDevicesAsked(tx: Tx, workspaceId: string, at: Date): Promise<void> {
  await tx
    .updateTable('workspaceKeptLocks')
    .set({ devicesAskedAt: at })
    .where('workspaceId', '=', workspaceId)
    .execute()
}

/** The workspace is locked. */
export async function writeMagnitudes(
  tx: Tx,
  workspaceId: string,
  { magnitudes, state, at }: { magnitudes: DeviceMagnitudes; state: string; at: Date },
): Promise<void> {
  const { numAffectedRows } = await sql`
    update workspace_packages as owned set device_magnitude = now.magnitude
    from (
      select each.package_id, coalesce(counted.magnitude, 0) as magnitude
      from workspace_packages as each
      left join unnest(${[...magnitudes.keys()]}::uuid[], ${[...magnitudes.values()]}::smallint[])
        as counted (package_id, magnitude) on counted.package_id = each.package_id
      where each.workspace_id = ${workspaceId}
    ) as now
    where owned.workspace_id = ${workspaceId} and owned.package_id = now.package_id
      and owned.device_magnitude <> now.magnitude`.execute(tx)
  if (numAffectedRows !== 0n) await sumUpMagnitudes(tx, workspaceId)
  await tx
    .updateTable('workspaceKeptLocks')
    .set({ devicesCounted: state, devicesCountedAt: at })
    .where('workspaceId', '=', workspaceId)
    .execute()
}

/** A vulnerability has the magnitude of the package of it that most devices run. */
async function sumUpMagnitudes(tx: Tx, workspaceId: string): Promise<void> {
  await sql`
    update workspace_vulnerabilities as counted set device_magnitude = now.magnitude
    from (
      select kept.vulnerability_id, max(held.device_magnitude) as magnitude
      from workspace_matches as kept
      join workspace_packages as held on held.workspace_id = ${workspaceId} and held.package_id = kept.package_id
      where kept.workspace_id = ${workspaceId}
      group by kept.vulnerability_id
    ) as now
    where counted.workspace_id = ${workspaceId} and counted.vulnerability_id = now.vulnerability_id
      and counted.device_magnitude <> now.magnitude`.execute(tx)
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
