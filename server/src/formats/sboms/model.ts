/** The model that every SBOM parser produces. */
import type { StatedFacts } from '../sbom-profiles/stated-facts.ts'
import type { VexStatement } from '../vex/model.ts'
import type { JsonObject } from './json-values.ts'

/** Files of a build beside its SBOM: they declare no components, and say what the build knows about CVEs of its packages. */
export const BUILD_REPORT_FORMATS = [
  'YoctoCveCheck',
  'BuildrootShowInfo',
  'BuildrootPkgStats',
] as const
export type BuildReportFormat = (typeof BUILD_REPORT_FORMATS)[number]

export const SBOM_FORMATS = [
  'Spdx3JsonLd',
  'Spdx2Json',
  'Spdx2TagValue',
  'CycloneDxJson',
  'CycloneDxXml',
  ...BUILD_REPORT_FORMATS,
] as const
export type SbomFormat = (typeof SBOM_FORMATS)[number]

export function isBuildReport(format: SbomFormat): format is BuildReportFormat {
  return BUILD_REPORT_FORMATS.some((one) => one === format)
}

/** Scopes whose components are listed but not matched (docs/design/matching.md, parsing). */
export const UNMATCHED_SCOPES = ['build', 'dev', 'test', 'excluded', 'external'] as const
export const COMPONENT_SCOPES = ['required', 'optional', ...UNMATCHED_SCOPES] as const
export type ComponentScope = (typeof COMPONENT_SCOPES)[number]

export interface Hash {
  algorithm: string
  value: string
}

/** Algorithms that prove a file: SHA-1 and MD5 do not. */
export const STRONG_ALGORITHMS = ['SHA-256', 'SHA-384', 'SHA-512'] as const
export type StrongAlgorithm = (typeof STRONG_ALGORITHMS)[number]

/** A hash of what a document describes, in lower case. */
export interface DescribedHash {
  /** What the document calls the file. */
  name: string
  algorithm: StrongAlgorithm
  value: string
}

/** Hashes of something that is no component: a file, or what an external reference leads to. */
export interface NamedHashes {
  name: string
  hashes: readonly Hash[]
}

/** One declaration of one document, with its texts exactly as declared. */
export interface DeclaredComponent {
  /** Position in the graph of its SBOM; entries of `LinkedSbom.nodes` use the same numbers. */
  node: number
  /** The element's id in its document (bom-ref, SPDXID, spdxId); undefined where none is given. */
  ref: string | undefined
  vendor: string | undefined
  packageName: string
  version: string | undefined
  purl: string | undefined
  /** Every declared CPE in document order; the first is the component's `cpe`. */
  cpes: string[]
  licenses: string[]
  hashes: Hash[]
  supplier: string | undefined
  downloadLocation: string | undefined
  /** undefined: the component ships. */
  scope: ComponentScope | undefined
  /**
   * The declaration that this one is built from (SPDX GENERATED_FROM, SPDX 3 build input and output), if it carries
   * identifiers: it supplies the keys of the package (docs/design/matching.md, package identity). Of a distribution's package, its
   * source package, which a name suffices for.
   */
  builtFrom: BuiltFrom | undefined
  /** The addresses of the project's repository and homepage. Absent where there are none. */
  addresses?: string[]
}

export interface ComponentIdentifiers {
  vendor: string | undefined
  packageName: string
  version: string | undefined
  purl: string | undefined
  cpes: string[]
  /** The addresses of the project's repository and homepage, as declared. Absent where there are none. */
  addresses?: string[] | undefined
}

export interface BuiltFrom extends ComponentIdentifiers {
  /** The repository, where it is a name of the package too. */
  downloadLocation?: string | undefined
  /** It is made of files of other components, which stand for it. */
  isListed?: true
  /**
   * The distribution and release that the whole document is about (`alma 8.5`), of a package whose purl may leave them out. Its
   * name is empty where no source package is stated.
   */
  distribution?: string | undefined
}

/** A node of the linked dependency graph: a component of this SBOM or of another one. */
export interface GraphNode {
  node: number
  /** `name@version`, or the name alone. */
  label: string
  /** Direct parents, as node numbers, ascending. */
  parents: number[]
  /** The next parent on the shortest path to a root; undefined for a root and for a node without a path. */
  next: number | undefined
  /** Edges to the nearest root; 0 for a root, undefined when no root reaches it. */
  distance: number | undefined
}

/** The source files of components, where a document lists them. */
export interface SourceFileList {
  /** The places of the components, ascending. */
  nodes: number[]
  /** Distinct, ascending. Empty for components that are only sources of others and say nothing. */
  paths: readonly string[]
}

/**
 * A VEX statement inside the document, as VEX documents are read, or what the build says otherwise about patches and CVEs that
 * do not apply (`Build`).
 */
export interface SbomStatement {
  format: 'CycloneDx' | 'Spdx3' | 'Build'
  statement: VexStatement
  /** The object it was read from, unchanged. */
  original: JsonObject
  /** The components of this document that it names, ascending. Without any: its products are in other documents. */
  nodes: number[]
  /** Whether it names what the whole document describes. */
  isWhole: boolean
}

/** One SBOM parsed and linked with the SBOMs it refers to. */
export interface LinkedSbom {
  format: SbomFormat
  specVersion: string | undefined
  components: DeclaredComponent[]
  /** The nodes of the components in their order, then nodes of other SBOMs on their paths. */
  nodes: GraphNode[]
  sourceFiles: SourceFileList[]
  statements: SbomStatement[]
  /** What profiles ask for. */
  facts: StatedFacts
  /** Of what the document describes, such as the image of a firmware. */
  describedHashes: DescribedHash[]
  /** What its JSON is known by; undefined: it is none, or too large for a copy in a statement. */
  contentDigest?: string | undefined
  /** The name that other documents use for this one: a BOM-Link, an SPDX namespace. */
  namespace: string | undefined
  warnings: string[]
  /** True when an edge leads to an element no SBOM given here declares. */
  hasUnresolvedReferences: boolean
  /**
   * True when the document states that it refers to others, resolved or not; and for every SPDX 3 document, whose elements
   * others may repeat and add to without either saying so.
   */
  hasExternalReferences: boolean
}
