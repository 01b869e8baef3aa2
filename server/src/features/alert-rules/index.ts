export { type RuleCommand, validateCommand } from './command-service.ts'
export {
  type CaseDeadlineCondition,
  type CertificateEndingCondition,
  type CrashRateCondition,
  type DeviceOfflineCondition,
  type FailureRateCondition,
  type LicenceCondition,
  type NewCrashCondition,
  type MetricCondition,
  type NewFindingCondition,
  type OldKeyCondition,
  RULE_TYPES,
  type ComponentSupportCondition,
  type UrgentFindingCondition,
  type RuleCondition,
  type RuleType,
  type SourceStaleCondition,
  type SupportEndingCondition,
} from './conditions/condition.ts'
export { Condition } from './conditions/schemas.ts'
export {
  formatCount,
  describeCondition,
  formatElapsed,
  formatNumber,
  type Names,
} from './conditions/describe.ts'
export { parseDuration } from './duration.ts'
export type { RepeatIntervalChanged, RuleInterrupted } from './reactions.ts'
export { registerAlertRuleRoutes } from './routes.ts'
export {
  EVALUATION_STATUSES,
  type EvaluationFrequency,
  type EvaluationStatus,
  findScheduledAfter,
  findScheduledBefore,
} from './schedule.ts'
export { CreateAlertRuleCommand } from './schemas.ts'
export { insertRule, listReferencedNames, listRules } from './store.ts'
export { alertRuleProblems } from './problems.ts'
