import { Type } from 'typebox'
import { ReadOnly, Replacing } from '../../platform/http/read-only.ts'
import {
  Exactly,
  ExactShape,
  Nullable,
  OneOf,
  PageRequest,
  Shape,
  Timestamp,
} from '../../platform/http/schemas.ts'
import { RULE_TYPES } from './conditions/condition.ts'
import { Condition, Duration, ConditionInput } from './conditions/schemas.ts'
import { EVALUATION_STATUSES, FREQUENCIES } from './schedule.ts'

const RuleState = Type.Enum(['Enabled', 'Disabled'])
const RuleTypeName = OneOf('AlertRuleType', RULE_TYPES)
const MAX_TARGETS = 20

export const AlertRulesQuery = Exactly({ state: Type.Optional(RuleState) })

const RULE_FIELDS = {
  name: Type.String({ maxLength: 1000, description: 'One line of up to 200 characters' }),
  description: Type.Optional(Nullable(Type.String({ maxLength: 4000 }))),
  type: RuleTypeName,
  evaluationFrequency: OneOf('EvaluationFrequency', FREQUENCIES),
  condition: ConditionInput,
  targets: Type.Optional(
    Type.Array(
      ExactShape('AlertRuleTargetReference', {
        id: Type.String({ maxLength: 200 }),
        name: ReadOnly,
        type: ReadOnly,
      }),
      {
        maxItems: MAX_TARGETS,
        description: 'Notification targets and webhooks',
      },
    ),
  ),
  repeatInterval: Type.Optional(
    Nullable(Type.String({ maxLength: 20, examples: ['4h'] }), {
      description:
        'How often targets get a reminder while an incident is open and not acknowledged; null or left out: never',
    }),
  ),
  notifyResolved: Type.Optional(
    Type.Boolean({ default: true, description: 'Notify targets when an incident ends' }),
  ),
  notifyOwners: Type.Optional(
    Type.Boolean({
      default: false,
      description:
        'For rules about findings: whoever a finding belongs to gets a mail when it begins to be firing, one for all of a run. Mail targets then only get what belongs to nobody; webhooks get all',
    }),
  ),
}

const TEMPERATURE = {
  name: 'CPU temperature',
  description: 'Throttles at 85 °C',
  type: 'MetricFixedThreshold',
  evaluationFrequency: '1m',
  condition: {
    metric: 'temperature',
    labels: { sensor: 'cpu' },
    aggregation: 'Average',
    operator: 'GreaterThan',
    threshold: 80,
    window: '5m',
  },
  repeatInterval: '4h',
}

const EXAMPLES = [
  TEMPERATURE,
  {
    name: 'Throughput fell by a fifth',
    type: 'MetricPercentualThreshold',
    evaluationFrequency: '5m',
    condition: {
      metric: 'packets',
      aggregation: 'Sum',
      groupBy: 'None',
      operator: 'LessThan',
      threshold: -20,
      window: '1h',
    },
  },
  {
    name: 'New critical vulnerabilities in the field',
    type: 'NewVulnerabilityFinding',
    evaluationFrequency: '15m',
    condition: { severities: ['Critical'], knownCisaExploit: true, onlyWhereDevicesRun: true },
  },
  {
    name: 'Vulnerability sources are stale',
    type: 'VulnerabilitySourceStale',
    evaluationFrequency: '1h',
    condition: { sources: [], olderThan: '1d' },
  },
  {
    name: 'Devices are silent',
    type: 'DeviceOffline',
    evaluationFrequency: '5m',
    condition: { offlineFor: '1h' },
  },
  {
    name: 'Updates fail',
    type: 'DeploymentFailureRate',
    evaluationFrequency: '5m',
    condition: { thresholdPercent: 10, minimumFinished: 5 },
  },
  {
    name: 'Components leave support',
    type: 'ComponentSupportEnding',
    evaluationFrequency: '1d',
    condition: { daysBefore: 90, onlyWhereDevicesRun: true, firmwareIds: [] },
  },
  {
    name: 'Findings to act on',
    type: 'UrgentVulnerabilityFinding',
    evaluationFrequency: '5m',
    condition: { ssvcFrom: 'Act', onlyWhereDevicesRun: true },
  },
  {
    name: 'Reports of cases are due',
    type: 'CaseDeadline',
    evaluationFrequency: '1m',
    condition: { includesDrills: true, includesGoodPractice: true },
  },
  {
    name: 'Support of products ends',
    type: 'SupportEnding',
    evaluationFrequency: '1d',
    condition: { daysBefore: 180, onlyWhereDevicesRun: false },
  },
  {
    name: 'Certificates end',
    type: 'CertificateEnding',
    evaluationFrequency: '1h',
    condition: { daysBefore: 30, includesDevices: true },
  },
  {
    name: 'Licences that may not ship',
    type: 'LicenceDenied',
    evaluationFrequency: '1h',
    condition: { outcomes: ['denied', 'unknown'], onlyWhereDevicesRun: false, firmwareIds: [] },
  },
  {
    name: 'New crashes',
    type: 'NewCrash',
    evaluationFrequency: '5m',
    condition: { minimumDevices: 2, newForDays: 7, firmwareIds: [] },
  },
  {
    name: 'Crash rate',
    type: 'CrashRate',
    evaluationFrequency: '15m',
    condition: {
      thresholdPercent: 2,
      windowDays: 7,
      minimumDeviceDays: 50,
      deploymentCohortId: null,
      firmwareIds: [],
    },
  },
  {
    name: 'Old device keys',
    type: 'OldDeviceKey',
    evaluationFrequency: '1h',
    condition: { olderThanDays: 365, askedForDays: 14, deploymentCohortId: null },
  },
]

