/** The conditions of rules, by type. All fields are filled in: defaults are applied when a rule is saved. */
import type { Severity } from '../../../formats/advisories/model.ts'
import type { LicenceOutcome } from '../../../formats/licences/licence-rules.ts'
import type { Aggregation } from '../../telemetry/index.ts'

export const OPERATORS = [
  'GreaterThan',
  'GreaterThanOrEqual',
  'LessThan',
  'LessThanOrEqual',
] as const
export type Operator = (typeof OPERATORS)[number]

/** What a series without a value in the window does: it keeps its state, stops firing, or fires. */
export const NO_DATA_BEHAVIORS = ['Keep', 'Resolve', 'Fire'] as const
type NoDataBehavior = (typeof NO_DATA_BEHAVIORS)[number]

export interface MetricCondition {
  metric: string
  labels: Record<string, string>
  deploymentCohortId: string | null
  aggregation: Aggregation
  groupBy: 'Device' | 'None'
  operator: Operator
  /** In the unit of the metric, or in percent of the value in the window before. */
  threshold: number
  window: string
  /** How long before the evaluation the window ends, for points that arrive late. */
  delaySeconds: number
  onNoData: NoDataBehavior
}

/**
 * What a rule about findings watches. Undecided: a finding fires until somebody decides on it. Present: until it is closed or gone,
 * whatever else was decided.
 */
export const FINDING_WATCHES = ['Undecided', 'Present'] as const

export interface NewFindingCondition {
  /** At least one of these; empty: any severity. */
  severities: Severity[]
  /** Also vulnerabilities that are known to be exploited, of any severity. */
  knownCisaExploit: boolean
  onlyWhereDevicesRun: boolean
  /** Empty: any firmware. */
  firmwareIds: string[]
  /** Absent in rules from before it could be said: Undecided. */
  watches?: (typeof FINDING_WATCHES)[number]
}

export interface SourceStaleCondition {
  /** Empty: all enabled sources. */
  sources: string[]
  /** null: the setting of the service. */
  olderThan: string | null
}

export interface DeviceOfflineCondition {
  deploymentCohortId: string | null
  /** A device must have all of them. */
  tags: string[]
  offlineFor: string
}

export interface FailureRateCondition {
  deploymentCohortId: string | null
  /** The rule fires above it. */
  thresholdPercent: number
  /** With fewer finished devices a deployment has no failure rate. */
  minimumFinished: number
}

export interface ComponentSupportCondition {
  /** 0: only what has ended. */
  daysBefore: number
  onlyWhereDevicesRun: boolean
  /** Empty: any firmware. */
  firmwareIds: string[]
}

export interface UrgentFindingCondition {
  /** An outcome of the SSVC tree: this one, or a more urgent one. */
  ssvcFrom: string
  onlyWhereDevicesRun: boolean
  /** Empty: any firmware. */
  firmwareIds: string[]
  watches: (typeof FINDING_WATCHES)[number]
}

/** What licence rules may say of a licence that a rule tells of. */
export const ALERTED_OUTCOMES = [
  'denied',
  'unknown',
  'notListed',
  'review',
] as const satisfies readonly LicenceOutcome[]

export interface LicenceCondition {
  /** At least one. */
  outcomes: (typeof ALERTED_OUTCOMES)[number][]
  /** Otherwise also the newest version of each line. */
  onlyWhereDevicesRun: boolean
  /** Empty: any firmware. */
  firmwareIds: string[]
}

export interface CaseDeadlineCondition {
  /** Drills are marked. */
  includesDrills: boolean
  /** Also what no article of the law asks for: proposals that wait, next looks, and what has no due date yet. */
  includesGoodPractice: boolean
}

export interface SupportEndingCondition {
  /** Of product lines, release lines and firmware. 0: only what has ended. */
  daysBefore: number
  onlyWhereDevicesRun: boolean
}

export interface CertificateEndingCondition {
  /** Of certificates that sign images, of issuers of device certificates, and of devices. 0: only what has ended. */
  daysBefore: number
  /** Also the certificates of devices, counted for each issuer. */
  includesDevices: boolean
}

export interface NewCrashCondition {
  /** Crashes of fewer devices are not told. */
  minimumDevices: number
  /** How long a crash is new. */
  newForDays: number
  /** Empty: any firmware. */
  firmwareIds: string[]
}

export interface CrashRateCondition {
  /** Of the days of devices in the window those with a crash. The rule fires above it. */
  thresholdPercent: number
  /** With today. */
  windowDays: number
  /** With fewer days of devices a version has no rate. */
  minimumDeviceDays: number
  deploymentCohortId: string | null
  /** Empty: any firmware. */
  firmwareIds: string[]
}

export interface OldKeyCondition {
  /** Keys of devices, and of all devices, that are older. */
  olderThanDays: number
  /** Devices that were asked so long ago to replace their key, and go on with the old one. */
  askedForDays: number
  /** null: all devices, and the keys of all devices. */
  deploymentCohortId: string | null
}

/** By the types of rules. */
export interface Conditions {
  MetricFixedThreshold: MetricCondition
  MetricPercentualThreshold: MetricCondition
  NewVulnerabilityFinding: NewFindingCondition
  VulnerabilitySourceStale: SourceStaleCondition
  DeviceOffline: DeviceOfflineCondition
  DeploymentFailureRate: FailureRateCondition
  ComponentSupportEnding: ComponentSupportCondition
  UrgentVulnerabilityFinding: UrgentFindingCondition
  CaseDeadline: CaseDeadlineCondition
  SupportEnding: SupportEndingCondition
  CertificateEnding: CertificateEndingCondition
  LicenceDenied: LicenceCondition
  NewCrash: NewCrashCondition
  CrashRate: CrashRateCondition
  OldDeviceKey: OldKeyCondition
}

export type RuleCondition = {
  [Type in keyof Conditions]: { type: Type; condition: Conditions[Type] }
}[keyof Conditions]

export const RULE_TYPES = [
  'MetricFixedThreshold',
  'MetricPercentualThreshold',
  'NewVulnerabilityFinding',
  'VulnerabilitySourceStale',
  'DeviceOffline',
  'DeploymentFailureRate',
  'ComponentSupportEnding',
  'SupportEnding',
  'CertificateEnding',
  'UrgentVulnerabilityFinding',
  'CaseDeadline',
  'LicenceDenied',
  'NewCrash',
  'CrashRate',
  'OldDeviceKey',
] as const satisfies readonly RuleCondition['type'][]
export type RuleType = RuleCondition['type']

/** Their series are findings. */
export const isAboutFindings = (type: RuleType): boolean =>
  type === 'NewVulnerabilityFinding' || type === 'UrgentVulnerabilityFinding'

/** The ids of other resources in a condition. */
export function listReferences({ condition }: Pick<RuleCondition, 'condition'>): {
  cohortIds: string[]
  firmwareIds: string[]
} {
  const cohortId = 'deploymentCohortId' in condition ? condition.deploymentCohortId : null
  return {
    cohortIds: cohortId === null ? [] : [cohortId],
    firmwareIds: 'firmwareIds' in condition ? condition.firmwareIds : [],
  }
}
