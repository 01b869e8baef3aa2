/** Whether a phase waits until updated devices were compared with those that wait, and how. */
import { Checkbox, MultiSelect, NumberInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Choice } from '../../components/choice.tsx'
import { useWorkspaceId } from '../../session.ts'
import { metricsQuery } from '../../workspace-queries.ts'
import {
  chooseSignals,
  type ComparedMetric,
  type ComparisonPlan,
  FIRST_COMPARISON,
  buildMetricKey,
  listKeys,
  nameMetric,
  nameSignal,
  SIGNALS,
} from './comparison-plan.ts'
import css from './comparison.module.css'
import { DurationField } from './duration-field.tsx'

interface ComparisonFieldsProps {
  /** null: it is not asked for. */
  plan: ComparisonPlan | null
  /** "phase 1": tells its fields from those of other phases. */
  name: string
  onChange: (plan: ComparisonPlan | null) => void
}

export function ComparisonFields({ plan, name, onChange }: ComparisonFieldsProps) {
  return (
    <div className={css['fields']}>
      <Checkbox
        label="Compare with devices that wait"
        description="The next phase begins only if updated devices do no worse; if they do, the roll-out stops."
        checked={plan !== null}
        onChange={({ currentTarget }) => onChange(currentTarget.checked ? FIRST_COMPARISON : null)}
      />
      {plan && <Details plan={plan} name={name} onChange={onChange} />}
    </div>
  )
}

interface DetailsProps {
  plan: ComparisonPlan
  name: string
  onChange: (plan: ComparisonPlan) => void
}

function Details({ plan, name, onChange }: DetailsProps) {
  const workspaceId = useWorkspaceId()
  const { data } = useQuery(metricsQuery(workspaceId))
  const reported = data?.metrics.map((metric) => metric.name) ?? []
  const change = (next: Partial<ComparisonPlan>) => onChange({ ...plan, ...next })
  return (
    <>
      <MultiSelect
        label="What is compared"
        searchable
        hidePickedOptions
        maxValues={20}
        data={listOptions(plan, reported)}
        value={listKeys(plan)}
        onChange={(keys) => onChange(chooseSignals(plan, keys, reported))}
      />
      {plan.metrics.map((metric) => (
        <Direction
          key={buildMetricKey(metric)}
          metric={metric}
          phase={name}
          onChange={(worse) =>
            change({
              metrics: plan.metrics.map((one) => (one === metric ? { ...one, worse } : one)),
            })
          }
        />
      ))}
      <div className={css['numbers']}>
        <DurationField
          label="So long after the update"
          seconds={plan.windowSeconds}
          onChange={(windowSeconds) => change({ windowSeconds })}
        />
        <NumberInput
          label="Accepts so many % worse"
          min={0}
          max={1000}
          value={plan.marginPercent}
          onChange={(text) => change({ marginPercent: text === '' ? '' : Number(text) })}
        />
        <NumberInput
          label="Sure to so many %"
          min={80}
          max={99.9}
          value={plan.confidencePercent}
          onChange={(text) => change({ confidencePercent: text === '' ? '' : Number(text) })}
        />
      </div>
      <Choice
        label={`Where too few devices can be compared in ${name}`}
        options={TOO_FEW}
        value={plan.tooFew}
        onChange={(tooFew) => change({ tooFew: tooFew ?? plan.tooFew })}
      />
    </>
  )
}

const TOO_FEW: { value: ComparisonPlan['tooFew']; text: string }[] = [
  { value: 'Wait', text: 'If too few: wait until somebody begins the next phase' },
  { value: 'Stop', text: 'If too few: stop and ask' },
]

function listOptions({ metrics }: ComparisonPlan, reported: readonly string[]) {
  const plain = reported.map((name) => ({ name, labels: {} }))
  const all = new Map([...plain, ...metrics].map((one) => [buildMetricKey(one), nameMetric(one)]))
  return [
    {
      group: 'Known to the service',
      items: SIGNALS.map((value) => ({ value, label: nameSignal(value) })),
    },
    {
      group: 'Reported by devices',
      items: Array.from(all, ([value, label]) => ({ value, label })),
    },
  ]
}

interface DirectionProps {
  metric: ComparedMetric
  phase: string
  onChange: (worse: ComparedMetric['worse']) => void
}

function Direction({ metric, phase, onChange }: DirectionProps) {
  const name = nameMetric(metric)
  return (
    <div className={css['direction']}>
      <code>{name}</code>
      <Choice
        label={`${name}, ${phase}: what is worse`}
        options={DIRECTIONS}
        value={metric.worse}
        onChange={(worse) => onChange(worse ?? metric.worse)}
      />
    </div>
  )
}

const DIRECTIONS: { value: ComparedMetric['worse']; text: string }[] = [
  { value: 'Higher', text: 'worse when higher' },
  { value: 'Lower', text: 'worse when lower' },
]
