/** What a rule about a metric is made of. */
import { NumberInput, Select, TagsInput, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useWorkspaceId } from '../../session.ts'
import { metricsQuery } from '../../workspace-queries.ts'
import css from './alerts.module.css'
import { CohortField, type FieldsProps, withMissing } from './chosen-fields.tsx'
import { OPERATORS } from './rule-words.ts'

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

export function MetricFields(form: FieldsProps) {
  const { values: plan, field } = form
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(metricsQuery(workspaceId))
  const names = data?.metrics.map(({ name }) => ({ value: name, label: name }))
  const isChange = plan.type === 'MetricPercentualThreshold'
  return (
    <div className={css['fields']}>
      <Select
        label="Metric"
        searchable
        allowDeselect={false}
        placeholder="Choose"
        data={withMissing(plan.metric === '' ? [] : [plan.metric], names)}
        {...field('metric')}
        value={plan.metric === '' ? null : plan.metric}
      />
      <Select label="Of" allowDeselect={false} data={[...GROUPS]} {...field('groupBy')} />
      <Select
        label="Taken as"
        allowDeselect={false}
        data={[...AGGREGATIONS]}
        {...field('aggregation')}
      />
      <TextInput
        label="Of the last"
        description="such as 5m or 1h; empty: since the evaluation before"
        {...field('window')}
      />
      <Select
        label="Is"
        allowDeselect={false}
        data={[...OPERATOR_OPTIONS]}
        {...field('operator')}
      />
      <NumberInput
        label={isChange ? 'A change in %' : 'Threshold'}
        {...field('threshold', Number)}
      />
      <MetricDetails {...form} />
    </div>
  )
}

function MetricDetails(form: FieldsProps) {
  const { field } = form
  return (
    <>
      <TagsInput
        label="Only with these labels"
        description="as name=value; none: all"
        {...field('labels')}
      />
      <CohortField {...form} />
      <Select
        label="Without data it"
        allowDeselect={false}
        data={[...NO_DATA]}
        {...field('onNoData')}
      />
      <NumberInput
        label="Wait for late points, in seconds"
        min={0}
        max={86_400}
        {...field('delaySeconds', Number)}
      />
    </>
  )
}
