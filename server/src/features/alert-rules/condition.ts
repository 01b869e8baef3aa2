/** What makes a rule fire, by its type. Every field is filled in: defaults are applied when a rule is made. */
import type { Aggregation } from '../telemetry/index.ts'

export const OPERATORS = [
  'GreaterThan',
  'GreaterThanOrEqual',
  'LessThan',
  'LessThanOrEqual',
] as const
export type Operator = (typeof OPERATORS)[number]

/**
 * What a series without a value does: it stays as it was, stops firing, or fires. A series is silent when it had a point
 * once, and has none in the window.
 */
export const NO_DATA_BEHAVIORS = ['Keep', 'Resolve', 'Fire'] as const
type NoDataBehavior = (typeof NO_DATA_BEHAVIORS)[number]

export interface MetricCondition {
  metric: string
  labels: Record<string, string>
  deploymentCohortId: string | null
  aggregation: Aggregation
  groupBy: 'Device' | 'None'
  operator: Operator
  /** In the unit of the metric, or in percent of the window before. */
  threshold: number
  window: string
  /** How much earlier the window ends than the evaluation: for points that arrive late. */
  delaySeconds: number
  onNoData: NoDataBehavior
}

export interface NewFindingCondition {
  /** Any of these; empty: any. */
  severities: string[]
  /** Known-exploited ones of whatever severity, besides. */
  knownCisaExploit: boolean
  onlyWhereDevicesRun: boolean
  /** Empty: any. */
  firmwareIds: string[]
}

export interface SourceStaleCondition {
  /** Empty: all that are switched on. */
  sources: string[]
  /** null: as the service's own setting has it. */
  olderThan: string | null
}

export interface DeviceOfflineCondition {
  deploymentCohortId: string | null
  /** All of these. */
  tags: string[]
  offlineFor: string
}

export interface FailureRateCondition {
  deploymentCohortId: string | null
  /** Fires above it. */
  thresholdPercent: number
  /** Devices that have to have ended before a rate says anything. */
  minimumFinished: number
}

export type RuleCondition =
  | { type: 'MetricFixedThreshold'; condition: MetricCondition }
  | { type: 'MetricPercentualThreshold'; condition: MetricCondition }
  | { type: 'NewVulnerabilityFinding'; condition: NewFindingCondition }
  | { type: 'VulnerabilitySourceStale'; condition: SourceStaleCondition }
  | { type: 'DeviceOffline'; condition: DeviceOfflineCondition }
  | { type: 'DeploymentFailureRate'; condition: FailureRateCondition }

export const RULE_TYPES = [
  'MetricFixedThreshold',
  'MetricPercentualThreshold',
  'NewVulnerabilityFinding',
  'VulnerabilitySourceStale',
  'DeviceOffline',
  'DeploymentFailureRate',
] as const satisfies readonly RuleCondition['type'][]
export type RuleType = RuleCondition['type']

/** Whatever a rule names by its id. */
export function namedBy({ condition }: RuleCondition): {
  cohortIds: string[]
  firmwareIds: string[]
} {
  const cohortId = 'deploymentCohortId' in condition ? condition.deploymentCohortId : null
  return {
    cohortIds: cohortId === null ? [] : [cohortId],
    firmwareIds: 'firmwareIds' in condition ? condition.firmwareIds : [],
  }
}
