import { screen } from '@testing-library/react'
import { useState } from 'react'
import { expect, it } from 'vitest'
import { showInWorkspace } from '../../../test/components.tsx'
import { ComparisonFields } from './comparison-fields.tsx'
import { type ComparisonPlan, FIRST_COMPARISON } from './comparison-plan.ts'

const memory = { name: 'memory_used', labels: {}, worse: 'Higher', marginPercent: null } as const

function Filled({
  first,
  onPlan,
}: {
  first: ComparisonPlan | null
  onPlan: (plan: ComparisonPlan | null) => void
}) {
  const [plan, setPlan] = useState(first)
  return (
    <ComparisonFields
      plan={plan}
      name="phase 1"
      onChange={(next) => {
        setPlan(next)
        onPlan(next)
      }}
    />
  )
}

it('asks for a comparison with one click, and takes it back with another', async () => {
  const plans: unknown[] = []
  const { person } = await showInWorkspace(
    <Filled first={null} onPlan={(plan) => plans.push(plan)} />,
  )
  const box = screen.getByRole('checkbox', { name: /^Compare with devices that wait/ })

  await person.click(box)
  await person.click(box)

  expect(plans).toEqual([FIRST_COMPARISON, null])
})

it('changes the direction of a metric, the margin, and what happens with too few devices', async () => {
  const plans: (ComparisonPlan | null)[] = []
  const first = { ...FIRST_COMPARISON, metrics: [memory] }
  const { person } = await showInWorkspace(
    <Filled first={first} onPlan={(plan) => plans.push(plan)} />,
  )

  await person.selectOptions(
    screen.getByRole('combobox', { name: 'memory_used, phase 1: what is worse' }),
    'worse when lower',
  )
  await person.clear(screen.getByRole('textbox', { name: 'Accepts so many % worse' }))
  await person.type(screen.getByRole('textbox', { name: 'Accepts so many % worse' }), '5')
  await person.selectOptions(
    screen.getByRole('combobox', { name: 'Where too few devices can be compared in phase 1' }),
    'If too few: stop and ask',
  )

  expect(plans.at(-1)).toEqual({
    ...first,
    metrics: [{ ...memory, worse: 'Lower' }],
    marginPercent: 5,
    tooFew: 'Stop',
  })
})
