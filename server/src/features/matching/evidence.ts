/** What a verdict rests on, kept so that it can be shown and found again (DESIGN 5.4). */
import type {
  AdvisorySource,
  AffectedPackage,
  AffectedStatement,
} from '../../formats/advisories/model.ts'
import type { VersionScheme } from '../../formats/versions/schemes.ts'

export const CONFIDENCES = ['High', 'Medium', 'Low'] as const
export type Confidence = (typeof CONFIDENCES)[number]

export function highest(confidences: readonly Confidence[]): Confidence {
  return CONFIDENCES.find((confidence) => confidences.includes(confidence)) ?? 'Low'
}

/** Notes that decide what outranks what. */
export const NO_BOUNDS = 'the criterion has no bounds'
export const NO_UPPER_BOUND = 'the criterion has no upper bound'

/** One key of one advisory that a package may be meant by. */
export interface Candidate {
  source: AdvisorySource
  advisoryId: string
  affected: AffectedPackage
}

export interface Evidence {
  source: AdvisorySource
  advisoryId: string
  /** The advisory's key. */
  key: string
  /** The package's identifier that was compared, and its version. */
  identifier: string
  version: string
  /** The range that decided, as published. */
  range: string
  comparator: VersionScheme
  verdict: 'affected' | 'unaffected'
  confidence: Confidence
  /** Why the confidence is what it is, and which alias led here. */
  notes: string[]
  /** Of what is not affected: the record says where the affected versions begin or end. */
  isBounded?: true
  /** As much of the advisory's statement as decided: evaluated again it gives the same verdict. */
  statement: AffectedStatement
  /** Set where a record that knows better says otherwise. */
  outrankedBy?: string
}

/** What one advisory says about a package. */
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
