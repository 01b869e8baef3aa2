/** A rule as it is filled in, and as it is sent. */
import type { AlertRule } from '@plimsoll/api-client'
import type { Aggregation } from '../../workspace-queries.ts'

export type RuleType = AlertRule['type']
export type Frequency = AlertRule['evaluationFrequency']

type MetricCondition = Extract<AlertRule['condition'], { metric: string }>

/** What ends the alert of a finding: any decision, or only that it is closed or gone. */
type FindingWatch = 'Undecided' | 'Present'

export interface RulePlan {
  name: string
  description: string
  type: RuleType
  /** null: as often as is usual for the type. */
  evaluationFrequency: Frequency | null
  severities: string[]
  knownCisaExploit: boolean
  /** An outcome of SSVC. */
  ssvcFrom: string
  onlyWhereDevicesRun: boolean
  firmwareIds: string[]
  watches: FindingWatch
  /** null: all devices. */
  deploymentCohortId: string | null
  offlineFor: string
  tags: string[]
  thresholdPercent: number
  minimumFinished: number
  /** Of the end of support, or of a certificate. */
  daysBefore: number
  /** Of certificates. */
  includesDevices: boolean
  /** Of crashes. */
  minimumDevices: number
  newForDays: number
  windowDays: number
  minimumDeviceDays: number
  /** Of device keys. */
  olderThanDays: number
  askedForDays: number
  /** Of licences: what the licence rules say. */
  outcomes: string[]
  includesDrills: boolean
  includesGoodPractice: boolean
  sources: string[]
  /** Empty: as late as the source itself says. */
  olderThan: string
  metric: string
  /** Each as `name=value`. */
  labels: string[]
  aggregation: Aggregation
  operator: MetricCondition['operator']
  threshold: number
  /** Empty: as long as the time between evaluations. */
  window: string
  groupBy: MetricCondition['groupBy']
  delaySeconds: number
  onNoData: MetricCondition['onNoData']
  /** Empty: no reminders. */
  repeatInterval: string
  notifyResolved: boolean
  /** Of rules about findings. */
  notifyOwners: boolean
  /** Ids of notification targets and webhooks. */
  targets: string[]
}

export const FIRST_PLAN: RulePlan = {
  name: '',
  description: '',
  type: 'NewVulnerabilityFinding',
  evaluationFrequency: null,
  severities: ['Critical'],
  knownCisaExploit: true,
  ssvcFrom: 'Act',
  onlyWhereDevicesRun: true,
  firmwareIds: [],
  watches: 'Undecided',
  deploymentCohortId: null,
  offlineFor: '1h',
  tags: [],
  thresholdPercent: 5,
  minimumFinished: 10,
  daysBefore: 90,
  includesDevices: true,
  minimumDevices: 1,
  newForDays: 7,
  windowDays: 7,
  minimumDeviceDays: 50,
  olderThanDays: 365,
  askedForDays: 14,
  outcomes: ['denied'],
  includesDrills: true,
  includesGoodPractice: true,
  sources: [],
  olderThan: '',
  metric: '',
  labels: [],
  aggregation: 'Average',
  operator: 'GreaterThan',
  threshold: 0,
  window: '5m',
  groupBy: 'Device',
  delaySeconds: 0,
  onNoData: 'Keep',
  repeatInterval: '',
  notifyResolved: true,
  notifyOwners: false,
  targets: [],
}

/** An existing rule as it is filled in. What its type does not have stays as in a new one. */
export function readPlan(rule: AlertRule): RulePlan {
  const { name, description, type, evaluationFrequency, condition, targets } = rule
  return {
    ...FIRST_PLAN,
    ...fieldsOf(condition),
    name,
    description: description ?? '',
    type,
    evaluationFrequency,
    repeatInterval: rule.repeatInterval ?? '',
    notifyResolved: rule.notifyResolved,
    notifyOwners: rule.notifyOwners,
    targets: targets.map(({ id }) => id),
  }
}

function fieldsOf(condition: AlertRule['condition']): Partial<RulePlan> {
  if ('metric' in condition) {
    const labels = Object.entries(condition.labels).map(([name, value]) => `${name}=${value}`)
    return { ...condition, labels }
  }
  if ('severities' in condition) return condition
  if ('ssvcFrom' in condition) return condition
  if ('daysBefore' in condition) return condition
  if ('offlineFor' in condition) return condition
  if ('thresholdPercent' in condition) return condition
  if ('includesDrills' in condition) return condition
  if ('outcomes' in condition) return condition
  if ('newForDays' in condition) return condition
  if ('olderThanDays' in condition) return condition
  return { ...condition, olderThan: condition.olderThan ?? '' }
}

export interface RuleBody {
  name: string
  description: string | null
  type: RuleType
  evaluationFrequency: Frequency
  condition: Record<string, unknown>
  targets: { id: string }[]
  repeatInterval: string | null
  notifyResolved: boolean
  notifyOwners: boolean
}

/** Their findings belong to somebody. */
export const isAboutFindings = (type: RuleType): boolean =>
  type === 'NewVulnerabilityFinding' || type === 'UrgentVulnerabilityFinding'

/** How often a rule of the type is looked at: as soon as it matters. */
export const USUAL_FREQUENCIES: Record<RuleType, Frequency> = {
  NewVulnerabilityFinding: '5m',
  DeviceOffline: '1m',
  DeploymentFailureRate: '1m',
  VulnerabilitySourceStale: '1h',
  ComponentSupportEnding: '1d',
  UrgentVulnerabilityFinding: '5m',
  CaseDeadline: '1m',
  SupportEnding: '1d',
  CertificateEnding: '1h',
  LicenceDenied: '1h',
  NewCrash: '5m',
  CrashRate: '15m',
  OldDeviceKey: '1h',
  MetricFixedThreshold: '1m',
  MetricPercentualThreshold: '5m',
}

