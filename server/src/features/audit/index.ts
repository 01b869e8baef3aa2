export { auditProblems } from './problems.ts'
export { getRefusalCounts } from './refusals.ts'
export { startRefusalRecords } from './refusals-service.ts'
export { auditRoutes } from './routes.ts'
export {
  findNewestSeal,
  listSealsUntil,
  sealChecks,
  sealEndedDays,
  startSealing,
} from './seals/service.ts'
export { type AuditEntry, recordAudit } from './service.ts'
export type { AuditAction } from './sentences.ts'
export { listFindingSubjects } from './subjects.ts'
