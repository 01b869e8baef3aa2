import { sql } from 'kysely'
import type { BuiltFrom, GraphNode } from '../../formats/sboms/model.ts'
import type { Db } from '../../platform/db/connect.ts'
import { isNotMatchedFor, selectNotMatchedReason, withReasonInWords } from './not-matched-store.ts'
import type { DeclaredColumns } from '../sboms/index.ts'
import type { ComponentRow } from '../sboms/index.ts'

export interface ComponentPage {
  workspaceId: string
  sbomId: string
  afterNode: number
  limit: number
  notMatchedReason?: string | undefined
  hasNotMatchedReason?: boolean | undefined
}

const COMPONENT_COLUMNS = [
  'component.node',
  'component.id',
  'component.vendor',
  'component.packageName',
  'component.version',
  'component.purl',
  'component.cpes',
  'component.licenses',
  'component.hashes',
  'component.supplier',
  'component.downloadLocation',
  'component.scope',
  'component.overrideId',
] as const

/** How many advisories name the package but could not be compared with its version, by reason. */
export type UndecidedCounts = Record<string, number>

const notMatchedReason = selectNotMatchedReason('component')
const undecided = sql<UndecidedCounts>`coalesce(package.undecided, '{}')`

export async function listComponents(
  db: Db,
  { workspaceId, sbomId, afterNode, limit, ...filter }: ComponentPage,
) {
  const { notMatchedReason: reason, hasNotMatchedReason: hasReason } = filter
  const rows = await db
    .selectFrom('sbomComponents as component')
    .leftJoin('packages as package', 'package.id', 'component.packageId')
    .select([...COMPONENT_COLUMNS, undecided.as('undecided')])
    .select(notMatchedReason.as('notMatchedReason'))
    .where('component.workspaceId', '=', workspaceId)
    .where('component.sbomId', '=', sbomId)
    .where('component.node', '>', afterNode)
    .$if(reason !== undefined, (query) => query.where(isNotMatchedFor(reason ?? '')))
    .$if(hasReason !== undefined, (query) =>
      query.where(sql<boolean>`(${notMatchedReason} is not null) = ${hasReason}`),
    )
    .orderBy('component.node')
    .limit(limit)
    .execute()
  return rows.map(withReasonInWords)
}

/** A component with all that identifies it, in a firmware version. */
export interface DeclaredRow extends DeclaredColumns {
  id: string
  sbomId: string
  /** In the graph of its SBOM. */
  node: number
  fileName: string
  packageId: string | null
  notMatchedReason: string | null
  overrideId: string | null
}

/** No index has component ids: this reads the components of one firmware version. */
export async function findComponent(
  db: Db,
  {
    workspaceId,
    firmwareVersionId,
    componentId,
  }: { workspaceId: string; firmwareVersionId: string; componentId: string },
): Promise<DeclaredRow | undefined> {
  const row = await db
    .selectFrom('sboms as sbom')
    .innerJoin('sbomComponents as component', (join) =>
      join
        .onRef('component.workspaceId', '=', 'sbom.workspaceId')
        .onRef('component.sbomId', '=', 'sbom.id'),
    )
    .select(['component.id', 'component.sbomId', 'component.node', 'sbom.fileName'])
    .select([
      'component.vendor',
      'component.packageName',
      'component.version',
      'component.purl',
      'component.cpes',
    ])
    .select(['component.downloadLocation', 'component.addresses', 'component.scope'])
    .select('component.packageId')
    .select(sql<BuiltFrom | null>`component.built_from`.as('builtFrom'))
    .leftJoin('packages as package', 'package.id', 'component.packageId')
    .select('component.overrideId')
    .select(notMatchedReason.as('notMatchedReason'))
    .where('sbom.workspaceId', '=', workspaceId)
    .where('sbom.firmwareVersionId', '=', firmwareVersionId)
    .where('sbom.parsingState', '=', 'Succeeded')
    .where('component.id', '=', componentId)
    .executeTakeFirst()
  return row && withReasonInWords(row)
}

/** A node of an SBOM's graph. */
export type PathNode = GraphNode & { sbomId: string }

