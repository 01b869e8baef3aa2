/** The evidence of a verdict, stored so that people can check it (docs/design/matching.md). */
import type {
  AdvisorySource,
  AffectedPackage,
  AffectedStatement,
  VersionStatement,
} from '../../formats/advisories/model.ts'
import type { Resolution } from '../../formats/identity.ts'
import type { VersionScheme } from '../../formats/versions/schemes.ts'

export const CONFIDENCES = ['High', 'Medium', 'Low'] as const
export type Confidence = (typeof CONFIDENCES)[number]

export function chooseHighest(confidences: readonly Confidence[]): Confidence {
  return CONFIDENCES.find((confidence) => confidences.includes(confidence)) ?? 'Low'
}

/** Notes that `verdict-precedence.ts` reads. */
export const NO_BOUNDS = 'the criterion has no bounds'
export const NO_UPPER_BOUND = 'the criterion has no upper bound'

/** An advisory that may be about a package, found by one of its keys. */
export interface Candidate {
  source: AdvisorySource
  advisoryId: string
  affected: AffectedPackage
}

/** A statement with the entries that decided. */
export interface StatementExcerpt extends AffectedStatement {
  /** Entries that the excerpt leaves out bound the affected versions. */
  hasOtherBounds?: true
}

export interface Evidence {
  source: AdvisorySource
  advisoryId: string
  /** The advisory's key. */
  key: string
  /** The identifier of the package that was compared; `version` is its version. */
  identifier: string
  version: string
  /** The range that decided, as the advisory states it. */
  range: string
  comparator: VersionScheme
  verdict: 'affected' | 'unaffected'
  confidence: Confidence
  /** Reasons for the confidence, and the alias by which the package was found. */
  notes: string[]
  /** How the records resolved a name without vendor; absent where the vendor is stated or of the alias table. */
  resolution?: Resolution
  /** Set on unaffected evidence: the record bounds the affected versions. */
  isBounded?: true
  /** Set on unaffected evidence: the record says where the affected versions begin and where they end. */
  isEnclosed?: true
  /** The part of the advisory's statement that decided. Evaluating it again gives the same verdict. */
  statement: StatementExcerpt
  /** The kind of record that takes precedence over this one, if there is one. */
  outrankedBy?: string
}

/** The verdict of one advisory on a package. */
export interface Verdict {
  source: AdvisorySource
  advisoryId: string
  verdict: 'affected' | 'unaffected' | 'undecidable'
  evidence: Evidence[]
  /** Why the advisory is undecidable for the package, where it is. */
  reasons: string[]
  /** What was thrown where a fault of the service kept the advisory from being evaluated. */
  failure?: unknown
}

interface DecidingStatements {
  decidedBy: VersionStatement | undefined
  against?: VersionStatement
}

/** The statement with only the entry that decided, and the one that decides otherwise in another reading of the version. */
export function excerptStatement(
  { scheme, defaultStatus, versions, platforms, distro, module, kind, isOfAdp }: AffectedStatement,
  { decidedBy, against }: DecidingStatements,
): AffectedStatement {
  const isAgainstFirst = against !== undefined && isBefore(versions, against, decidedBy)
  const decisive = isAgainstFirst ? [against, decidedBy] : [decidedBy, against]
  return {
    scheme,
    defaultStatus,
    versions: decisive.filter((entry) => entry !== undefined),
    ...(platforms && { platforms }),
    ...(distro !== undefined && { distro }),
    ...(module !== undefined && { module }),
    ...(kind && { kind }),
    ...(isOfAdp && { isOfAdp }),
  }
}

/** Entries of lists are kept with the versions that were meant, so that their texts tell them. */
function isBefore(
  versions: readonly VersionStatement[],
  one: VersionStatement,
  other: VersionStatement | undefined,
): boolean {
  const placeOf = ({ text, status }: VersionStatement) =>
    versions.findIndex((entry) => entry.text === text && entry.status === status)
  return other !== undefined && placeOf(one) < placeOf(other)
}
