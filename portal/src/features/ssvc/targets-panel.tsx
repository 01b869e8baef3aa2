import { NumberInput, Select } from '@mantine/core'
import { ApiProblem } from '@plimsoll/api-client'
import { Panel } from '../../components/panel.tsx'
import { describeField } from '../../format/problems.ts'
import css from './ssvc.module.css'

interface TargetsPanelProps {
  gateFrom: string | null
  onGateFrom: (outcome: string | null) => void
  outcomes: readonly string[]
  targetDays: Readonly<Record<string, number>>
  error: unknown
  onChange: (outcome: string, days: number | null) => void
}

/** Empty: the outcome has no target of its own. */
export function TargetsPanel({
  outcomes,
  targetDays,
  gateFrom,
  error,
  onChange,
  onGateFrom,
}: TargetsPanelProps) {
  const problem = error instanceof ApiProblem ? error.problem : undefined
  return (
    <Panel id="targets" title="What follows from it">
      <p className={css['note']}>
        Days to decide, beside those by severity: the earlier day counts, in lists, mails and as
        overdue.
      </p>
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
      <Select
        mt={12}
        label="Release gate: stops findings from"
        description="Where the gate warns or blocks. What is not known counts as its most urgent value"
        placeholder="Not asked"
        clearable
        data={listGateOptions(outcomes, gateFrom)}
        value={gateFrom}
        error={problem && describeField(problem, 'gateFrom')}
        onChange={onGateFrom}
      />
    </Panel>
  )
}

/** Another tree may lack what the gate asks for; the service refuses it, so it has to be seen. */
function listGateOptions(outcomes: readonly string[], gateFrom: string | null) {
  const there = outcomes.toReversed().map((value) => ({ value, label: value }))
  if (gateFrom === null || outcomes.includes(gateFrom)) return there
  return [{ value: gateFrom, label: `${gateFrom}: not in this tree` }, ...there]
}
