export { listSbomFiles, sbomChecks } from './checks-store.ts'
export {
  type DeclaredRow,
  findComponent,
  listPathNodes,
  type PathNode,
} from './components/store.ts'
export { GAP, selectNotMatchedReason, describeReason } from './components/not-matched-store.ts'
export { readIdentifiable } from './parsing/identity-columns.ts'
export { PackageOverrideCommand } from './package-overrides/schemas.ts'
export {
  createOverride,
  deleteOverride,
  listOverrides,
  type MetComponents,
  type OverrideChange,
  type OverrideInput,
  previewMeeting,
  updateOverride,
} from './package-overrides/service.ts'
export { readOverrides } from './package-overrides/store.ts'
export { sweepReplacedSboms } from './replacement/service.ts'
export { sweepOrphanedFiles } from './service.ts'
export { reportSbomHealth } from './failures/health.ts'
export { enqueueUnmatchedSboms, tellFailure, tellGivenUp } from './failures/service.ts'
export { listSbomJobs } from './jobs.ts'
export { enqueueOutdatedSboms, requestReparse } from './reidentification/service.ts'
export { registerSbomContentRoute, registerSbomRoutes } from './routes.ts'
export { sbomMessages, SbomParsed, SourceFilesChanged } from './schemas.ts'
export { sbomProblems } from './problems.ts'
export { ListWorkspaceComponentsCommand } from './workspace-components/schemas.ts'
export { listWorkspaceComponents } from './workspace-components/service.ts'
export { withUnkeptDocument } from './checking/service.ts'
export { listSboms } from './service.ts'
export { ListedSbom as ListedSbomSchema } from './schemas.ts'
