export { readRule, type RuleCommand } from './command-service.ts'
export {
  type DeviceOfflineCondition,
  type FailureRateCondition,
  type MetricCondition,
  namedBy,
  type NewFindingCondition,
  RULE_TYPES,
  type RuleCondition,
  type RuleType,
  type SourceStaleCondition,
} from './condition.ts'
export { Condition } from './condition-schemas.ts'
export {
  conditionWords,
  counted,
  formatNumber,
  lengthWords,
  type Names,
} from './describe-condition.ts'
export { durationSeconds } from './duration.ts'
export { alertRuleRoutes } from './routes.ts'
export {
  EVALUATION_STATUSES,
  type EvaluationStatus,
  scheduledAfter,
  scheduledBefore,
} from './schedule.ts'
export { CreateAlertRuleCommand } from './schemas.ts'
export type { RuleReactions } from './service.ts'
export { insertRule, listRules } from './store.ts'
export { alertRuleProblems } from './problems.ts'
