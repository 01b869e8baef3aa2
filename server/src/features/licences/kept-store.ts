/** What the components of each version state, kept by statement: rules are asked once for each of them. */
import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { DerivedRows } from '../../platform/doctor/check.ts'
import { isNewestOfLine } from '../firmware/index.ts'
import { type FirmwareLicences, ships } from './store.ts'

interface Version {
  workspaceId: string
  firmwareVersionId: string
}

const isSpdx = sql`coalesce(sbom.format like 'Spdx%', false)`
const key = sql`md5(component.licenses::text || ${isSpdx})`

const shippedComponents = (workspaceId: string) => sql`
  from sboms as sbom
  join sbom_components as component
    on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
  where sbom.workspace_id = ${workspaceId} and sbom.parsing_state = 'Succeeded' and ${ships}`

/** The SBOMs of `version` that could be read, as one text: whatever changes their components changes it. */
const sbomsOf = (workspaceId: RawBuilder<unknown>) => sql<string>`(
  select coalesce(md5(string_agg(concat_ws(' ', read.id, extract(epoch from read.parsed_at)), ',' order by read.id)), '')
  from sboms as read
  where read.workspace_id = ${workspaceId} and read.firmware_version_id = version.id
    and read.parsing_state = 'Succeeded')`

/** Whether what is kept of `version` was counted from its SBOMs: a node of an older release changes them and counts nothing. */
const isKept = (workspaceId: RawBuilder<unknown>) =>
  sql<boolean>`coalesce(version.licences_of, '') = ${sbomsOf(workspaceId)}`

/** In the transaction that changes the SBOMs of the version, which is locked. */
export async function keepLicencesOfVersion(
  tx: Tx,
  { workspaceId, firmwareVersionId }: Version,
): Promise<void> {
  const shipped = sql`${shippedComponents(workspaceId)} and sbom.firmware_version_id = ${firmwareVersionId}`
  await sql`
    delete from firmware_version_licences
    where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}`.execute(tx)
  await sql`
    insert into workspace_licences (workspace_id, key, licenses, is_spdx)
    select distinct ${workspaceId}::uuid, ${key}, component.licenses, ${isSpdx} ${shipped} order by 2
    on conflict do nothing`.execute(tx)
  await sql`
    insert into firmware_version_licences (workspace_id, firmware_version_id, key, component_count)
    select ${workspaceId}::uuid, ${firmwareVersionId}::uuid, ${key}, count(*)::int ${shipped} group by 3`.execute(
    tx,
  )
  await sql`
    update firmware_versions as version set licences_of = ${sbomsOf(sql`${workspaceId}`)}
    where workspace_id = ${workspaceId} and id = ${firmwareVersionId}`.execute(tx)
}

/** The rows of a workspace as they have to be. */
export const KEPT_LICENCES: DerivedRows = {
  table: 'firmware_version_licences',
  keys: ['firmware_version_id', 'key'],
  values: ['component_count'],
  states: sql`true`,
  expected: (workspaceId) => sql`
    select sbom.firmware_version_id, ${key} as key, count(*)::int as component_count
    ${shippedComponents(workspaceId)} group by 1, 2`,
}

interface StatedOnce {
  key: string
  licenses: string[]
  isSpdx: boolean
}

/** All that components of the workspace state or stated. */
export async function listStated(db: Db, workspaceId: string): Promise<StatedOnce[]> {
  return db
    .selectFrom('workspaceLicences')
    .select(['key', 'licenses', 'isSpdx'])
    .where('workspaceId', '=', workspaceId)
    .execute()
}

/** Versions of all workspaces whose licences have to be counted again. */
export async function listUncounted(db: Db, limit: number): Promise<Version[]> {
  const { rows } = await sql<Version>`
    select version.workspace_id, version.id as firmware_version_id
    from firmware_versions as version where not ${isKept(sql`version.workspace_id`)}
    order by version.workspace_id, version.id limit ${limit}`.execute(db)
  return rows
}

/** What components of a version that ship state, with how many do: as it is kept, or from the components where it is not counted yet. */
export async function listStatedCounts(
  db: Db,
  { workspaceId, firmwareVersionId }: Version,
): Promise<{ licenses: string[]; isSpdx: boolean; componentCount: number }[]> {
  const { rows } = await sql<{ licenses: string[]; isSpdx: boolean; componentCount: number }>`
    with version as materialized (
      select version.id, ${isKept(sql`${workspaceId}`)} as is_kept from firmware_versions as version
      where version.workspace_id = ${workspaceId} and version.id = ${firmwareVersionId}
    )
    select stated.licenses, stated.is_spdx, kept.component_count
    from version
    join firmware_version_licences as kept
      on kept.workspace_id = ${workspaceId} and kept.firmware_version_id = version.id
    join workspace_licences as stated on stated.workspace_id = ${workspaceId} and stated.key = kept.key
    where version.is_kept
    union all
    select component.licenses, ${isSpdx}, count(*)::int ${shippedComponents(workspaceId)}
      and sbom.firmware_version_id = (select id from version where not is_kept)
    group by 1, 2`.execute(db)
  return rows
}

export interface KeptVersion {
  id: string
  firmwareId: string
  isKept: boolean
}

