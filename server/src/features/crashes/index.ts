export { listCrashCounts } from './hours-store.ts'
export { listRecentCrashes, type VersionCrashRow } from './version-store.ts'
export { storeReportedCrashes } from './intake/service.ts'
export { maintainCrashes } from './retention/service.ts'
export { reportCrashHealth } from './health.ts'
export { crashProblems } from './problems.ts'
export { registerCrashRoutes } from './routes.ts'
export { listNewCrashes, nameGroup } from './service.ts'
export { readReporting } from './reporting/service.ts'
export { CrashReporting, UnknownBecause } from './schemas.ts'
export { hasCrashReporters } from './reporting/store.ts'
export { type CrashRate, listCrashRates } from './reporting/rates-store.ts'
export {
  crashChecks,
  repairCrashTotals,
  takeBackCrashesOfDevices,
  takeBackCrashesOfVersions,
} from './totals/service.ts'
