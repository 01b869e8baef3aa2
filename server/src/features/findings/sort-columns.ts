/** What the lists of findings can be sorted by. */
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
