export {
  type CrashTotals,
  listCrashCounts,
  listRecentCrashes,
  type VersionCrashRow,
} from './store.ts'
export { storeReportedCrashes } from './intake/service.ts'
export { maintainCrashes } from './retention/service.ts'
export { reportCrashHealth } from './health.ts'
export { crashProblems } from './problems.ts'
export { registerCrashRoutes } from './routes.ts'
export { listNewCrashes, nameGroup } from './service.ts'
