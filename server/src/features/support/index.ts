/**
 * Until when components get fixes. What the source says is derived once for all workspaces, by package; days are compared when somebody
 * asks, so that nothing is written when a day passes. A workspace may state dates of its own, which come first.
 */
export {
  deriveChangedProducts,
  deriveSupportOfVersion,
  enqueueSupportUpgrade,
} from './derivation-service.ts'
export { supportChecks } from './checks-service.ts'
export { listSupportCounts, type SupportCounts } from './counts-store.ts'
export { supportJobs } from './jobs.ts'
export { supportProblems } from './problems.ts'
export { registerSupportRoutes } from './routes.ts'
export {
  Day as DaySchema,
  SupportChangeSchema,
  SupportStateSchema,
  SupportSummarySchema,
} from './schemas.ts'
export {
  compareSupport,
  getVersionSupport,
  judgeSupport,
  summariseSupport,
  SUPPORT_VERDICTS,
} from './service.ts'
export { chooseStatedPackages } from './statements-service.ts'
export { type EndingSupport, listEndingSupport } from './store.ts'
