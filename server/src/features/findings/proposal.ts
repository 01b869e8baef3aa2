/** The proposed assessment of a finding that nobody has decided. */
import type { Assessment } from './assessment.ts'

/** Assessments that a proposal may still change. */
export const OPEN_ASSESSMENTS = ['NotAssessed', 'InTriage'] as const satisfies Assessment[]

export interface Proposal {
  assessment: 'NotAffected'
  justification: 'vulnerable_code_not_present'
  detail: string
  evidence: { vulnerableFiles: string[]; sourceFileCount: number }
}

const MOST_SHOWN = 5

export function proposalOf(
  assessment: Assessment,
  evidence: Proposal['evidence'] | undefined,
): Proposal | null {
  const isOpen = OPEN_ASSESSMENTS.some((open) => open === assessment)
  if (!isOpen || !evidence) return null
  const { vulnerableFiles, sourceFileCount } = evidence
  const shown = vulnerableFiles.slice(0, MOST_SHOWN).join(', ')
  const more = vulnerableFiles.length - MOST_SHOWN
  const files = more > 0 ? `${shown} and ${more} more` : shown
  return {
    assessment: 'NotAffected',
    justification: 'vulnerable_code_not_present',
    detail: `The record places the vulnerable code in ${files}, which is not among the ${sourceFileCount} source files the component was compiled from.`,
    evidence,
  }
}