export const CreateAlertRuleCommand = ExactShape(
  'CreateAlertRuleCommand',
  {
    ...RULE_FIELDS,
    state: Type.Optional(Type.Enum(['Enabled', 'Disabled'], { default: 'Enabled' })),
  },
  { examples: EXAMPLES },
)

const UpdateCommand = Exactly(
  {
    ...RULE_FIELDS,
    state: Type.Optional(
      Type.Enum(['Enabled', 'Disabled'], { description: 'Left out: unchanged' }),
    ),
  },
  {
    description:
      'Replaces the rule; its type cannot change. Another condition or evaluationFrequency ends the open incident and restarts the rule',
    examples: EXAMPLES,
  },
)

const Evaluation = Shape('AlertRuleEvaluation', {
  id: Type.String(),
  evaluatedAt: Timestamp,
  evaluationScheduledAt: Timestamp,
  evaluationWindowStart: Timestamp,
  evaluationWindowEnd: Type.String({ format: 'date-time', description: 'Exclusive' }),
  status: OneOf('EvaluationStatus', EVALUATION_STATUSES),
  reason: Nullable(Type.String(), { description: 'Why the evaluation failed' }),
  seriesCount: Type.Integer(),
  valueCount: Type.Integer({ description: 'Series that have a value' }),
  firingCount: Type.Integer({ description: 'Series that are firing after this evaluation' }),
  lowest: Nullable(Type.Number()),
  highest: Nullable(Type.Number()),
})

export const AlertRule = Shape('AlertRule', {
  id: Type.String(),
  name: Type.String(),
  description: Nullable(Type.String()),
  state: RuleState,
  type: RuleTypeName,
  evaluationFrequency: OneOf('EvaluationFrequency', FREQUENCIES),
  condition: Condition,
  conditionText: Type.String({ description: 'The condition as a sentence without a full stop' }),
  createdAt: Timestamp,
  createdByEmail: Nullable(Type.String()),
  updatedAt: Timestamp,
  targets: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      type: Type.Enum(['Email', 'Webhook']),
    }),
  ),
  repeatInterval: Nullable(Duration),
  notifyResolved: Type.Boolean(),
  notifyOwners: Type.Boolean(),
  hasFiringAlert: Type.Boolean({ description: 'Whether an incident is open' }),
  incidentId: Nullable(Type.String(), { description: 'The open incident' }),
  nextEvaluationAt: Nullable(Timestamp, { description: 'null while the rule is disabled' }),
  evaluations: Type.Array(Evaluation, { description: 'The latest ten, newest first' }),
  warnings: Type.Array(Type.String(), { description: 'Likely mistakes in the rule' }),
})

export const UpdateAlertRuleCommand = Replacing(UpdateCommand, AlertRule)

export const AlertRuleList = Type.Array(AlertRule)

export const EvaluationsQuery = Exactly(PageRequest)

export const EvaluationPage = Shape('AlertRuleEvaluationPage', {
  evaluations: Type.Array(Evaluation),
  nextCursor: Type.Optional(Type.String()),
  hasMore: Type.Boolean(),
})
