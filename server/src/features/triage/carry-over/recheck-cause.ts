import { formatWords, lowerWords } from '../../../formats/words.ts'
import type { Assessment } from '../../../formats/assessments.ts'

/** What was decided before. */
interface EarlierDecision {
  assessment: Assessment
  ignored: boolean
  /** The firmware version in which it was decided. */
  predecessor: string
}

/** Why an earlier decision does not simply apply to a new finding, so that a person should check it. */
export type RecheckCause =
  | ({ code: 'EvidenceChanged' } & EarlierDecision)
  /** Another package that shares a key or the name. */
  | ({ code: 'PackageChanged'; from: string | null; to: string | null } & EarlierDecision)
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
      return `${describeDecision(cause)} on evidence that has changed since`
    case 'PackageChanged':
      return `${describeDecision(cause)} for ${describePackages(cause)}`
    case 'AssessmentsDisagree': {
      const { formerVulnerabilityId, formerAssessment, vulnerabilityId, assessment } = cause
      return `${formerVulnerabilityId} was assessed as ${lowerWords(formerAssessment)}, ${vulnerabilityId} as ${lowerWords(assessment)}; they are now one finding`
    }
  }
}

function describeDecision({ assessment, ignored, predecessor }: EarlierDecision): string {
  const isAssessed = assessment !== 'NotAssessed'
  const words = isAssessed
    ? ignored
      ? `${formatWords(assessment)} and ignored`
      : formatWords(assessment)
    : 'Ignored'
  return `${words} in ${predecessor}`
}

function describePackages({ from, to }: { from: string | null; to: string | null }): string {
  return from === null || to === null || from === to
    ? 'another package of this name'
    : `version ${from} of this package; this is version ${to}`
}
