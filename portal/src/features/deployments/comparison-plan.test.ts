import { expect, it } from 'vitest'
import {
  chooseSignals,
  findComparisonFault,
  FIRST_COMPARISON,
  buildMetricKey,
  listKeys,
} from './comparison-plan.ts'
import { readPlan } from './changed-plan.ts'
import { findFault, FIRST_PLAN, writePlan } from './plan.ts'

const memory = {
  name: 'memory_used',
  labels: { bank: '1' },
  worse: 'Lower',
  marginPercent: 3,
} as const

it('begins with what nearly every device tells, and can be sent as it is', () => {
  expect(FIRST_COMPARISON.builtIn).toEqual(['Restarts', 'LogErrors'])
  expect(findComparisonFault(FIRST_COMPARISON)).toBeUndefined()
})

it('keeps direction, labels and margin of what stays chosen', () => {
  const plan = { ...FIRST_COMPARISON, metrics: [memory] }
  const fresh = buildMetricKey({ name: 'disk_free', labels: {} })

  const chosen = chooseSignals(
    plan,
    ['LogErrors', buildMetricKey(memory), fresh],
    ['memory_used', 'disk_free'],
  )

  expect(chosen.builtIn).toEqual(['LogErrors'])
  expect(chosen.metrics).toEqual([
    memory,
    { name: 'disk_free', labels: {}, worse: 'Higher', marginPercent: null },
  ])
  expect(listKeys(chosen)).toEqual(['LogErrors', buildMetricKey(memory), fresh])
})

it.each([
  [{ builtIn: [] }, 'A comparison needs something that is compared.'],
  [{ windowSeconds: 599 }, 'A comparison needs at least 10 minutes after the update.'],
  [{ windowSeconds: '' as const }, 'A comparison needs at least 10 minutes after the update.'],
  [{ marginPercent: '' as const }, 'A comparison needs a margin and a confidence.'],
])('says of %j why it cannot be sent', (overrides, fault) => {
  const comparison = { ...FIRST_COMPARISON, ...overrides }
  const [first, ...rest] = FIRST_PLAN.phases
  if (!first) throw new Error('a plan has phases')
  const plan = { ...FIRST_PLAN, name: 'x', phases: [{ ...first, comparison }, ...rest] }

  expect(findFault(plan)).toBe(fault)
})

it('is sent with the phases before the last, and comes back as it was when the plan is changed', () => {
  const comparison = { ...FIRST_COMPARISON, metrics: [memory] }
  const phases = FIRST_PLAN.phases.map((phase) => ({ ...phase, comparison }))
  const written = writePlan({ ...FIRST_PLAN, phases })

  expect(written.phases.map((phase) => phase.comparison)).toEqual([
    comparison,
    comparison,
    undefined,
  ])
  const stored = written.phases.map((phase) => ({
    failureThresholdPercent: null,
    successThresholdPercent: null,
    comparison: null,
    ...phase,
  }))
  const read = readPlan({ ...written, phases: stored } as unknown as Parameters<typeof readPlan>[0])
  expect(writePlan(read).phases.map((phase) => phase.comparison)).toEqual([
    comparison,
    comparison,
    undefined,
  ])
})