const DURATION = /^[1-9][0-9]{0,5}[mhd]$/

const isDurationOrEmpty = (text: string) => text === '' || DURATION.test(text)

/** undefined while it lacks what a rule of its type needs. */
export function writeRule(plan: RulePlan): RuleBody | undefined {
  const { type, name, description, evaluationFrequency, repeatInterval, targets } = plan
  const condition = CONDITIONS[plan.type](plan)
  if (!condition || !isDurationOrEmpty(repeatInterval)) return undefined
  return {
    name: name.trim() === '' ? 'New rule' : name.trim(),
    description: description.trim() === '' ? null : description.trim(),
    type,
    evaluationFrequency: evaluationFrequency ?? USUAL_FREQUENCIES[type],
    condition,
    targets: targets.map((id) => ({ id })),
    repeatInterval: repeatInterval === '' ? null : repeatInterval,
    notifyResolved: plan.notifyResolved,
    notifyOwners: plan.notifyOwners && isAboutFindings(type),
  }
}

type Condition = Record<string, unknown> | undefined

/** undefined: something is missing. */
const CONDITIONS: Record<RuleType, (plan: RulePlan) => Condition> = {
  NewVulnerabilityFinding: ({ severities, knownCisaExploit, watches, ...plan }) => {
    const { onlyWhereDevicesRun, firmwareIds } = plan
    const watched = watches === 'Present' && { watches }
    return { severities, knownCisaExploit, onlyWhereDevicesRun, firmwareIds, ...watched }
  },
  UrgentVulnerabilityFinding: ({ ssvcFrom, onlyWhereDevicesRun, firmwareIds, watches }) => ({
    ssvcFrom,
    onlyWhereDevicesRun,
    firmwareIds,
    watches,
  }),
  DeviceOffline: offlineCondition,
  DeploymentFailureRate: ({ thresholdPercent, minimumFinished, deploymentCohortId }) => ({
    thresholdPercent,
    minimumFinished,
    deploymentCohortId,
  }),
  ComponentSupportEnding: ({ daysBefore, onlyWhereDevicesRun, firmwareIds }) => ({
    daysBefore,
    onlyWhereDevicesRun,
    firmwareIds,
  }),
  CertificateEnding: ({ daysBefore, includesDevices }) => ({ daysBefore, includesDevices }),
  SupportEnding: ({ daysBefore, onlyWhereDevicesRun }) => ({ daysBefore, onlyWhereDevicesRun }),
  CaseDeadline: ({ includesDrills, includesGoodPractice }) => ({
    includesDrills,
    includesGoodPractice,
  }),
  LicenceDenied: licenceCondition,
  NewCrash: ({ minimumDevices, newForDays, firmwareIds }) => ({
    minimumDevices,
    newForDays,
    firmwareIds,
  }),
  CrashRate: ({ thresholdPercent, windowDays, minimumDeviceDays, ...plan }) => ({
    thresholdPercent,
    windowDays,
    minimumDeviceDays,
    deploymentCohortId: plan.deploymentCohortId,
    firmwareIds: plan.firmwareIds,
  }),
  OldDeviceKey: ({ olderThanDays, askedForDays, deploymentCohortId }) => ({
    olderThanDays,
    askedForDays,
    deploymentCohortId,
  }),
  VulnerabilitySourceStale: staleCondition,
  MetricFixedThreshold: metricCondition,
  MetricPercentualThreshold: metricCondition,
}

function offlineCondition(plan: RulePlan): Condition {
  const { offlineFor, tags, deploymentCohortId } = plan
  return DURATION.test(offlineFor) ? { offlineFor, tags, deploymentCohortId } : undefined
}

function licenceCondition(plan: RulePlan): Condition {
  const { outcomes, onlyWhereDevicesRun, firmwareIds } = plan
  return outcomes.length > 0 ? { outcomes, onlyWhereDevicesRun, firmwareIds } : undefined
}

function staleCondition({ sources, olderThan }: RulePlan): Condition {
  if (!isDurationOrEmpty(olderThan)) return undefined
  return { sources, olderThan: olderThan === '' ? null : olderThan }
}

function metricCondition(plan: RulePlan): Condition {
  const { metric, operator, threshold, window, groupBy, aggregation } = plan
  const { delaySeconds, onNoData, deploymentCohortId } = plan
  const labels = labelsOf(plan.labels)
  if (metric === '' || !labels || !isDurationOrEmpty(window)) return undefined
  const compared = { metric, labels, aggregation, groupBy, operator, threshold }
  return {
    ...compared,
    deploymentCohortId,
    delaySeconds,
    onNoData,
    ...(window !== '' && { window }),
  }
}

/** undefined where one is no `name=value`. */
function labelsOf(texts: readonly string[]): Record<string, string> | undefined {
  const labels: Record<string, string> = {}
  for (const text of texts) {
    const at = text.indexOf('=')
    if (at < 1) return undefined
    labels[text.slice(0, at)] = text.slice(at + 1)
  }
  return labels
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 }

/** "5m" in milliseconds. */
export function parseDurationMs(text: string): number {
  return Number.parseInt(text, 10) * (UNITS[text.at(-1) ?? ''] ?? 0)
}
