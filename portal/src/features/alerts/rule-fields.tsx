/** What a rule of each type is made of. */
import { Checkbox, MultiSelect, NumberInput, Select, TagsInput, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { SEVERITIES } from '../../components/severity.tsx'
import { useWorkspaceId } from '../../session.ts'
import { SOURCE_NAMES } from '../../format/sources.ts'
import { cohortsQuery, firmwaresQuery, metricsQuery } from '../../workspace-queries.ts'
import css from './alerts.module.css'
import { type Frequency, type RulePlan, USUAL_FREQUENCIES } from './rule-plan.ts'
import { OPERATORS } from './rule-words.ts'

interface FieldsProps {
  plan: RulePlan
  onChange: (next: Partial<RulePlan>) => void
}

export function RuleFields(props: FieldsProps) {
  switch (props.plan.type) {
    case 'NewVulnerabilityFinding':
      return <FindingFields {...props} />
    case 'DeviceOffline':
      return <OfflineFields {...props} />
    case 'DeploymentFailureRate':
      return <FailureFields {...props} />
    case 'VulnerabilitySourceStale':
      return <StaleFields {...props} />
    case 'MetricFixedThreshold':
    case 'MetricPercentualThreshold':
      return <MetricFields {...props} />
  }
}

function FindingFields({ plan, onChange }: FieldsProps) {
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(firmwaresQuery(workspaceId))
  return (
    <>
      <MultiSelect
        label="Severities"
        placeholder={plan.severities.length === 0 ? 'Any' : undefined}
        value={plan.severities}
        data={[...SEVERITIES]}
        onChange={(severities) => onChange({ severities })}
      />
      <Checkbox
        label="Also known exploited, whatever the severity"
        checked={plan.knownCisaExploit}
        onChange={(event) => onChange({ knownCisaExploit: event.currentTarget.checked })}
      />
      <Checkbox
        label="Only where devices run it"
        checked={plan.onlyWhereDevicesRun}
        onChange={(event) => onChange({ onlyWhereDevicesRun: event.currentTarget.checked })}
      />
      <Checkbox
        label="Also after it was decided, until it is closed or gone"
        checked={plan.watches === 'Present'}
        onChange={(event) =>
          onChange({ watches: event.currentTarget.checked ? 'Present' : 'Undecided' })
        }
      />
      <MultiSelect
        label="Only in firmware"
        placeholder={plan.firmwareIds.length === 0 ? 'Any' : undefined}
        searchable
        value={plan.firmwareIds}
        data={withMissing(
          plan.firmwareIds,
          data?.firmwares.map(({ id, name }) => ({ value: id, label: name })),
        )}
        onChange={(firmwareIds) => onChange({ firmwareIds })}
      />
    </>
  )
}

interface Option {
  value: string
  label: string
}

/** Chosen ones that were deleted since, or are not read yet, stay in the list, so that saving does not drop them. */
function withMissing(chosen: readonly string[], options: readonly Option[] = []): Option[] {
  const missing = chosen.filter((id) => options.every(({ value }) => value !== id))
  return [...options, ...missing.map((id) => ({ value: id, label: id }))]
}

function CohortField({ plan, onChange }: FieldsProps) {
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(cohortsQuery(workspaceId))
  const { deploymentCohortId: chosen } = plan
  return (
    <Select
      label="Only in cohort"
      placeholder="All devices"
      clearable
      searchable
      value={chosen}
      data={withMissing(
        chosen === null ? [] : [chosen],
        data?.deploymentCohorts.map(({ id, name }) => ({ value: id, label: name })),
      )}
      onChange={(deploymentCohortId) => onChange({ deploymentCohortId })}
    />
  )
}

function OfflineFields({ plan, onChange }: FieldsProps) {
  return (
    <div className={css['fields']}>
      <TextInput
        label="Silent for"
        description="such as 30m, 12h or 7d"
        value={plan.offlineFor}
        onChange={(event) => onChange({ offlineFor: event.currentTarget.value })}
      />
      <TagsInput
        label="Only with all of these tags"
        description="none: whatever the tags"
        value={plan.tags}
        onChange={(tags) => onChange({ tags })}
      />
      <CohortField plan={plan} onChange={onChange} />
    </div>
  )
}

function FailureFields({ plan, onChange }: FieldsProps) {
  return (
    <div className={css['fields']}>
      <NumberInput
        label="More than so many % failed"
        min={0}
        max={99}
        value={plan.thresholdPercent}
        onChange={(percent) => onChange({ thresholdPercent: Number(percent) })}
      />
      <NumberInput
        label="Once so many have finished"
        description="at once when a deployment stops itself"
        min={1}
        value={plan.minimumFinished}
        onChange={(count) => onChange({ minimumFinished: Number(count) })}
      />
      <CohortField plan={plan} onChange={onChange} />
    </div>
  )
}

function StaleFields({ plan, onChange }: FieldsProps) {
  return (
    <div className={css['fields']}>
      <MultiSelect
        label="Sources"
        description="none: all that are enabled"
        value={plan.sources}
        data={Object.entries(SOURCE_NAMES).map(([value, label]) => ({ value, label }))}
        onChange={(sources) => onChange({ sources })}
      />
      <TextInput
        label="Older than"
        description="such as 2d; empty: later than the source itself should be"
        value={plan.olderThan}
        onChange={(event) => onChange({ olderThan: event.currentTarget.value })}
      />
    </div>
  )
}

const OPERATOR_OPTIONS = [
  { value: 'GreaterThan', label: OPERATORS.GreaterThan },
  { value: 'GreaterThanOrEqual', label: OPERATORS.GreaterThanOrEqual },
  { value: 'LessThan', label: OPERATORS.LessThan },
  { value: 'LessThanOrEqual', label: OPERATORS.LessThanOrEqual },
] as const

const GROUPS = [
  { value: 'Device', label: 'each device on its own' },
  { value: 'None', label: 'all devices together' },
] as const

const AGGREGATIONS = [
  { value: 'Average', label: 'the average' },
  { value: 'Maximum', label: 'the highest value' },
  { value: 'Minimum', label: 'the lowest value' },
  { value: 'Sum', label: 'the sum' },
  { value: 'Count', label: 'the number of values' },
  { value: 'Last', label: 'the newest value' },
] as const

const NO_DATA = [
  { value: 'Keep', label: 'keeps its state' },
  { value: 'Resolve', label: 'stops firing' },
  { value: 'Fire', label: 'is firing' },
] as const

function MetricFields({ plan, onChange }: FieldsProps) {
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(metricsQuery(workspaceId))
  const names = data?.metrics.map(({ name }) => ({ value: name, label: name }))
  const isChange = plan.type === 'MetricPercentualThreshold'
  return (
    <div className={css['fields']}>
      <Select
        label="Metric"
        searchable
        placeholder="Choose"
        value={plan.metric === '' ? null : plan.metric}
        data={withMissing(plan.metric === '' ? [] : [plan.metric], names)}
        onChange={(metric) => onChange({ metric: metric ?? '' })}
      />
      <Select
        label="Of"
        allowDeselect={false}
        value={plan.groupBy}
        data={[...GROUPS]}
        onChange={(groupBy) => onChange({ groupBy: groupBy ?? plan.groupBy })}
      />
      <Select
        label="Taken as"
        allowDeselect={false}
        value={plan.aggregation}
        data={[...AGGREGATIONS]}
        onChange={(aggregation) => onChange({ aggregation: aggregation ?? plan.aggregation })}
      />
      <TextInput
        label="Of the last"
        description="such as 5m or 1h; empty: since the evaluation before"
        value={plan.window}
        onChange={(event) => onChange({ window: event.currentTarget.value })}
      />
      <Select
        label="Is"
        allowDeselect={false}
        value={plan.operator}
        data={[...OPERATOR_OPTIONS]}
        onChange={(operator) => onChange({ operator: operator ?? plan.operator })}
      />
      <NumberInput
        label={isChange ? 'A change in %' : 'Threshold'}
        value={plan.threshold}
        onChange={(threshold) => onChange({ threshold: Number(threshold) })}
      />
      <MetricDetails plan={plan} onChange={onChange} />
    </div>
  )
}

function MetricDetails({ plan, onChange }: FieldsProps) {
  return (
    <>
      <TagsInput
        label="Only with these labels"
        description="as name=value; none: all"
        value={plan.labels}
        onChange={(labels) => onChange({ labels })}
      />
      <CohortField plan={plan} onChange={onChange} />
      <Select
        label="Without data it"
        allowDeselect={false}
        value={plan.onNoData}
        data={[...NO_DATA]}
        onChange={(onNoData) => onChange({ onNoData: onNoData ?? plan.onNoData })}
      />
      <NumberInput
        label="Wait for late points, in seconds"
        min={0}
        max={86_400}
        value={plan.delaySeconds}
        onChange={(seconds) => onChange({ delaySeconds: Number(seconds) })}
      />
    </>
  )
}

const FREQUENCIES: readonly { value: Frequency; label: string }[] = [
  { value: '1m', label: 'every minute' },
  { value: '5m', label: 'every 5 minutes' },
  { value: '15m', label: 'every 15 minutes' },
  { value: '30m', label: 'every 30 minutes' },
  { value: '1h', label: 'every hour' },
  { value: '6h', label: 'every 6 hours' },
  { value: '1d', label: 'every day' },
]

/** When it looks, and how it tells. */
export function TellingFields({ plan, onChange }: FieldsProps) {
  return (
    <>
      <div className={css['fields']}>
        <Select
          label="Looks"
          allowDeselect={false}
          value={plan.evaluationFrequency ?? USUAL_FREQUENCIES[plan.type]}
          data={FREQUENCIES}
          onChange={(evaluationFrequency) => onChange({ evaluationFrequency })}
        />
        <TextInput
          label="Reminds every"
          description="such as 4h, until somebody acknowledges; empty: never"
          value={plan.repeatInterval}
          onChange={(event) => onChange({ repeatInterval: event.currentTarget.value })}
        />
      </div>
      <Checkbox
        label="Also tells when it is over"
        checked={plan.notifyResolved}
        onChange={(event) => onChange({ notifyResolved: event.currentTarget.checked })}
      />
    </>
  )
}
