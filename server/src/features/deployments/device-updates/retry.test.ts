/** Failed devices try again, as a person says. */
import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../../test/app.ts'
import {
  counts,
  type Fleet,
  givenFleet,
  type ShownDeployment,
  wrongCounters,
} from '../../../../test/given-fleet.ts'

let test: TestApp
beforeAll(async () => {
  test = await sharedTestApp()
})

const ONE = 'device-000'
const OTHER = 'device-001'

async function failOn(fleet: Fleet, deviceId: string, reason: string): Promise<void> {
  const updateId = (await fleet.desired(deviceId))?.updateId ?? ''
  await fleet.reports(deviceId, { updateId, state: 'failed', reason })
}

const retry = (fleet: Fleet, id: string, body: object = {}) =>
  fleet.client.post(`${fleet.path}/${id}/device-updates/retry`, body)

describe('devices that failed', () => {
  it('try again by their reason, with an attempt of its own', async () => {
    const fleet = await givenFleet(test, 3)
    const { id } = await fleet.deploy('2.0')
    await failOn(fleet, ONE, 'flash is full')
    await failOn(fleet, OTHER, 'no power')
    const before = await fleet.update(id, ONE)

    const response = await retry(fleet, id, { reasons: ['flash is full'] })

    expect(response.statusCode).toBe(200)
    expect(response.json()).toMatchObject({
      state: 'Running',
      deviceUpdateStateCounts: counts({ pending: 2, failed: 1 }),
      failureReasons: [{ reason: 'no power', count: 1 }],
    })
    const after = await fleet.update(id, ONE)
    expect(after).toMatchObject({
      state: 'pending',
      attempt: 2,
      reason: 'flash is full',
      finishedAt: null,
    })
    expect(after?.updateId).not.toBe(before?.updateId)
    expect((await fleet.desired(ONE))?.updateId).toBe(after?.updateId)
    expect(await fleet.desired(OTHER)).toBeNull()
    await fleet.boots(ONE, '2.0')
    expect(await fleet.counts(id)).toEqual(counts({ pending: 1, succeeded: 1, failed: 1 }))
    expect(await wrongCounters(test.ctx, fleet.workspaceId)).toEqual([])
    const log = await fleet.client.get(`/audit-log?resourceId=${id}&action=deployment.retry`)
    expect(log.json()).toMatchObject({ entries: [{ after: { devices: 1 } }] })
  })

  it('all try again where a deployment stopped, and it goes on', async () => {
    const fleet = await givenFleet(test, 2)
    const { id } = await fleet.deploy('2.0')
    await failOn(fleet, ONE, 'flash is full')
    await fleet.client.post(`${fleet.path}/${id}/pause`)
    const { db } = test.ctx
    await db.updateTable('deployments').set({ state: 'Stopped' }).where('id', '=', id).execute()

    const response = await retry(fleet, id)

    expect(response.json()).toMatchObject({
      state: 'Running',
      stateReason: null,
      deviceUpdateStateCounts: counts({ pending: 2 }),
    })
    const { events } = response.json<{ events: { type: string; reason: string | null }[] }>()
    expect(events.at(-1)).toMatchObject({
      type: 'Resumed',
      reason: '1 failed device tries again',
    })
  })

  it('stay paused, and change nothing where none failed so', async () => {
    const fleet = await givenFleet(test, 2)
    const { id } = await fleet.deploy('2.0')
    await failOn(fleet, ONE, 'flash is full')
    await fleet.client.post(`${fleet.path}/${id}/pause`)

    const none = await retry(fleet, id, { reasons: ['never said'] })
    const all = await retry(fleet, id)

    expect(none.json()).toMatchObject({
      deviceUpdateStateCounts: counts({ pending: 1, failed: 1 }),
    })
    expect(all.json()).toMatchObject({
      state: 'Paused',
      deviceUpdateStateCounts: counts({ pending: 2 }),
    })
    expect(await fleet.desired(ONE)).toBeNull()
  })

  it('do not try again once they left the cohort, or the deployment ended', async () => {
    const fleet = await givenFleet(test, 2)
    const { id } = await fleet.deploy('2.0')
    await failOn(fleet, ONE, 'flash is full')
    await fleet.client.put(`/deployment-cohorts/${fleet.cohortId}/devices`, { deviceIds: [OTHER] })

    const left = await retry(fleet, id)
    await fleet.deploy('3.0')
    const over = await retry(fleet, id)

    expect(left.json<ShownDeployment>().deviceUpdateStateCounts).toMatchObject({ failed: 1 })
    expect(over.statusCode).toBe(409)
    expect(over.json()).toMatchObject({ type: '/problems/deployment-not-active' })
    expect((await retry(fleet, crypto.randomUUID())).statusCode).toBe(404)
    expect((await retry(fleet, id, { reasons: 'all' })).statusCode).toBe(400)
  })

  it('try again once, though two people say so, while devices report', async () => {
    const fleet = await givenFleet(test, 10)
    const { id } = await fleet.deploy('2.0')
    for (const one of fleet.deviceIds) await failOn(fleet, one, 'broken')

    await Promise.all([
      retry(fleet, id),
      retry(fleet, id),
      ...fleet.deviceIds.slice(0, 5).map((one) => fleet.boots(one, '2.0')),
    ])

    const updates = await fleet.updates(id)
    expect(updates.every(({ attempt }) => attempt <= 2)).toBe(true)
    expect(updates.filter(({ state }) => state === 'failed')).toEqual([])
    expect(await wrongCounters(test.ctx, fleet.workspaceId)).toEqual([])
  })
})
