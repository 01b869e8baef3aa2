/** Paths of a component to the roots (docs/design/interface.md, components and paths), computed from nodes alone, so that database rows work as well. */
import type { GraphNode } from './model.ts'

const MAX_PATHS = 20
const MAX_ENTRIES = 64
const KEPT_FIRST = 32
const KEPT_LAST = 31

/**
 * The shortest path to a root through each direct parent, from the component up to the root: at most 20, shortest first,
 * equal lengths in text order. The path of a root is itself alone. A component that no root reaches has no path.
 */
export function findPathsToRoot(
  node: GraphNode,
  nodesByNumber: ReadonlyMap<number, GraphNode>,
): string[][] {
  const parents = node.parents
    .map((number) => nodesByNumber.get(number))
    .filter((parent) => parent?.distance !== undefined)
  // The length is known before the path is built, so only candidates for the first 20 are built.
  const byLength = Map.groupBy(parents, (parent) => parent?.distance ?? 0)
  const paths: string[][] = node.distance === 0 ? [[node.label]] : []
  for (const length of [...byLength.keys()].toSorted((a, b) => a - b)) {
    if (paths.length >= MAX_PATHS) break
    const found: string[][] = []
    for (const parent of byLength.get(length) ?? []) {
      const path = parent && pathThrough(node, parent, nodesByNumber)
      if (path !== undefined) found.push(path)
    }
    for (const each of found.toSorted(byText)) paths.push(each)
  }
  return paths.slice(0, MAX_PATHS)
}

/** undefined where the path from the parent leads through the node again, or to no root. */
function pathThrough(
  node: GraphNode,
  parent: GraphNode,
  nodesByNumber: ReadonlyMap<number, GraphNode>,
): string[] | undefined {
  const first = [node.label]
  const last: string[] = []
  let length = 1
  for (let step: GraphNode | undefined = parent; step;) {
    if (step.node === node.node) return undefined
    length += 1
    if (first.length < KEPT_FIRST) first.push(step.label)
    else last.push(step.label)
    if (step.next === undefined) break
    step = nodesByNumber.get(step.next)
    if (step === undefined) return undefined
  }
  if (length <= MAX_ENTRIES) return [...first, ...last]
  return [...first, '…', ...last.slice(-KEPT_LAST)]
}

function byText(a: readonly string[], b: readonly string[]): number {
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const left = a[i] ?? ''
    const right = b[i] ?? ''
    if (left !== right) return left < right ? -1 : 1
  }
  return a.length - b.length
}
