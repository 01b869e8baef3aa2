import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { givenDevices, reportConfiguration } from '../../../../test/given-configuration.ts'
import { newId } from '../../../platform/ids.ts'
import { applyConfigurationChange } from './changes-service.ts'

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await startTestApp()
})

interface Change {
  id: string
  state: string
  deviceCounts: { total: number; changed: number; acknowledged: number; failed: number }
}

const change = async (body: object) =>
  (await client.post('/device-configuration-changes', body)).json<Change>()
const read = async (id: string) =>
  (await client.get(`/device-configuration-changes/${id}`)).json<Change>()
const desired = async (deviceId: string) =>
  (await client.get(`/devices/${deviceId}/configuration/desired`)).json<object>()

/** The job, as a worker would run it. */
const run = (changeId: string, signal = new AbortController().signal) =>
  applyConfigurationChange(test.ctx, { workspaceId: client.workspaceId, changeId }, signal)

async function givenCohort(deviceIds: readonly string[]): Promise<string> {
  client = await givenClient(test)
  const { workspaceId } = client
  const id = newId()
  const at = test.ctx.now()
  await test.ctx.db
    .insertInto('deploymentCohorts')
    .values({ workspaceId, id, name: id, createdAt: at, updatedAt: at })
    .execute()
  await givenDevices(test.ctx, workspaceId, deviceIds)
  await test.ctx.db
    .updateTable('devices')
    .set({ cohortId: id })
    .where('workspaceId', '=', workspaceId)
    .where('id', 'in', [...deviceIds])
    .execute()
  return id
}

const names = (count: number) =>
  Array.from({ length: count }, (_, index) => `d${String(index).padStart(5, '0')}`)

it('changes the devices of a cohort, and tells how many have acknowledged', async () => {
  const deploymentCohortId = await givenCohort(names(3))
  await givenDevices(test.ctx, client.workspaceId, ['outside'])

  const asked = await change({ deploymentCohortId, logSeverity: 'Debug' })
  await run(asked.id)
  await reportConfiguration(test.ctx, client.workspaceId, [
    ['d00000', { logSeverity: 'Debug', acknowledgedDesiredConfigurationVersion: 2 }],
    ['d00001', { acknowledgedDesiredConfigurationVersion: 1 }],
  ])

  expect(asked).toEqual({
    id: expect.any(String) as string,
    state: 'InProgress',
    deploymentCohortId,
    logSeverity: 'Debug',
    deviceCounts: { total: 3, changed: 0, acknowledged: 0, failed: 0 },
    createdAt: expect.any(String) as string,
    createdByEmail: expect.stringContaining('@') as string,
    finishedAt: null,
  })
  expect(await read(asked.id)).toMatchObject({
    state: 'Completed',
    finishedAt: expect.any(String) as string,
    deviceCounts: { total: 3, changed: 3, acknowledged: 1, failed: 0 },
  })
  expect(await desired('d00002')).toMatchObject({ version: 2, effective: { logSeverity: 'Debug' } })
  expect(await desired('outside')).toMatchObject({ version: 1, effective: { logSeverity: 'Info' } })
})

