/** Tells by their relationships which components do not ship (docs/design/matching.md, parsing). */
import type { DependencyGraph, Rows } from './dependency-graph.ts'
import { EDGE } from './document.ts'
import type { ComponentScope } from './model.ts'

const SHIPS = 1
const OPTIONAL = 2
/** In order: a component that several of them reach takes the first. */
const EDGE_SCOPES: readonly { kind: number; scope: ComponentScope; mark: number }[] = [
  { kind: EDGE.optional, scope: 'optional', mark: OPTIONAL },
  { kind: EDGE.build, scope: 'build', mark: 3 },
  { kind: EDGE.dev, scope: 'dev', mark: 4 },
  { kind: EDGE.test, scope: 'test', mark: 5 },
]

/**
 * Component vertex → the scope of a component that only optional, build, dev or test relationships reach. undefined for
 * components that ship or that nothing reaches.
 */
export function computeScopes(
  graph: DependencyGraph,
): (component: number) => ComponentScope | undefined {
  const { vertexCount, componentCount, incoming, outgoing, roots } = graph
  if (!outgoing.kind.some((kind) => kind >= EDGE.optional)) return () => undefined
  const marks = new Uint8Array(vertexCount)
  const pending = Array.from(roots)
  // A component that nothing needs has no scope.
  for (let v = 0; v < componentCount; v++)
    if (incoming.start[v] === incoming.start[v + 1]) pending.push(v)
  spread(graph, pending, marks, SHIPS)
  for (const { kind, mark } of EDGE_SCOPES) {
    for (let v = 0; v < vertexCount; v++)
      if (marks[v] === SHIPS || marks[v] === OPTIONAL) pushTargets(outgoing, v, kind, pending)
    spread(graph, pending, marks, mark)
  }
  return (component) => EDGE_SCOPES.find(({ mark }) => mark === marks[component])?.scope
}

function pushTargets({ start, other, kind }: Rows, v: number, wanted: number, to: number[]): void {
  for (let i = start[v] ?? 0; i < (start[v + 1] ?? 0); i++)
    if (kind[i] === wanted) to.push(other[i] ?? 0)
}

/** Follows unscoped edges, and optional ones outside of what ships. Everything that build tools need is for the build. */
function spread(
  { outgoing }: DependencyGraph,
  pending: number[],
  marks: Uint8Array,
  mark: number,
): void {
  const highestKind = mark === SHIPS ? EDGE.input : mark === OPTIONAL ? EDGE.optional : EDGE.test
  for (let v = pending.pop(); v !== undefined; v = pending.pop()) {
    if (marks[v] !== 0) continue
    marks[v] = mark
    for (let i = outgoing.start[v] ?? 0; i < (outgoing.start[v + 1] ?? 0); i++)
      if ((outgoing.kind[i] ?? 0) <= highestKind) pending.push(outgoing.other[i] ?? 0)
  }
}
