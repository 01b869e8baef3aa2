import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import {
  counts,
  givenArtifactVersions,
  givenCohort,
  givenFleet,
  givenFleetDevices,
  wrongCounters,
} from '../../../test/given-fleet.ts'
import { type Client, givenClient } from '../../../test/given.ts'

let test: TestApp

beforeAll(async () => {
  test = await sharedTestApp()
})

interface ShownCohort {
  id: string
  deviceCount: number
}

async function membersOf(client: Client, cohortId: string): Promise<Record<string, boolean>> {
  const response = await client.get(`/deployment-cohorts/${cohortId}/devices?limit=1000`)
  const { devices } = response.json<{ devices: { id: string; byRule: boolean }[] }>()
  return Object.fromEntries(devices.map(({ id, byRule }) => [id, byRule]))
}

const putDevices = (client: Client, cohortId: string, body: object) =>
  client.put(`/deployment-cohorts/${cohortId}/devices`, body)

describe('a cohort', () => {
  it('is created, shown, changed and deleted, all of it audited', async () => {
    const client = await givenClient(test)

    const created = await client.post('/deployment-cohorts', { name: 'Field', description: 'West' })
    const { id } = created.json<ShownCohort>()
    const changed = await client.patch(`/deployment-cohorts/${id}`, { name: 'Field west' })
    const listed = await client.get('/deployment-cohorts')
    const deleted = await client.delete(`/deployment-cohorts/${id}`)

    expect(created.statusCode).toBe(201)
    expect(created.json()).toMatchObject({
      name: 'Field',
      description: 'West',
      tagRule: null,
      deviceCount: 0,
      activeDeploymentId: null,
    })
    expect(changed.json()).toMatchObject({ name: 'Field west', description: 'West' })
    expect(listed.json()).toEqual({ deploymentCohorts: [changed.json()] })
    expect(deleted.statusCode).toBe(204)
    expect((await client.get(`/deployment-cohorts/${id}`)).statusCode).toBe(404)
    const log = await client.get(`/audit-log?resourceId=${id}`)
    expect(log.json<{ entries: { action: string }[] }>().entries.map((one) => one.action)).toEqual([
      'deployment-cohort.delete',
      'deployment-cohort.update',
      'deployment-cohort.create',
    ])
  })

  it('has a name of its own', async () => {
    const client = await givenClient(test)
    await givenCohort(client, { name: 'Taken' })
    const other = await givenCohort(client)

    const created = await client.post('/deployment-cohorts', { name: 'Taken' })
    const renamed = await client.patch(`/deployment-cohorts/${other}`, { name: 'Taken' })

    for (const { statusCode, body } of [created, renamed]) {
      expect(statusCode).toBe(409)
      expect(JSON.parse(body)).toMatchObject({ type: '/problems/deployment-cohort-name-taken' })
    }
  })

  it.each`
    body                                     | pointer
    ${{}}                                    | ${''}
    ${{ name: '' }}                          | ${'/name'}
    ${{ name: 'a', tagRule: {} }}            | ${'/tagRule'}
    ${{ name: 'a', tagRule: { all: [''] } }} | ${'/tagRule/all/0'}
    ${{ name: 'a', size: 1 }}                | ${'/size'}
  `('is refused as $body', async ({ body, pointer }: { body: object; pointer: string }) => {
    const client = await givenClient(test)

    const response = await client.post('/deployment-cohorts', body)

    expect(response.statusCode).toBe(400)
    const { errors } = response.json<{ errors: { pointer: string }[] }>()
    expect(errors.map((error) => error.pointer)).toContain(pointer)
  })

  it('stays while it has an active deployment, and goes with its past ones', async () => {
    const fleet = await givenFleet(test, 2)
    const path = `/deployment-cohorts/${fleet.cohortId}`
    await fleet.deploy('1.0')
    const { id } = await fleet.deploy('2.0')

    const early = await fleet.client.delete(path)
    await fleet.client.post(`${fleet.path}/${id}/cancel`)
    const late = await fleet.client.delete(path)

    expect(early.statusCode).toBe(409)
    expect(early.json()).toMatchObject({ type: '/problems/cohort-has-active-deployment' })
    expect(late.statusCode).toBe(204)
    const devices = await test.ctx.db
      .selectFrom('devices')
      .select('cohortId')
      .where('workspaceId', '=', fleet.workspaceId)
      .execute()
    expect(devices).toEqual([{ cohortId: null }, { cohortId: null }])
  })

  it('answers a deletion and a deployment at once in one order or the other', async () => {
    for (let round = 0; round < 5; round += 1) {
      const fleet = await givenFleet(test, 3)
      const artifacts = [{ firmwareVersionId: fleet.versions['1.0'] }]

      const [deleted, deployed] = await Promise.all([
        fleet.client.delete(`/deployment-cohorts/${fleet.cohortId}`),
        fleet.client.post(fleet.path, { name: 'At once', artifacts }),
      ])

      expect([
        [204, 404],
        [409, 201],
      ]).toContainEqual([deleted.statusCode, deployed.statusCode])
    }
  })
})

