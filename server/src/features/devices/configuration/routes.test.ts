import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { givenDevices, reportConfiguration } from '../../../../test/given-configuration.ts'
import { newId } from '../../../platform/ids.ts'
import { type DeviceSignal, listenToDeviceSignals, issueDesiredConfigurations } from '../index.ts'

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await startTestApp()
  client = await givenClient(test)
})

async function givenDevice(): Promise<string> {
  const deviceId = `device-${newId()}`
  await givenDevices(test.ctx, client.workspaceId, [deviceId])
  return deviceId
}

const desire = (deviceId: string, body: object | string) =>
  client.put(`/devices/${deviceId}/configuration/desired`, body)
const desired = async (deviceId: string, of = client) =>
  (await of.get(`/devices/${deviceId}/configuration/desired`)).json<object>()
const reported = (deviceId: string) => client.get(`/devices/${deviceId}/configuration/reported`)

async function setDefault(of: Client, defaultLogSeverity: string) {
  const settings = (await of.get('/settings')).json<Record<string, unknown>>()
  const { id: _id, updatedAt: _updatedAt, ...writable } = settings
  const response = await of.put('/settings', { ...writable, defaultLogSeverity })
  expect(response.statusCode).toBe(200)
}

it('begins with the default of the workspace, in version 1', async () => {
  const deviceId = await givenDevice()

  expect(await desired(deviceId)).toEqual({
    configuration: { logSeverity: null },
    effective: { logSeverity: 'Info' },
    source: { logSeverity: 'Workspace' },
    inherited: { cohort: null, workspace: { logSeverity: 'Info' } },
    version: 1,
    acknowledgedVersion: null,
    changedAt: expect.stringMatching(/Z$/) as string,
  })
})

it('makes a new version when the effective value changes, and no other', async () => {
  const deviceId = await givenDevice()
  const versions: unknown[] = []
  for (const body of [
    { logSeverity: 'Debug' },
    { logSeverity: 'Debug' },
    { logSeverity: 'Info' },
    {},
    { logSeverity: null },
    { logSeverity: 'Error' },
  ]) {
    const response = await desire(deviceId, body)
    expect([response.statusCode, response.body]).toEqual([204, ''])
    versions.push(await desired(deviceId))
  }

  expect(versions).toMatchObject([
    { version: 2, configuration: { logSeverity: 'Debug' }, effective: { logSeverity: 'Debug' } },
    { version: 2 },
    { version: 3, configuration: { logSeverity: 'Info' } },
    { version: 3, configuration: { logSeverity: null }, effective: { logSeverity: 'Info' } },
    { version: 3 },
    { version: 4 },
  ])
})

it('makes a new version of a changed default for devices without a value of their own', async () => {
  const own = await givenClient(test)
  await givenDevices(test.ctx, own.workspaceId, ['a', 'b'])
  await own.put('/devices/b/configuration/desired', { logSeverity: 'Error' })

  await setDefault(own, 'Warning')

  expect(await desired('a', own)).toMatchObject({
    version: 2,
    effective: { logSeverity: 'Warning' },
  })
  expect(await desired('b', own)).toMatchObject({ version: 2, effective: { logSeverity: 'Error' } })
  const read = await issueDesiredConfigurations(test.ctx, own.workspaceId, ['a', 'b', 'nobody'])
  expect([...read]).toEqual([
    ['a', { version: 2, logSeverity: 'Warning', acknowledgedVersion: null, isAskedForKey: false }],
    ['b', { version: 2, logSeverity: 'Error', acknowledgedVersion: null, isAskedForKey: false }],
  ])
})

it('writes a version down once, however many ask at once', async () => {
  const own = await givenClient(test)
  const ids = Array.from({ length: 50 }, (_, index) => `d${index}`)
  await givenDevices(test.ctx, own.workspaceId, ids)
  await setDefault(own, 'Debug')

  const reads = await Promise.all(
    Array.from({ length: 6 }, () => issueDesiredConfigurations(test.ctx, own.workspaceId, ids)),
  )

  for (const read of reads)
    expect([...new Set([...read.values()].map(({ version }) => version))]).toEqual([2])
})

