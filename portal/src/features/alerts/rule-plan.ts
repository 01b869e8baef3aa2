/** A rule as it is filled in, and as it is sent. */
import type { AnswerOf } from '@plimsoll/api-client'

export type RuleType = AnswerOf<'listAlertRules'>[number]['type']

export interface RulePlan {
  name: string
  type: RuleType
  severities: string[]
  knownCisaExploit: boolean
  onlyWhereDevicesRun: boolean
  offlineFor: string
  tags: string[]
  thresholdPercent: number
  minimumFinished: number
  /** Empty: as late as the source itself says. */
  olderThan: string
  metric: string
  operator: 'GreaterThan' | 'LessThan'
  threshold: number
  window: string
  groupBy: 'Device' | 'None'
  /** Ids of notification targets and webhooks. */
  targets: string[]
}

export const FIRST_PLAN: RulePlan = {
  name: '',
  type: 'NewVulnerabilityFinding',
  severities: ['Critical'],
  knownCisaExploit: true,
  onlyWhereDevicesRun: true,
  offlineFor: '1h',
  tags: [],
  thresholdPercent: 5,
  minimumFinished: 10,
  olderThan: '',
  metric: '',
  operator: 'GreaterThan',
  threshold: 0,
  window: '5m',
  groupBy: 'Device',
  targets: [],
}

export interface RuleBody {
  name: string
  type: RuleType
  evaluationFrequency: '1m' | '5m' | '1h'
  condition: Record<string, unknown>
  targets: { id: string }[]
}

/** How often a rule of the type is looked at: as soon as it matters. */
const FREQUENCIES: Record<RuleType, RuleBody['evaluationFrequency']> = {
  NewVulnerabilityFinding: '5m',
  DeviceOffline: '1m',
  DeploymentFailureRate: '1m',
  VulnerabilitySourceStale: '1h',
  MetricFixedThreshold: '1m',
  MetricPercentualThreshold: '5m',
}

/** undefined while it lacks what a rule of its type needs. */
export function ruleOf(plan: RulePlan): RuleBody | undefined {
  const { type, name, targets } = plan
  const condition = conditionOf(plan)
  if (!condition) return undefined
  return {
    name: name.trim() === '' ? 'New rule' : name.trim(),
    type,
    evaluationFrequency: FREQUENCIES[type],
    condition,
    targets: targets.map((id) => ({ id })),
  }
}

const DURATION = /^[1-9][0-9]{0,5}[mhd]$/

function conditionOf(plan: RulePlan): Record<string, unknown> | undefined {
  switch (plan.type) {
    case 'NewVulnerabilityFinding': {
      const { severities, knownCisaExploit, onlyWhereDevicesRun } = plan
      return { severities, knownCisaExploit, onlyWhereDevicesRun }
    }
    case 'DeviceOffline': {
      const { offlineFor, tags } = plan
      return DURATION.test(offlineFor) ? { offlineFor, tags } : undefined
    }
    case 'DeploymentFailureRate': {
      const { thresholdPercent, minimumFinished } = plan
      return { thresholdPercent, minimumFinished }
    }
    case 'VulnerabilitySourceStale': {
      const { olderThan } = plan
      if (olderThan === '') return {}
      return DURATION.test(olderThan) ? { olderThan } : undefined
    }
    case 'MetricFixedThreshold':
    case 'MetricPercentualThreshold': {
      const { metric, operator, threshold, window, groupBy } = plan
      if (metric === '' || !DURATION.test(window)) return undefined
      return { metric, operator, threshold, window, groupBy }
    }
  }
}
