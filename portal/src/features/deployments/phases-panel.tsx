import { NumberInput, TextInput } from '@mantine/core'
import type { ReactNode } from 'react'
import { Button } from '../../components/button.tsx'
import { Panel } from '../../components/panel.tsx'
import type { FormOf } from '../../components/use-form.ts'
import { ComparisonFields } from './comparison-fields.tsx'
import css from './deployments.module.css'
import { DurationField } from './duration-field.tsx'
import { EachDevice } from './each-device.tsx'
import { type PhasePlan, type Plan, PRESETS } from './plan.ts'

/** How fast it goes out; a preset fills the phases, each can be changed. */
export function PhasesPanel(form: FormOf<Plan>) {
  const { values: plan, change, field, findFault } = form
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
        <EachDevice {...form} />
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
  /** It is under way, and its share stays. */
  isPresent?: boolean
  /** How many devices that is. */
  hint?: string | undefined
  onChange: (next: Partial<PhasePlan>) => void
  /** What else can be done with it. */
  children?: ReactNode
}

export function PhaseRow(props: PhaseRowProps) {
  const { index, phase, isLast, fault, isPresent = false, hint, onChange, children } = props
  return (
    <fieldset className={css['phase']}>
      <legend>
        Phase {index + 1}
        {isPresent && `: under way, its ${phase.percent} % of devices stay`}
      </legend>
      {!isPresent && (
        <NumberInput
          label="Up to, in % of devices"
          description={hint}
          min={1}
          max={100}
          value={phase.percent}
          error={fault}
          onChange={(percent) => onChange({ percent: Number(percent) })}
        />
      )}
      <NumberInput
        label="Stops when so many % fail"
        min={1}
        max={100}
        value={phase.failureThreshold}
        onChange={(text) => onChange({ failureThreshold: text === '' ? '' : Number(text) })}
      />
      {!isLast && (
        <DurationField
          label="Then waits"
          min={0}
          seconds={phase.waitSeconds}
          onChange={(waitSeconds) => onChange({ waitSeconds })}
        />
      )}
      {!isLast && (
        <NumberInput
          label="And until so many % run it"
          min={1}
          max={100}
          value={phase.successThreshold}
          onChange={(text) => onChange({ successThreshold: text === '' ? '' : Number(text) })}
        />
      )}
      {!isLast && (
        <ComparisonFields
          plan={phase.comparison}
          name={`phase ${index + 1}`}
          onChange={(comparison) => onChange({ comparison })}
        />
      )}
      {children}
    </fieldset>
  )
}
