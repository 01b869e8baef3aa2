/** One parsed SBOM file before its references are resolved: declarations and a graph of elements. */
import { createStatedFacts, noteFact } from '../sbom-profiles/stated-facts.ts'
import { listDescribedHashes } from './described-hashes.ts'
import { createEdgeList, forEachEdge, pushEdge } from './edges.ts'
import { SbomError } from './sbom-error.ts'
import { leaveOutLongTexts } from './long-texts.ts'
import { createWarnings, quote } from './warnings.ts'
import { type DeclaredComponent, isBuildReport, type SbomFormat } from './model.ts'
import type { IdSpace, ParsedDocument, DocumentPart, Draft } from './draft.ts'
import { finishStatements } from './statements.ts'

/** Edges lead from the containing or needing element to the contained or needed one. */
export const EDGE = {
  contains: 0,
  needs: 1,
  /** `from` was made from `to`, which may supply its identifiers. */
  generatedFrom: 2,
  /** From the product of a build to the build. */
  outputOf: 3,
  /** From a build to its input. */
  input: 4,
  optional: 5,
  build: 6,
  dev: 7,
  test: 8,
} as const
export type EdgeKind = (typeof EDGE)[keyof typeof EDGE]

/** Elements that are not components: files, builds, services, documents. Paths lead through them, without an entry. */
const CONNECTOR = -1
/** Referred to but declared elsewhere, or nowhere. */
export const UNDECLARED = -2

/** Ids of SPDX 3 elements are global, so all its documents share one space. */
export const SPDX3_NAMESPACE = 'urn:spdx:3'

export function createDraft(format: SbomFormat, maxComponents: number): Draft {
  return {
    format,
    specVersion: undefined,
    components: [],
    elements: [],
    sources: new Set(),
    sourceFiles: new Map(),
    spaces: [],
    edges: createEdgeList(),
    roots: [],
    hasExternalReferences: false,
    isOfWest: false,
    statements: [],
    systems: [],
    facts: createStatedFacts(),
    faults: createWarnings(),
    spacesByNamespace: new Map(),
    parts: [],
    ambiguous: new Set(),
    maxComponents,
    fileHashes: new Map(),
    describedBeside: [],
  }
}

export function openSpace(draft: Draft, namespace: string | undefined): IdSpace {
  const known = namespace === undefined ? undefined : draft.spacesByNamespace.get(namespace)
  if (known) return known
  const space: IdSpace = { namespace, isComplete: namespace === undefined, elements: new Map() }
  draft.spaces.push(space)
  if (namespace !== undefined) draft.spacesByNamespace.set(namespace, space)
  return space
}

/** Sets the component's `node`. @returns the element's number. */
export function declareComponent(
  draft: Draft,
  space: IdSpace,
  component: DeclaredComponent,
): number {
  if (draft.components.length === draft.maxComponents)
    throw new SbomError(
      'too-large',
      `The document declares more than ${draft.maxComponents} components.`,
    )
  const node = draft.components.length
  const id = component.ref
  component.node = node
  leaveOutLongTexts(component, draft.faults)
  draft.components.push(component)
  return declareElement(draft, space, id, node)
}

export function declareConnector(draft: Draft, space: IdSpace, id: string | undefined): number {
  return declareElement(draft, space, id, CONNECTOR)
}

/** When elements share an id, references mean the first. */
function declareElement(
  draft: Draft,
  space: IdSpace,
  id: string | undefined,
  meaning: number,
): number {
  if (id !== undefined) {
    const known = space.elements.get(id)
    if (known !== undefined && draft.elements[known] === UNDECLARED) {
      draft.elements[known] = meaning
      return known
    }
    if (known !== undefined && differ(draft, draft.elements[known], meaning))
      draft.ambiguous.add(known)
    if (known !== undefined)
      draft.faults.add('Several elements share an id; references mean the first', quote(id))
    else space.elements.set(id, draft.elements.length)
  }
  return draft.elements.push(meaning) - 1
}

