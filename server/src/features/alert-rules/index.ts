export { type RuleCommand, validateCommand } from './command-service.ts'
export {
  type DeviceOfflineCondition,
  type FailureRateCondition,
  type MetricCondition,
  type NewFindingCondition,
  RULE_TYPES,
  type RuleCondition,
  type RuleType,
  type SourceStaleCondition,
} from './conditions/condition.ts'
export { Condition } from './conditions/schemas.ts'
export {
  countOf,
  describeCondition,
  formatElapsed,
  formatNumber,
  type Names,
} from './conditions/describe.ts'
export { durationSeconds } from './duration.ts'
export { alertRuleRoutes } from './routes.ts'
export {
  EVALUATION_STATUSES,
  type EvaluationStatus,
  scheduledAfter,
  scheduledBefore,
} from './schedule.ts'
export { CreateAlertRuleCommand } from './schemas.ts'
export { insertRule, listReferencedNames, listRules } from './store.ts'
export { alertRuleProblems } from './problems.ts'
