/** Edges of all documents over united vertices, as compressed rows. */
import { EDGE } from './document.ts'
import type { ParsedDocument } from './draft.ts'
import { createEdgeList, pushEdge, type EdgeList } from './edges.ts'
import type { UnitedSboms } from './unite.ts'

/** Edges out of (or into) vertex v: positions `start[v]` to `start[v + 1]` of `other` and `kind`. */
export interface Rows {
  start: Int32Array
  other: Int32Array
  kind: Uint8Array
}

export interface DependencyGraph {
  vertexCount: number
  componentCount: number
  outgoing: Rows
  incoming: Rows
  /** Vertices of described and root elements. */
  roots: Int32Array
}

export function buildGraph(
  documents: readonly ParsedDocument[],
  united: UnitedSboms,
): DependencyGraph {
  const declared = collectEdges(documents, united)
  const { edges, vertexCount } = throughOwners(declared, united)
  const outgoing = toRows(edges, vertexCount)
  return {
    vertexCount,
    componentCount: united.componentCount,
    outgoing,
    incoming: reverse(outgoing, vertexCount),
    roots: Int32Array.from(
      documents.flatMap(({ roots }, d) => roots.map((root) => united.vertexOf[d]?.[root] ?? -1)),
    ),
  }
}

function collectEdges(documents: readonly ParsedDocument[], united: UnitedSboms): EdgeList {
  const total = documents.reduce((sum, { edges }) => sum + edges.count, 0)
  const collected = createEdgeList(total)
  documents.forEach(({ edges }, d) => {
    const vertexOf = united.vertexOf[d] ?? new Int32Array(0)
    const { from, to, kind, count } = edges
    for (let i = 0; i < count; i++) {
      const source = vertexOf[from[i] ?? 0] ?? 0
      const target = vertexOf[to[i] ?? 0] ?? 0
      if (source !== target) pushEdge(collected, source, target, kind[i] ?? 0)
    }
  })
  return collected
}

/**
 * A component that needs a file needs the package that owns the file: Zephyr's libapp.a is generated from main.c, which the package
 * app-sources contains. So an edge that needs an owned file leads to a stand-in, and from there to the file and its
 * owners. An edge that contains a file leads to the file alone.
 */
function throughOwners(
  declared: EdgeList,
  { vertexCount, componentCount }: UnitedSboms,
): { edges: EdgeList; vertexCount: number } {
  const { to, kind, count } = declared
  const isOwned = findOwned(declared, { vertexCount, componentCount })
  const needsOwned = to.some(
    (target, i) => i < count && isOwned[target] === 1 && kind[i] !== EDGE.contains,
  )
  if (!needsOwned) return { edges: declared, vertexCount }
  let next = vertexCount
  const standIn = new Int32Array(vertexCount)
  for (let v = 0; v < vertexCount; v++) standIn[v] = isOwned[v] === 1 ? next++ : v
  const edges = createEdgeList(2 * count + next - vertexCount)
  pushThrough(standIn, declared, isOwned, edges)
  for (let v = componentCount; v < vertexCount; v++)
    if (isOwned[v] === 1) pushEdge(edges, standIn[v] ?? 0, v, EDGE.needs)
  return { edges, vertexCount: next }
}

/** 1 for each file that something contains. */
function findOwned(
  { to, kind, count }: EdgeList,
  { vertexCount, componentCount }: Pick<UnitedSboms, 'vertexCount' | 'componentCount'>,
): Uint8Array {
  const isOwned = new Uint8Array(vertexCount)
  for (let i = 0; i < count; i++) {
    const target = to[i] ?? 0
    if (kind[i] === EDGE.contains && target >= componentCount) isOwned[target] = 1
  }
  return isOwned
}

function pushThrough(
  standIn: Int32Array,
  { from, to, kind, count }: EdgeList,
  isOwned: Uint8Array,
  edges: EdgeList,
): void {
  for (let i = 0; i < count; i++) {
    const source = from[i] ?? 0
    const target = to[i] ?? 0
    const isContained = kind[i] === EDGE.contains
    pushEdge(edges, source, isContained ? target : (standIn[target] ?? 0), kind[i] ?? 0)
    // The owner may itself be a file, an archive, that belongs to a package.
    if (isContained && isOwned[target] === 1)
      pushEdge(edges, standIn[target] ?? 0, standIn[source] ?? 0, EDGE.needs)
  }
}

function toRows({ count, from, to, kind }: EdgeList, vertexCount: number): Rows {
  const start = computeStarts(from.subarray(0, count), vertexCount)
  const rows = { start, other: new Int32Array(count), kind: new Uint8Array(count) }
  const free = start.slice()
  for (let i = 0; i < count; i++) {
    const at = free[from[i] ?? 0] ?? 0
    free[from[i] ?? 0] = at + 1
    rows.other[at] = to[i] ?? 0
    rows.kind[at] = kind[i] ?? 0
  }
  return rows
}

/** Where the row of each vertex begins, and where the last one ends. */
function computeStarts(from: Int32Array, vertexCount: number): Int32Array {
  const start = new Int32Array(vertexCount + 1)
  for (const vertex of from) start[vertex + 1] = (start[vertex + 1] ?? 0) + 1
  for (let v = 0; v < vertexCount; v++) start[v + 1] = (start[v + 1] ?? 0) + (start[v] ?? 0)
  return start
}

/** In each row of the result the vertices ascend. */
function reverse({ start, other, kind }: Rows, vertexCount: number): Rows {
  const edges = createEdgeList(other.length)
  for (let v = 0; v < vertexCount; v++)
    for (let i = start[v] ?? 0; i < (start[v + 1] ?? 0); i++)
      pushEdge(edges, other[i] ?? 0, v, kind[i] ?? 0)
  return toRows(edges, vertexCount)
}
