/** What a rule of each type is made of. */
import { Checkbox, MultiSelect, NumberInput, Select, TagsInput, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { SEVERITIES } from '../../components/severity.tsx'
import { useWorkspaceId } from '../../session.ts'
import { metricsQuery } from '../../workspace-queries.ts'
import css from './alerts.module.css'
import type { RulePlan } from './rule-plan.ts'

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
  return (
    <>
      <MultiSelect
        label="Severities"
        placeholder="Any"
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
    </>
  )
}

function OfflineFields({ plan, onChange }: FieldsProps) {
  return (
    <div className={css['row']}>
      <TextInput
        label="Silent for"
        description="such as 30m, 12h or 7d"
        value={plan.offlineFor}
        onChange={(event) => onChange({ offlineFor: event.currentTarget.value })}
      />
      <TagsInput
        label="Only with one of these tags"
        value={plan.tags}
        onChange={(tags) => onChange({ tags })}
      />
    </div>
  )
}

function FailureFields({ plan, onChange }: FieldsProps) {
  return (
    <div className={css['row']}>
      <NumberInput
        label="More than so many % failed"
        min={0}
        max={100}
        value={plan.thresholdPercent}
        onChange={(percent) => onChange({ thresholdPercent: Number(percent) })}
      />
      <NumberInput
        label="Once so many have finished"
        min={1}
        value={plan.minimumFinished}
        onChange={(count) => onChange({ minimumFinished: Number(count) })}
      />
    </div>
  )
}

function StaleFields({ plan, onChange }: FieldsProps) {
  return (
    <TextInput
      label="Older than"
      description="such as 2d; empty: later than the source itself should be"
      value={plan.olderThan}
      onChange={(event) => onChange({ olderThan: event.currentTarget.value })}
    />
  )
}

const OPERATORS = [
  { value: 'GreaterThan', label: 'above' },
  { value: 'LessThan', label: 'below' },
] as const

const GROUPS = [
  { value: 'Device', label: 'each device on its own' },
  { value: 'None', label: 'all devices together' },
] as const

function MetricFields({ plan, onChange }: FieldsProps) {
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(metricsQuery(workspaceId))
  const isChange = plan.type === 'MetricPercentualThreshold'
  return (
    <div className={css['row']}>
      <Select
        label="Metric"
        searchable
        placeholder="Choose"
        value={plan.metric === '' ? null : plan.metric}
        data={data?.metrics.map(({ name }) => name) ?? []}
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
        label="Is"
        allowDeselect={false}
        value={plan.operator}
        data={[...OPERATORS]}
        onChange={(operator) => onChange({ operator: operator ?? plan.operator })}
      />
      <NumberInput
        label={isChange ? 'A change in %' : 'Threshold'}
        value={plan.threshold}
        onChange={(threshold) => onChange({ threshold: Number(threshold) })}
      />
      <TextInput
        label="As the average of"
        description="such as 5m or 1h"
        value={plan.window}
        onChange={(event) => onChange({ window: event.currentTarget.value })}
      />
    </div>
  )
}
