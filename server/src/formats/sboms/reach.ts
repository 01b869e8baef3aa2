/** Breadth-first search from the roots with files and builds contracted, in O(V + E). */
import type { DependencyGraph } from './dependency-graph.ts'

/** Budget for finding parents through files and builds; only a hostile graph needs more. */
const CONTRACTION_STEPS = 5_000_000

export interface Reach {
  /** Component vertex → edges between components to the nearest root; -1 when none is reached. */
  distance: Int32Array
  /** Component vertex → its parent on the shortest way to a root, the first in order; -1 for roots and the unreached. */
  next: Int32Array
}

export function reachFromRoots(graph: DependencyGraph): Reach {
  const { vertexCount, componentCount, roots } = graph
  const distance = new Int32Array(componentCount).fill(-1)
  const next = new Int32Array(componentCount).fill(-1)
  const passed = new Uint8Array(vertexCount)
  const visit = (vertex: number, parent: number, level: number, found: number[]): boolean => {
    if (passed[vertex] === 1) return false
    passed[vertex] = 1
    if (vertex >= componentCount) return true
    distance[vertex] = level
    next[vertex] = parent
    found.push(vertex)
    return false
  }
  let level: number[] = []
  const pending: number[] = []
  const expand = (parent: number, depth: number, found: number[]) => {
    for (let vertex = pending.pop(); vertex !== undefined; vertex = pending.pop())
      for (
        let i = graph.outgoing.start[vertex] ?? 0;
        i < (graph.outgoing.start[vertex + 1] ?? 0);
        i++
      ) {
        const target = graph.outgoing.other[i] ?? 0
        if (visit(target, parent, depth, found)) pending.push(target)
      }
  }
  for (const root of roots) if (visit(root, -1, 0, level)) pending.push(root)
  // Components behind a described file or build have distance 0.
  expand(-1, 0, level)
  for (let depth = 1; level.length > 0; depth++) {
    const found: number[] = []
    // In vertex order, so that the first parent to reach a component is the first in order.
    for (const component of level.toSorted((a, b) => a - b)) {
      pending.push(component)
      expand(component, depth, found)
    }
    level = found
  }
  return { distance, next }
}

export interface Parents {
  /** Component vertex → its direct parents, ascending. */
  of: number[][]
  /** False when the budget was too small: some components then lack parents that are not on the shortest path. */
  isComplete: boolean
}

export function findParents(
  graph: DependencyGraph,
  { next }: Reach,
  steps = CONTRACTION_STEPS,
): Parents {
  const search = { graph, seen: new Int32Array(graph.vertexCount).fill(-1), stepsLeft: steps }
  const of: number[][] = []
  for (let component = 0; component < graph.componentCount; component++) {
    const parents = searchParents(component, search)
    const nearest = next[component] ?? -1
    const isMissing = nearest !== -1 && search.seen[nearest] !== component
    if (search.stepsLeft <= 0 && isMissing) parents.push(nearest)
    of.push(inOrder(parents))
  }
  return { of, isComplete: search.stepsLeft > 0 }
}

interface ParentSearch {
  graph: DependencyGraph
  /** Vertex → the component whose search visited it last. */
  seen: Int32Array
  stepsLeft: number
}

/** Follows the edges backwards through everything that is not a component. */
function searchParents(component: number, search: ParentSearch): number[] {
  const { graph, seen } = search
  const { start, other } = graph.incoming
  const { componentCount } = graph
  const parents: number[] = []
  const pending = [component]
  seen[component] = component
  for (let vertex = pending.pop(); vertex !== undefined; vertex = pending.pop())
    for (let i = start[vertex] ?? 0; i < (start[vertex + 1] ?? 0); i++) {
      const parent = other[i] ?? 0
      if (vertex >= componentCount) search.stepsLeft -= 1
      if (seen[parent] === component) continue
      seen[parent] = component
      if (parent < componentCount) parents.push(parent)
      else if (search.stepsLeft > 0) pending.push(parent)
    }
  return parents
}

function inOrder(numbers: number[]): number[] {
  for (let i = 1; i < numbers.length; i++)
    if ((numbers[i - 1] ?? 0) > (numbers[i] ?? 0)) return numbers.toSorted((a, b) => a - b)
  return numbers
}
