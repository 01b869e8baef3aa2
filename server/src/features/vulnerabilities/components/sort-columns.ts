export const COMPONENT_SORT_COLUMNS = [
  'Risk',
  'Severity',
  'EpssScore',
  'DetectedAt',
  'VulnerabilityCount',
  'Name',
] as const
export type ComponentSortColumn = (typeof COMPONENT_SORT_COLUMNS)[number]
