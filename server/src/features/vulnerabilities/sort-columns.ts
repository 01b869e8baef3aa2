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
