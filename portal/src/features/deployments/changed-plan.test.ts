import type { Deployment } from '@plimsoll/api-client'
import { expect, it } from 'vitest'
import { planChanges, readPlan } from './changed-plan.ts'

const phase = (percent: number, waitSeconds: number) => ({
  percent,
  waitSeconds,
  failureThresholdPercent: null,
  successThresholdPercent: null,
  comparison: null,
})

const deployment = {
  name: 'night',
  note: null,
  startsAt: '2026-11-29T02:00:30.000Z',
  phase: 1,
  phases: [phase(10, 601), phase(20, 600), phase(50, 5400), phase(100, 0)],
  startDeadlineSeconds: 7_776_000,
  deviceDeadlineSeconds: 86_400,
  maxAttempts: 1,
  maintenanceWindow: null,
  confirmationRequired: false,
  forced: true,
} as unknown as Deployment

it('sends nothing of what was only read, whatever its seconds are', () => {
  expect(planChanges(readPlan(deployment), deployment)).toEqual({
    body: {},
    former: {},
    parts: [],
  })
})

it('sends what changed with the phases that are over as they were, and knows what was before', () => {
  const plan = readPlan(deployment)
  const phases = plan.phases.map((one) => ({ ...one, waitSeconds: 60 as const }))

  const { body, former, parts } = planChanges({ ...plan, phases, maxAttempts: 2 }, deployment)

  expect(body).toMatchObject({
    maxAttempts: 2,
    phases: [601, 60, 60, 0].map((waitSeconds) => ({ waitSeconds })),
  })
  expect(former).toEqual({ maxAttempts: 1, phases: deployment.phases })
  expect(parts).toEqual(['phases', 'the attempts'])
})
