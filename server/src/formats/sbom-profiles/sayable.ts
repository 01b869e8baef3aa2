/** Which facts a format has a place for. What it has none for is not missing: the format cannot say it. */
import type { SbomFormat } from '../sboms/model.ts'
import type { ComponentFact, DocumentFact } from './stated-facts.ts'

type Fact = ComponentFact | DocumentFact

/** The minor version of CycloneDX 1 that brought a fact; those not listed were there from 1.0 on. */
const CYCLONEDX_SINCE: Partial<Record<Fact, number>> = {
  uri: 1,
  deployableUri: 1,
  sourceUri: 1,
  relationship: 2,
  dependencies: 2,
  author: 2,
  authorContact: 2,
  tool: 2,
  timestamp: 2,
  // Its compositions, its hashes of references and its properties, in which BSI's taxonomy is written.
  completeness: 3,
  knownUnknowns: 3,
  deployableHash: 3,
  fileName: 3,
  executable: 3,
  archive: 3,
  structured: 3,
  effectiveLicence: 3,
  generationContext: 5,
  // The manufacturer and the authors of a component, the acknowledgement of a licence, kinds of references.
  creatorContact: 6,
  concludedLicence: 6,
  declaredLicence: 6,
  sourceHash: 6,
  securityTxt: 6,
}

const SPDX2_CANNOT: ReadonlySet<Fact> = new Set<Fact>([
  'executable',
  'archive',
  'structured',
  'effectiveLicence',
  // Only in free text: creatorComment, sourceInfo.
  'generationContext',
  'sourceUri',
  // The verification code is of files by SHA-1.
  'sourceHash',
  'securityTxt',
])

export function canSay(format: SbomFormat, specVersion: string | undefined, fact: Fact): boolean {
  if (format.startsWith('Spdx2')) return !SPDX2_CANNOT.has(fact)
  if (!format.startsWith('CycloneDx')) return true
  const minor = Number(/^1\.(\d+)$/.exec(specVersion ?? '')?.[1] ?? Infinity)
  return (CYCLONEDX_SINCE[fact] ?? 0) <= minor
}

/** How the format is called where something is said of it. */
export function describeFormat(format: SbomFormat, specVersion: string | undefined): string {
  const name = format.startsWith('CycloneDx') ? 'CycloneDX' : 'SPDX'
  return specVersion === undefined ? name : `${name} ${specVersion}`
}
