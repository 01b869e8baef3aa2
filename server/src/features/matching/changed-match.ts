import type { Severity } from '../../formats/advisories/model.ts'
import type { Confidence } from './evidence.ts'

/** An open match that began (`old…` is null), ended (`new…` is null) or changed. */
export interface ChangedMatch {
  packageId: string
  vulnerabilityId: string
  oldConfidence: Confidence | null
  oldSeverity: Severity | null
  /** Whether a public list names the vulnerability as exploited. */
  oldExploited: boolean | null
  newConfidence: Confidence | null
  newSeverity: Severity | null
  newExploited: boolean | null
}

/** A package that is judged now and was not at its last match, or the other way round. */
export interface JudgedPackage {
  packageId: string
  wasJudged: boolean
  isJudged: boolean
}
