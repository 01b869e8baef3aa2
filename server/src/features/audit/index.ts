export { getRefusalCounts } from './refusals.ts'
export { startRefusalRecords } from './refusals-service.ts'
export { auditRoutes } from './routes.ts'
export { recordAudit } from './service.ts'
