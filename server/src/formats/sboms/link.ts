/**
 * Resolves the references of documents that belong together and finds the path of every component to the roots. O(V + E),
 * except for parents behind files and builds, which have a budget.
 */
import { findBuiltFrom } from './built-from.ts'
import { buildGraph } from './dependency-graph.ts'
import { SPDX3_NAMESPACE } from './document.ts'
import type { ParsedDocument } from './draft.ts'
import type { DeclaredComponent, GraphNode, LinkedSbom } from './model.ts'
import { findParents, reachFromRoots, type Parents, type Reach } from './reach.ts'
import { findDocumentDistribution, withDistribution } from './source-packages.ts'
import { groupSourceFiles, listSourceFiles } from './source-files.ts'
import { computeScopes } from './scope-by-reach.ts'
import { uniteDocuments, type UnitedSboms } from './unite.ts'
import { createWarnings, quote } from './warnings.ts'
import { findWest } from './west.ts'

/** One linked SBOM for each document, in their order. The documents are not changed and can be linked again. */
export function linkSboms(documents: readonly ParsedDocument[]): LinkedSbom[] {
  const united = uniteDocuments(documents)
  const graph = buildGraph(documents, united)
  const reach = reachFromRoots(graph)
  const parents = findParents(graph, reach)
  const scopeOf = computeScopes(graph)
  const builtFromOf = findBuiltFrom(documents, united)
  const sourceFilesOf = groupSourceFiles(documents, united)
  const nodeOf = new Int32Array(united.componentCount).fill(-1)
  const west = findWest(documents, united)
  return documents.map((document, d) => {
    const vertices = united.componentVertex[d] ?? new Int32Array(0)
    const distribution = findDocumentDistribution(document.systems)
    const components = document.components.map((component, position) => {
      const vertex = vertices[position] ?? -1
      const builtFrom = builtFromOf(vertex) ?? west.builtFrom.get(vertex) ?? component.builtFrom
      const scope = scopeOf(vertex) ?? west.scopes.get(vertex)
      return withFindings(component, scope, withDistribution(component, builtFrom, distribution))
    })
    return {
      format: document.format,
      specVersion: document.specVersion,
      components,
      nodes: numberNodes(vertices, { united, reach, parents, nodeOf }),
      sourceFiles: listSourceFiles(vertices, sourceFilesOf),
      statements: document.statements,
      facts: document.facts,
      describedHashes: document.describedHashes,
      contentDigest: document.contentDigest,
      namespace: findNamespace(document),
      warnings: [...document.warnings, ...linkWarnings(united.unresolved[d] ?? [], parents)],
      hasUnresolvedReferences: (united.unresolved[d] ?? []).length > 0,
      hasExternalReferences: document.hasExternalReferences,
    }
  })
}

/** An archive holds many documents; ids of SPDX 3 are global by themselves. */
function findNamespace({ spaces, format }: ParsedDocument): string | undefined {
  const [space, ...others] = spaces
  // Further spaces of CycloneDX are of documents that this one refers to.
  const isAlone = others.length === 0 || format.startsWith('CycloneDx')
  const namespace = isAlone ? space?.namespace : undefined
  return namespace === SPDX3_NAMESPACE ? undefined : namespace
}

function withFindings(
  component: DeclaredComponent,
  reachedScope: DeclaredComponent['scope'],
  builtFrom: DeclaredComponent['builtFrom'],
): DeclaredComponent {
  const scope = component.scope ?? reachedScope
  if (scope === component.scope && builtFrom === undefined) return component
  return { ...component, scope, builtFrom }
}

function linkWarnings(unresolved: readonly string[], parents: Parents): string[] {
  const warnings = createWarnings()
  for (const id of unresolved)
    if (id !== '')
      warnings.add('Reference to an element that no SBOM given here declares', quote(id))
  if (!parents.isComplete)
    warnings.add(
      'So many files and builds stand between components that only the shortest paths are kept',
    )
  return warnings.list()
}

interface LinkState {
  united: UnitedSboms
  reach: Reach
  parents: Parents
  /** Scratch: vertex → node of the document at hand; -1 everywhere between documents. */
  nodeOf: Int32Array
}

/** Numbers the document's own components, then the foreign ones on their paths. */
function numberNodes(
  vertices: Int32Array,
  { united, reach, parents, nodeOf }: LinkState,
): GraphNode[] {
  const order: number[] = Array.from(vertices)
  order.forEach((vertex, node) => {
    if (nodeOf[vertex] === -1) nodeOf[vertex] = node
  })
  const numberOf = (vertex: number): number => {
    const known = nodeOf[vertex] ?? -1
    if (known !== -1) return known
    nodeOf[vertex] = order.length
    return order.push(vertex) - 1
  }
  const nodes: GraphNode[] = []
  // `order` grows in this loop: a foreign node adds the next node on its path to the root.
  for (let node = 0; node < order.length; node++) {
    const vertex = order[node] ?? -1
    const nextVertex = reach.next[vertex] ?? -1
    const distance = reach.distance[vertex] ?? -1
    const next = nextVertex === -1 ? undefined : numberOf(nextVertex)
    const own = node < vertices.length
    nodes.push({
      node,
      label: formatLabel(united.components[vertex]),
      parents: own
        ? ascending(parents.of[vertex] ?? [], numberOf)
        : next === undefined
          ? []
          : [next],
      next,
      distance: distance === -1 ? undefined : distance,
    })
  }
  for (const vertex of order) nodeOf[vertex] = -1
  return nodes
}

function ascending(vertices: number[], numberOf: (vertex: number) => number): number[] {
  // The first document's components are numbered as their vertices are.
  if (vertices.every((vertex) => numberOf(vertex) === vertex)) return vertices
  const nodes = vertices.map(numberOf)
  for (let i = 1; i < nodes.length; i++)
    if ((nodes[i - 1] ?? 0) > (nodes[i] ?? 0)) return nodes.toSorted((a, b) => a - b)
  return nodes
}

function formatLabel(component: DeclaredComponent | undefined): string {
  if (component === undefined) return ''
  const { packageName, version } = component
  return version === undefined ? packageName : `${packageName}@${version}`
}
