import { beforeEach, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import {
  counts,
  type Fleet,
  givenFleet,
  givenFleetDevices,
  wrongCounters,
} from '../../../../test/given-fleet.ts'
import { advanceDeployments } from './service.ts'
import { listDueDeployments } from './store.ts'

let test: TestApp
let clock: Date

beforeEach(async () => {
  test ??= await startTestApp()
  clock = new Date('2026-01-01T00:00:00Z')
  test.ctx.now = () => clock
})

/** Advances the clock and runs the schedule. */
async function later(seconds: number): Promise<void> {
  clock = new Date(clock.getTime() + seconds * 1000)
  await advanceDeployments(test.ctx)
}

async function released(fleet: Fleet, id: string): Promise<number> {
  const updates = await fleet.updates(id)
  return updates.filter(({ releasedAt }) => releasedAt !== null).length
}

async function failOn(fleet: Fleet, deviceId: string): Promise<void> {
  const updateId = (await fleet.desired(deviceId))?.updateId ?? ''
  await fleet.reports(deviceId, { updateId, state: 'failed', reason: 'broken' })
}

describe('phases', () => {
  it.each`
    devices | percent | expected
    ${10}   | ${10}   | ${1}
    ${10}   | ${11}   | ${2}
    ${3}    | ${1}    | ${1}
    ${7}    | ${50}   | ${4}
    ${1}    | ${99}   | ${1}
  `(
    'release $percent % of $devices devices, rounded up: $expected',
    async ({ devices, percent, expected }: Record<string, number>) => {
      const fleet = await givenFleet(test, devices)

      const { id } = await fleet.deploy('2.0', { phases: [{ percent }, { percent: 100 }] })

      expect(await released(fleet, id)).toBe(expected)
      expect(await fleet.counts(id)).toEqual(counts({ pending: Number(devices) }))
    },
  )

  it('follow each other after their time, and devices that join wait for the last', async () => {
    const fleet = await givenFleet(test, 10)
    const { id } = await fleet.deploy('2.0', {
      phases: [
        { percent: 20, waitSeconds: 60 },
        { percent: 50, waitSeconds: 60 },
        { percent: 100 },
      ],
    })
    await givenFleetDevices(test.ctx, fleet.workspaceId, ['late'])
    await fleet.client.put(`/deployment-cohorts/${fleet.cohortId}/devices`, {
      deviceIds: [...fleet.deviceIds, 'late'],
    })
    const seen = [await released(fleet, id)]
    for (const seconds of [59, 1, 60]) {
      await later(seconds)
      seen.push(await released(fleet, id))
    }

    expect(seen).toEqual([2, 2, 6, 11])
    expect(await fleet.deployment(id)).toMatchObject({ phase: 2, state: 'Running' })
    const log = await fleet.client.get(`/audit-log?resourceId=${id}&action=deployment.begin-phase`)
    expect(log.json<{ entries: { actorType: string }[] }>().entries).toMatchObject([
      { actorType: 'System' },
      { actorType: 'System' },
    ])
  })

  it('stop at too many failures, until a person has the roll-out go on', async () => {
    const fleet = await givenFleet(test, 4)
    const threshold = { failureThresholdPercent: 50 }
    const { id } = await fleet.deploy('2.0', {
      phases: [
        { percent: 50, waitSeconds: 60, ...threshold },
        { percent: 100, ...threshold },
      ],
    })
    const first = (await fleet.updates(id)).filter((update) => update.releasedAt !== null)
    await failOn(fleet, first[0]?.deviceId ?? '')
    await later(60)
    const stopped = await fleet.deployment(id)
    const offerWhileStopped = await fleet.desired(first[1]?.deviceId ?? '')

    await fleet.client.post(`${fleet.path}/${id}/resume`)
    await later(0)

    expect(stopped).toMatchObject({
      state: 'Stopped',
      isActive: true,
      phase: 0,
      stateReason: '1 of 2 device updates failed; the roll-out stops at 50 %',
    })
    expect(offerWhileStopped).toBeNull()
    expect(await fleet.deployment(id)).toMatchObject({ state: 'Running', phase: 1 })
    expect(await released(fleet, id)).toBe(4)
  })

  it('stop where their devices have failed and none is left to succeed, until a person goes on', async () => {
    const fleet = await givenFleet(test, 10)
    const { id } = await fleet.deploy('2.0', {
      phases: [{ percent: 20, waitSeconds: 60, successThresholdPercent: 50 }, { percent: 100 }],
      startDeadlineSeconds: 100,
    })
    await later(60)
    const waiting = await fleet.deployment(id)
    await later(41)
    await later(0)
    const stopped = await fleet.deployment(id)
    const overview = await fleet.client.get('/overview')

    await fleet.client.post(`${fleet.path}/${id}/resume`)
    await later(0)

    expect(waiting).toMatchObject({ state: 'Running', phase: 0 })
    expect(stopped).toMatchObject({
      state: 'Stopped',
      stateReason:
        '0 of 2 device updates of phase 1 succeeded and none is open; the next phase begins at 50 %',
    })
    expect(overview.body).toContain(id)
    expect(await fleet.deployment(id)).toMatchObject({ state: 'Running', phase: 1 })
    expect(await released(fleet, id)).toBe(10)
  })

  it('begin by hand where devices never come, and not after the last', async () => {
    const fleet = await givenFleet(test, 10)
    const { id } = await fleet.deploy('2.0', {
      phases: [{ percent: 20, successThresholdPercent: 50 }, { percent: 100 }],
    })
    await later(3600)
    const waiting = await fleet.deployment(id)

    const begun = await fleet.client.post(`${fleet.path}/${id}/next-phase`)
    const again = await fleet.client.post(`${fleet.path}/${id}/next-phase`)

    expect(waiting).toMatchObject({ state: 'Running', phase: 0 })
    expect(begun.json()).toMatchObject({
      state: 'Running',
      phase: 1,
      events: [{}, { type: 'PhaseBegan', phase: 1, byEmail: expect.anything() as unknown }],
    })
    expect(await released(fleet, id)).toBe(10)
    expect(again.statusCode).toBe(409)
    expect(again.json()).toMatchObject({ type: '/problems/no-next-phase' })
  })

  it('begin once, though two people begin the same one', async () => {
    const fleet = await givenFleet(test, 10)
    const { id } = await fleet.deploy('2.0', {
      phases: [{ percent: 10 }, { percent: 20 }, { percent: 50 }, { percent: 100 }],
    })
    const begin = (phase: number) =>
      fleet.client.post(`${fleet.path}/${id}/next-phase?phase=${phase}`)

    const answers = await Promise.all([begin(1), begin(1), begin(1)])
    const other = await begin(3)

    const statuses = answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)
    expect(statuses).toEqual([200, 409, 409])
    expect(other.json()).toMatchObject({ type: '/problems/phase-changed' })
    expect(await fleet.deployment(id)).toMatchObject({ phase: 1 })
    expect(await released(fleet, id)).toBe(2)
  })

  it('take no work while they wait for devices, with fewer failures than stop them', async () => {
    const fleet = await givenFleet(test, 4)
    const threshold = { failureThresholdPercent: 50 }
    const { id } = await fleet.deploy('2.0', {
      phases: [
        { percent: 75, waitSeconds: 60, ...threshold },
        { percent: 100, ...threshold },
      ],
    })
    const due = async () =>
      (await listDueDeployments(test.ctx.db, clock)).filter((one) => one.deploymentId === id).length
    const [one, other] = (await fleet.updates(id)).filter(({ releasedAt }) => releasedAt !== null)
    await failOn(fleet, one?.deviceId ?? '')
    const waiting = await due()
    await failOn(fleet, other?.deviceId ?? '')

    expect([waiting, await due()]).toEqual([0, 1])
    await later(0)
    expect(await due()).toBe(0)
    expect(await fleet.deployment(id)).toMatchObject({ state: 'Stopped' })
  })

  it('begin once, however many workers look', async () => {
    const fleet = await givenFleet(test, 10)
    const { id } = await fleet.deploy('2.0', {
      phases: [
        { percent: 10, waitSeconds: 60 },
        { percent: 50, waitSeconds: 60 },
        { percent: 100 },
      ],
    })
    clock = new Date(clock.getTime() + 60_000)

    await Promise.all([1, 2, 3].map(() => advanceDeployments(test.ctx)))

    expect(await fleet.deployment(id)).toMatchObject({ phase: 1 })
    expect(await released(fleet, id)).toBe(5)
  })
})

