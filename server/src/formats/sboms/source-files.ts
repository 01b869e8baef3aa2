/**
 * Finds the source files that components are compiled from. Documents list them as parts of the component, of the recipe or
 * source package it is made from, or of its build. A list that may be incomplete is not used.
 */
import { isCompiledSource, normalizeSourcePath } from '../source-paths.ts'
import { EDGE } from './document.ts'
import type { Draft, ParsedDocument, SourceFile } from './draft.ts'
import type { SourceFileList } from './model.ts'
import type { UnitedSboms } from './unite.ts'

export function noteSourceFile(
  draft: Draft,
  element: number,
  { path, ...file }: Omit<SourceFile, 'path'> & { path: string },
): void {
  if (isCompiledSource(path))
    draft.sourceFiles.set(element, { path: normalizeSourcePath(path), ...file })
}

type Lists = Map<number, readonly string[]>

/** The list of a component that is only a source of others and has no files of its own. */
const SAYS_NOTHING: readonly string[] = []

/** Component → its list. Components of one recipe share a list. */
export function groupSourceFiles(
  documents: readonly ParsedDocument[],
  united: UnitedSboms,
): ReadonlyMap<number, readonly string[]> {
  const files = filesByVertex(documents, united)
  if (files.size === 0) return new Map()
  const parts = readParts(documents, united, files)
  const own = ownLists(parts, files)
  const ofBuilds = groupLists(parts.trees, files)
  const lists: Lists = new Map(own)
  addInherited(lists, parts.builds, ofBuilds)
  addInherited(lists, parts.origins, own)
  for (const source of parts.sources) if (!lists.has(source)) lists.set(source, SAYS_NOTHING)
  return lists
}

/** For one document, whose components are these vertices. */
export function listSourceFiles(
  vertices: Int32Array,
  listOf: ReadonlyMap<number, readonly string[]>,
): SourceFileList[] {
  const nodesOf = new Map<readonly string[], number[]>()
  if (listOf.size > 0)
    for (const [node, vertex] of vertices.entries()) {
      const paths = listOf.get(vertex)
      if (paths === undefined) continue
      const nodes = nodesOf.get(paths)
      if (nodes) nodes.push(node)
      else nodesOf.set(paths, [node])
    }
  return [...nodesOf].map(([paths, nodes]) => ({ nodes, paths }))
}

function filesByVertex(documents: readonly ParsedDocument[], united: UnitedSboms) {
  const files = new Map<number, SourceFile>()
  documents.forEach(({ sourceFiles }, d) => {
    for (const [element, file] of sourceFiles) {
      const vertex = united.vertexOf[d]?.[element]
      if (vertex !== undefined) files.set(vertex, file)
    }
  })
  return files
}

interface Parts {
  /** Component → source files it contains. */
  contents: Map<number, number[]>
  /** Files that something is generated from. */
  compiled: Set<number>
  /** Build → the files of the source tree it compiles. */
  trees: Map<number, number[]>
  /** Component → the builds that produce it. */
  builds: Map<number, number[]>
  /** Component → components it is generated from. */
  origins: Map<number, number[]>
  /** Components that are only source code. */
  sources: Set<number>
}

function readParts(
  documents: readonly ParsedDocument[],
  united: UnitedSboms,
  files: ReadonlyMap<number, SourceFile>,
): Parts {
  const parts: Parts = {
    contents: new Map(),
    compiled: new Set(),
    trees: new Map(),
    builds: new Map(),
    origins: new Map(),
    sources: new Set(),
  }
  documents.forEach(({ edges, sources }, d) => {
    const vertexOf = united.vertexOf[d] ?? new Int32Array(0)
    for (const element of sources) parts.sources.add(vertexOf[element] ?? -1)
    for (let i = 0; i < edges.count; i++) {
      const from = vertexOf[edges.from[i] ?? 0] ?? 0
      const to = vertexOf[edges.to[i] ?? 0] ?? 0
      readEdge({ from, to, kind: edges.kind[i] ?? -1 }, parts, united, files)
    }
  })
  return parts
}

function readEdge(
  { from, to, kind }: { from: number; to: number; kind: number },
  parts: Parts,
  { componentCount }: UnitedSboms,
  files: ReadonlyMap<number, SourceFile>,
): void {
  const file = files.get(to)
  const isComponent = from < componentCount
  if (kind === EDGE.contains) {
    if (isComponent && file) push(parts.contents, from, to)
  } else if (kind === EDGE.generatedFrom) {
    if (file) parts.compiled.add(to)
    else if (isComponent && to < componentCount) push(parts.origins, from, to)
  } else if (kind === EDGE.input) readInput({ from, to }, parts, file)
  else if (kind === EDGE.outputOf && isComponent) push(parts.builds, from, to)
}

function readInput(
  { from, to }: { from: number; to: number },
  { trees }: Parts,
  file: SourceFile | undefined,
): void {
  if (file?.isOfTree === true) push(trees, from, to)
}

function push(lists: Map<number, number[]>, key: number, value: number): void {
  const known = lists.get(key)
  if (known) known.push(value)
  else lists.set(key, [value])
}

/**
 * Files that are only installed with a package do not say what it was compiled from. At least one must be called a source
 * file, or have something generated from it, or belong to a component that is only source code.
 */
function ownLists(
  { contents, compiled, sources }: Parts,
  files: ReadonlyMap<number, SourceFile>,
): Lists {
  const meant = [...contents].filter(
    ([component, vertices]) =>
      sources.has(component) ||
      vertices.some((vertex) => files.get(vertex)?.isSource === true || compiled.has(vertex)),
  )
  return groupLists(new Map(meant), files)
}

function groupLists(
  vertices: ReadonlyMap<number, number[]>,
  files: ReadonlyMap<number, SourceFile>,
): Lists {
  const lists: Lists = new Map()
  for (const [owner, members] of vertices) {
    const paths = members.map((vertex) => files.get(vertex)?.path)
    const known = paths.filter((path) => path !== undefined)
    if (known.length === paths.length) lists.set(owner, [...new Set(known)].toSorted())
  }
  return lists
}

/** Adds the lists of everything that a component is made of, or none if one is missing. */
function addInherited(
  lists: Lists,
  madeOf: ReadonlyMap<number, number[]>,
  from: ReadonlyMap<number, readonly string[]>,
): void {
  for (const [component, of] of madeOf) {
    if (lists.has(component)) continue
    const inherited = of.map((one) => from.get(one)).filter((list) => list !== undefined)
    const [only, ...more] = inherited
    if (only === undefined || inherited.length < of.length) continue
    lists.set(component, more.length === 0 ? only : [...new Set(inherited.flat())].toSorted())
  }
}
