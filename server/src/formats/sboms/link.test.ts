import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { propertyRuns } from '../../../test/property-runs.ts'
import {
  addEdge,
  createDraft,
  declareComponent,
  declareConnector,
  EDGE,
  finish,
  openSpace,
  type EdgeKind,
} from './document.ts'
import type { ParsedDocument } from './draft.ts'
import { linkSboms } from './link.ts'
import type { LinkedSbom } from './model.ts'
import { parseSbom } from './parse.ts'
import { findPathsToRoot } from './paths.ts'

/** Elements are numbered: components first, files after them. */
interface Graph {
  components: number
  files: number
  edges: { from: number; to: number; kind: EdgeKind }[]
  roots: number[]
}

function documentOf({ components, files, edges, roots }: Graph): ParsedDocument {
  const draft = createDraft('Spdx2Json', Infinity)
  const space = openSpace(draft, undefined)
  for (let i = 0; i < components; i++)
    declareComponent(draft, space, {
      node: -1,
      ref: `c${i}`,
      vendor: undefined,
      packageName: `c${i}`,
      version: undefined,
      purl: undefined,
      cpes: [],
      licenses: [],
      hashes: [],
      supplier: undefined,
      downloadLocation: undefined,
      scope: undefined,
      builtFrom: undefined,
    })
  for (let i = 0; i < files; i++) declareConnector(draft, space, `f${i}`)
  for (const { from, to, kind } of edges) addEdge(draft, from, to, kind)
  draft.roots.push(...roots)
  return finish(draft)
}

function link(graph: Graph): LinkedSbom {
  const [sbom] = linkSboms([documentOf(graph)])
  if (!sbom) throw new Error('no SBOM')
  return sbom
}

function pathsOf(sbom: LinkedSbom): string[][][] {
  const nodes = new Map(sbom.nodes.map((node) => [node.node, node]))
  return sbom.nodes.map((node) => findPathsToRoot(node, nodes))
}

const edgesOf = (kind: EdgeKind, ...pairs: [number, number][]) =>
  pairs.map(([from, to]) => ({ from, to, kind }))

