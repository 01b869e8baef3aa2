import { describe, expect, it } from 'vitest'
import type { GraphNode } from './model.ts'
import { findPathsToRoot } from './paths.ts'

/** `parents` may be given without the rest, which a breadth-first search would add. */
function nodesOf(nodes: (Partial<GraphNode> & { node: number })[]): Map<number, GraphNode> {
  return new Map(
    nodes.map((node) => [
      node.node,
      { label: `n${node.node}`, parents: [], next: undefined, distance: undefined, ...node },
    ]),
  )
}

function paths(number: number, nodes: Map<number, GraphNode>): string[][] {
  const node = nodes.get(number)
  if (!node) throw new Error('no node')
  return findPathsToRoot(node, nodes)
}

/** 0 is the root, each other node has the one before it as its parent. */
function chain(length: number): Map<number, GraphNode> {
  return nodesOf(
    Array.from({ length }, (_value, node) =>
      node === 0
        ? { node, distance: 0 }
        : { node, parents: [node - 1], next: node - 1, distance: node },
    ),
  )
}

describe('pathsToRoot', () => {
  it('is the root alone for a root, and none for what no root reaches', () => {
    const nodes = nodesOf([{ node: 0, distance: 0 }, { node: 1 }, { node: 2, parents: [1] }])

    expect(paths(0, nodes)).toEqual([['n0']])
    expect(paths(1, nodes)).toEqual([])
    expect(paths(2, nodes)).toEqual([])
  })

  it('has the shortest path through each parent, shortest first, then in text order', () => {
    const nodes = nodesOf([
      { node: 0, label: 'root', distance: 0 },
      { node: 1, label: 'z', parents: [0], next: 0, distance: 1 },
      { node: 2, label: 'a', parents: [0], next: 0, distance: 1 },
      { node: 3, label: 'far', parents: [1], next: 1, distance: 2 },
      { node: 4, label: 'x', parents: [0, 1, 2, 3], next: 0, distance: 1 },
    ])

    expect(paths(4, nodes)).toEqual([
      ['x', 'root'],
      ['x', 'a', 'root'],
      ['x', 'z', 'root'],
      ['x', 'far', 'z', 'root'],
    ])
  })

  it('leaves out a path that would come by again', () => {
    const nodes = nodesOf([
      { node: 0, label: 'root', distance: 0, parents: [1] },
      { node: 1, label: 'a', parents: [0, 2], next: 0, distance: 1 },
      { node: 2, label: 'b', parents: [1], next: 1, distance: 2 },
    ])

    expect(paths(1, nodes)).toEqual([['a', 'root']])
    expect(paths(0, nodes)).toEqual([['root']])
  })

  it('has 20 paths at most', () => {
    const parents = Array.from({ length: 50 }, (_value, i) => i + 1)
    const nodes = nodesOf([
      { node: 0, distance: 0 },
      ...parents.map((node) => ({
        node,
        label: `p${String(node).padStart(2, '0')}`,
        parents: [0],
        next: 0,
        distance: 1,
      })),
      { node: 99, label: 'x', parents, next: 1, distance: 2 },
    ])

    const found = paths(99, nodes)

    expect(found).toHaveLength(20)
    expect(found[19]).toEqual(['x', 'p20', 'n0'])
  })

  it.each`
    distance | length | cut
    ${63}    | ${64}  | ${false}
    ${64}    | ${64}  | ${true}
    ${5_000} | ${64}  | ${true}
  `(
    'has $length entries for a path over $distance edges',
    ({ distance, length, cut }: { distance: number; length: number; cut: boolean }) => {
      const [path] = paths(distance, chain(distance + 1))

      expect(path).toHaveLength(length)
      expect(path?.[0]).toBe(`n${distance}`)
      expect(path?.at(-1)).toBe('n0')
      expect(path?.includes('…')).toBe(cut)
      if (cut) expect(path?.slice(31, 34)).toEqual([`n${distance - 31}`, '…', 'n30'])
    },
  )
})
