/** Lists of millions of edges in growing typed arrays. */
export interface EdgeList {
  count: number
  from: Int32Array
  to: Int32Array
  kind: Uint8Array
}

const FIRST_CAPACITY = 1024

export function createEdgeList(capacity = FIRST_CAPACITY): EdgeList {
  return {
    count: 0,
    from: new Int32Array(capacity),
    to: new Int32Array(capacity),
    kind: new Uint8Array(capacity),
  }
}

export function pushEdge(edges: EdgeList, from: number, to: number, kind: number): void {
  const { count } = edges
  if (count === edges.kind.length) grow(edges)
  edges.from[count] = from
  edges.to[count] = to
  edges.kind[count] = kind
  edges.count = count + 1
}

export function forEachEdge(
  { from, to, kind, count }: EdgeList,
  visit: (from: number, to: number, kind: number) => void,
): void {
  for (let i = 0; i < count; i++) visit(from[i] ?? -1, to[i] ?? -1, kind[i] ?? -1)
}

function grow(edges: EdgeList): void {
  const { from, to, kind, count } = edges
  const larger = createEdgeList(Math.max(FIRST_CAPACITY, count * 2))
  larger.from.set(from)
  larger.to.set(to)
  larger.kind.set(kind)
  edges.from = larger.from
  edges.to = larger.to
  edges.kind = larger.kind
}
