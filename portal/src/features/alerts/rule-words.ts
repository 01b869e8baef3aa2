/** What rules watch, in words. The sentence of one rule comes from the service. */
import type { AlertIncident } from '@plimsoll/api-client'
import type { RuleType } from './rule-plan.ts'

export const RULE_TYPES: Record<RuleType, string> = {
  NewVulnerabilityFinding: 'A vulnerability is new',
  UrgentVulnerabilityFinding: 'A finding is urgent (SSVC)',
  DeviceOffline: 'A device is silent',
  DeploymentFailureRate: 'A deployment fails',
  VulnerabilitySourceStale: 'Vulnerability data is old',
  ComponentSupportEnding: 'The support of a component ends',
  CaseDeadline: 'A report of a case is due',
  SupportEnding: 'The support of a product ends',
  CertificateEnding: 'A certificate ends',
  LicenceDenied: 'A licence may not ship',
  NewCrash: 'A version crashes in a new way',
  CrashRate: 'A version crashes too often',
  OldDeviceKey: 'A device key is old',
  MetricFixedThreshold: 'A value is too high or too low',
  MetricPercentualThreshold: 'A value changes',
}

/** "the last day", "the last 7 days" */
export const nameDays = (days: number): string =>
  days === 1 ? 'the last day' : `the last ${days} days`

export const OPERATORS = {
  GreaterThan: 'above',
  GreaterThanOrEqual: 'at or above',
  LessThan: 'below',
  LessThanOrEqual: 'at or below',
}

export const END_CAUSES: Record<NonNullable<AlertIncident['endedCause']>, string> = {
  Recovered: 'it recovered',
  Decided: 'its findings were decided',
  NoData: 'no data any more',
  RuleChanged: 'the rule was changed',
  RuleDisabled: 'the rule was switched off',
  RuleDeleted: 'the rule was deleted',
}

/** What is firing by a rule of the type: one, and many. */
const NOUNS = {
  NewVulnerabilityFinding: ['finding', 'findings'],
  UrgentVulnerabilityFinding: ['finding', 'findings'],
  DeviceOffline: ['device', 'devices'],
  DeploymentFailureRate: ['deployment', 'deployments'],
  VulnerabilitySourceStale: ['source', 'sources'],
  ComponentSupportEnding: ['component', 'components'],
  CaseDeadline: ['deadline', 'deadlines'],
  SupportEnding: ['support period', 'support periods'],
  CertificateEnding: ['certificate', 'certificates'],
  LicenceDenied: ['licence', 'licences'],
  NewCrash: ['crash', 'crashes'],
  CrashRate: ['version', 'versions'],
  OldDeviceKey: ['device key', 'device keys'],
  MetricFixedThreshold: ['series', 'series'],
  MetricPercentualThreshold: ['series', 'series'],
} as const

export function chooseNouns({
  alertRule,
  condition,
}: Pick<AlertIncident, 'alertRule' | 'condition'>) {
  return areDevices({ alertRule, condition }) ? NOUNS.DeviceOffline : NOUNS[alertRule.type]
}

/** Whether each of what fired is a device. */
export function areDevices({
  alertRule,
  condition,
}: Pick<AlertIncident, 'alertRule' | 'condition'>): boolean {
  if ('groupBy' in condition) return condition.groupBy === 'Device'
  return alertRule.type === 'DeviceOffline'
}