describe('a scheduled deployment', () => {
  it('starts at its time', async () => {
    const fleet = await givenFleet(test, 2)
    const startsAt = new Date(clock.getTime() + 60_000).toISOString()
    const { id, state, phase } = await fleet.deploy('2.0', { startsAt })
    const early = await fleet.desired('device-000')
    await later(59)
    const stillEarly = await fleet.desired('device-000')
    await later(1)

    expect([state, phase, early, stillEarly]).toEqual(['Scheduled', null, null, null])
    expect(await fleet.deployment(id)).toMatchObject({ state: 'Running', phase: 0 })
    expect(await fleet.desired('device-000')).toMatchObject({ deploymentId: id })
  })

  it('cannot be paused, only cancelled', async () => {
    const fleet = await givenFleet(test, 1)
    const startsAt = new Date(clock.getTime() + 60_000).toISOString()
    const { id } = await fleet.deploy('2.0', { startsAt })

    const paused = await fleet.client.post(`${fleet.path}/${id}/pause`)
    const cancelled = await fleet.client.post(`${fleet.path}/${id}/cancel`)

    expect(paused.statusCode).toBe(409)
    expect(paused.json()).toMatchObject({ type: '/problems/deployment-state' })
    expect(cancelled.json()).toMatchObject({ state: 'Cancelled' })
  })
})