it('goes on after the batch it was ended in, and does none twice', async () => {
  const deviceIds = names(1_700)
  const deploymentCohortId = await givenCohort(deviceIds)
  const { id } = await change({ deploymentCohortId, logSeverity: 'Debug' })
  await expect(run(id, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped')
  const midway = await read(id)
  await client.put('/devices/d00000/configuration/desired', { logSeverity: 'Warning' })

  await Promise.all([run(id), run(id)])

  expect(midway.deviceCounts.changed).toBeGreaterThanOrEqual(500)
  expect((await read(id)).deviceCounts).toEqual({
    total: 1_700,
    changed: 1_700,
    acknowledged: 0,
    failed: 0,
  })
  // Changed by hand after its turn: the later change stays.
  expect(await desired('d00000')).toMatchObject({
    version: 3,
    effective: { logSeverity: 'Warning' },
  })
  expect(await desired('d01699')).toMatchObject({ version: 2, effective: { logSeverity: 'Debug' } })
})

it('means the devices of that moment: joined later they are not changed, deleted they count as failed', async () => {
  client = await givenClient(test)
  await givenDevices(test.ctx, client.workspaceId, names(4))
  const { workspaceId } = client
  const asked = await change({ deviceIds: names(3), logSeverity: 'Debug' })
  await test.ctx.db
    .deleteFrom('devices')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', 'd00001')
    .execute()

  await run(asked.id)

  expect(await read(asked.id)).toMatchObject({
    state: 'Completed',
    deviceCounts: { total: 3, changed: 2, acknowledged: 0, failed: 1 },
  })
  expect(await desired('d00003')).toMatchObject({ version: 1 })
})

it('clears own values by null', async () => {
  const deploymentCohortId = await givenCohort(names(2))
  await client.put('/devices/d00000/configuration/desired', { logSeverity: 'Error' })

  const { id } = await change({ deploymentCohortId, logSeverity: null })
  await run(id)

  expect(await desired('d00000')).toMatchObject({
    version: 3,
    configuration: { logSeverity: null },
    effective: { logSeverity: 'Info' },
  })
  expect(await desired('d00001')).toMatchObject({ version: 1 })
})

it('lists changes, newest first, and tells of them in the audit log', async () => {
  const deploymentCohortId = await givenCohort(names(2))
  const first = await change({ deploymentCohortId, logSeverity: 'Error' })
  const second = await change({ deviceIds: ['d00001'], logSeverity: 'Debug' })

  const list = await client.get('/device-configuration-changes')
  const log = await client.get('/audit-log?action=device-configuration.bulk-update')

  expect(list.json()).toMatchObject({
    configurationChanges: [
      { id: second.id, deviceCounts: { total: 1 } },
      { id: first.id, deviceCounts: { total: 2 } },
    ],
  })
  expect(log.json()).toMatchObject({
    entries: [{ resourceId: second.id }, { resourceId: first.id, after: { total: 2 } }],
  })
})

it.each`
  body                                                       | status
  ${{ logSeverity: 'Debug' }}                                | ${400}
  ${{ deploymentCohortId: newId(), deviceIds: ['a'] }}       | ${400}
  ${{ deviceIds: [] }}                                       | ${400}
  ${{ deviceIds: ['a'], logSeverity: 'Loud' }}               | ${400}
  ${{ deviceIds: ['nobody'], logSeverity: 'Debug' }}         | ${400}
  ${{ deploymentCohortId: newId() }}                         | ${400}
  ${{ deviceIds: ['a'], colour: 'red' }}                     | ${400}
  ${{ deploymentCohortId: newId(), logSeverity: 'Debug' }}   | ${404}
  ${{ deploymentCohortId: 'no-uuid', logSeverity: 'Debug' }} | ${404}
`('answers $status to $body', async ({ body, status }: { body: object; status: number }) => {
  client = await givenClient(test)

  const response = await client.post('/device-configuration-changes', body)

  expect(response.statusCode).toBe(status)
})

it("takes no cohort of another workspace, and shows no other's change", async () => {
  const deploymentCohortId = await givenCohort(names(1))
  const { id } = await change({ deploymentCohortId, logSeverity: 'Debug' })
  const stranger = await givenClient(test)

  const answers = [
    await stranger.post('/device-configuration-changes', {
      deploymentCohortId,
      logSeverity: null,
    }),
    await stranger.get(`/device-configuration-changes/${id}`),
  ]

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404])
})

// Last: from here on a worker shares in what is asked for.
it('is done by a worker', async () => {
  const deploymentCohortId = await givenCohort(names(3))
  await test.startWorker()

  const { id } = await change({ deploymentCohortId, logSeverity: 'Error' })

  await expect.poll(async () => (await read(id)).state).toBe('Completed')
})
