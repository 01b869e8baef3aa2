/** Conditions as responses show them: with all fields. */
import { Type } from 'typebox'
import { SEVERITIES } from '../../../formats/advisories/model.ts'
import { Nullable, OneOf, Shape } from '../../../platform/http/schemas.ts'
import { AGGREGATIONS } from '../../telemetry/index.ts'
import { ALERTED_OUTCOMES, FINDING_WATCHES, NO_DATA_BEHAVIORS, OPERATORS } from './condition.ts'
import { DURATION_PATTERN } from '../duration.ts'

export const Duration = Type.String({ pattern: DURATION_PATTERN, examples: ['5m'] })
const CohortId = Nullable(Type.String(), { description: 'null: all devices' })

const MetricCondition = Shape(
  'MetricCondition',
  {
    metric: Type.String({ examples: ['temperature'] }),
    labels: Type.Record(Type.String(), Type.String(), {
      description: 'A series must have all of these labels and may have others; left out: any',
    }),
    deploymentCohortId: CohortId,
    aggregation: Type.Enum([...AGGREGATIONS], { description: 'Default: Average' }),
    groupBy: Type.Enum(['Device', 'None'], {
      description:
        'Device (default): one value for each device. None: one value for all devices together',
    }),
    operator: Type.Enum([...OPERATORS]),
    threshold: Type.Number({
      description:
        'MetricFixedThreshold: in the unit of the metric. MetricPercentualThreshold: the change against the window before, in percent; negative for a drop',
    }),
    window: Type.String({
      pattern: DURATION_PATTERN,
      description:
        'Default: the evaluationFrequency. At most 60 times the evaluationFrequency, and at most 30 days',
      examples: ['5m'],
    }),
    delaySeconds: Type.Integer({
      description: 'How many seconds before the evaluation the window ends; default: 0',
    }),
    onNoData: Type.Enum([...NO_DATA_BEHAVIORS], {
      description:
        'What a series without a value in the window does. Keep (default): it keeps its state. Resolve: it stops firing. `Fire`: it is firing',
    }),
  },
  { title: 'MetricFixedThreshold, MetricPercentualThreshold' },
)

const NewFindingCondition = Shape(
  'NewFindingCondition',
  {
    severities: Type.Array(OneOf('Severity', SEVERITIES), {
      description: 'At least one of these; empty or left out: any',
    }),
    knownCisaExploit: Type.Boolean({
      description:
        'Also vulnerabilities that are known to be exploited, of any severity; default: false',
    }),
    onlyWhereDevicesRun: Type.Boolean({
      description: 'Only findings of firmware versions that devices report; default: false',
    }),
    firmwareIds: Type.Array(Type.String(), { description: 'Empty or left out: any firmware' }),
    watches: Type.Optional(
      Type.Enum([...FINDING_WATCHES], {
        description:
          'Undecided (default): a finding is firing until somebody decides on it. Present: until it is closed or gone, also after it was assessed as in triage or exploitable',
      }),
    ),
  },
  { title: 'NewVulnerabilityFinding' },
)

const SourceStaleCondition = Shape(
  'SourceStaleCondition',
  {
    sources: Type.Array(Type.String(), {
      description: 'Empty or left out: all enabled sources',
      examples: [['nvd', 'kev']],
    }),
    olderThan: Nullable(Duration, {
      description: 'null or left out: the setting of the service',
    }),
  },
  { title: 'VulnerabilitySourceStale' },
)

const DeviceOfflineCondition = Shape(
  'DeviceOfflineCondition',
  {
    deploymentCohortId: CohortId,
    tags: Type.Array(Type.String(), {
      description: 'A device must have all of them; left out: any device',
    }),
    offlineFor: Duration,
  },
  { title: 'DeviceOffline' },
)

const FailureRateCondition = Shape(
  'FailureRateCondition',
  {
    deploymentCohortId: Nullable(Type.String(), {
      description: 'null: deployments of all cohorts',
    }),
    thresholdPercent: Type.Number({ description: 'The rule is firing above it' }),
    minimumFinished: Type.Integer({
      description: 'With fewer finished devices a deployment has no failure rate; default: 5',
    }),
  },
  { title: 'DeploymentFailureRate' },
)

const ComponentSupportCondition = Shape(
  'ComponentSupportCondition',
  {
    daysBefore: Type.Integer({
      description:
        'Firing from so many days before the end of support on; 0: once it has ended. Default: 90',
    }),
    onlyWhereDevicesRun: Type.Boolean({
      description: 'Only firmware versions that devices report; default: true',
    }),
    firmwareIds: Type.Array(Type.String(), { description: 'Empty or left out: any firmware' }),
  },
  { title: 'ComponentSupportEnding' },
)

