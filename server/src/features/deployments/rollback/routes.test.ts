import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../../test/app.ts'
import {
  counts,
  type Fleet,
  givenCohort,
  givenFleet,
  givenFleetDevices,
  type ShownDeployment,
  wrongCounters,
} from '../../../../test/given-fleet.ts'

let test: TestApp

beforeAll(async () => {
  test = await sharedTestApp()
})

describe('a roll back', () => {
  it('returns every device of the cohort to the version before', async () => {
    const fleet = await givenFleet(test)
    const first = await fleet.deploy('1.0')
    for (const id of fleet.deviceIds) await fleet.boots(id, '1.0')
    const second = await fleet.deploy('2.0', {
      phases: [{ percent: 34 }, { percent: 100 }],
      deviceDeadlineSeconds: 600,
    })
    await fleet.boots('device-000', '2.0')

    const response = await fleet.rollBack(second.id)

    expect(response.statusCode).toBe(200)
    const rollback = response.json<ShownDeployment>()
    expect(rollback).toMatchObject({
      name: 'Roll back to to 1.0',
      isActive: true,
      state: 'Running',
      rollbackOfId: second.id,
      restoresId: first.id,
      predecessorId: null,
      deviceDeadlineSeconds: 600,
      artifacts: [{ firmware: { isMain: true, firmwareVersion: { name: '1.0' } } }],
      deviceUpdateStateCounts: counts({ pending: 3 }),
    })
    expect(await fleet.deployment(second.id)).toMatchObject({
      isActive: false,
      state: 'Superseded',
      stateReason: 'rolled back',
      deviceUpdateStateCounts: counts({ succeeded: 1, cancelled: 2 }),
    })
    const offers = await Promise.all(fleet.deviceIds.map(fleet.desired))
    expect(offers.filter((offer) => offer !== null)).toHaveLength(1)
    expect(await fleet.counts(rollback.id)).toEqual(counts({ pending: 1, succeeded: 2 }))
    const log = await fleet.client.get(`/audit-log?resourceId=${rollback.id}`)
    expect(log.json()).toMatchObject({ entries: [{ action: 'deployment.roll-back' }] })
  })

  it.each([{}, { 'content-type': 'application/json' }, { 'content-type': 'text/plain' }])(
    'takes no body, whatever the client calls it: %j',
    async (type) => {
      const fleet = await givenFleet(test, 1)
      await fleet.deploy('1.0')
      const { id } = await fleet.deploy('2.0')

      const response = await test.app.inject({
        method: 'POST',
        url: `/workspaces/${fleet.workspaceId}${fleet.path}/${id}/rollback`,
        headers: { authorization: `Bearer ${fleet.client.apiKey}`, ...type },
      })

      expect(response.statusCode).toBe(200)
    },
  )

  it.each`
    history                                 | back | expected  | because
    ${['1.0', '2.0']}                       | ${1} | ${'1.0'}  | ${'it is the one before'}
    ${['1.0', '2.0', '3.0']}                | ${2} | ${'1.0'}  | ${'the predecessor of a roll back is that of what it restored'}
    ${['1.0']}                              | ${1} | ${'none'} | ${'there is none before'}
    ${['1.0', '2.0']}                       | ${2} | ${'none'} | ${'nothing came before what was restored'}
    ${['1.0', 'cancel', '2.0']}             | ${1} | ${'none'} | ${'a cancelled deployment is nothing to go back to'}
    ${['1.0', '2.0', 'cancel', '3.0']}      | ${1} | ${'1.0'}  | ${'a cancelled deployment is passed over'}
    ${['1.0', '2.0', 'back', '3.0']}        | ${1} | ${'1.0'}  | ${'the roll back is the one before'}
    ${['1.0', '2.0', 'back', '3.0']}        | ${2} | ${'none'} | ${'a restored roll back has no more before it than what it restored'}
    ${['1.0', '2.0', '3.0', 'back', '1.0']} | ${1} | ${'2.0'}  | ${'the roll back restored 2.0'}
    ${['1.0', '2.0', '3.0', 'back', '1.0']} | ${2} | ${'1.0'}  | ${'1.0 came before the restored 2.0'}
  `(
    'of $history, $back times, leads to $expected, as $because',
    async ({ history, back, expected }: { history: string[]; back: number; expected: string }) => {
      const fleet = await givenFleet(test, 1)
      let active = ''
      for (const step of history) active = await take(fleet, step, active)

      let response = await fleet.rollBack(active)
      for (let times = 1; times < back; times += 1)
        response = await fleet.rollBack(response.json<ShownDeployment>().id)

      if (expected === 'none') {
        expect(response.statusCode).toBe(409)
        expect(response.json()).toMatchObject({ type: '/problems/no-predecessor' })
      } else
        expect(response.json()).toMatchObject({
          artifacts: [{ firmware: { firmwareVersion: { name: expected } } }],
        })
    },
  )

  async function take(fleet: Fleet, step: string, active: string): Promise<string> {
    if (step === 'back') return (await fleet.rollBack(active)).json<ShownDeployment>().id
    if (step !== 'cancel') return (await fleet.deploy(step)).id
    await fleet.client.post(`${fleet.path}/${active}/cancel`)
    return ''
  }

  it('restores what was shown, or nothing', async () => {
    const fleet = await givenFleet(test, 1)
    const [device = ''] = fleet.deviceIds
    const first = await fleet.deploy('1.0')
    await fleet.boots(device, '1.0')
    const second = await fleet.deploy('2.0')
    const { id } = await fleet.deploy('3.0')
    const preview = await fleet.client.get(`${fleet.path}/${id}/rollback-preview`)
    const shown = preview.json<{ restored: { id: string } }>().restored.id
    // Now the newest that a device took is another.
    await fleet.boots(device, '2.0')

    const refused = await fleet.client.post(`${fleet.path}/${id}/rollback?restores=${shown}`)
    const kept = await fleet.deployment(id)
    const meant = await fleet.client.post(
      `${fleet.path}/${id}/rollback?restores=${second.id.toUpperCase()}`,
    )

    expect(shown).toBe(first.id)
    expect(refused.statusCode).toBe(409)
    expect(refused.json()).toMatchObject({ type: '/problems/rollback-target-changed' })
    expect(refused.json<{ detail: string }>().detail).toContain(second.id)
    expect(kept).toMatchObject({ isActive: true, state: 'Running' })
    expect(meant.json()).toMatchObject({ restoresId: second.id })
  })

  it('made twice at once is made once', async () => {
    const fleet = await givenFleet(test)
    await fleet.deploy('1.0')
    const { id } = await fleet.deploy('2.0')

    const answers = await Promise.all([fleet.rollBack(id), fleet.rollBack(id), fleet.rollBack(id)])

    const statuses = answers.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b)
    expect(statuses).toEqual([200, 409, 409])
    const list = await fleet.client.get(fleet.path)
    expect(list.json<{ deployments: unknown[] }>().deployments).toHaveLength(3)
    expect(await wrongCounters(test.ctx, fleet.workspaceId)).toEqual([])
  })

  it('is for the active deployment, of the cohort that has it', async () => {
    const fleet = await givenFleet(test, 1)
    const first = await fleet.deploy('1.0')
    const { id } = await fleet.deploy('2.0')
    const other = await givenCohort(fleet.client)

    const past = await fleet.rollBack(first.id)
    const elsewhere = await fleet.client.post(
      `/deployment-cohorts/${other}/deployments/${id}/rollback`,
    )
    const unknown = await fleet.rollBack(crypto.randomUUID())
    const malformed = await fleet.rollBack('none')

    expect(past.statusCode).toBe(409)
    expect(past.json()).toMatchObject({ type: '/problems/deployment-not-active' })
    for (const { statusCode, body } of [elsewhere, unknown, malformed]) {
      expect(statusCode).toBe(404)
      expect(JSON.parse(body)).toMatchObject({ type: '/problems/deployment-not-found' })
    }
  })

  it('is made while devices report and join', async () => {
    const fleet = await givenFleet(test, 10)
    const { client, cohortId, deviceIds } = fleet
    await fleet.deploy('1.0')
    await Promise.all(deviceIds.map((id) => fleet.boots(id, '1.0')))
    const second = await fleet.deploy('2.0')
    await givenFleetDevices(test.ctx, fleet.workspaceId, ['late'])

    const [response] = await Promise.all([
      fleet.rollBack(second.id),
      client.put(`/deployment-cohorts/${cohortId}/devices`, { deviceIds: [...deviceIds, 'late'] }),
      ...deviceIds.slice(0, 5).map((id) => fleet.boots(id, '2.0')),
    ])
    await Promise.all(deviceIds.map((id) => fleet.boots(id, '1.0')))

    const { id } = response.json<ShownDeployment>()
    expect(await fleet.counts(id)).toEqual(counts({ pending: 1, succeeded: 10 }))
    expect(await wrongCounters(test.ctx, fleet.workspaceId)).toEqual([])
  })

  it('needs the scope to write deployments', async () => {
    const fleet = await givenFleet(test, 1)
    const { id } = await fleet.deploy('1.0')
    const key = await test.givenKey(fleet.workspaceId, ['Deployments: read'])

    const response = await test.app.inject({
      method: 'POST',
      url: `/workspaces/${fleet.workspaceId}${fleet.path}/${id}/rollback`,
      headers: { authorization: `Bearer ${key}` },
    })

    expect(response.statusCode).toBe(403)
  })
})

