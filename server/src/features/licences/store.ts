import { sql } from 'kysely'
import type { LicenceOutcome } from '../../formats/licences/licence-rules.ts'
import { UNMATCHED_SCOPES } from '../../formats/sboms/model.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'

export interface StoredRules {
  allow: string[]
  deny: string[]
  review: string[]
  failOn: LicenceOutcome[]
}

/** Those of all firmwares, or of one. */
export interface RulesOf {
  workspaceId: string
  firmwareId: string | null
}

/** So that two changes follow each other, also where there are no rules yet. */
export async function lockRules(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('licence-rules:' || ${workspaceId}, 0))`.execute(
    tx,
  )
}

export async function findRules(
  db: Db,
  { workspaceId, firmwareId }: RulesOf,
): Promise<StoredRules | undefined> {
  const { rows } = await sql<StoredRules>`
    select allow, deny, review, fail_on from licence_rules
    where workspace_id = ${workspaceId} and firmware_id is not distinct from ${firmwareId}::uuid`.execute(
    db,
  )
  return rows[0]
}

/** Of those firmwares, or of all: their own rules, and those of the workspace under null. */
export async function listRules(
  db: Db,
  { workspaceId, firmwareIds }: { workspaceId: string; firmwareIds?: readonly string[] },
): Promise<Map<string | null, StoredRules>> {
  const { rows } = await sql<StoredRules & { firmwareId: string | null }>`
    select firmware_id, allow, deny, review, fail_on from licence_rules
    where workspace_id = ${workspaceId}
      and (${firmwareIds === undefined} or firmware_id is null or firmware_id = any(${firmwareIds ?? []}::uuid[]))`.execute(
    db,
  )
  return new Map(rows.map(({ firmwareId, ...rules }) => [firmwareId, rules]))
}

/** `rules` null: there are none. */
export async function replaceRules(
  tx: Tx,
  { workspaceId, firmwareId }: RulesOf,
  rules: (StoredRules & { id: string }) | null,
): Promise<void> {
  await sql`
    delete from licence_rules
    where workspace_id = ${workspaceId} and firmware_id is not distinct from ${firmwareId}::uuid`.execute(
    tx,
  )
  if (rules)
    await tx
      .insertInto('licenceRules')
      .values({ workspaceId, firmwareId, ...rules })
      .execute()
}

/** Components of a version whose documents state the same. */
export interface StatedLicences {
  licenses: string[]
  isSpdx: boolean
  componentCount: number
  /** The first, by name. */
  components: string[]
}

/** What ships: components for building, for tests and the like are left out, as matching leaves them out. */
export const ships = sql`(component.scope is null or component.scope <> all(${[...UNMATCHED_SCOPES]}::text[]))`

export async function listStatedLicences(
  db: Db,
  input: { workspaceId: string; firmwareVersionId: string; mostNames: number },
): Promise<StatedLicences[]> {
  const { workspaceId, firmwareVersionId, mostNames } = input
  const { rows } = await sql<StatedLicences>`
    with named as (
      select component.licenses, coalesce(sbom.format like 'Spdx%', false) as is_spdx,
        concat_ws(' ', component.package_name, component.version) as component
      from sboms as sbom
      join sbom_components as component
        on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
      where sbom.workspace_id = ${workspaceId} and sbom.firmware_version_id = ${firmwareVersionId}
        and sbom.parsing_state = 'Succeeded' and ${ships}
    ), placed as (
      select named.*, row_number() over (partition by licenses, is_spdx order by component) as place from named
    )
    select licenses, is_spdx, count(*)::int as component_count,
      array_agg(component order by place) filter (where place <= ${mostNames}) as components
    from placed group by licenses, is_spdx order by licenses, is_spdx`.execute(db)
  return rows
}

/** What components that ship state in versions of a firmware. */
export interface FirmwareLicences {
  firmwareId: string
  licenses: string[]
  isSpdx: boolean
}

/** What components of a name state in a version, each once. */
export interface NamedLicences {
  name: string
  licenses: string[]
  isSpdx: boolean
}

export async function listNamedLicences(
  db: Db,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
): Promise<NamedLicences[]> {
  const { rows } = await sql<NamedLicences>`
    select distinct component.package_name as name, component.licenses, coalesce(sbom.format like 'Spdx%', false) as is_spdx
    from sboms as sbom
    join sbom_components as component
      on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
    where sbom.workspace_id = ${workspaceId} and sbom.firmware_version_id = ${firmwareVersionId}
      and sbom.parsing_state = 'Succeeded' and ${ships}`.execute(db)
  return rows
}

export interface ShippedComponent {
  name: string
  version: string | null
  supplier: string | null
  licenses: string[]
  isSpdx: boolean
}

/** Each component that ships, once by name and version. */
export async function listNoticed(
  db: Db,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
): Promise<ShippedComponent[]> {
  const { rows } = await sql<ShippedComponent>`
    select distinct component.package_name as name, component.version, component.supplier, component.licenses,
      coalesce(sbom.format like 'Spdx%', false) as is_spdx
    from sboms as sbom
    join sbom_components as component
      on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
    where sbom.workspace_id = ${workspaceId} and sbom.firmware_version_id = ${firmwareVersionId}
      and sbom.parsing_state = 'Succeeded' and ${ships}
    order by name, version, supplier`.execute(db)
  return rows
}