const UrgentFindingCondition = Shape(
  'UrgentFindingCondition',
  {
    ssvcFrom: Type.String({
      examples: ['Act'],
      description:
        'An outcome of the SSVC tree that holds: firing on findings of this one, or of a more urgent one. What is not known counts as its most urgent value',
    }),
    onlyWhereDevicesRun: Type.Boolean({
      description: 'Only firmware versions that devices report; default: true',
    }),
    firmwareIds: Type.Array(Type.String(), { description: 'Empty or left out: any firmware' }),
    watches: Type.Enum([...FINDING_WATCHES], {
      description:
        'Undecided (default): a finding is firing until somebody decides on it. Present: until it is closed or gone, also after it was assessed as in triage or exploitable',
    }),
  },
  { title: 'UrgentVulnerabilityFinding' },
)

const CaseDeadlineCondition = Shape(
  'CaseDeadlineCondition',
  {
    includesDrills: Type.Boolean({ description: 'Drills are marked; default: true' }),
    includesGoodPractice: Type.Boolean({
      description:
        'Also what no article asks for: proposals that wait for an assessment, next looks, reports from outside that are due by the policy, and once a week what has no due date yet; default: true',
    }),
  },
  { title: 'CaseDeadline' },
)

const LicenceCondition = Shape(
  'LicenceCondition',
  {
    outcomes: Type.Array(Type.Enum([...ALERTED_OUTCOMES]), {
      description:
        'Firing on components of whose licence the licence rules say one of these; left out: `denied`',
    }),
    onlyWhereDevicesRun: Type.Boolean({
      description:
        'Only firmware versions that devices report; default: false, also the newest version of each release line',
    }),
    firmwareIds: Type.Array(Type.String(), { description: 'Empty or left out: any firmware' }),
  },
  { title: 'LicenceDenied' },
)

const SupportEndingCondition = Shape(
  'SupportEndingCondition',
  {
    daysBefore: Type.Integer({
      description:
        'So many days before the support of a product line (13(8)), of a release line or of a firmware ends, and again once it has ended; 0: only what has ended; default: 180',
    }),
    onlyWhereDevicesRun: Type.Boolean({
      description: 'Only what devices run a version of; default: false',
    }),
  },
  { title: 'SupportEnding' },
)

const CertificateEndingCondition = Shape(
  'CertificateEndingCondition',
  {
    daysBefore: Type.Integer({
      description:
        'So many days before a trusted certificate, or an issuer of device certificates, ends, and again once it has ended; 0: only what has ended; default: 30',
    }),
    includesDevices: Type.Boolean({
      description:
        'Also certificates of devices, counted for each issuer; default: true. Leave them out where devices renew short ones by themselves',
    }),
  },
  { title: 'CertificateEnding' },
)

const NewCrashCondition = Shape(
  'NewCrashCondition',
  {
    minimumDevices: Type.Integer({
      description: 'Firing on crashes of at least so many devices; default: 1',
    }),
    newForDays: Type.Integer({
      description: 'How many days a crash is new after a version showed it first; default: 7',
    }),
    firmwareIds: Type.Array(Type.String(), { description: 'Empty or left out: any firmware' }),
  },
  { title: 'NewCrash' },
)

const CrashRateCondition = Shape(
  'CrashRateCondition',
  {
    thresholdPercent: Type.Number({
      description:
        'Firing when devices with a version crash on more than this share of their days. A day of a device counts once, however often it crashed',
    }),
    windowDays: Type.Integer({
      description: 'So many days (UTC), with today; default: 7',
    }),
    minimumDeviceDays: Type.Integer({
      description:
        'With fewer days of devices that report crashes there are too few to tell: the version has no value; default: 50',
    }),
    deploymentCohortId: Nullable(Type.String(), {
      description: 'Devices of this cohort alone; null or left out: all',
    }),
    firmwareIds: Type.Array(Type.String(), { description: 'Empty or left out: any firmware' }),
  },
  { title: 'CrashRate' },
)

const OldKeyCondition = Shape(
  'OldKeyCondition',
  {
    olderThanDays: Type.Integer({
      description:
        'Firing on keys in force that are older: of devices, and without `deploymentCohortId` also of all devices; default: 365. Certificates have ends of their own (`CertificateEnding`)',
    }),
    askedForDays: Type.Integer({
      description:
        'Firing on devices that were asked so many days ago to replace their key, and go on with the old one; default: 14',
    }),
    deploymentCohortId: Nullable(Type.String(), {
      description: 'Devices of this cohort alone; null or left out: all',
    }),
  },
  { title: 'OldDeviceKey' },
)

export const Condition = Type.Union([
  MetricCondition,
  NewFindingCondition,
  SourceStaleCondition,
  DeviceOfflineCondition,
  FailureRateCondition,
  ComponentSupportCondition,
  UrgentFindingCondition,
  CaseDeadlineCondition,
  LicenceCondition,
  SupportEndingCondition,
  CertificateEndingCondition,
  NewCrashCondition,
  CrashRateCondition,
  OldKeyCondition,
])

/** The service validates the fields by the type of the rule, since a union schema could not name the fault. */
export const ConditionInput = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'The condition of the rule type, with the fields that responses show. Fields with a default may be left out',
})