describe('hand-picked devices', () => {
  it('are replaced as a whole', async () => {
    const client = await givenClient(test)
    await givenFleetDevices(test.ctx, client.workspaceId, ['a', 'b', 'c'])
    const cohortId = await givenCohort(client)

    const first = await putDevices(client, cohortId, { deviceIds: ['a', 'b', 'a'] })
    await putDevices(client, cohortId, { deviceIds: ['b', 'c'] })

    expect(first.json()).toMatchObject({ deviceCount: 2 })
    expect(await membersOf(client, cohortId)).toEqual({ b: false, c: false })
  })

  it('have to exist', async () => {
    const client = await givenClient(test)
    const stranger = await givenClient(test)
    await givenFleetDevices(test.ctx, client.workspaceId, ['a'])
    await givenFleetDevices(test.ctx, stranger.workspaceId, ['theirs'])
    const cohortId = await givenCohort(client)

    const response = await putDevices(client, cohortId, { deviceIds: ['a', 'theirs', 'none'] })

    expect(response.statusCode).toBe(400)
    expect(response.json()).toMatchObject({
      errors: [{ pointer: '/deviceIds/1' }, { pointer: '/deviceIds/2' }],
    })
    expect(await membersOf(client, cohortId)).toEqual({})
  })

  it('leave another cohort only when that is asked for', async () => {
    const fleet = await givenFleet(test, 2)
    const { client } = fleet
    const { id } = await fleet.deploy('2.0')
    const other = await givenCohort(client)

    const refused = await putDevices(client, other, { deviceIds: ['device-000'] })
    const moved = await putDevices(client, other, { deviceIds: ['device-000'], move: true })

    expect(refused.statusCode).toBe(409)
    expect(refused.json()).toMatchObject({ type: '/problems/device-in-another-cohort' })
    expect(refused.json<{ detail: string }>().detail).toContain('device-000')
    expect(moved.statusCode).toBe(200)
    expect(await fleet.counts(id)).toEqual(counts({ pending: 1, cancelled: 1 }))
    expect(await fleet.update(id, 'device-000')).toMatchObject({
      state: 'cancelled',
      reason: 'the device left the cohort',
    })
  })

  it('get the active deployment when they join, also for a second time', async () => {
    const fleet = await givenFleet(test, 1)
    const { client, cohortId, workspaceId } = fleet
    const { id } = await fleet.deploy('2.0')
    await fleet.boots('device-000', '2.0')
    await givenFleetDevices(test.ctx, workspaceId, ['late'])

    await putDevices(client, cohortId, { deviceIds: ['device-000', 'late'] })
    const offer = await fleet.desired('late')
    await putDevices(client, cohortId, { deviceIds: ['late'] })
    await putDevices(client, cohortId, { deviceIds: ['device-000', 'late'] })

    expect(offer).toMatchObject({ deploymentId: id })
    expect(await fleet.counts(id)).toEqual(counts({ pending: 2 }))
    expect(await fleet.desired('device-000')).toBeNull()
    expect(await fleet.counts(id)).toEqual(counts({ pending: 1, succeeded: 1 }))
    expect(await wrongCounters(test.ctx, workspaceId)).toEqual([])
  })
})

