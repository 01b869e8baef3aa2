import { subscribeTo } from '../../platform/jobs/queue.ts'
import { SbomParsed, tellFailure, tellGivenUp } from '../sboms/index.ts'
import { KeptOutdated, SbomsRelinked } from './schemas.ts'
import { matchParsedSbom, matchRelinkedSboms } from './service.ts'
import { refreshKept } from './workspace-list/refresh-service.ts'

export {
  type ChangedMatches,
  type ChangedPackages,
  listChangedWorkspaces,
  updateCountersOfComponents,
  updateCountersOfMatches,
} from './counters-store.ts'
export { FindingDetail, Vulnerability as VulnerabilitySchema } from './detail/schemas.ts'
export { describeVulnerability, readFinding } from './detail/service.ts'
export type { AdvisoryRecord } from './detail/store.ts'
export { findFindingKeys, listPossiblePackageIds } from './finding-keys-store.ts'
export { findingChecks } from './checks-store.ts'
export {
  FindingFilter,
  ListVulnerabilityFindingsCommand,
  ListWorkspaceFindingsCommand,
  VulnerabilityFindingPage,
  WorkspaceFindingFilter as WorkspaceFindingFilterSchema,
} from './list/schemas.ts'
export { listCompiledFindings } from './proposals-store.ts'
export {
  COMPONENT_SORT_COLUMNS,
  type ComponentSortColumn,
  COUNTED_LISTS,
  type CountedList,
  VULNERABILITY_SORT_COLUMNS,
  type VulnerabilitySortColumn,
} from './sort-columns.ts'
export { registerFindingRoutes } from './routes.ts'
export {
  Assessment as AssessmentSchema,
  AssessmentCount,
  Confidence,
  ExploitedSources,
  IsDisputed,
  findingMessages,
  findingProblems,
  Severity as SeveritySchema,
  VulnerabilityCounts,
} from './schemas.ts'
export {
  type Decision,
  deleteFindingFacts,
  matchFirmwareVersion,
  matchParsedSbom,
  recordDecisions,
  updateFindingFacts,
  recordLockedDecisions,
} from './service.ts'
export { listVersionsWithActiveFinding } from './vulnerable-versions/store.ts'
export { keepChangedMatches, lockKeptOf } from './workspace-list/kept-store.ts'
export { type ListFindings, listFindings, withSwitches } from './list/service.ts'
export { describeVulnerabilities, nameComponents } from './workspace-list/describe-store.ts'
export { countHeldVersions } from './workspace-list/device-counts-store.ts'
export type { WorkspaceFindingFilter } from './workspace-list/filter-store.ts'
export { listComponentRows, listVulnerabilityRows } from './workspace-list/groups-store.ts'
export {
  askForRefreshes,
  countDevices,
  refreshKept,
  startKeptRefreshes,
} from './workspace-list/refresh-service.ts'
export type { ListScope } from './workspace-list/scoped-matches-store.ts'
export {
  countListedRows,
  type ListRequest,
  listSelectedFindings,
  listWorkspaceFindings,
  openWorkspaceList,
  withUndecided,
} from './workspace-list/service.ts'

export const findingJobs = [
  subscribeTo(SbomParsed, matchParsedSbom, {
    concurrency: 2,
    onFailed: tellFailure,
    onExhausted: tellGivenUp,
  }),
  subscribeTo(SbomsRelinked, matchRelinkedSboms, {
    onFailed: tellFailure,
    onExhausted: tellGivenUp,
  }),
  subscribeTo(KeptOutdated, refreshKept),
]
export { updateEvaluatedSboms } from './store.ts'
