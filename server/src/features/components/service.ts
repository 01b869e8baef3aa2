/** Lists the components of SBOMs, each with its paths to the roots. */
import type { Readable } from 'node:stream'
import type { GraphNode } from '../../formats/sboms/model.ts'
import { findPathsToRoot } from '../../formats/sboms/paths.ts'
import type { AppContext } from '../../platform/context.ts'
import { openPage, type PageRequested } from '../../platform/http/paging.ts'
import { spoolText } from '../../platform/http/spooled-text.ts'
import { getFirmwareVersion } from '../firmware/index.ts'
import * as store from './store.ts'
import { getSbom } from '../sboms/index.ts'

export interface ListSbomComponents extends PageRequested {
  workspaceId: string
  sbomId: string
  notMatchedReason?: string
  hasNotMatchedReason?: boolean
}

export async function listSbomComponents(ctx: AppContext, input: ListSbomComponents) {
  const { workspaceId, notMatchedReason, hasNotMatchedReason } = input
  const { id: sbomId } = await getSbom(ctx, workspaceId, input.sbomId)
  const filter = { notMatchedReason, hasNotMatchedReason }
  const { rowLimit, after, cut } = openPage(
    ctx,
    ['sbom-components', workspaceId, sbomId, filter],
    input,
  )
  const rows = await store.listComponents(ctx.db, {
    workspaceId,
    sbomId,
    afterNode: after ? Number(after[0]) : -1,
    limit: rowLimit,
    ...filter,
  })
  const { page, next } = cut(rows, ({ node }) => [node])
  const members = page.map(({ node }) => ({ sbomId, node }))
  const nodes = await store.listPathNodes(ctx.db, workspaceId, members)
  const graph = new Map(nodes.map((node) => [node.node, node]))
  const components = page.map(({ node, ...row }) => asComponent(row, listPaths(node, graph)))
  return { components, ...next }
}

function listPaths(number: number, graph: ReadonlyMap<number, GraphNode>): string[][] {
  const node = graph.get(number)
  return node ? findPathsToRoot(node, graph) : []
}

function asComponent<Row extends { cpes: string[] }>(row: Row, paths: string[][]) {
  return { ...row, cpe: row.cpes[0] ?? null, pathsToRoot: paths }
}

const MAX_PATHS = 20

/** All components of a firmware version as one JSON document. There may be 500,000. */
export async function streamFirmwareVersionComponents(
  ctx: AppContext,
  input: { workspaceId: string; firmwareVersionId: string },
): Promise<Readable> {
  const { workspaceId } = input
  const { id: firmwareVersionId } = await getFirmwareVersion(
    ctx.db,
    workspaceId,
    input.firmwareVersionId,
  )
  return spoolText(componentsJson(ctx, { workspaceId, firmwareVersionId }))
}

interface Version {
  workspaceId: string
  firmwareVersionId: string
}

async function* componentsJson(ctx: AppContext, version: Version): AsyncGenerator<string> {
  yield '{"components":['
  let separator = ''
  for await (const component of mergedComponents(ctx, version)) {
    yield separator + JSON.stringify(component)
    separator = ','
  }
  yield ']}'
}

/** Merges equal declarations, which the store returns one after another, into one component with all their paths. */
async function* mergedComponents(ctx: AppContext, version: Version) {
  let graphs = new Map<string, Map<number, GraphNode>>()
  let merged: MergedComponent | undefined
  for await (const batch of store.readVersionComponents(
    ctx.db,
    version,
    (loaded) => (graphs = loaded),
  )) {
    for (const { sbomId, node, packageId, undecided, ...row } of batch) {
      const paths = listPaths(node, graphs.get(sbomId) ?? new Map())
      const key = JSON.stringify(row)
      if (merged && merged.key !== key) yield asMerged(merged)
      if (merged?.key !== key) merged = { key, row, paths: [], undecided: new Map() }
      for (const each of paths) merged.paths.push(each)
      merged.undecided.set(packageId, undecided)
    }
  }
  if (merged) yield asMerged(merged)
}

interface MergedComponent {
  key: string
  row: Omit<store.VersionComponent, 'sbomId' | 'node' | 'packageId' | 'undecided'>
  paths: string[][]
  /** By package: equal declarations can be built from different sources, and then belong to different packages. */
  undecided: Map<string | null, store.UndecidedCounts>
}

function asMerged({ row, paths, undecided }: MergedComponent) {
  const sums: store.UndecidedCounts = {}
  for (const counts of undecided.values())
    for (const [reason, count] of Object.entries(counts)) sums[reason] = (sums[reason] ?? 0) + count
  return asComponent({ ...row, undecided: sums }, shortest(paths))
}

function shortest(paths: readonly string[][]): string[][] {
  const distinct = new Map(paths.map((path) => [JSON.stringify(path), path]))
  return [...distinct.entries()]
    .toSorted(([a, one], [b, other]) => one.length - other.length || (a < b ? -1 : 1))
    .slice(0, MAX_PATHS)
    .map(([, path]) => path)
}
