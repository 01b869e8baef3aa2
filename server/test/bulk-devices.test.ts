/** Tags, cohorts and deletion of many devices, over HTTP. */
import { beforeEach, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from './app.ts'
import { type Client, givenClient } from './given.ts'

let test: TestApp
let client: Client

/** Two cohorts, one with a rule, and five devices: two of them in the cohort of the rule. */
beforeEach(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
  await client.post('/deployment-cohorts', { name: 'lab', tagRule: { all: ['lab'] } })
  await client.post('/deployment-cohorts', { name: 'field' })
  const pumps = [1, 2, 3, 4, 5].map((n) => ({ id: `pump-${n}`, tags: n < 3 ? ['lab'] : ['x'] }))
  await client.post('/devices/import', { devices: pumps })
})

interface ListedDevice {
  id: string
  tags: string[]
  cohort: { name: string } | null
}

async function devices(): Promise<[string, string[], string | undefined][]> {
  const response = await client.post('/devices/list', {})
  const { devices: listed } = response.json<{ devices: ListedDevice[] }>()
  return listed.map(({ id, tags, cohort }) => [id, tags, cohort?.name])
}

async function cohortId(name: string): Promise<string> {
  const { deploymentCohorts } = (await client.get('/deployment-cohorts')).json<{
    deploymentCohorts: { id: string; name: string }[]
  }>()
  return deploymentCohorts.find((cohort) => cohort.name === name)?.id ?? ''
}

const named = (name: string | null) =>
  name === null ? null : { id: expect.any(String) as string, name }

describe('tags', () => {
  it('are changed of all that match, after a preview that shows the moves and writes nothing', async () => {
    const before = await devices()
    const command = { filter: { tags: ['lab', 'x'] }, add: ['lab'], remove: ['x'] }

    const preview = await client.post('/devices/bulk-tag', { ...command, dryRun: true })
    const untouched = await devices()
    const done = await client.post('/devices/bulk-tag', command)

    const moves = [{ from: null, to: named('lab'), devices: 3 }]
    expect(preview.json()).toEqual({ matched: 5, changed: 3, moves, deviceBatchId: null })
    expect(untouched).toEqual(before)
    expect(done.json()).toEqual({ ...preview.json(), deviceBatchId: expect.any(String) as string })
    for (const [, tags, cohort] of await devices()) expect([tags, cohort]).toEqual([['lab'], 'lab'])
    const audit = await client.get('/audit-log?action=device.bulk-tag')
    expect(audit.json()).toMatchObject({
      entries: [{ after: { add: ['lab'], remove: ['x'], changed: 3 } }],
    })
  })

  it('are refused where a device would have more than 100', async () => {
    const many = Array.from({ length: 100 }, (_, index) => `t${index}`)

    const refused = await client.post('/devices/bulk-tag', {
      deviceIds: ['pump-1', 'pump-3'],
      add: many,
    })

    expect(refused.json()).toMatchObject({ status: 400, errors: [{ pointer: '/add' }] })
    expect((await devices())[2]).toEqual(['pump-3', ['x'], undefined])
  })

  it.each`
    body                                                           | pointer
    ${{ deviceIds: ['pump-1'] }}                                   | ${'/add'}
    ${{ deviceIds: ['pump-1'], add: ['a'], remove: ['a'] }}        | ${'/remove'}
    ${{ add: ['a'] }}                                              | ${'/deviceIds'}
    ${{ deviceIds: ['pump-1'], filter: { text: 'a' }, add: [''] }} | ${'/add/0'}
    ${{ filter: {}, add: ['a'] }}                                  | ${'/filter'}
    ${{ deviceIds: ['pump-1', 'pump-9'], add: ['a'] }}             | ${'/deviceIds/1'}
    ${{ filter: { cohortIds: ['nowhere'] }, add: ['a'] }}          | ${'/filter/cohortIds/0'}
  `('are refused at $pointer for $body', async ({ body, pointer }) => {
    const refused = await client.post('/devices/bulk-tag', body as object)

    expect(refused.json()).toMatchObject({ status: 400, errors: [{ pointer: pointer as string }] })
    expect((await devices())[0]).toEqual(['pump-1', ['lab'], 'lab'])
  })

  it('of another workspace stay as they are', async () => {
    const stranger = await givenClient(test)
    await stranger.post('/devices/import', { devices: [{ id: 'other', tags: ['x'] }] })

    const missing = await stranger.post('/devices/bulk-delete', { deviceIds: ['pump-1'] })
    const done = await stranger.post('/devices/bulk-delete', { filter: { tags: ['x'] } })

    expect(missing.statusCode).toBe(400)
    expect(done.json()).toEqual({ deleted: 1, connected: 0 })
    expect(await devices()).toHaveLength(5)
  })
})

describe('cohorts', () => {
  it('take devices by hand out of others, after a preview', async () => {
    const command = {
      filter: { text: 'pump-' },
      deploymentCohortId: await cohortId('field'),
    }

    const preview = await client.post('/devices/bulk-move', { ...command, dryRun: true })
    const untouched = await devices()
    const done = await client.post('/devices/bulk-move', command)

    expect(preview.json()).toEqual({
      matched: 5,
      moves: [
        { from: null, to: named('field'), devices: 3 },
        { from: named('lab'), to: named('field'), devices: 2 },
      ],
      deviceBatchId: null,
    })
    expect(untouched.map(([, , cohort]) => cohort)).toContain('lab')
    expect(done.json()).toEqual({ ...preview.json(), deviceBatchId: expect.any(String) as string })
    expect((await devices()).map(([, , cohort]) => cohort)).toEqual(Array(5).fill('field'))
  })

  it('leave devices to the tag rules again', async () => {
    const deviceIds = ['pump-1', 'pump-3']
    await client.post('/devices/bulk-move', {
      deviceIds,
      deploymentCohortId: await cohortId('field'),
    })

    const done = await client.post('/devices/bulk-move', { deviceIds, deploymentCohortId: null })

    expect(done.json()).toMatchObject({ matched: 2 })
    const [first, , third] = await devices()
    expect([first?.[2], third?.[2]]).toEqual(['lab', undefined])
  })
})