describe('whoever is slower', () => {
  it('is told who rolled back, replaced or cancelled the deployment', async () => {
    const fleet = await givenFleet(test, 1)
    await fleet.deploy('1.0')
    const second = await fleet.deploy('2.0')
    const answers = await Promise.all([fleet.rollBack(second.id), fleet.rollBack(second.id)])
    const done = answers.find(({ statusCode }) => statusCode === 200)?.json<ShownDeployment>()
    const refused = answers.find(({ statusCode }) => statusCode === 409)
    await fleet.client.post(`${fleet.path}/${done?.id ?? ''}/cancel`)
    const late = await fleet.client.post(`${fleet.path}/${done?.id ?? ''}/pause`)
    await fleet.deploy('3.0')

    const { detail } = refused?.json<{ detail: string }>() ?? { detail: '' }

    expect(detail).toMatch(/\S+@\S+ rolled it back by the deployment/)
    expect(detail).toContain(done?.id)
    expect(late.json<{ detail: string }>().detail).toMatch(/@\S+ cancelled it at \d{4}-/)
  })
})

describe('a roll back to a named version', () => {
  const to = (fleet: Fleet, id: string, name: string) =>
    `${fleet.path}/${id}/rollback?firmwareVersionId=${fleet.versions[name]}`

  it('passes over what was deployed since, with counts first', async () => {
    const fleet = await givenFleet(test, 2)
    const first = await fleet.deploy('1.0')
    await fleet.boots('device-000', '1.0')
    await fleet.deploy('2.0')
    await fleet.boots('device-000', '2.0')
    const { id } = await fleet.deploy('3.0')
    await fleet.boots('device-000', '3.0')

    const preview = await fleet.client.get(
      `${fleet.path}/${id}/rollback-preview?firmwareVersionId=${fleet.versions['1.0']}`,
    )
    const answer = await fleet.client.post(to(fleet, id, '1.0'))

    expect(preview.json()).toMatchObject({
      restored: { id: first.id },
      wasTaken: true,
      deviceCounts: { reporting: 1, unknown: 1 },
    })
    expect(answer.statusCode).toBe(200)
    expect(answer.json<ShownDeployment>()).toMatchObject({
      restoresId: first.id,
      artifacts: [{ firmware: { firmwareVersion: { name: '1.0' } } }],
    })
  })

  it.each`
    history                     | wanted   | reason                                                                     | because
    ${['1.0', '2.0']}           | ${'3.0'} | ${'no earlier deployment of the cohort that was not cancelled brought it'} | ${'no deployment brought it'}
    ${['1.0', '2.0']}           | ${'2.0'} | ${'no earlier deployment of the cohort that was not cancelled brought it'} | ${'only this one brought it'}
    ${['2.0', '1.0', '2.0']}    | ${'2.0'} | ${'has the same versions'}                                                 | ${'devices get it already'}
    ${['1.0', 'cancel', '2.0']} | ${'1.0'} | ${'no earlier deployment of the cohort that was not cancelled brought it'} | ${'what brought it was cancelled'}
  `(
    'of $history to $wanted is refused, as $because',
    async ({ history, wanted, reason }: { history: string[]; wanted: string; reason: string }) => {
      const fleet = await givenFleet(test, 1)
      let id = ''
      for (const step of history)
        if (step === 'cancel') await fleet.client.post(`${fleet.path}/${id}/cancel`)
        else ({ id } = await fleet.deploy(step))

      const answer = await fleet.client.post(to(fleet, id, wanted))

      expect(answer.statusCode).toBe(409)
      expect(answer.json()).toMatchObject({ type: '/problems/nothing-to-roll-back' })
      expect(answer.json<{ detail: string }>().detail).toMatch(
        new RegExp(`^There is no way back to gateway ${wanted}: .*${reason}`),
      )
      expect(await fleet.deployment(id)).toMatchObject({ isActive: true })
    },
  )

  it('is refused where a rollback left that version after devices had tried it', async () => {
    const fleet = await givenFleet(test, 1)
    await fleet.deploy('1.0')
    await fleet.boots('device-000', '1.0')
    const bad = await fleet.deploy('2.0')
    await fleet.boots('device-000', '2.0')
    await fleet.rollBack(bad.id)
    const { id } = await fleet.deploy('3.0')

    const answer = await fleet.client.post(to(fleet, id, '2.0'))

    expect(answer.statusCode).toBe(409)
    expect(answer.json<{ detail: string }>().detail).toContain('that a rollback left')
  })

  it.each(['nothing', '01980000-0000-7000-8000-000000000000'])(
    'answers 404 for a version that is not there: %s',
    async (version) => {
      const fleet = await givenFleet(test, 1)
      const { id } = await fleet.deploy('1.0')

      const answer = await fleet.client.post(
        `${fleet.path}/${id}/rollback?firmwareVersionId=${version}`,
      )

      expect(answer.statusCode).toBe(404)
      expect(answer.json()).toMatchObject({ type: '/problems/firmware-version-not-found' })
    },
  )
})