describe('deadlines', () => {
  it('end what did not begin, and what did not finish, and give the latter another attempt', async () => {
    const fleet = await givenFleet(test, 2)
    const { id } = await fleet.deploy('2.0', {
      startDeadlineSeconds: 100,
      deviceDeadlineSeconds: 50,
      maxAttempts: 2,
    })
    const updateId = (await fleet.desired('device-000'))?.updateId ?? ''
    await fleet.reports('device-000', { updateId, state: 'inProgress' })
    await later(49)
    const before = await fleet.counts(id)
    await later(1)
    const retried = await fleet.update(id, 'device-000')
    await later(50)
    const counted = await fleet.counts(id)
    await later(50)

    expect(before).toEqual(counts({ pending: 1, inProgress: 1 }))
    expect(retried).toMatchObject({
      state: 'pending',
      attempt: 2,
      reason: 'did not finish in time, and said no more: the log of its client may say why',
    })
    expect(counted).toEqual(counts({ pending: 1, failed: 1 }))
    expect(await fleet.deployment(id)).toMatchObject({
      deviceUpdateStateCounts: counts({ failed: 2 }),
      failureReasons: [{ reason: 'did not begin in time', count: 2 }],
    })
    expect(await wrongCounters(test.ctx, fleet.workspaceId)).toEqual([])
  })

  it('do not run for devices that may not begin', async () => {
    const fleet = await givenFleet(test, 1)
    const { id } = await fleet.deploy('2.0', { startDeadlineSeconds: 100 })
    await fleet.client.post(`${fleet.path}/${id}/pause`)
    await later(1000)
    const paused = await fleet.counts(id)

    await fleet.client.post(`${fleet.path}/${id}/resume`)
    await later(99)
    const resumed = await fleet.counts(id)
    await later(1)

    expect([paused, resumed]).toEqual([counts({ pending: 1 }), counts({ pending: 1 })])
    expect(await fleet.counts(id)).toEqual(counts({ failed: 1 }))
  })

  it('do not keep a device from succeeding late', async () => {
    const fleet = await givenFleet(test, 1)
    const { id } = await fleet.deploy('2.0', { startDeadlineSeconds: 10 })
    await later(10)
    const failed = await fleet.counts(id)

    await fleet.boots('device-000', '2.0')

    expect(failed).toEqual(counts({ failed: 1 }))
    expect(await fleet.counts(id)).toEqual(counts({ succeeded: 1 }))
  })
})

describe('a maintenance window', () => {
  it('keeps devices from beginning, not from going on', async () => {
    const fleet = await givenFleet(test, 2)
    const maintenanceWindow = { from: '02:00', until: '03:00', utcOffset: '+00:00' }
    const { id } = await fleet.deploy('2.0', { maintenanceWindow })
    const early = await fleet.desired('device-000')
    await later(2 * 3600)
    const inside = await fleet.desired('device-000')
    await fleet.reports('device-000', { updateId: inside?.updateId ?? '', state: 'inProgress' })
    await later(3600)

    expect(early).toBeNull()
    expect(inside).toMatchObject({ deploymentId: id })
    expect(await fleet.desired('device-000')).toMatchObject({ updateId: inside?.updateId })
    expect(await fleet.desired('device-001')).toBeNull()
  })
})

describe('what happened to a deployment', () => {
  it('is kept: when phases began, pauses, stops, and how it ended', async () => {
    const fleet = await givenFleet(test, 4)
    const { id } = await fleet.deploy('2.0', {
      note: ' look at device 3 ',
      phases: [{ percent: 50, waitSeconds: 60, failureThresholdPercent: 50 }, { percent: 100 }],
    })
    const first = (await fleet.updates(id)).find(({ releasedAt }) => releasedAt !== null)
    await failOn(fleet, first?.deviceId ?? '')
    await later(10)
    clock = new Date('2026-01-01T00:00:20Z')
    await fleet.client.post(`${fleet.path}/${id}/pause`)
    await fleet.client.post(`${fleet.path}/${id}/resume`)
    await later(60)
    const next = await fleet.deploy('3.0')

    const { events, note } = (await fleet.deployment(id)) as unknown as {
      note: string
      events: Record<string, unknown>[]
    }

    expect(note).toBe('look at device 3')
    const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds)).toISOString()
    const byEmail = events[0]?.['byEmail']
    expect(byEmail).toMatch(/@/)
    expect(events.map(({ type, at: when, phase }) => [type, when, phase])).toEqual([
      ['PhaseBegan', at(0), 0],
      ['Stopped', at(10), null],
      ['Paused', at(20), null],
      ['Resumed', at(20), null],
      ['PhaseBegan', at(80), 1],
      ['Superseded', at(80), null],
    ])
    expect(events[1]?.['reason']).toContain('1 of 2 device updates failed')
    expect(events[1]).toMatchObject({ byEmail: null })
    expect(events[2]).toMatchObject({ byEmail })
    expect(events[5]).toMatchObject({ byEmail, deploymentId: next.id })
  })
})
