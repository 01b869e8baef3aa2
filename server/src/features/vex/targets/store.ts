/** Reads what a firmware version holds, for the resolution of statements. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { lockPackages } from '../../../platform/db/package-locks.ts'
import type { ComponentRow, PackagePairs, SbomRow } from './inventory.ts'

export interface VersionScope {
  workspaceId: string
  firmwareVersionId: string
}

/**
 * Takes shared locks on the packages of a version. Matching locks packages before it changes matches and looks for
 * statements, so that no match begins unseen while statements are imported.
 */
export async function sharePackages(tx: Tx, scope: VersionScope): Promise<void> {
  const rows = await tx
    .selectFrom('firmwareVersionPackages')
    .select('packageId')
    .where('workspaceId', '=', scope.workspaceId)
    .where('firmwareVersionId', '=', scope.firmwareVersionId)
    .where('until', 'is', null)
    .execute()
  await lockPackages(
    tx,
    rows.map(({ packageId }) => packageId),
    'shared',
  )
}

export async function listNamespaces(db: Db, scope: VersionScope): Promise<SbomRow[]> {
  return db
    .selectFrom('sboms')
    .select(['id', 'namespace', 'fileName', 'format', 'createdAt'])
    .where('workspaceId', '=', scope.workspaceId)
    .where('firmwareVersionId', '=', scope.firmwareVersionId)
    .where('parsingState', '=', 'Succeeded')
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

export async function listComponents(db: Db, scope: VersionScope): Promise<ComponentRow[]> {
  const { rows } = await sql<ComponentRow>`
    with held as (
      select id from sboms
      where workspace_id = ${scope.workspaceId} and firmware_version_id = ${scope.firmwareVersionId}
        and parsing_state = 'Succeeded'
    ), root as (
      select graph.sbom_id, min(graph.node) as node
      from sbom_graph_nodes as graph join held on held.id = graph.sbom_id
      where graph.workspace_id = ${scope.workspaceId} and graph.distance = 0
      group by graph.sbom_id having count(*) = 1
    )
    select component.sbom_id, component.node, component.ref, component.package_id, component.package_name,
      component.vendor, component.version, component.purl, component.cpes, component.hashes,
      root.node is not null as is_root, coalesce(component.built_from ->> 'packageName', component.source_name) as source_name,
      component.built_from ->> 'version' as source_version
    from held
    join sbom_components as component
      on component.workspace_id = ${scope.workspaceId} and component.sbom_id = held.id
    left join root on root.sbom_id = component.sbom_id and root.node = component.node
    order by component.sbom_id, component.node`.execute(db)
  return rows
}

export async function listPackagePairs(db: Db, scope: VersionScope): Promise<PackagePairs[]> {
  const { rows } = await sql<PackagePairs>`
    select package.id as package_id, package.identity -> 'pairs' as pairs
    from packages as package
    where package.id in (
      select component.package_id
      from sboms as sbom
      join sbom_components as component
        on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
      where sbom.workspace_id = ${scope.workspaceId} and sbom.firmware_version_id = ${scope.firmwareVersionId}
        and sbom.parsing_state = 'Succeeded')
    order by package.id`.execute(db)
  return rows
}

/** Of the full image and of deltas, which install the whole version. What is said of a part is not said of the version. */
export async function listArtifactHashes(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionScope,
): Promise<{ sha256: string; sha1: string; md5: string }[]> {
  const { rows } = await sql<{ sha256: string; sha1: string; md5: string }>`
    select sha256, sha1, md5 from firmware_artifacts
    where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId}
    union all
    select sha256, sha1, md5 from firmware_role_artifacts
    where workspace_id = ${workspaceId} and firmware_version_id = ${firmwareVersionId} and base_version_id is not null`.execute(
    db,
  )
  return rows
}

export interface ParentsRow {
  sbomId: string
  node: number
  parents: number[]
}

export async function listParents(db: Db, scope: VersionScope): Promise<ParentsRow[]> {
  return db
    .selectFrom('sboms as sbom')
    .innerJoin('sbomGraphNodes as graph', (join) =>
      join
        .onRef('graph.workspaceId', '=', 'sbom.workspaceId')
        .onRef('graph.sbomId', '=', 'sbom.id'),
    )
    .select(['graph.sbomId', 'graph.node', 'graph.parents'])
    .where('sbom.workspaceId', '=', scope.workspaceId)
    .where('sbom.firmwareVersionId', '=', scope.firmwareVersionId)
    .where('sbom.parsingState', '=', 'Succeeded')
    .execute()
}
