/**
 * Advisories of suppliers, for one workspace. A feed is read with the code of the source `csaf`, and its documents become VEX
 * documents of the workspace's own firmware versions, so that they reach no other workspace (decision 91).
 */
export { applyAfterChange } from './application-service.ts'
export { supplierFeedJobs, supplierFeedMessages } from './jobs.ts'
export { supplierFeedProblems } from './problems.ts'
export { registerSupplierFeedRoutes } from './routes.ts'
export { startSupplierFeeds } from './schedule-service.ts'
