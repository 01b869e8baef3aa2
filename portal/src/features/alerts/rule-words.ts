/** What a rule watches, in words. */
import type { AlertRule } from '@plimsoll/api-client'
import type { RuleType } from './rule-plan.ts'

export const RULE_TYPES: Record<RuleType, string> = {
  NewVulnerabilityFinding: 'A vulnerability is new',
  DeviceOffline: 'A device is silent',
  DeploymentFailureRate: 'A deployment fails',
  VulnerabilitySourceStale: 'Vulnerability data is old',
  MetricFixedThreshold: 'A value is too high or too low',
  MetricPercentualThreshold: 'A value changes',
}

export const OPERATORS = {
  GreaterThan: 'above',
  GreaterThanOrEqual: 'at least',
  LessThan: 'below',
  LessThanOrEqual: 'at most',
}

/** "temperature of each device above 80, average of 5m". */
export function conditionSentence({
  type,
  condition,
}: Pick<AlertRule, 'type' | 'condition'>): string {
  if ('metric' in condition) {
    const { metric, groupBy, operator, threshold, aggregation, window } = condition
    const whose = groupBy === 'Device' ? 'of each device' : 'of all devices together'
    const limit = `${OPERATORS[operator]} ${threshold}`
    const isChange = type === 'MetricPercentualThreshold'
    return `${metric} ${whose}${isChange ? `: a change ${limit} %` : ` ${limit}`}, ${aggregation.toLowerCase()} of ${window}`
  }
  if ('severities' in condition) return findingSentence(condition)
  if ('offlineFor' in condition)
    return `not heard of for ${condition.offlineFor}${tagText(condition.tags)}`
  if ('thresholdPercent' in condition)
    return `${condition.thresholdPercent} % of at least ${condition.minimumFinished} finished updates failed`
  const { sources, olderThan } = condition
  const which = sources.length === 0 ? 'any source' : sources.join(', ')
  return olderThan === null
    ? `${which} is late by its own rule`
    : `${which} is older than ${olderThan}`
}

interface FindingCondition {
  severities: readonly string[]
  knownCisaExploit: boolean
  onlyWhereDevicesRun: boolean
  firmwareIds: readonly string[]
}

function findingSentence(condition: FindingCondition): string {
  const { severities, knownCisaExploit, onlyWhereDevicesRun, firmwareIds } = condition
  return [
    severities.length === 0 ? 'any severity' : severities.join(' or '),
    knownCisaExploit && severities.length > 0 && 'or known exploited',
    onlyWhereDevicesRun && 'where devices run it',
    firmwareIds.length > 0 && 'in chosen firmware',
  ]
    .filter((part) => part !== false)
    .join(', ')
}

const tagText = (tags: readonly string[]): string =>
  tags.length === 0 ? '' : `, tagged ${tags.join(' or ')}`