it('announces what is desired anew, of a device or of all', async () => {
  const own = await givenClient(test)
  await givenDevices(test.ctx, own.workspaceId, ['a'])
  const heard: DeviceSignal[] = []
  const stop = await listenToDeviceSignals(test.ctx, (announcement) => {
    if ('workspaceId' in announcement && announcement.workspaceId === own.workspaceId)
      heard.push(announcement)
  })
  const { workspaceId } = own

  await own.put('/devices/a/configuration/desired', { logSeverity: 'Debug' })
  await own.put('/devices/a/configuration/desired', { logSeverity: 'Debug' })
  await setDefault(own, 'Info')
  await setDefault(own, 'Warning')

  await expect
    .poll(() => heard)
    .toEqual([
      { kind: 'desired', workspaceId, deviceIds: ['a'] },
      { kind: 'desired', workspaceId },
    ])
  await stop()
})

it('merges partial reports and counts those that change something', async () => {
  const deviceId = await givenDevice()
  const say = (config: object) =>
    reportConfiguration(test.ctx, client.workspaceId, [[deviceId, config]])

  const before = await reported(deviceId)
  await say({ compiledLogSeverity: 'Debug' })
  await say({ compiledLogSeverity: 'Debug' })
  const first = await reported(deviceId)
  await say({ logSeverity: 'Info', acknowledgedDesiredConfigurationVersion: 1 })
  const second = await reported(deviceId)

  expect(before.statusCode).toBe(404)
  expect(before.json()).toMatchObject({ type: '/problems/configuration-not-reported' })
  expect(first.json()).toEqual({
    configuration: {
      logSeverity: null,
      compiledLogSeverity: 'Debug',
      acknowledgedDesiredConfigurationVersion: null,
    },
    version: 1,
    reportedAt: expect.stringMatching(/Z$/) as string,
  })
  expect(second.json()).toMatchObject({
    configuration: {
      logSeverity: 'Info',
      compiledLogSeverity: 'Debug',
      acknowledgedDesiredConfigurationVersion: 1,
    },
    version: 2,
  })
  expect(await desired(deviceId)).toMatchObject({ version: 1, acknowledgedVersion: 1 })
})

it('passes over reports of devices that are not there, and versions no database could hold', async () => {
  const deviceId = await givenDevice()

  await reportConfiguration(test.ctx, client.workspaceId, [
    ['nobody', { logSeverity: 'Debug' }],
    [deviceId, { logSeverity: 'Debug', acknowledgedDesiredConfigurationVersion: 2 ** 53 - 1 }],
  ])

  expect((await reported(deviceId)).json()).toMatchObject({
    configuration: { logSeverity: 'Debug', acknowledgedDesiredConfigurationVersion: null },
  })
})

it.each`
  body                                  | pointer
  ${{ logSeverity: 'Loud' }}            | ${'/logSeverity'}
  ${{ logSeverity: 'debug' }}           | ${'/logSeverity'}
  ${{ logSeverity: 3 }}                 | ${'/logSeverity'}
  ${{ logSeverity: 'Info', colour: 1 }} | ${'/colour'}
  ${'[]'}                               | ${''}
  ${'null'}                             | ${''}
`(
  'refuses $body, naming $pointer',
  async ({ body, pointer }: { body: object; pointer: string }) => {
    const deviceId = await givenDevice()

    const response = await desire(deviceId, body)

    expect(response.statusCode).toBe(400)
    const { errors } = response.json<{ errors: { pointer: string }[] }>()
    expect(errors.map((error) => error.pointer)).toContain(pointer)
    expect(await desired(deviceId)).toMatchObject({ version: 1 })
  },
)

it.each(['nobody', '%00', '-x', 'ä', '%2e%2e', 'x'.repeat(129)])(
  'knows no device %s, on any route',
  async (deviceId) => {
    const answers = [
      await desire(deviceId, { logSeverity: 'Info' }),
      await client.get(`/devices/${deviceId}/configuration/desired`),
      await reported(deviceId),
    ]

    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 404, 404])
  },
)

it('knows no device of another workspace', async () => {
  const deviceId = await givenDevice()
  const stranger = await givenClient(test)

  const set = await stranger.put(`/devices/${deviceId}/configuration/desired`, {
    logSeverity: 'Error',
  })

  expect(set.statusCode).toBe(404)
  expect(await desired(deviceId)).toMatchObject({ version: 1, effective: { logSeverity: 'Info' } })
})

