/** What people decide about findings, and when a finding counts. */
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
export const DECISION_SOURCES = ['User', 'ApiKey', 'Vex', 'CarriedOver', 'System'] as const
export type DecisionSource = (typeof DECISION_SOURCES)[number]

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
