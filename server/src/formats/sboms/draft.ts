/** A document while it is being read, and once it is. */
import type { StatedFacts } from '../sbom-profiles/stated-facts.ts'
import type { VexStatement } from '../vex/model.ts'
import type { EdgeList } from './edges.ts'
import type { JsonObject } from './json-values.ts'
import type {
  DeclaredComponent,
  DescribedHash,
  NamedHashes,
  SbomFormat,
  SbomStatement,
} from './model.ts'
import type { Warnings } from './warnings.ts'

/** A file that a compiler reads. */
export interface SourceFile {
  /** undefined: the name is not a comparable path. */
  path: string | undefined
  /** Whether the document says that it is a source file; otherwise only its name does. */
  isSource: boolean
  /** Whether it belongs to the source tree that a build compiles. */
  isOfTree: boolean
}

/** The ids of one document; other documents may use them. */
export interface IdSpace {
  /** undefined: other files cannot refer to its elements. */
  namespace: string | undefined
  /** Whether this file declares all its elements; a missing one was reported when the file was read. */
  isComplete: boolean
  elements: Map<string, number>
}

export interface ParsedDocument {
  format: SbomFormat
  specVersion: string | undefined
  /** In document order; `node` is the position here, `scope` the declared one, `builtFrom` what it states itself. */
  components: DeclaredComponent[]
  /** For each element: the position of its component, `CONNECTOR` or `UNDECLARED`. */
  elements: number[]
  /** For each element: whether it is source code that a package can be built from. */
  sources: Set<number>
  /** Elements that are files a compiler reads. */
  sourceFiles: Map<number, SourceFile>
  spaces: IdSpace[]
  edges: EdgeList
  /** Elements the document describes, or its root elements. */
  roots: number[]
  hasExternalReferences: boolean
  /** Whether `west spdx` wrote it, whose documents share modules without saying so. */
  isOfWest: boolean
  statements: SbomStatement[]
  warnings: string[]
  /** Operating systems that it lists, by name and version: `alma 8.5`. */
  systems: string[]
  /** What profiles ask for. */
  facts: StatedFacts
  /** Of what the document describes. */
  describedHashes: DescribedHash[]
  /** What its JSON is known by; undefined: it is none, or too large for a copy in a statement. */
  contentDigest?: string | undefined
}

/** One document of an archive. */
export interface DocumentPart {
  namespace: string | undefined
  /** Namespaces of the documents it refers to. */
  refersTo: string[]
  roots: number[]
}

/** A document while it is being read. */
export interface Draft extends Omit<ParsedDocument, 'warnings' | 'statements' | 'describedHashes'> {
  statements: DraftStatement[]
  faults: Warnings
  spacesByNamespace: Map<string, IdSpace>
  parts: DocumentPart[]
  /** Elements whose id another, different component has too. */
  ambiguous: Set<number>
  maxComponents: number
  /** Of elements that are files. */
  fileHashes: Map<number, NamedHashes>
  /** Of what is described beside the elements. */
  describedBeside: NamedHashes[]
}

/** A statement whose elements may be declared later in the document. */
export interface DraftStatement {
  format: SbomStatement['format']
  statement: VexStatement
  original: JsonObject
  elements: { element: number; versions: readonly string[] }[]
}