describe('linkSboms', () => {
  it.each`
    graph                                                                             | paths
    ${{ edges: edgesOf(EDGE.needs, [0, 1], [1, 2], [0, 2]) }}                         | ${[[['c0']], [['c1', 'c0']], [['c2', 'c0'], ['c2', 'c1', 'c0']]]}
    ${{ edges: edgesOf(EDGE.needs, [0, 1], [1, 0], [1, 1]) }}                         | ${[[['c0'], ['c0', 'c1', 'c0']].slice(0, 1), [['c1', 'c0']], []]}
    ${{ edges: edgesOf(EDGE.needs, [1, 2], [2, 1]) }}                                 | ${[[['c0']], [], []]}
    ${{ edges: edgesOf(EDGE.contains, [0, 3], [3, 1]) }}                              | ${[[['c0']], [['c1', 'c0']], []]}
    ${{ edges: edgesOf(EDGE.needs, [0, 3], [3, 4], [4, 1], [4, 3], [1, 2]) }}         | ${[[['c0']], [['c1', 'c0']], [['c2', 'c1', 'c0']]]}
    ${{ edges: [...edgesOf(EDGE.needs, [0, 3]), ...edgesOf(EDGE.contains, [1, 3])] }} | ${[[['c0']], [['c1', 'c0']], []]}
    ${{ edges: edgesOf(EDGE.contains, [0, 3], [1, 3]) }}                              | ${[[['c0']], [], []]}
    ${{ roots: [3], edges: edgesOf(EDGE.needs, [3, 1], [1, 2]) }}                     | ${[[], [['c1']], [['c2', 'c1']]]}
    ${{ roots: [0, 1], edges: edgesOf(EDGE.needs, [0, 1], [1, 2]) }}                  | ${[[['c0']], [['c1'], ['c1', 'c0']], [['c2', 'c1']]]}
    ${{ roots: [], edges: edgesOf(EDGE.needs, [0, 1]) }}                              | ${[[], [], []]}
  `(
    'finds $paths in $graph',
    ({ graph, paths }: { graph: Partial<Graph>; paths: string[][][] }) => {
      expect(pathsOf(link({ components: 3, files: 2, roots: [0], edges: [], ...graph }))).toEqual(
        paths,
      )
    },
  )

  it('numbers nodes of other SBOMs after the own ones, as far as they lie on paths', () => {
    const spdx3 = (elements: object[]) =>
      parseSbom(
        Buffer.from(
          JSON.stringify({
            '@context': 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld',
            '@graph': elements,
          }),
        ),
      )
    const packageNamed = (name: string) => ({
      type: 'software_Package',
      spdxId: `urn:${name}`,
      name,
    })
    const needs = (from: string, to: string) => ({
      type: 'Relationship',
      from: `urn:${from}`,
      relationshipType: 'dependsOn',
      to: [`urn:${to}`],
    })
    const product = spdx3([
      { type: 'SpdxDocument', spdxId: 'urn:document', rootElement: ['urn:root'] },
      ...['root', 'app', 'unrelated'].map(packageNamed),
      needs('root', 'app'),
      needs('root', 'unrelated'),
      needs('app', 'lib'),
    ])
    const library = spdx3([...['part', 'lib'].map(packageNamed), needs('lib', 'part')])

    const [, linked] = linkSboms([product, library])

    expect(linked?.nodes).toEqual([
      { node: 0, label: 'part', parents: [1], next: 1, distance: 3 },
      { node: 1, label: 'lib', parents: [2], next: 2, distance: 2 },
      { node: 2, label: 'app', parents: [3], next: 3, distance: 1 },
      { node: 3, label: 'root', parents: [], next: undefined, distance: 0 },
    ])
  })

  it('changes no document, so that it can be linked again', () => {
    const document = documentOf({
      components: 2,
      files: 0,
      edges: edgesOf(EDGE.build, [0, 1]),
      roots: [0],
    })
    const before = structuredClone(document)

    const first = linkSboms([document])
    const second = linkSboms([document])

    expect(document).toEqual(before)
    expect(second).toEqual(first)
    expect(first[0]?.components[1]?.scope).toBe('build')
  })

  it('gives a scope to what only scoped edges lead to', () => {
    const scopeOf = (edges: Graph['edges']) =>
      link({ components: 4, files: 1, roots: [0], edges }).components.map(({ scope }) => scope)

    // A file of a build tool, and what that file needs.
    expect(
      scopeOf([
        ...edgesOf(EDGE.build, [0, 1]),
        ...edgesOf(EDGE.contains, [1, 4]),
        ...edgesOf(EDGE.needs, [4, 2]),
      ]),
    ).toEqual([undefined, 'build', 'build', undefined])
    // Needed by what ships as well.
    expect(
      scopeOf([...edgesOf(EDGE.build, [0, 1]), ...edgesOf(EDGE.needs, [1, 2], [3, 2])]),
    ).toEqual([undefined, 'build', undefined, undefined])
    // Optional first, then its tests.
    expect(
      scopeOf([
        ...edgesOf(EDGE.optional, [0, 1]),
        ...edgesOf(EDGE.test, [1, 2]),
        ...edgesOf(EDGE.dev, [2, 3]),
      ]),
    ).toEqual([undefined, 'optional', 'test', 'test'])
    // A cycle that nothing leads to.
    expect(scopeOf(edgesOf(EDGE.dev, [1, 2], [2, 1]))).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
  })

  const anyGraph = fc
    .record({ components: fc.integer({ min: 1, max: 8 }), files: fc.integer({ min: 0, max: 4 }) })
    .chain(({ components, files }) => {
      const element = fc.integer({ min: 0, max: components + files - 1 })
      const kind = fc.constantFrom(...Object.values(EDGE))
      return fc.record({
        components: fc.constant(components),
        files: fc.constant(files),
        edges: fc.array(fc.record({ from: element, to: element, kind }), { maxLength: 30 }),
        roots: fc.array(element, { maxLength: 3 }),
      })
    })

  it('agrees with a naive search: distances, parents, and paths that are real and shortest', () => {
    fc.assert(
      fc.property(anyGraph, (graph) => {
        const naive = searchNaively(graph)

        const { nodes } = link(graph)
        const byNumber = new Map(nodes.map((node) => [node.node, node]))

        for (const node of nodes) {
          const parents = naive.parents[node.node] ?? []
          const distance = naive.distances[node.node]
          expect(node.distance).toBe(distance)
          expect(node.parents).toEqual(parents)
          const closer = parents.find((parent) => naive.distances[parent] === (distance ?? 0) - 1)
          expect(node.next).toBe(distance === undefined || distance === 0 ? undefined : closer)

          const paths = findPathsToRoot(node, byNumber)
          expect(paths[0]?.length).toBe(distance === undefined ? undefined : distance + 1)
          expect(paths.map((path) => path.length)).toEqual(
            paths.map((path) => path.length).toSorted((a, b) => a - b),
          )
          for (const path of paths) expectRealPath(path, node.node, naive)
          const throughParents = paths.filter((path) => path.length > 1).map((path) => path[1])
          expect(new Set(throughParents).size).toBe(throughParents.length)
        }
      }),
      { numRuns: propertyRuns(2_000) },
    )
  })
})

