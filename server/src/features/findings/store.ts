/** Which packages a firmware version holds, since when, and why. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'

export interface InventoryChange {
  workspaceId: string
  firmwareVersionId: string
  at: Date
  cause: string
}

/** The packages that the version holds, and those of its parsed SBOMs. */
export async function listInvolvedPackageIds(
  tx: Tx,
  { workspaceId, firmwareVersionId }: Pick<InventoryChange, 'workspaceId' | 'firmwareVersionId'>,
): Promise<string[]> {
  const { rows } = await sql<{ packageId: string }>`
    select package_id from firmware_version_packages
    where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId} and until is null
    union
    select component.package_id
    from sboms as sbom
    join sbom_components as component
      on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
    where sbom.workspace_id = ${workspaceId} and sbom.firmware_version_id = ${firmwareVersionId}
      and sbom.parsing_state = 'Succeeded' and component.package_id is not null`.execute(tx)
  return rows.map(({ packageId }) => packageId)
}

/** What changes for one package of the workspace. */
export interface HeldChange {
  packageId: string
  /** By how many the versions that hold it become more; 0: it is only called otherwise. */
  amount: number
  /** When a version began to hold it that no longer does: the earliest. */
  endedSince: Date | null
}

/**
 * Makes the version hold the packages of its parsed SBOMs. A package is shown with the name of its source, else with its
 * shortest component name, and with the first version, vendor, purl and CPE of its components. Returns what changed, in
 * the order of the packages' ids.
 */
export async function replaceInventory(tx: Tx, change: InventoryChange): Promise<HeldChange[]> {
  const ended = await endPackages(tx, change)
  // A version's first SBOM renames nothing.
  const renamed = (await holdsPackages(tx, change)) ? await renamePackages(tx, change) : []
  const begun = await beginPackages(tx, change)
  const all = [...ended, ...renamed, ...begun]
  return all.toSorted((a, b) => (a.packageId < b.packageId ? -1 : 1))
}

const ofVersion = (name: string, { workspaceId, firmwareVersionId }: InventoryChange) =>
  sql`${sql.ref(`${name}.workspaceId`)} = ${workspaceId}
    and ${sql.ref(`${name}.firmwareVersionId`)} = ${firmwareVersionId}`

const memberRows = (change: InventoryChange) => sql`
  from sboms as sbom
  join sbom_components as component
    on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
  where ${ofVersion('sbom', change)} and sbom.parsing_state = 'Succeeded' and component.package_id is not null`

/** The packages of the parsed SBOMs, each with the component it is shown as. */
const presentPackages = (change: InventoryChange) => sql`
  select package_id,
    coalesce(min(source_name collate "C"), (array_agg(package_name order by place))[1]) as component_name,
    (array_agg(version order by place) filter (where version is not null))[1] as component_version,
    (array_agg(vendor order by place) filter (where vendor is not null))[1] as component_vendor,
    (array_agg(purl order by place) filter (where purl is not null))[1] as component_purl,
    (array_agg(cpes[1] order by place) filter (where cpes[1] is not null))[1] as component_cpe
  from (
    select component.*, row_number() over (
        partition by component.package_id
        order by length(component.package_name), component.package_name collate "C",
          component.version collate "C", component.purl collate "C", component.sbom_id, component.node
      ) as place
    ${memberRows(change)}
  ) as member
  group by package_id`

async function endPackages(tx: Tx, change: InventoryChange): Promise<HeldChange[]> {
  const { at, cause } = change
  const { rows } = await sql<HeldChange>`
    update firmware_version_packages as fact set until = greatest(${at}, since), ended_cause = ${cause}
    where ${ofVersion('fact', change)} and until is null
      and package_id not in (select component.package_id ${memberRows(change)})
    returning package_id, -1 as amount, since as ended_since`.execute(tx)
  return rows
}

async function holdsPackages(tx: Tx, change: InventoryChange): Promise<boolean> {
  const { rows } = await sql`
    select from firmware_version_packages as fact
    where ${ofVersion('fact', change)} and until is null limit 1`.execute(tx)
  return rows.length > 0
}

/**
 * It is written as an insertion, which always conflicts, so that each package is looked up by its key. The planner may
 * read all that is present anew for each package that is held, where it knows nothing of the version.
 */