it('tells in the audit log who changed what, and nothing of what changed nothing', async () => {
  const deviceId = await givenDevice()

  await desire(deviceId, { logSeverity: 'Debug' })
  await desire(deviceId, { logSeverity: 'Debug' })
  await desire(deviceId, {})

  const log = await client.get('/audit-log?action=device-configuration.update&limit=100')
  const { entries } = log.json<{ entries: { resourceId: string }[] }>()
  expect(entries.filter(({ resourceId }) => resourceId === deviceId)).toMatchObject([
    { before: { logSeverity: 'Debug' }, after: { logSeverity: null } },
    { before: { logSeverity: null }, after: { logSeverity: 'Debug' } },
  ])
})

it('loses no change of many at once', async () => {
  const deviceId = await givenDevice()
  const bodies = Array.from({ length: 12 }, (_, index) => ({
    logSeverity: index % 2 === 0 ? 'Debug' : 'Error',
  }))

  const responses = await Promise.all(bodies.map((body) => desire(deviceId, body)))

  expect(responses.map(({ statusCode }) => statusCode)).toEqual(Array(12).fill(204))
  const log = await client.get('/audit-log?action=device-configuration.update&limit=100')
  const changes = log
    .json<{ entries: { resourceId: string }[] }>()
    .entries.filter(({ resourceId }) => resourceId === deviceId)
  expect(await desired(deviceId)).toMatchObject({ version: 1 + changes.length })
  const { rows } = await sql<{ effective: string; own: string }>`
    select effective_log_severity as effective, desired_log_severity as own from devices
    where workspace_id = ${client.workspaceId} and id = ${deviceId}`.execute(test.ctx.db)
  expect(rows[0]?.effective).toBe(rows[0]?.own)
})

it('takes a value from the cohort where the device has none, and says where it comes from', async () => {
  const deviceId = await givenDevice()
  const cohort = await client.post('/deployment-cohorts', { name: newId(), logSeverity: 'Error' })
  const { id } = cohort.json<{ id: string }>()
  const move = (deploymentCohortId: string | null) =>
    client.post('/devices/bulk-move', { deviceIds: [deviceId], deploymentCohortId })
  const seen: unknown[] = []
  const look = async () => {
    const answer = (await desired(deviceId)) as {
      effective: { logSeverity: string }
      source: { logSeverity: string }
      version: number
    }
    seen.push([answer.effective.logSeverity, answer.source.logSeverity, answer.version])
    const device = (await client.get(`/devices/${deviceId}`)).json<object>()
    expect(device).toMatchObject({
      configuration: {
        desiredLogSeverity: answer.effective.logSeverity,
        desiredVersion: answer.version,
      },
    })
  }

  await move(id)
  await look()
  await desire(deviceId, { logSeverity: 'Debug' })
  await look()
  await desire(deviceId, {})
  await look()
  await client.patch(`/deployment-cohorts/${id}`, { logSeverity: 'Critical' })
  await look()
  await client.patch(`/deployment-cohorts/${id}`, { logSeverity: null })
  await look()
  await client.patch(`/deployment-cohorts/${id}`, { logSeverity: 'Warning' })
  await client.delete(`/deployment-cohorts/${id}`)
  await look()

  expect(seen).toEqual([
    ['Error', 'Cohort', 2],
    ['Debug', 'Device', 3],
    ['Error', 'Cohort', 4],
    ['Critical', 'Cohort', 5],
    ['Info', 'Workspace', 6],
    ['Info', 'Workspace', 6],
  ])
})

it('signals every device when the value of a cohort changes, and no other change of it does', async () => {
  const cohort = await client.post('/deployment-cohorts', { name: newId() })
  const { id } = cohort.json<{ id: string }>()
  const signals: DeviceSignal[] = []
  const stop = await listenToDeviceSignals(test.ctx, (signal) => signals.push(signal))

  await client.patch(`/deployment-cohorts/${id}`, { description: 'quiet' })
  await client.patch(`/deployment-cohorts/${id}`, { logSeverity: 'Debug' })

  await expect.poll(() => signals.length).toBe(1)
  await stop()
})
