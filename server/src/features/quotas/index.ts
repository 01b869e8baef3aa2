export { reportQuotaHealth } from './health.ts'
export { quotaProblems } from './problems.ts'
export { type Quota, QUOTAS, findWindow, type WindowQuota } from './quotas.ts'
export { registerQuotaRoutes } from './routes.ts'
export {
  describeRefusal,
  giveBack,
  giveBackBytesOfVersions,
  holdUsage,
  type Limits,
  listNearLimits,
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
