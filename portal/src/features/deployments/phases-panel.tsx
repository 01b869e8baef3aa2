import { NumberInput, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/panel.tsx'
import type { FormOf } from '../../components/use-form.ts'
import css from './deployments.module.css'
import { type PhasePlan, type Plan, PRESETS } from './plan.ts'

/** How fast it goes out; a preset fills the phases, each can be changed. */
export function PhasesPanel({ values: plan, change, field, findFault }: FormOf<Plan>) {
  const setPhase = (index: number, next: Partial<PhasePlan>) =>
    change({
      phases: plan.phases.map((phase, at) => (at === index ? { ...phase, ...next } : phase)),
    })
  return (
    <Panel title="3 Phases" note="how fast, and when it stops by itself">
      <div className={css['steps']}>
        <div className={css['row']}>
          {PRESETS.map(({ name, phases }) => (
            <Button
              key={name}
              size="small"
              aria-pressed={plan.phases === phases}
              onClick={() => change({ phases })}
            >
              {name}
            </Button>
          ))}
        </div>
        <div>
          {plan.phases.map((phase, index) => (
            <PhaseRow
              key={index}
              index={index}
              phase={phase}
              fault={findFault(`phases/${index}`)}
              isLast={index === plan.phases.length - 1}
              onChange={(next) => setPhase(index, next)}
            />
          ))}
        </div>
        <div className={css['row']}>
          <TextInput label="Name" required {...field('name')} />
          <TextInput
            type="datetime-local"
            label="Begins (your time; empty: at once)"
            {...field('startsAt')}
          />
        </div>
      </div>
    </Panel>
  )
}

interface PhaseRowProps {
  index: number
  phase: PhasePlan
  isLast: boolean
  fault: string | undefined
  /** What of it has begun, and stays. */
  begun?: 'all' | 'percent' | undefined
  /** How many devices that is. */
  hint?: string | undefined
  onChange: (next: Partial<PhasePlan>) => void
  /** What else can be done with it. */
  children?: ReactNode
}

const BEGUN = { all: ': over, and stays as it was', percent: ': under way, its share stays' }

export function PhaseRow(props: PhaseRowProps) {
  const { index, phase, isLast, fault, begun, hint, onChange, children } = props
  const isOver = begun === 'all'
  return (
    <fieldset className={css['phase']}>
      <legend>
        Phase {index + 1}
        {begun && BEGUN[begun]}
      </legend>
      <NumberInput
        label="Up to, in % of devices"
        description={hint}
        min={1}
        max={100}
        value={phase.percent}
        error={fault}
        disabled={begun !== undefined}
        onChange={(percent) => onChange({ percent: Number(percent) })}
      />
      <NumberInput
        label="Stops when so many % fail"
        min={1}
        max={100}
        value={phase.failureThreshold}
        disabled={isOver}
        onChange={(text) => onChange({ failureThreshold: text === '' ? '' : Number(text) })}
      />
      {!isLast && (
        <NumberInput
          label="Then waits, in hours"
          min={0}
          value={phase.waitHours}
          disabled={isOver}
          onChange={(hours) => onChange({ waitHours: Number(hours) })}
        />
      )}
      {!isLast && (
        <NumberInput
          label="And until so many % run it"
          min={1}
          max={100}
          value={phase.successThreshold}
          disabled={isOver}
          onChange={(text) => onChange({ successThreshold: text === '' ? '' : Number(text) })}
        />
      )}
      {children}
    </fieldset>
  )
}
