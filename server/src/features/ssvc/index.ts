import './reactions.ts'

export {
  classifyWanted,
  findOutcomeBounds,
  IS_LISTED,
  isOfClass,
  hasWantedOutcome,
  listContexts,
  RATED_CLASS,
  readRatedClass,
  readVersionContexts,
  type OutcomeLimits,
  selectClassLimits,
  selectLeast,
  selectMost,
  selectOutcome,
  selectOutcomeLimit,
  selectMostUrgent,
  selectRatedClass,
  selectVersionOutcome,
  type SsvcScope,
  type VersionOutcomes,
} from './conditions-store.ts'
export { compareContexts, listVersionContexts } from './contexts-service.ts'
export {
  countClasses,
  listMisplaced,
  listPackageContexts,
  writeContexts,
} from './contexts-store.ts'
export { type GateOutcomes, readGateOutcomes } from './gate-service.ts'
export { ssvcProblems } from './problems.ts'
export { registerSsvcRoutes } from './routes.ts'
export {
  SsvcCounts,
  PREVALENCES,
  SsvcExplanationSchema,
  ssvcFields,
  ssvcFilterFields,
  type SsvcCommand,
  SsvcStated,
  WELL_BEINGS,
} from './schemas.ts'
export {
  asksOutcomes,
  checkCommand,
  describeOutcome,
  findOutcomes,
  listTargetDays,
  readDecidingTree,
  readTargetDays,
  readVersionOutcomes,
  requireOutcome,
} from './service.ts'
export type { DecidingTree } from './trees-service.ts'
