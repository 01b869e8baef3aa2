/** What may be changed of a deployment that is not over, through the API. */
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type Fleet, givenFleet, type ShownDeployment } from '../../../test/given-fleet.ts'
import { advanceDeployments } from './schedule/service.ts'

let test: TestApp

beforeAll(async () => {
  test = await startTestApp()
})

const patch = (fleet: Fleet, id: string, payload: object, headers = {}) =>
  test.app.inject({
    method: 'PATCH',
    url: `/workspaces/${fleet.workspaceId}${fleet.path}/${id}`,
    headers: { authorization: `Bearer ${fleet.client.apiKey}`, ...headers },
    payload,
  })

const phases = (...percents: number[]) =>
  percents.map((percent) => ({
    percent,
    waitSeconds: 3600,
    failureThresholdPercent: null,
    successThresholdPercent: null,
  }))

describe('a change of a deployment that runs', () => {
  it('replaces later phases and what the present one waits for, and is told in the audit log', async () => {
    const fleet = await givenFleet(test, 10)
    const { id } = await fleet.deploy('2.0', { phases: phases(10, 100) })
    const [present, ...later] = phases(10, 50, 100)
    const slower = [{ ...present, waitSeconds: 7200, failureThresholdPercent: 30 }, ...later]

    const answer = await patch(fleet, id, { name: 'slower', note: 'two failed', phases: slower })

    expect(answer.statusCode).toBe(200)
    expect(await fleet.deployment(id)).toMatchObject({
      name: 'slower',
      note: 'two failed',
      phases: slower,
      phase: 0,
      state: 'Running',
    })
    const log = await fleet.client.get(`/audit-log?resourceId=${id}`)
    expect(log.json()).toMatchObject({
      entries: [
        { action: 'deployment.update', before: { name: 'to 2.0' }, after: { name: 'slower' } },
        { action: 'deployment.create' },
      ],
    })
    await fleet.client.post(`${fleet.path}/${id}/next-phase`)
    const released = (await fleet.updates(id)).filter(({ releasedAt }) => releasedAt !== null)
    expect(released).toHaveLength(5)
  })

  it('gives devices that begin from now on the new bounds', async () => {
    const fleet = await givenFleet(test, 1)
    const { id } = await fleet.deploy('2.0')
    const closed = { from: '02:00', until: '02:01', utcOffset: '+00:00' }
    const window =
      test.ctx.now().getUTCHours() === 2 ? { ...closed, from: '14:00', until: '14:01' } : closed

    await patch(fleet, id, { maintenanceWindow: window, maxAttempts: 3 })
    const outside = await fleet.desired('device-000')
    await patch(fleet, id, { maintenanceWindow: null })
    const inside = await fleet.desired('device-000')
    await fleet.reports('device-000', {
      updateId: inside?.updateId ?? '',
      state: 'failed',
      reason: 'x',
    })

    expect(outside).toBeNull()
    expect(await fleet.update(id, 'device-000')).toMatchObject({ state: 'pending', attempt: 2 })
  })

  it.each`
    body                                    | pointer        | because
    ${{ phases: phases(20, 100) }}          | ${'/phases/0'} | ${'the percentage of the present phase has begun'}
    ${{ phases: phases(100) }}              | ${'/phases/0'} | ${'the present phase would go to all'}
    ${{ startsAt: '2100-01-01T00:00:00Z' }} | ${'/startsAt'} | ${'it has started'}
  `('is refused where $because', async ({ body, pointer }: { body: object; pointer: string }) => {
    const fleet = await givenFleet(test, 10)
    const { id } = await fleet.deploy('2.0', { phases: phases(10, 100) })
    const before = await fleet.deployment(id)

    const answer = await patch(fleet, id, { ...body, note: 'too late' })

    expect(answer.statusCode).toBe(409)
    expect(answer.json()).toMatchObject({
      type: '/problems/deployment-begun',
      errors: [{ pointer }],
    })
    expect(await fleet.deployment(id)).toEqual(before)
  })

  it('leaves a phase that is over as it was', async () => {
    const fleet = await givenFleet(test, 10)
    const { id } = await fleet.deploy('2.0', { phases: phases(10, 50, 100) })
    await fleet.client.post(`${fleet.path}/${id}/next-phase`)
    const [over, ...rest] = phases(10, 50, 100)

    const answer = await patch(fleet, id, { phases: [{ ...over, waitSeconds: 1 }, ...rest] })

    expect(answer.statusCode).toBe(409)
    expect(answer.json<{ detail: string }>().detail).toBe(
      'Phase 1 has begun: it is over, and stays as it was. Nothing was changed.',
    )
  })

  it('is refused where the last phase would leave devices out', async () => {
    const fleet = await givenFleet(test, 10)
    const { id } = await fleet.deploy('2.0', { phases: phases(10, 100) })

    const answer = await patch(fleet, id, { phases: phases(10, 50) })

    expect(answer.statusCode).toBe(400)
    expect(answer.json()).toMatchObject({ errors: [{ pointer: '/phases/1/percent' }] })
  })

  it('is refused once it has ended, with who ended it', async () => {
    const fleet = await givenFleet(test, 1)
    const { id } = await fleet.deploy('2.0')
    await fleet.client.post(`${fleet.path}/${id}/cancel`)

    const answer = await patch(fleet, id, { note: 'late' })

    expect(answer.statusCode).toBe(409)
    expect(answer.json()).toMatchObject({ type: '/problems/deployment-not-active' })
    expect(await fleet.deployment(id)).toMatchObject({ note: null })
  })
})

describe('the start of a scheduled deployment', () => {
  it.each([null, '2020-01-01T00:00:00Z'])('can be moved to now: %s', async (startsAt) => {
    const fleet = await givenFleet(test, 1)
    const { id } = await fleet.deploy('2.0', { startsAt: '2100-01-01T00:00:00Z' })

    const answer = await patch(fleet, id, { startsAt, phases: phases(50, 100) })
    await advanceDeployments(test.ctx)

    expect(answer.json<ShownDeployment>().state).toBe('Scheduled')
    expect(await fleet.deployment(id)).toMatchObject({
      state: 'Running',
      phase: 0,
      phases: phases(50, 100),
    })
  })
})

describe('two changes at once', () => {
  it('of different members are both kept; of two with the same entity tag one is', async () => {
    const fleet = await givenFleet(test, 1)
    const { id } = await fleet.deploy('2.0')

    await Promise.all([patch(fleet, id, { note: 'both' }), patch(fleet, id, { maxAttempts: 4 })])
    const both = await fleet.client.get(`${fleet.path}/${id}`)
    const tagged = { 'if-match': String(both.headers.etag) }
    const answers = await Promise.all(['a', 'b'].map((name) => patch(fleet, id, { name }, tagged)))

    expect(both.json()).toMatchObject({ note: 'both', maxAttempts: 4 })
    const codes = answers.map(({ statusCode }) => statusCode)
    expect(codes.toSorted((a, b) => a - b)).toEqual([200, 412])
  })
})