/** Tools that merge documents may declare one thing twice, or give two different things the same id. */
function differ({ components }: Draft, first = UNDECLARED, second: number): boolean {
  const [one, other] = [components[first], components[second]]
  if (!one || !other) return one !== other
  const wordsOf = ({ vendor, packageName, version, purl, cpes }: DeclaredComponent) =>
    JSON.stringify([vendor, packageName, version, purl, cpes])
  return wordsOf(one) !== wordsOf(other)
}

/** The number of the element, which stays undeclared until it is declared. */
export function referTo(draft: Draft, space: IdSpace, id: string): number {
  const known = space.elements.get(id)
  if (known !== undefined) return known
  const element = draft.elements.push(UNDECLARED) - 1
  space.elements.set(id, element)
  return element
}

export function addEdge(draft: Draft, from: number, to: number, kind: EdgeKind): void {
  pushEdge(draft.edges, from, to, kind)
}

/** Kinds of edges that list what an element needs or contains. */
const LISTING: ReadonlySet<number> = new Set([
  EDGE.contains,
  EDGE.needs,
  EDGE.optional,
  EDGE.build,
  EDGE.dev,
  EDGE.test,
])

/** What the graph states of components, for the profiles. */
function noteGraphFacts({ facts, elements, edges }: Draft, roots: readonly number[]): void {
  const note = (element: number, fact: 'relationship' | 'dependencies' | 'completeness') => {
    const node = elements[element] ?? UNDECLARED
    if (node >= 0) noteFact(facts, node, fact)
  }
  forEachEdge(edges, (from, to, kind) => {
    // Files of a package are no components.
    if (elements[from] === CONNECTOR || elements[to] === CONNECTOR) return
    note(from, 'relationship')
    note(to, 'relationship')
    if (LISTING.has(kind)) note(from, 'dependencies')
  })
  for (const root of roots) note(root, 'relationship')
  for (const element of facts.listedAsNone) note(element, 'dependencies')
  for (const element of facts.completenessOf) note(element, 'completeness')
  if (facts.completenessOf.length > 0) facts.ofDocument.add('knownUnknowns')
  if (facts.unknown.some((mask) => mask !== 0)) facts.ofDocument.add('unknownFacts')
}

export function finish(draft: Draft): ParsedDocument {
  if (draft.components.length === 0 && !isBuildReport(draft.format))
    draft.faults.add('The document declares no components')
  const roots = [...draft.roots, ...rootsOfParts(draft.parts)]
  noteGraphFacts(draft, roots)
  return {
    format: draft.format,
    specVersion: draft.specVersion,
    components: draft.components,
    elements: draft.elements,
    sources: draft.sources,
    sourceFiles: draft.sourceFiles,
    spaces: draft.spaces,
    edges: draft.edges,
    roots,
    hasExternalReferences:
      draft.hasExternalReferences || draft.isOfWest || referOutside(draft.parts),
    isOfWest: draft.isOfWest,
    systems: draft.systems,
    facts: draft.facts,
    describedHashes: listDescribedHashes(draft, roots),
    contentDigest: draft.contentDigest,
    statements: finishStatements(draft, roots),
    warnings: draft.faults.list(),
  }
}

function referOutside(parts: readonly DocumentPart[]): boolean {
  const inside = new Set(parts.map(({ namespace }) => namespace))
  return parts.some(({ refersTo }) => refersTo.some((namespace) => !inside.has(namespace)))
}

/**
 * In an archive, the document that no other refers to names the roots: in Yocto's archives that is the image, while each
 * recipe and package also has a document of its own.
 */
function rootsOfParts(parts: readonly DocumentPart[]): number[] {
  const referredTo = new Set(parts.flatMap(({ refersTo }) => refersTo))
  const outermost = parts.filter(
    ({ namespace }) => namespace === undefined || !referredTo.has(namespace),
  )
  return (outermost.length === 0 ? parts : outermost).flatMap(({ roots }) => roots)
}
