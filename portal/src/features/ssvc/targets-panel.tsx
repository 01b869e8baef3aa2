import { NumberInput } from '@mantine/core'
import { ApiProblem } from '@plimsoll/api-client'
import { Panel } from '../../components/panel.tsx'
import { describeField } from '../../format/problems.ts'
import css from './ssvc.module.css'

interface TargetsPanelProps {
  outcomes: readonly string[]
  targetDays: Readonly<Record<string, number>>
  error: unknown
  onChange: (outcome: string, days: number | null) => void
}

/** Empty: the outcome has no target of its own. */
export function TargetsPanel({ outcomes, targetDays, error, onChange }: TargetsPanelProps) {
  const problem = error instanceof ApiProblem ? error.problem : undefined
  return (
    <Panel
      id="targets"
      title="Days to decide"
      note="beside those by severity: the earlier day counts, in lists, mails and as overdue"
    >
      <div className={css['targets']}>
        {outcomes.toReversed().map((outcome) => (
          <NumberInput
            key={outcome}
            label={outcome}
            placeholder="as its severity"
            min={1}
            max={3650}
            allowDecimal={false}
            value={targetDays[outcome] ?? ''}
            error={problem && describeField(problem, `targetDays/${outcome}`)}
            onChange={(days) => onChange(outcome, Number(days) >= 1 ? Number(days) : null)}
          />
        ))}
      </div>
    </Panel>
  )
}