describe('a tag rule', () => {
  const register = (client: Client, id: string, tags: string[]) =>
    client.post('/devices', { id, tags })
  const retag = (client: Client, id: string, tags: string[]) =>
    client.patch(`/devices/${id}`, { tags })

  it('takes in devices that have all of the one, any of the other, none of the third', async () => {
    const client = await givenClient(test)
    const all = { a: ['x', 'y'], b: ['x', 'y', 'z'], c: ['x'], d: ['x', 'y', 'lab'], e: ['y', 'z'] }
    for (const [id, tags] of Object.entries(all)) await register(client, id, tags)

    const cohortId = await givenCohort(client, {
      tagRule: { all: ['x'], any: ['y', 'z'], none: ['lab'] },
    })

    expect(await membersOf(client, cohortId)).toEqual({ a: true, b: true })
  })

  it('is evaluated whenever tags, devices or rules change', async () => {
    const client = await givenClient(test)
    const cohortId = await givenCohort(client, { tagRule: { all: ['x'] } })
    await register(client, 'a', ['x'])
    await register(client, 'b', [])
    const registered = await membersOf(client, cohortId)

    await retag(client, 'a', [])
    await retag(client, 'b', ['x'])
    const retagged = await membersOf(client, cohortId)
    await retag(client, 'a', ['w'])
    await client.patch(`/deployment-cohorts/${cohortId}`, { tagRule: { all: null, any: ['w'] } })
    const ruled = await membersOf(client, cohortId)
    await client.patch(`/deployment-cohorts/${cohortId}`, { tagRule: null })

    expect(registered).toEqual({ a: true })
    expect(retagged).toEqual({ b: true })
    expect(ruled).toEqual({ a: true })
    expect(await membersOf(client, cohortId)).toEqual({})
  })

  it('leaves hand-picked devices and those of other rules where they are; the oldest cohort wins', async () => {
    const client = await givenClient(test)
    const picked = await givenCohort(client)
    await register(client, 'hand', ['x'])
    await putDevices(client, picked, { deviceIds: ['hand'] })
    const older = await givenCohort(client, { tagRule: { all: ['w'] } })
    const newer = await givenCohort(client, { tagRule: { all: ['x'] } })
    await register(client, 'one', ['x'])
    await client.patch(`/deployment-cohorts/${older}`, { tagRule: { all: ['x'] } })
    await register(client, 'two', ['x'])

    expect(await membersOf(client, picked)).toEqual({ hand: false })
    expect(await membersOf(client, newer)).toEqual({ one: true })
    expect(await membersOf(client, older)).toEqual({ two: true })
  })

  it('gets devices that are no longer picked by hand', async () => {
    const client = await givenClient(test)
    const ruled = await givenCohort(client, { tagRule: { all: ['x'] } })
    const picked = await givenCohort(client)
    await register(client, 'a', ['x'])
    await putDevices(client, picked, { deviceIds: ['a'], move: true })
    const moved = await membersOf(client, picked)

    await client.delete(`/deployment-cohorts/${picked}`)

    expect(moved).toEqual({ a: false })
    expect(await membersOf(client, ruled)).toEqual({ a: true })
  })

  it('makes a device by rule a hand-picked one when it is picked', async () => {
    const client = await givenClient(test)
    const cohortId = await givenCohort(client, { tagRule: { all: ['x'] } })
    await register(client, 'a', ['x'])

    await putDevices(client, cohortId, { deviceIds: ['a'] })
    await retag(client, 'a', [])

    expect(await membersOf(client, cohortId)).toEqual({ a: false })
  })

  it('brings the active deployment to devices, and takes it away', async () => {
    const client = await givenClient(test)
    const { workspaceId } = client
    const names = ['1.0']
    const versions = await givenArtifactVersions(test.ctx, { workspaceId, slug: 'gateway', names })
    const cohortId = await givenCohort(client, { tagRule: { all: ['x'] } })
    const path = `/deployment-cohorts/${cohortId}/deployments`
    const artifacts = [{ firmwareVersionId: versions['1.0'] }]
    await client.post(path, { name: 'First', artifacts })
    const countsNow = async () =>
      (await client.get(path)).json<{
        deployments: { deviceUpdateStateCounts: Record<string, number> }[]
      }>().deployments[0]?.deviceUpdateStateCounts

    await register(client, 'a', ['x'])
    const joined = await countsNow()
    await retag(client, 'a', [])
    const left = await countsNow()
    await retag(client, 'a', ['x'])
    await client.delete('/devices/a')

    expect(joined).toEqual(counts({ pending: 1 }))
    expect(left).toEqual(counts({ cancelled: 1 }))
    expect(await countsNow()).toEqual(counts())
    expect(await wrongCounters(test.ctx, workspaceId)).toEqual([])
  })

  it('misses no device whose tags change while the rule does', async () => {
    const client = await givenClient(test)
    const cohortId = await givenCohort(client, { tagRule: { all: ['before'] } })
    const ids = Array.from({ length: 12 }, (_, index) => `device-${index}`)
    for (const id of ids) await register(client, id, ['before'])

    await Promise.all([
      ...ids.map((id) => retag(client, id, ['after'])),
      client.patch(`/deployment-cohorts/${cohortId}`, { tagRule: { all: ['after'] } }),
      client.post('/deployment-cohorts', { name: 'Another', tagRule: { all: ['another'] } }),
    ])

    expect(await membersOf(client, cohortId)).toEqual(
      Object.fromEntries(ids.map((id) => [id, true])),
    )
  })
})

