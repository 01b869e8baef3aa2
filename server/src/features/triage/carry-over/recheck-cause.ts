import type { Assessment } from '../../findings/index.ts'

/** Why an earlier decision does not simply apply to a new finding, so that a person should check it. */
export type RecheckCause =
  /** The package is the same, or another one that shares a key. */
  | { code: 'EvidenceChanged' | 'PackageChanged'; assessment: Assessment; predecessor: string }
  /** Persons assessed two vulnerabilities that were united, and disagreed. */
  | {
      code: 'AssessmentsDisagree'
      formerVulnerabilityId: string
      formerAssessment: Assessment
      vulnerabilityId: string
      assessment: Assessment
    }

/** The text that the decision and its entry in the timeline show. */
export function describeRecheckCause(cause: RecheckCause): string {
  switch (cause.code) {
    case 'EvidenceChanged':
      return `${cause.assessment} in ${cause.predecessor} on evidence that has changed since`
    case 'PackageChanged':
      return `${cause.assessment} in ${cause.predecessor} for another version of this package`
    case 'AssessmentsDisagree': {
      const { formerVulnerabilityId, formerAssessment, vulnerabilityId, assessment } = cause
      return `${formerVulnerabilityId} was assessed ${formerAssessment}, ${vulnerabilityId} ${assessment}; they are now one finding`
    }
  }
}
