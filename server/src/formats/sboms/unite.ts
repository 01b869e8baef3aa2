/** Several documents → one set of vertices: components first, in the order of documents, then everything else. */
import { SPDX3_NAMESPACE, UNDECLARED } from './document.ts'
import type { IdSpace, ParsedDocument } from './draft.ts'
import type { DeclaredComponent } from './model.ts'

export interface UnitedSboms {
  vertexCount: number
  /** Vertices below this number are components. */
  componentCount: number
  /** The declaration of each component vertex; where several documents declare one element, the first. */
  components: DeclaredComponent[]
  /** For each document: element → vertex. */
  vertexOf: Int32Array[]
  /** For each document: position of a component → vertex. */
  componentVertex: Int32Array[]
  /** For each document: ids of elements that no document declares. */
  unresolved: string[][]
}

interface Place {
  document: number
  space: IdSpace
}

export function uniteDocuments(documents: readonly ParsedDocument[]): UnitedSboms {
  const components = documents.flatMap((document) => document.components)
  const united: UnitedSboms = {
    vertexCount: components.length,
    componentCount: components.length,
    components,
    vertexOf: documents.map(({ elements }) => new Int32Array(elements.length).fill(-1)),
    componentVertex: documents.map((document) => new Int32Array(document.components.length)),
    unresolved: documents.map(() => []),
  }
  const places = indexSpaces(documents)
  let firstComponent = 0
  documents.forEach((document, d) => {
    repeatElements(documents, d, places.get(SPDX3_NAMESPACE) ?? [], united)
    placeDeclared(document, d, firstComponent, united)
    firstComponent += document.components.length
  })
  const shared = new Map<string, number>()
  documents.forEach((_document, d) => {
    placeUndeclared(documents, d, { places, shared }, united)
  })
  return united
}

function indexSpaces(documents: readonly ParsedDocument[]): Map<string, Place[]> {
  const places = new Map<string, Place[]>()
  documents.forEach(({ spaces }, document) => {
    for (const space of spaces) {
      if (space.namespace === undefined) continue
      const known = places.get(space.namespace)
      if (known) known.push({ document, space })
      else places.set(space.namespace, [{ document, space }])
    }
  })
  return places
}

/** An SPDX 3 element that several documents write is one element. */
function repeatElements(
  documents: readonly ParsedDocument[],
  d: number,
  places: readonly Place[],
  united: UnitedSboms,
): void {
  const own = places.find(({ document }) => document === d)
  const earlier = places.filter(({ document }) => document < d)
  const document = documents[d]
  const vertexOf = united.vertexOf[d]
  if (!own || !document || !vertexOf || earlier.length === 0) return
  for (const [id, element] of own.space.elements) {
    if (document.elements[element] === UNDECLARED) continue
    const vertex = findDeclared(id, earlier, documents, united)
    if (vertex !== undefined) vertexOf[element] = vertex
  }
}

function findDeclared(
  id: string,
  places: readonly Place[],
  documents: readonly ParsedDocument[],
  united: UnitedSboms,
): number | undefined {
  for (const { document, space } of places) {
    const element = space.elements.get(id)
    if (element === undefined || documents[document]?.elements[element] === UNDECLARED) continue
    return united.vertexOf[document]?.[element]
  }
  return undefined
}

function placeDeclared(
  { elements }: ParsedDocument,
  d: number,
  firstComponent: number,
  united: UnitedSboms,
): void {
  const vertexOf = united.vertexOf[d]
  const componentVertex = united.componentVertex[d]
  if (!vertexOf || !componentVertex) return
  elements.forEach((meaning, element) => {
    if (meaning === UNDECLARED) return
    const repeated = vertexOf[element] ?? -1
    // A component stays a component even where an earlier document calls the element a file.
    const isKnown = repeated !== -1 && (meaning < 0 || repeated < united.componentCount)
    const vertex = isKnown
      ? repeated
      : meaning >= 0
        ? firstComponent + meaning
        : united.vertexCount++
    vertexOf[element] = vertex
    if (meaning >= 0) componentVertex[meaning] = vertex
  })
}

interface SharedSpaces {
  places: ReadonlyMap<string, Place[]>
  /** Namespace and id of an element that no document declares → its one vertex. */
  shared: Map<string, number>
}

function placeUndeclared(
  documents: readonly ParsedDocument[],
  d: number,
  { places, shared }: SharedSpaces,
  united: UnitedSboms,
): void {
  const document = documents[d]
  const vertexOf = united.vertexOf[d]
  const unresolved = united.unresolved[d]
  if (!document || !vertexOf || !document.elements.includes(UNDECLARED)) return
  for (const { namespace, isComplete, elements } of document.spaces)
    for (const [id, element] of elements) {
      if (document.elements[element] !== UNDECLARED) continue
      const declared = findDeclared(id, listPlaces(namespace, places), documents, united)
      vertexOf[element] = declared ?? vertexOfUndeclared(namespace, id, shared, united)
      if (declared === undefined) unresolved?.push(isComplete ? '' : id)
    }
}

function listPlaces(
  namespace: string | undefined,
  places: SharedSpaces['places'],
): readonly Place[] {
  return namespace === undefined ? [] : (places.get(namespace) ?? [])
}

/** Documents that name the same namespace mean the same element. */
function vertexOfUndeclared(
  namespace: string | undefined,
  id: string,
  shared: Map<string, number>,
  united: UnitedSboms,
): number {
  if (namespace === undefined) return united.vertexCount++
  const key = `${namespace} ${id}`
  const vertex = shared.get(key) ?? united.vertexCount++
  shared.set(key, vertex)
  return vertex
}
