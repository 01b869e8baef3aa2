/** What passes between the service and a parsing process. */
import type { SbomLimits } from '../../../formats/sboms/limits.ts'
import {
  type PackageIdentity,
  packageKeys,
  type PackageOverride,
} from '../../../formats/identity.ts'
import type {
  ComponentIdentifiers,
  ComponentScope,
  GraphNode,
  Hash,
  SbomFormat,
  SbomStatement,
} from '../../../formats/sboms/model.ts'

export interface ParseTask {
  /** All parsed and linked together. */
  paths: string[]
  limits: SbomLimits
  /** Those of the workspace. */
  overrides: PackageOverride[]
}

export interface SbomSummary {
  format: SbomFormat
  specVersion: string | undefined
  warnings: string[]
  componentCount: number
  hasExternalReferences: boolean
  /** By which other documents refer to this one. */
  namespace: string | undefined
}

export interface PackageRow {
  id: string
  identity: unknown
  keys: string[]
}

export function packageRow(identity: PackageIdentity): PackageRow {
  return { id: identity.id, identity, keys: packageKeys(identity) }
}

export interface ComponentRow {
  node: number
  vendor: string | null
  packageName: string
  version: string | null
  purl: string | null
  cpes: string[]
  licenses: string[]
  hashes: Hash[]
  supplier: string | null
  downloadLocation: string | null
  scope: ComponentScope | null
  packageId: string | null
  /** The source package or recipe it is built from, where one is stated. */
  sourceName: string | null
  notMatchedReason: string | null
  /** What it is built from, where that supplies identifiers. */
  builtFrom: ComponentIdentifiers | null
  overrideId: string | null
  /** The element's id in its document. */
  ref: string | null
}

/** The source files that components of these nodes are compiled from. */
export interface SourceFileListRow {
  nodes: number[]
  files: readonly string[]
  /** What they are compared by. */
  keys: string[]
}

export type ParserMessage =
  /** One entry for each path, in order; always first. */
  | { type: 'summary'; sboms: SbomSummary[] }
  /** Distinct, ascending by id over all messages; before any components. */
  | { type: 'packages'; rows: PackageRow[] }
  | { type: 'components'; file: number; rows: ComponentRow[] }
  | { type: 'nodes'; file: number; rows: GraphNode[] }
  | { type: 'sourceFiles'; file: number; rows: SourceFileListRow[] }
  | { type: 'statements'; file: number; rows: SbomStatement[] }
  /** The only message of a task that failed because of its input. */
  | { type: 'failed'; message: string }