export async function listKeptVersions(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<KeptVersion[]> {
  const { rows } = await sql<KeptVersion>`
    select version.id, version.firmware_id, ${isKept(sql`${workspaceId}`)} as is_kept
    from firmware_versions as version
    where version.workspace_id = ${workspaceId} and version.id = any(${[...firmwareVersionIds]}::uuid[])`.execute(
    db,
  )
  return rows
}

/** A statement that may not ship, or of which that is not known, by the rules of a firmware or (null) of the workspace. */
export interface WrongLicence {
  key: string
  rulesOf: string | null
  fails: boolean
}

export interface WrongLicences {
  failing: number
  unknown: number
}

/** By version: how many components state one of them. `versions` say whose rules hold for each. */
export async function countWrong(
  db: Db,
  input: {
    workspaceId: string
    versions: readonly { id: string; rulesOf: string | null }[]
    wrong: readonly WrongLicence[]
  },
): Promise<Map<string, WrongLicences>> {
  const { workspaceId, versions, wrong } = input
  const { rows } = await sql<WrongLicences & { id: string }>`
    with version as (
      select * from unnest(${versions.map(({ id }) => id)}::uuid[], ${versions.map(({ rulesOf }) => rulesOf)}::uuid[])
        as given (id, rules_of)
    )
    select version.id, coalesce(sum(kept.component_count) filter (where wrong.fails), 0)::int as failing,
      coalesce(sum(kept.component_count) filter (where not wrong.fails), 0)::int as unknown
    from unnest(${wrong.map((one) => one.key)}::text[], ${wrong.map(({ rulesOf }) => rulesOf)}::uuid[],
      ${wrong.map(({ fails }) => fails)}::boolean[]) as wrong (key, rules_of, fails)
    join firmware_version_licences as kept on kept.workspace_id = ${workspaceId} and kept.key = wrong.key
    join version on version.id = kept.firmware_version_id and version.rules_of is not distinct from wrong.rules_of
    group by version.id`.execute(db)
  return new Map(rows.map(({ id, failing, unknown }) => [id, { failing, unknown }]))
}

export interface HoldingVersion {
  firmwareVersionId: string
  firmwareName: string
  versionName: string
  componentCount: number
  deviceCount: number
}

/** So many at the same time: those of versions on most devices. */
const MOST_HELD = 20_000

/** The versions whose components state one of those that are asked for; `place` says which of them. */
export async function listHolding(
  db: Db,
  input: {
    workspaceId: string
    /** Empty: any. */
    firmwareIds: readonly string[]
    onlyWhereDevicesRun: boolean
    /** The firmwares with rules of their own. */
    ruled: readonly string[]
    asked: readonly { key: string; rulesOf: string | null }[]
  },
): Promise<(HoldingVersion & { place: number })[]> {
  const { workspaceId, firmwareIds, onlyWhereDevicesRun, ruled, asked } = input
  const { rows } = await sql<HoldingVersion & { place: number }>`
    with counted as (
      select firmware_version_id, sum(devices)::int as devices from firmware_version_device_counts
      where workspace_id = ${workspaceId} group by firmware_version_id
    ), version as materialized (
      select version.id, version.name, firmware.name as firmware_name, coalesce(counted.devices, 0) as devices,
        case when firmware.id = any(${ruled}::uuid[]) then firmware.id end as rules_of
      from firmware_versions as version
      join firmwares as firmware on firmware.workspace_id = ${workspaceId} and firmware.id = version.firmware_id
      left join counted on counted.firmware_version_id = version.id
      where version.workspace_id = ${workspaceId}
        and (${firmwareIds.length === 0} or firmware.id = any(${firmwareIds}::uuid[]))
        and (counted.devices > 0 or (not ${onlyWhereDevicesRun} and ${isNewestOfLine(workspaceId)}))
    )
    select version.id as firmware_version_id, version.firmware_name, version.name as version_name,
      kept.component_count, version.devices as device_count, (asked.place - 1)::int as place
    from unnest(${asked.map(({ key: one }) => one)}::text[], ${asked.map(({ rulesOf }) => rulesOf)}::uuid[])
      with ordinality as asked (key, rules_of, place)
    join version on version.rules_of is not distinct from asked.rules_of
    join firmware_version_licences as kept
      on kept.workspace_id = ${workspaceId} and kept.firmware_version_id = version.id and kept.key = asked.key
    order by version.devices desc, version.firmware_name, version.name, version.id, asked.key
    limit ${MOST_HELD}`.execute(db)
  return rows
}

export interface ChosenVersions {
  workspaceId: string
  /** undefined: of all firmwares, of all versions. */
  firmwareIds?: readonly string[] | undefined
  firmwareVersionIds?: readonly string[] | undefined
}

export async function listLicencesOfVersions(
  db: Db,
  { workspaceId, firmwareIds, firmwareVersionIds }: ChosenVersions,
): Promise<FirmwareLicences[]> {
  const { rows } = await sql<FirmwareLicences>`
    with version as materialized (
      select version.id, version.firmware_id, ${isKept(sql`${workspaceId}`)} as is_kept
      from firmware_versions as version
      where version.workspace_id = ${workspaceId}
        and (${firmwareIds === undefined} or version.firmware_id = any(${firmwareIds ?? []}::uuid[]))
        and (${firmwareVersionIds === undefined} or version.id = any(${firmwareVersionIds ?? []}::uuid[]))
    )
    select version.firmware_id, stated.licenses, stated.is_spdx
    from version
    join firmware_version_licences as kept
      on kept.workspace_id = ${workspaceId} and kept.firmware_version_id = version.id
    join workspace_licences as stated on stated.workspace_id = ${workspaceId} and stated.key = kept.key
    where version.is_kept
    union
    select version.firmware_id, component.licenses, ${isSpdx}
    from version
    join sboms as sbom on sbom.workspace_id = ${workspaceId} and sbom.firmware_version_id = version.id
    join sbom_components as component
      on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
    where not version.is_kept and sbom.parsing_state = 'Succeeded' and ${ships}`.execute(db)
  return rows
}
