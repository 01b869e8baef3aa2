export { quotaHealth } from './health.ts'
export { quotaProblems } from './problems.ts'
export { type Quota, QUOTAS, windowAt } from './quotas.ts'
export { quotaRoutes } from './routes.ts'
export {
  giveBack,
  giveBackBytesOfVersions,
  holdUsage,
  type Limits,
  quotaChecks,
  readLimit,
  readUsage,
  requireRoom,
  setLimits,
  sweepUsageWindows,
  takeAll,
  takeAllInWindow,
  takeInWindow,
  takeWhatFits,
} from './service.ts'
