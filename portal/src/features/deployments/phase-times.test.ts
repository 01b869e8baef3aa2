import { expect, it } from 'vitest'
import { listPhaseTimes, findRange, type DeploymentTimes } from './phase-times.ts'

const at = (minute: number) => new Date(minute * 60_000).toISOString()
const minutes = (time: number | undefined) => (time === undefined ? undefined : time / 60_000)

const event = (
  type: DeploymentTimes['events'][number]['type'],
  minute: number,
  phase: number | null = null,
) => ({
  type,
  at: at(minute),
  phase,
  byEmail: null,
  reason: null,
  deploymentId: null,
})

const phase = (percent: number, waitMinutes: number) => ({
  percent,
  waitSeconds: waitMinutes * 60,
  failureThresholdPercent: null,
  successThresholdPercent: null,
  comparison: null,
})

const running: DeploymentTimes = {
  phases: [phase(5, 30), phase(50, 60), phase(100, 0)],
  phase: 1,
  state: 'Running',
  isActive: true,
  startsAt: null,
  createdAt: at(0),
  endedAt: null,
  events: [
    event('PhaseBegan', 0, 0),
    event('Stopped', 10),
    event('Paused', 15),
    event('Resumed', 20),
    event('PhaseBegan', 35, 1),
  ],
}

it('tells when phases began, were held, and come at the earliest', () => {
  const [first, second, third] = listPhaseTimes(running, 40 * 60_000)

  expect([first?.beganAt, first?.endedAt].map(minutes)).toEqual([0, 35])
  expect(first?.holds.map(({ from, to, isStop }) => [minutes(from), minutes(to), isStop])).toEqual([
    [10, 15, true],
    [15, 20, false],
  ])
  expect([second?.beganAt, second?.endedAt].map(minutes)).toEqual([35, undefined])
  expect([third?.beganAt, third?.notBefore].map(minutes)).toEqual([undefined, 95])
})

it('lets no phase come in the past, and none after the end', () => {
  const late = listPhaseTimes(running, 200 * 60_000)
  const ended: DeploymentTimes = {
    ...running,
    isActive: false,
    state: 'Cancelled',
    endedAt: at(50),
    events: [...running.events, event('Paused', 45), event('Cancelled', 50)],
  }
  const times = listPhaseTimes(ended, 200 * 60_000)

  expect(minutes(late[2]?.notBefore)).toBe(200)
  expect(times[2]).toMatchObject({ beganAt: undefined, notBefore: undefined })
  expect(times[1]?.holds.map(({ to }) => minutes(to))).toEqual([50])
  expect(minutes(times[1]?.endedAt)).toBe(50)
  expect(findRange(times, ended, 200 * 60_000).map(minutes)).toEqual([0, 50])
})

it('knows nothing but the start of one that is scheduled', () => {
  const scheduled: DeploymentTimes = {
    ...running,
    phase: null,
    state: 'Scheduled',
    startsAt: at(90),
    events: [],
  }

  const times = listPhaseTimes(scheduled, 5 * 60_000)

  expect(times.map(({ notBefore }) => minutes(notBefore))).toEqual([90, 120, 180])
  expect(minutes(findRange(times, scheduled, 5 * 60_000)[0])).toBe(90)
})
