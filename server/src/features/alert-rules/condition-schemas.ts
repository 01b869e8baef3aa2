/** What rules ask for, as answers show it: complete. */
import { Type } from 'typebox'
import { SEVERITIES } from '../../formats/advisories/model.ts'
import { Nullable } from '../../platform/http/schemas.ts'
import { AGGREGATIONS } from '../telemetry/index.ts'
import { NO_DATA_BEHAVIORS, OPERATORS } from './condition.ts'
import { DURATION_PATTERN } from './duration.ts'

export const Duration = Type.String({ pattern: DURATION_PATTERN, examples: ['5m'] })
const CohortId = Nullable(Type.String(), { description: 'null: all devices' })

const MetricCondition = Type.Object(
  {
    metric: Type.String({ examples: ['temperature'] }),
    labels: Type.Record(Type.String(), Type.String(), {
      description: 'All of these, among others; left out: any',
    }),
    deploymentCohortId: CohortId,
    aggregation: Type.Enum([...AGGREGATIONS], { description: 'Left out: Average' }),
    groupBy: Type.Enum(['Device', 'None'], {
      description: 'Device (if left out): each on its own. None: all of them together',
    }),
    operator: Type.Enum([...OPERATORS]),
    threshold: Type.Number({
      description:
        'MetricFixedThreshold: in the unit of the metric. MetricPercentualThreshold: in percent of the window before; negative for a drop',
    }),
    window: Type.String({
      pattern: DURATION_PATTERN,
      description: 'Left out: as the evaluationFrequency. At most 60 times that, and 30 days',
      examples: ['5m'],
    }),
    delaySeconds: Type.Integer({
      description: 'How much earlier the window ends than the evaluation; left out: 0',
    }),
    onNoData: Type.Enum([...NO_DATA_BEHAVIORS], {
      description:
        'What a series without a value in the window does: Keep (if left out): stays as it was. Resolve: ceases to fire. Fire: fires',
    }),
  },
  { title: 'MetricFixedThreshold, MetricPercentualThreshold' },
)

const NewFindingCondition = Type.Object(
  {
    severities: Type.Array(Type.Enum([...SEVERITIES]), {
      description: 'Any of these; empty or left out: any',
    }),
    knownCisaExploit: Type.Boolean({
      description: 'Known-exploited ones of whatever severity, besides; left out: false',
    }),
    onlyWhereDevicesRun: Type.Boolean({
      description: 'Only in firmware versions that devices report; left out: false',
    }),
    firmwareIds: Type.Array(Type.String(), { description: 'Empty or left out: any' }),
  },
  { title: 'NewVulnerabilityFinding' },
)

const SourceStaleCondition = Type.Object(
  {
    sources: Type.Array(Type.String(), {
      description: 'Empty or left out: all that are switched on',
      examples: [['nvd', 'kev']],
    }),
    olderThan: Nullable(Duration, {
      description: "null or left out: as the service's own setting has it",
    }),
  },
  { title: 'VulnerabilitySourceStale' },
)

const DeviceOfflineCondition = Type.Object(
  {
    deploymentCohortId: CohortId,
    tags: Type.Array(Type.String(), { description: 'All of these; left out: any' }),
    offlineFor: Duration,
  },
  { title: 'DeviceOffline' },
)

const FailureRateCondition = Type.Object(
  {
    deploymentCohortId: Nullable(Type.String(), { description: 'null: of all cohorts' }),
    thresholdPercent: Type.Number({ description: 'Fires above it' }),
    minimumFinished: Type.Integer({
      description: 'Devices that have to have ended before a rate says anything; left out: 5',
    }),
  },
  { title: 'DeploymentFailureRate' },
)

export const Condition = Type.Union([
  MetricCondition,
  NewFindingCondition,
  SourceStaleCondition,
  DeviceOfflineCondition,
  FailureRateCondition,
])

/** Which fields there are the type tells, and a union could not say what is wrong: the service reads them. */
export const GivenCondition = Type.Record(Type.String(), Type.Unknown(), {
  description:
    'What the rule asks for, by its type: the fields an answer shows; those with a default may be left out',
})
