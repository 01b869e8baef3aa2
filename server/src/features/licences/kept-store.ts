/** What the components of each version state, kept by statement: rules are asked once for each of them. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { DerivedRows } from '../../platform/doctor/check.ts'
import { ships } from './store.ts'

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

export async function listFirmwareIds(
  db: Db,
  workspaceId: string,
  firmwareVersionIds: readonly string[],
): Promise<{ id: string; firmwareId: string }[]> {
  const { rows } = await sql<{ id: string; firmwareId: string }>`
    select id, firmware_id from firmware_versions
    where workspace_id = ${workspaceId} and id = any(${[...firmwareVersionIds]}::uuid[])`.execute(
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