async function renamePackages(tx: Tx, change: InventoryChange): Promise<HeldChange[]> {
  const { workspaceId, firmwareVersionId, cause } = change
  const { rows } = await sql<HeldChange>`
    insert into firmware_version_packages as fact (workspace_id, firmware_version_id, package_id, since, cause,
      component_name, component_version, component_vendor, component_purl, component_cpe)
    select ${workspaceId}::uuid, ${firmwareVersionId}::uuid, present.package_id, held.since, ${cause},
      present.component_name, present.component_version, present.component_vendor, present.component_purl,
      present.component_cpe
    from (${presentPackages(change)}) as present
    cross join lateral (
      select * from firmware_version_packages as held
      where ${ofVersion('held', change)} and held.package_id = present.package_id and held.until is null
      offset 0
    ) as held
    where (held.component_name, held.component_version, held.component_vendor, held.component_purl,
        held.component_cpe)
      is distinct from (present.component_name, present.component_version, present.component_vendor,
        present.component_purl, present.component_cpe)
    order by present.package_id
    on conflict (workspace_id, firmware_version_id, package_id, since) do update
      set component_name = excluded.component_name, component_version = excluded.component_version,
        component_vendor = excluded.component_vendor, component_purl = excluded.component_purl,
        component_cpe = excluded.component_cpe
    returning package_id, 0 as amount, null::timestamptz as ended_since`.execute(tx)
  return rows
}

async function beginPackages(tx: Tx, change: InventoryChange): Promise<HeldChange[]> {
  const { workspaceId, firmwareVersionId, at, cause } = change
  const { rows } = await sql<HeldChange>`
    insert into firmware_version_packages as fact (workspace_id, firmware_version_id, package_id, since, cause,
      component_name, component_version, component_vendor, component_purl, component_cpe)
    select ${workspaceId}::uuid, ${firmwareVersionId}::uuid, package_id, ${at}::timestamptz, ${cause},
      component_name, component_version, component_vendor, component_purl, component_cpe
    from (${presentPackages(change)}) as present
    where package_id not in (
      select held.package_id from firmware_version_packages as held
      where ${ofVersion('held', change)} and held.until is null)
    order by package_id
    on conflict (workspace_id, firmware_version_id, package_id, since) do update
      set until = null, ended_cause = null
    returning package_id, 1 as amount, null::timestamptz as ended_since`.execute(tx)
  return rows
}

/** Ends what the versions hold, before they are deleted. Returns what changed, in the order of the packages' ids. */
export async function deleteInventories(
  tx: Tx,
  {
    workspaceId,
    firmwareVersionIds,
  }: { workspaceId: string; firmwareVersionIds: readonly string[] },
): Promise<HeldChange[]> {
  const { rows } = await sql<HeldChange>`
    with gone as (
      delete from firmware_version_packages
      where workspace_id = ${workspaceId} and firmware_version_id = any(${firmwareVersionIds}::uuid[])
      returning package_id, since, until
    )
    select package_id, -(count(*) filter (where until is null))::int as amount, min(since) as ended_since
    from gone group by package_id order by package_id`.execute(tx)
  return rows
}

export interface HeldCount {
  packageId: string
  /** Firmware versions that hold the package now. */
  count: number
}

export interface HeldChanges {
  workspaceId: string
  at: Date
  changes: readonly HeldChange[]
}

export async function findFirmwareVersionOfSbom(
  db: Db,
  workspaceId: string,
  sbomId: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('sboms')
    .select('firmwareVersionId')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', sbomId)
    .executeTakeFirst()
  return row?.firmwareVersionId
}

/** Packages of a firmware version that are not matched yet, in id order. */
export async function listUnmatchedPackageIds(
  db: Db,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
): Promise<string[]> {
  const rows = await db
    .selectFrom('sboms as sbom')
    .innerJoin('sbomComponents as component', (join) =>
      join
        .onRef('component.workspaceId', '=', 'sbom.workspaceId')
        .onRef('component.sbomId', '=', 'sbom.id'),
    )
    .innerJoin('packages as package', 'package.id', 'component.packageId')
    .select('package.id')
    .distinct()
    .where('sbom.workspaceId', '=', workspaceId)
    .where('sbom.firmwareVersionId', '=', firmwareVersionId)
    .where('sbom.parsingState', '=', 'Succeeded')
    .where('package.matchedAt', 'is', null)
    .orderBy('package.id')
    .execute()
  return rows.map(({ id }) => id)
}
