/** What people decide about findings, when a finding counts, and what is proposed for those that nobody has decided. */
export const ASSESSMENTS = [
  'NotAssessed',
  'InTriage',
  'Exploitable',
  'NotAffected',
  'FalsePositive',
  'Resolved',
] as const
export type Assessment = (typeof ASSESSMENTS)[number]

/** The origin of a decision. */
export const DECISION_SOURCES = ['User', 'ApiKey', 'Vex', 'Build', 'CarriedOver', 'System'] as const
export type DecisionSource = (typeof DECISION_SOURCES)[number]

/**
 * Whose word a decision is, the strongest first: a person or an API key, a VEX document, the build of the firmware. A
 * decision that was carried over stays the word of whoever made it (docs/decisions/0049).
 */
export const DECISION_ORIGINS = ['Person', 'Document', 'Build'] as const
export type DecisionOrigin = (typeof DECISION_ORIGINS)[number]

/** Assessments that may have a justification. */
export const JUSTIFIED_ASSESSMENTS = [
  'NotAffected',
  'FalsePositive',
] as const satisfies Assessment[]

/** Assessments with which a finding is not active. */
export const CLOSED_ASSESSMENTS = [
  'NotAffected',
  'FalsePositive',
  'Resolved',
] as const satisfies Assessment[]
/** Assessments by which a person confirms a match of low confidence. */
export const CONFIRMED_ASSESSMENTS = ['Exploitable', 'InTriage'] as const satisfies Assessment[]

export const SORT_COLUMNS = [
  'Risk',
  'Severity',
  'CvssScore',
  'EpssScore',
  'CveId',
  'Name',
  'ComponentName',
  'ComponentVersion',
  'Assessment',
  'KnownCisaExploit',
  'DetectedAt',
] as const
export type SortColumn = (typeof SORT_COLUMNS)[number]

/** A row of the workspace's list stands for several findings, so it cannot be sorted by assessment. */
export const WORKSPACE_SORT_COLUMNS = [
  'Risk',
  'Severity',
  'CvssScore',
  'EpssScore',
  'CveId',
  'Name',
  'ComponentName',
  'ComponentVersion',
  'KnownCisaExploit',
  'DetectedAt',
  'FirmwareVersionCount',
] as const
export type WorkspaceSortColumn = (typeof WORKSPACE_SORT_COLUMNS)[number]

/** A row stands for several components and firmware versions, so it is not sorted by one of them. */
export const VULNERABILITY_SORT_COLUMNS = [
  'Risk',
  'Severity',
  'CvssScore',
  'EpssScore',
  'CveId',
  'Name',
  'KnownCisaExploit',
  'DetectedAt',
  'FindingCount',
] as const
export type VulnerabilitySortColumn = (typeof VULNERABILITY_SORT_COLUMNS)[number]

export const COMPONENT_SORT_COLUMNS = [
  'Risk',
  'Severity',
  'EpssScore',
  'DetectedAt',
  'VulnerabilityCount',
  'Name',
] as const
export type ComponentSortColumn = (typeof COMPONENT_SORT_COLUMNS)[number]

/** The lists over a workspace: what a row of each stands for. */
export const COUNTED_LISTS = ['Vulnerability', 'Component', 'Finding'] as const
export type CountedList = (typeof COUNTED_LISTS)[number]

/** Whether a finding that holds is active; `isActiveSql` is the same in SQL. */
export function isActive(finding: {
  assessment: Assessment
  ignored: boolean
  confidence: 'High' | 'Medium' | 'Low'
}): boolean {
  const { assessment, ignored, confidence } = finding
  if (ignored || CLOSED_ASSESSMENTS.some((closed) => closed === assessment)) return false
  return confidence !== 'Low' || CONFIRMED_ASSESSMENTS.some((confirmed) => confirmed === assessment)
}

/** Assessments that a proposal may still change. */
export const OPEN_ASSESSMENTS = ['NotAssessed', 'InTriage'] as const satisfies Assessment[]

/** The proposed assessment of a finding that nobody has decided. */
export interface Proposal {
  assessment: 'NotAffected'
  justification: 'vulnerable_code_not_present'
  detail: string
  evidence: { vulnerableFiles: string[]; sourceFileCount: number }
}

const MOST_SHOWN = 5

export function createProposal(
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
