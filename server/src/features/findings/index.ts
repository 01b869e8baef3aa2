import { subscribeTo } from '../../platform/jobs/queue.ts'
import { SbomParsed, tellFailure, tellGivenUp } from '../sboms/index.ts'
import { KeptOutdated, SbomsRelinked } from './schemas.ts'
import { matchParsedSbom, matchRelinkedSboms } from './service.ts'
import { refreshKept } from './workspace-list/refresh-service.ts'

export {
  Evidence as EvidenceSchema,
  FindingDetail,
  VersionLanes,
  Vulnerability as VulnerabilitySchema,
} from './detail/schemas.ts'
export { describeVulnerability, readFinding, describeEvidence } from './detail/service.ts'
export { findFindingKeys } from './finding-keys-store.ts'
export { findingChecks } from './checks-store.ts'
export {
  FindingFilter,
  ListVulnerabilityFindingsCommand,
  ListWorkspaceFindingsCommand,
  VulnerabilityFindingPage,
  WorkspaceFindingFilter as WorkspaceFindingFilterSchema,
} from './list/schemas.ts'
export { listCompiledFindings } from './proposals-store.ts'
export type { NewFindings } from './reactions.ts'
export { registerFindingRoutes } from './routes.ts'
export {
  Acceptance as AcceptanceSchema,
  AcceptanceMail,
  AcceptancesOutdated,
  Assessment as AssessmentSchema,
  AssessmentCount,
  findingMessages,
  findingProblems,
  VulnerabilityCounts,
} from './schemas.ts'
export {
  changeFindings,
  type Decision,
  deleteFindingFacts,
  matchFirmwareVersion,
  updateFindingFacts,
  recordLockedDecisions,
} from './service.ts'
export { countRestorable, listRestorableAcceptances, restoreDecisions } from './undo-store.ts'
export { listFindings } from './list/service.ts'
export type { WorkspaceFindingFilter } from './list/schemas.ts'
export { askForRefresh, startKeptRefreshes } from './workspace-list/refresh-service.ts'
export {
  countListedRows,
  countOwnedRows,
  listSelectedFindings,
  listVulnerabilities,
  listVulnerabilityIds,
  listVulnerableComponents,
  listWorkspaceFindings,
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
