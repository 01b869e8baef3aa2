export { listSbomFiles, sbomChecks } from './checks-store.ts'
export { type DeclaredColumns, readIdentifiable } from './parsing/identity-columns.ts'
export type { ComponentRow, SignatureTask } from './parsing/parser-messages.ts'
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
export {
  enqueueUnmatchedSboms,
  reportSbomHealth,
  tellFailure,
  tellGivenUp,
} from './failures/service.ts'
export { listSbomJobs } from './jobs.ts'
export { enqueueOutdatedSboms, requestReparse } from './reidentification/service.ts'
export type { InventoryChange } from './reactions.ts'
export { registerSbomContentRoute, registerSbomRoutes } from './routes.ts'
export { sbomMessages, SbomParsed, SbomStored, SourceFilesChanged } from './schemas.ts'
export { sbomProblems } from './problems.ts'
export { withUnkeptDocument } from './checking/service.ts'
export { getSbom, listSboms } from './service.ts'
export { nameSbomBlob } from './stored-file.ts'
export { updateEvaluatedSboms } from './store.ts'
export { ListedSbom as ListedSbomSchema } from './schemas.ts'
