import { expect, it } from 'vitest'
import { writeBody, findFault, FIRST_PLAN, PRESETS } from './plan.ts'

it.each(PRESETS)('$name can be sent once it has a name', ({ phases }) => {
  expect(findFault({ ...FIRST_PLAN, phases, name: 'gateway 4.2.1' })).toBeUndefined()
  expect(findFault({ ...FIRST_PLAN, phases })).toBe('The deployment needs a name.')
})

it.each([
  [[50, 50, 100], 'Each phase must reach more devices than the one before.'],
  [[5, 50], 'The last phase must reach 100 %.'],
  [[5, 150], 'Each phase must reach more devices than the one before.'],
])('refuses phases of %j in words', (percents, fault) => {
  const phases = percents.map((percent) => ({
    percent,
    waitSeconds: 3600,
    failureThreshold: '' as const,
    successThreshold: '' as const,
    comparison: null,
  }))

  expect(findFault({ ...FIRST_PLAN, name: 'x', phases })).toBe(fault)
})

it('sends seconds, no wait after the last phase, and no reason that was not filled in', () => {
  const body = writeBody({ ...FIRST_PLAN, name: ' x ' }, 'id')

  expect(body).toEqual({
    name: 'x',
    note: null,
    startsAt: null,
    artifacts: [{ firmwareVersionId: 'id' }],
    phases: [
      { percent: 5, waitSeconds: 86_400, failureThresholdPercent: 5 },
      { percent: 50, waitSeconds: 86_400, failureThresholdPercent: 5 },
      { percent: 100, waitSeconds: 0, failureThresholdPercent: 5 },
    ],
    startDeadlineSeconds: 7_776_000,
    deviceDeadlineSeconds: 86_400,
    maxAttempts: 1,
    maintenanceWindow: null,
    confirmationRequired: false,
    forced: true,
  })
})

it('sends what the next phase waits for, and a note', () => {
  const phases = FIRST_PLAN.phases.map((phase) => ({ ...phase, successThreshold: 90 }))

  const body = writeBody({ ...FIRST_PLAN, name: 'x', phases, note: ' look at pump 7 ' }, 'id')

  expect(body.phases.map((phase) => phase.successThresholdPercent)).toEqual([90, 90, undefined])
  expect(body.note).toBe('look at pump 7')
})