describe('what was done to many devices', () => {
  const act = async (path: string, body: object) => {
    const response = await client.post(path, body)
    const { deviceBatchId } = response.json<{ deviceBatchId: string }>()
    return { undo: () => client.post(`${path}/${deviceBatchId}/undo`), deviceBatchId }
  }
  const toField = async (filter: object) =>
    act('/devices/bulk-move', { filter, deploymentCohortId: await cohortId('field') })

  it('is taken back for each device as it was, also where they differed', async () => {
    await client.post('/devices/bulk-move', {
      deviceIds: ['pump-5'],
      deploymentCohortId: await cohortId('field'),
    })
    const before = await devices()
    const tagged = await act('/devices/bulk-tag', { filter: { text: 'pump-' }, add: ['lab', 'x'] })
    const moved = await toField({ text: 'pump-' })

    // Newest first: otherwise the devices are not as the older command left them.
    const undoneMove = await moved.undo()
    const undone = await tagged.undo()

    expect(undoneMove.json()).toMatchObject({ restored: 4, left: 0, leftDeviceIds: [] })
    expect(undone.json()).toEqual({
      restored: 5,
      left: 0,
      leftDeviceIds: [],
      moves: [{ from: named('lab'), to: null, devices: 2 }],
    })
    expect(await devices()).toEqual(before)
    const audit = await client.get('/audit-log?action=device-batch.undo')
    expect(audit.json()).toMatchObject({
      entries: [{ resourceId: tagged.deviceBatchId }, { resourceId: moved.deviceBatchId }],
    })
  })

  it('leaves devices that were changed or deleted since, or whose cohort is gone, and names them', async () => {
    const gone = await client.post('/deployment-cohorts', { name: 'gone' })
    const { id } = gone.json<{ id: string }>()
    await client.post('/devices/bulk-move', { deviceIds: ['pump-4'], deploymentCohortId: id })
    const moved = await toField({ text: 'pump-' })
    await client.patch('/devices/pump-3', { tags: ['x', 'y'] })
    await client.delete(`/deployment-cohorts/${id}`)
    await client.delete('/devices/pump-5')

    const undone = await moved.undo()

    expect(undone.json()).toMatchObject({
      restored: 2,
      left: 3,
      leftDeviceIds: ['pump-3', 'pump-4', 'pump-5'],
    })
    expect((await devices()).map(([, , cohort]) => cohort)).toEqual([
      'lab',
      'lab',
      'field',
      'field',
    ])
  })

  it('is taken back once, by its own path, within a week and in its own workspace', async () => {
    const tagged = await act('/devices/bulk-tag', { filter: { text: 'pump-' }, add: ['y'] })
    const path = `/devices/bulk-tag/${tagged.deviceBatchId}/undo`
    const stranger = await givenClient(test)
    const others = [
      await stranger.post(path),
      await client.post(`/devices/bulk-move/${tagged.deviceBatchId}/undo`),
      await client.post('/devices/bulk-tag/nothing/undo'),
    ]
    for (const missing of others)
      expect(missing.json()).toMatchObject({ type: '/problems/device-batch-not-found' })

    const [done, again] = [await tagged.undo(), await tagged.undo()]
    expect(done.json()).toMatchObject({ restored: 5 })
    expect(again.json()).toMatchObject({ type: '/problems/device-batch-undone', status: 409 })
    const nothing = await client.post('/devices/bulk-tag', { deviceIds: ['pump-1'], add: ['lab'] })
    expect(nothing.json()).toMatchObject({ changed: 0, deviceBatchId: null })
    const late = await act('/devices/bulk-tag', { filter: { text: 'pump-' }, add: ['z'] })
    const { ctx } = test
    await ctx.db
      .updateTable('deviceBatches')
      .set({ createdAt: new Date(0) })
      .where('workspaceId', '=', client.workspaceId)
      .execute()
    await act('/devices/bulk-tag', { filter: { text: 'pump-' }, add: ['w'] })
    expect((await late.undo()).statusCode).toBe(404)
  })
})

it('deletes all that match, and counts them before', async () => {
  const command = { filter: { allTags: ['x'] } }

  const preview = await client.post('/devices/bulk-delete', { ...command, dryRun: true })
  const untouched = await devices()
  const done = await client.post('/devices/bulk-delete', command)
  const again = await client.post('/devices/bulk-delete', command)

  expect(preview.json()).toEqual({ deleted: 3, connected: 0 })
  expect(untouched).toHaveLength(5)
  expect(done.json()).toEqual(preview.json())
  expect(again.json()).toEqual({ deleted: 0, connected: 0 })
  expect((await devices()).map(([id]) => id)).toEqual(['pump-1', 'pump-2'])
  const usage = await client.get('/usage')
  expect(usage.json()).toMatchObject({
    quotas: expect.arrayContaining([
      expect.objectContaining({ name: 'devices', used: 2 }),
    ]) as unknown,
  })
})
