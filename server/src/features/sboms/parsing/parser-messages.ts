/** Messages between the service and a parser process. */
import type { SbomLimits } from '../../../formats/sboms/limits.ts'
import {
  type PackageIdentity,
  listPackageKeys,
  type PackageOverride,
} from '../../../formats/identity.ts'
import type { PlainKeys } from '../../../formats/images/public-keys.ts'
import type { SbomGrade } from '../../../formats/sbom-profiles/grade.ts'
import type {
  BuiltFrom,
  ComponentScope,
  DescribedHash,
  GraphNode,
  Hash,
  SbomFormat,
  SbomStatement,
} from '../../../formats/sboms/model.ts'

export interface ParseTask {
  /** These files are parsed and linked together. */
  paths: string[]
  limits: SbomLimits
  /** The package overrides of the workspace. */
  overrides: PackageOverride[]
}

/** How a file is signed, with these keys. Read apart from its components, as keys change. */
export interface SignatureTask extends PlainKeys {
  signatureOf: string
  /** Signatures beside the file. */
  beside: string[]
}

export interface SbomSummary {
  format: SbomFormat
  specVersion: string | undefined
  warnings: string[]
  componentCount: number
  hasExternalReferences: boolean
  /** Other documents refer to this one by it. */
  namespace: string | undefined
  /** Of what it describes, such as the image of a firmware. */
  describedHashes: DescribedHash[]
  /** What its JSON is known by. */
  contentDigest: string | undefined
  /** By all profiles. */
  grades: SbomGrade[]
}

export interface PackageRow {
  id: string
  identity: unknown
  keys: string[]
}

export function writePackageRow(identity: PackageIdentity): PackageRow {
  return { id: identity.id, identity, keys: listPackageKeys(identity) }
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
  /** The addresses of the project's repository and homepage. */
  addresses: string[]
  scope: ComponentScope | null
  packageId: string | null
  /** The source package or recipe it is built from, if stated. */
  sourceName: string | null
  notMatchedReason: string | null
  /** What it is built from, if that has identifiers. */
  builtFrom: BuiltFrom | null
  overrideId: string | null
  /** The element's id in its document. */
  ref: string | null
  /** The keys of its purl and CPEs, and of those of what it is built from. */
  selectorKeys: string[]
}

/** The source files that components of these nodes are compiled from. */
export interface SourceFileListRow {
  nodes: number[]
  files: readonly string[]
  /** The keys by which files are compared. */
  keys: string[]
}

export type ParserMessage =
  /** One entry per path, in order. Always the first message. */
  | { type: 'summary'; sboms: SbomSummary[] }
  /** Distinct packages, in ascending order of ids over all messages. Before all components. */
  | { type: 'packages'; rows: PackageRow[] }
  | { type: 'components'; file: number; rows: ComponentRow[] }
  | { type: 'nodes'; file: number; rows: GraphNode[] }
  | { type: 'sourceFiles'; file: number; rows: SourceFileListRow[] }
  | { type: 'statements'; file: number; rows: SbomStatement[] }
  /** The only message, if the input is at fault. */
  | { type: 'failed'; message: string }

export type ParserMessages = AsyncGenerator<ParserMessage, undefined, undefined>

/** The document is at fault. The message is for the engineer whose build wrote the document. */
export class UnreadableSbom extends Error {
  override readonly name = 'UnreadableSbom'
}

/** Storing the components of the document takes longer than it may. */
export class StoringTooSlow extends Error {
  override readonly name = 'StoringTooSlow'
}

/** The first message. Throws UnreadableSbom. */
export async function readSummary(messages: ParserMessages): Promise<SbomSummary[]> {
  const { value } = await messages.next()
  if (value?.type === 'failed') {
    // Its last message: whoever leaves before the end ends the process, and the next document waits until another has started.
    await messages.next()
    throw new UnreadableSbom(value.message)
  }
  if (value?.type !== 'summary')
    throw new Error(`the parser began with ${value?.type ?? 'nothing'}`)
  return value.sboms
}