/** The given nodes and all nodes on their ways to the roots: enough to build paths without reading whole graphs. */
export async function listPathNodes(
  db: Db,
  workspaceId: string,
  members: readonly Pick<PathNode, 'sbomId' | 'node'>[],
): Promise<PathNode[]> {
  const ids = members.map(({ sbomId }) => sbomId)
  const nodes = members.map(({ node }) => node)
  const { rows } = await sql<
    Omit<PathNode, 'next' | 'distance'> & { next: number | null; distance: number | null }
  >`
    with recursive reached (sbom_id, node) as (
      select graph.sbom_id, unnest(array[graph.node] || graph.parents)
      from unnest(${ids}::uuid[], ${nodes}::integer[]) as member (sbom_id, node)
      join sbom_graph_nodes as graph on graph.workspace_id = ${workspaceId}
        and graph.sbom_id = member.sbom_id and graph.node = member.node
      union
      select graph.sbom_id, graph.next
      from reached
      join sbom_graph_nodes as graph on graph.workspace_id = ${workspaceId}
        and graph.sbom_id = reached.sbom_id and graph.node = reached.node
      where graph.next is not null
    )
    select graph.sbom_id, graph.node, graph.label, graph.parents, graph.next, graph.distance
    from reached
    join sbom_graph_nodes as graph on graph.workspace_id = ${workspaceId}
      and graph.sbom_id = reached.sbom_id and graph.node = reached.node`.execute(db)
  return rows.map(({ next, distance, ...row }) => ({
    ...row,
    next: next ?? undefined,
    distance: distance ?? undefined,
  }))
}

export interface VersionComponent extends Omit<ComponentRow, 'sourceName' | 'builtFrom'> {
  sbomId: string
  undecided: UndecidedCounts
}

const FETCH = 2_000

/**
 * Yields all components of a firmware version in batches; equal declarations follow each other. All reads see the same
 * state. `onGraphs` receives the graphs of the SBOMs before the first batch.
 */
export async function* readVersionComponents(
  db: Db,
  { workspaceId, firmwareVersionId }: { workspaceId: string; firmwareVersionId: string },
  onGraphs: (graphs: Map<string, Map<number, GraphNode>>) => void,
): AsyncGenerator<VersionComponent[]> {
  const tx = await db.startTransaction().setIsolationLevel('repeatable read').execute()
  try {
    onGraphs(await readGraphs(tx, workspaceId, firmwareVersionId))
    await sql`
      declare version_components no scroll cursor for
      select component.sbom_id, component.node, component.vendor, component.package_name, component.version,
        component.purl, component.cpes, component.licenses, component.hashes, component.supplier,
        component.download_location, component.scope, ${notMatchedReason} as not_matched_reason,
        component.override_id, component.package_id, ${undecided} as undecided
      from sboms as sbom
      join sbom_components as component
        on component.workspace_id = sbom.workspace_id and component.sbom_id = sbom.id
      left join packages as package on package.id = component.package_id
      where sbom.workspace_id = ${workspaceId} and sbom.firmware_version_id = ${firmwareVersionId}
        and sbom.parsing_state = 'Succeeded'
      order by component.package_name collate "C", component.version collate "C", component.vendor collate "C",
        component.purl collate "C", component.cpes::text collate "C", component.licenses::text collate "C",
        component.hashes::text collate "C", component.supplier collate "C",
        component.download_location collate "C", component.scope, ${notMatchedReason},
        component.override_id, sbom.created_at, sbom.id, component.node`.execute(tx)
    for (;;) {
      const { rows } =
        await sql<VersionComponent>`fetch ${sql.lit(FETCH)} from version_components`.execute(tx)
      if (rows.length === 0) break
      yield rows.map(withReasonInWords)
    }
  } finally {
    await tx.rollback().execute()
  }
}

async function readGraphs(db: Db, workspaceId: string, firmwareVersionId: string) {
  const rows = await db
    .selectFrom('sboms')
    .innerJoin('sbomGraphNodes as graph', (join) =>
      join
        .onRef('graph.workspaceId', '=', 'sboms.workspaceId')
        .onRef('graph.sbomId', '=', 'sboms.id'),
    )
    .select([
      'graph.sbomId',
      'graph.node',
      'graph.label',
      'graph.parents',
      'graph.next',
      'graph.distance',
    ])
    .where('sboms.workspaceId', '=', workspaceId)
    .where('sboms.firmwareVersionId', '=', firmwareVersionId)
    .where('sboms.parsingState', '=', 'Succeeded')
    .execute()
  const graphs = new Map<string, Map<number, GraphNode>>()
  for (const { sbomId, next, distance, ...row } of rows) {
    const graph = graphs.get(sbomId) ?? new Map<number, GraphNode>()
    graphs.set(sbomId, graph)
    graph.set(row.node, { ...row, next: next ?? undefined, distance: distance ?? undefined })
  }
  return graphs
}