describe('the preview of a tag rule', () => {
  interface Moves {
    moves: { from: { name: string } | null; to: { name: string | null } | null; devices: number }[]
  }
  const previewRule = async (client: Client, body: object) => {
    const response = await client.post('/deployment-cohorts/preview', body)
    return response
      .json<Moves>()
      .moves.map(({ from, to, devices }) => [from?.name, to?.name, devices])
  }

  it('tells the moves that the rule then makes, and changes nothing', async () => {
    const client = await givenClient(test)
    const { workspaceId } = client
    const west = await givenCohort(client, { name: 'west', tagRule: { all: ['west'] } })
    const picked = await givenCohort(client, { name: 'picked' })
    const given = async (ids: string[], tags: string[], cohortId?: string) =>
      givenFleetDevices(test.ctx, workspaceId, ids, { tags, ...(cohortId && { cohortId }) })
    await given(['hand'], ['west', 'lab'], picked)
    await given(['lab-1', 'lab-2'], ['lab'])
    await client.post('/devices', { id: 'west-1', tags: ['west', 'lab'] })

    const asNew = await previewRule(client, { tagRule: { any: ['lab', 'west'] } })
    const changed = await previewRule(client, {
      deploymentCohortId: west,
      tagRule: { all: ['lab'], none: ['west'] },
    })
    const without = await previewRule(client, { deploymentCohortId: west, tagRule: null })
    const empty = await client.post('/deployment-cohorts/preview', { tagRule: { all: [] } })

    // A device that joined by a rule stays while that rule matches it.
    expect(asNew).toEqual([[undefined, null, 2]])
    expect(changed).toEqual([
      [undefined, 'west', 2],
      ['west', undefined, 1],
    ])
    expect(without).toEqual([['west', undefined, 1]])
    expect(empty.statusCode).toBe(400)
    expect(await membersOf(client, west)).toEqual({ 'west-1': true })
    await client.patch(`/deployment-cohorts/${west}`, { tagRule: { all: ['lab'], none: ['west'] } })
    expect(await membersOf(client, west)).toEqual({ 'lab-1': true, 'lab-2': true })
    const stranger = await givenClient(test)
    expect(await previewRule(stranger, { tagRule: { any: ['lab'] } })).toEqual([])
    const foreign = await stranger.post('/deployment-cohorts/preview', {
      deploymentCohortId: west,
      tagRule: null,
    })
    expect(foreign.statusCode).toBe(404)
  })
})