interface Naive {
  distances: (number | undefined)[]
  parents: number[][]
  roots: Set<number>
}

/** By the definition: follow every way through files, then relax distances until nothing changes. */
function searchNaively(graph: Graph): Naive {
  const { components } = graph
  const isFile = (element: number) => element >= components
  const targets = (element: number, isNeeded: boolean) => [
    ...graph.edges
      .filter(({ from, to }) => from === element && to !== element)
      .map(({ to, kind }) => ({ element: to, isNeeded: kind !== EDGE.contains })),
    // What needs a file needs the packages the file belongs to.
    ...(isNeeded && isFile(element)
      ? graph.edges
          .filter(
            ({ to, kind, from }) => to === element && kind === EDGE.contains && from !== element,
          )
          .map(({ from }) => ({ element: from, isNeeded: true }))
      : []),
  ]
  const componentsFrom = (start: number, isNeeded: boolean): Set<number> => {
    const found = new Set<number>()
    const seen = new Set<string>()
    const pending = targets(start, isNeeded)
    for (let next = pending.pop(); next; next = pending.pop()) {
      const key = `${next.element} ${next.isNeeded}`
      if (seen.has(key)) continue
      seen.add(key)
      if (isFile(next.element)) pending.push(...targets(next.element, next.isNeeded))
      else found.add(next.element)
    }
    return found
  }
  const children = Array.from({ length: components }, (_value, i) => componentsFrom(i, false))
  const roots = new Set(
    graph.roots.flatMap((root) => (isFile(root) ? [...componentsFrom(root, false)] : [root])),
  )
  const distances: (number | undefined)[] = Array.from({ length: components }, (_value, i) =>
    roots.has(i) ? 0 : undefined,
  )
  for (let round = 0; round < components; round++)
    children.forEach((list, from) => {
      const distance = distances[from]
      if (distance === undefined) return
      for (const to of list) distances[to] = Math.min(distances[to] ?? Infinity, distance + 1)
    })
  const parents = children.map((_list, i) =>
    children.flatMap((list, from) => (from !== i && list.has(i) ? [from] : [])),
  )
  return { distances, parents, roots }
}

function expectRealPath(path: readonly string[], component: number, naive: Naive): void {
  const elements = path.map((label) => Number(label.slice(1)))
  expect(elements[0]).toBe(component)
  expect(naive.roots).toContain(elements.at(-1))
  expect(new Set(elements).size).toBe(elements.length)
  for (let i = 1; i < elements.length; i++)
    expect(naive.parents[elements[i - 1] ?? 0]).toContain(elements[i])
  const parent = elements[1]
  if (parent !== undefined) expect(elements.length).toBe((naive.distances[parent] ?? 0) + 2)
}
