/** How SBOMs call the components of listed findings: a package is kept under the name of its source, people look for what the SBOM declares. */
import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

interface Listed {
  packageId: string
  /** As the package is kept. */
  componentName: string
}

interface DeclaredName extends Listed {
  firmwareVersionId: string
  sourceName: string | null
}

/**
 * Names each row as the SBOMs of its version do, and its source where that has another name. Rows without a version, or that no SBOM
 * declares any more, keep their name.
 */
export async function addDeclaredNames<Row extends Listed>(
  db: Db,
  workspaceId: string,
  rows: readonly Row[],
  findVersion: (row: Row) => string | undefined,
): Promise<(Row & { componentSource: string | null })[]> {
  const keyed = rows.map((row) => ({ row, key: `${findVersion(row) ?? ''} ${row.packageId}` }))
  const declared = await listDeclaredNames(db, workspaceId, new Set(keyed.map(({ key }) => key)))
  return keyed.map(({ row, key }) => {
    const { componentName, sourceName } = declared.get(key) ?? { ...row, sourceName: null }
    const componentSource = sourceName === componentName ? null : sourceName
    return { ...row, componentName, componentSource }
  })
}

/**
 * By version and package: the component that stands for the package, as in `presentPackages`. It reads the SBOMs one by one
 * (`offset 0`). All packages are a parameter, so that the planner knows how many there are: it reads a whole SBOM where they are
 * many, rather than what all versions have of each.
 */
async function listDeclaredNames(
  db: Db,
  workspaceId: string,
  keys: ReadonlySet<string>,
): Promise<Map<string, DeclaredName>> {
  const pairs = [...keys].map((key) => key.split(' ')).filter(([version]) => version !== '')
  if (pairs.length === 0) return new Map()
  const packageIds = pairs.map(([, packageId]) => packageId)
  const { rows } = await sql<DeclaredName>`
    with shown as materialized (
      select firmware_version_id, array_agg(package_id) as package_ids
      from unnest(${pairs.map(([version]) => version)}::uuid[], ${packageIds}::uuid[])
        as pair (firmware_version_id, package_id)
      group by firmware_version_id
    )
    select distinct on (shown.firmware_version_id, component.package_id) shown.firmware_version_id, component.package_id,
      component.package_name as component_name, component.source_name
    from shown
    cross join lateral (
      select sbom.id from sboms as sbom
      where sbom.workspace_id = ${workspaceId} and sbom.firmware_version_id = shown.firmware_version_id
        and sbom.parsing_state = 'Succeeded' offset 0
    ) as sbom
    cross join lateral (
      select one.package_id, one.package_name, one.source_name from sbom_components as one
      where one.workspace_id = ${workspaceId} and one.sbom_id = sbom.id
        and one.package_id = any(${[...new Set(packageIds)]}::uuid[])
      offset 0
    ) as component
    where component.package_id = any(shown.package_ids)
    order by shown.firmware_version_id, component.package_id, length(component.package_name),
      component.package_name collate "C"`.execute(db)
  return new Map(rows.map((row) => [`${row.firmwareVersionId} ${row.packageId}`, row]))
}
