/** Devices that report crashes are told apart from those that may crash unseen. */
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenDdiDevice } from '../../../../test/given-ddi.ts'
import { givenSyncingDevice, type SyncingDevice } from '../../../../test/given-device-sync.ts'
import {
  connectDevice,
  givenGateway,
  givenMqttDevice,
  mqttSettings,
} from '../../../../test/given-mqtt.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { addDays, addMs, DAY_MS, startOfHour } from '../../../formats/instants.ts'
import { maintainCrashes } from '../index.ts'

let test: TestApp

beforeAll(async () => {
  test = await startTestApp({ mqtt: mqttSettings() })
})

async function givenVersions(client: Client, ...names: string[]): Promise<string[]> {
  const made = await client.post('/firmwares', { slug: 'gateway', name: 'Gateway' })
  const { id } = made.json<{ id: string }>()
  const ids: string[] = []
  for (const name of names) {
    const created = await client.post(`/firmwares/${id}/versions`, { name })
    ids.push(created.json<{ id: string }>().id)
  }
  return ids
}

async function boot(device: SyncingDevice, version: string, attributes?: object): Promise<void> {
  const firmware = [{ slug: 'gateway', version }]
  const session = { runId: crypto.randomUUID(), firmware, ...(attributes && { attributes }) }
  expect((await device.sync({ session })).statusCode).toBe(200)
}

interface DeviceReporting {
  reportsSince: string | null
  unknownSince: string | null
  knownBy: string | null
  knownUntil: string | null
}

const reportingOf = async (client: Client, deviceId: string) =>
  (await client.get(`/devices/${deviceId}/crashes`)).json<DeviceReporting>()

const reportsSince = async (client: Client, deviceId: string) =>
  (await reportingOf(client, deviceId)).reportsSince

const ofVersion = async (client: Client, version: string) =>
  (await client.get(`/firmware-versions/${version}/crashes`)).json<{
    reporting: object
    crashCount: number
    crashGroups: { novelty: string; unknownBecause: string | null }[]
  }>()

it('says on how many devices no crash stands, by what they say and by what they sent', async () => {
  const client = await givenClient(test)
  const [version = ''] = await givenVersions(client, '1.0.0')
  const give = () => givenSyncingDevice(test, client.workspaceId)
  const [saying, crashed, silent, denying] = [
    await give(),
    await give(),
    await give(),
    await give(),
  ]
  await boot(saying, '1.0.0', { reportsCrashes: true })
  await boot(crashed, '1.0.0')
  await boot(silent, '1.0.0')
  await boot(denying, '1.0.0', { reportsCrashes: false })
  const none = await ofVersion(client, version)

  await crashed.sync({ crashes: [{ pc: 'not an address' }] })

  expect(none).toMatchObject({
    crashCount: 0,
    reporting: { reportingDeviceCount: 1, otherDeviceCount: 3 },
  })
  const counted = { reportingDeviceCount: 2, otherDeviceCount: 2 }
  expect(await ofVersion(client, version)).toMatchObject({ crashCount: 0, reporting: counted })
  for (const path of ['/crash-groups', `/crash-groups?firmwareVersionId=${version}`])
    expect((await client.get(path)).json()).toMatchObject({ reporting: counted })
  const other = await givenClient(test)
  expect((await other.get('/crash-groups')).json()).toMatchObject({
    reporting: { reportingDeviceCount: 0, otherDeviceCount: 0, unknownDeviceCount: 0 },
  })
})

it('does not know what a device leaves out that it said, until it says it again or crashes', async () => {
  const client = await givenClient(test)
  const [version = ''] = await givenVersions(client, '1.0.0')
  const device = await givenSyncingDevice(test, client.workspaceId)
  const said: string[] = []
  const look = async () => {
    const { reportsSince: since, unknownSince } = await reportingOf(client, device.deviceId)
    said.push(since !== null ? 'reports' : unknownSince !== null ? 'unknown' : 'no')
    const isUnknown = unknownSince !== null
    const { reporting } = await ofVersion(client, version)
    expect(reporting).toEqual({
      reportingDeviceCount: since === null ? 0 : 1,
      otherDeviceCount: since === null ? 1 : 0,
      unknownDeviceCount: isUnknown ? 1 : 0,
    })
  }
  await boot(device, '1.0.0')
  await look()
  await boot(device, '1.0.0', { reportsCrashes: true })
  const first = await reportsSince(client, device.deviceId)
  await boot(device, '1.0.0', { reportsCrashes: true })
  expect(await reportsSince(client, device.deviceId)).toBe(first)
  await look()
  await boot(device, '1.0.0')
  const { unknownSince } = await reportingOf(client, device.deviceId)
  await boot(device, '1.0.0', { board: 'rev-c' })
  expect((await reportingOf(client, device.deviceId)).unknownSince).toBe(unknownSince)
  await look()
  for (const reportsCrashes of [true, 'perhaps', false, true, false]) {
    await boot(device, '1.0.0', { reportsCrashes })
    await look()
  }
  await device.sync({ crashes: [{ reason: 'assert' }] })
  await look()
  // It never said so by itself, so that it leaves nothing out.
  await boot(device, '1.0.0')
  await look()

  expect(said).toEqual([
    'no',
    'reports',
    'unknown',
    'reports',
    'unknown',
    'no',
    'reports',
    'no',
    'reports',
    'reports',
  ])
})

it('takes a crash for a sign of the client of today for 30 days, and says until when', async () => {
  const client = await givenClient(test)
  const [version = ''] = await givenVersions(client, '1.0.0')
  const give = () => givenSyncingDevice(test, client.workspaceId)
  const [saying, crashed] = [await give(), await give()]
  await boot(saying, '1.0.0', { reportsCrashes: true })
  await boot(crashed, '1.0.0')
  const nothing = await reportingOf(client, crashed.deviceId)
  for (const device of [saying, crashed]) await device.sync({ crashes: [{ reason: 'assert' }] })
  const hour = startOfHour(test.ctx.now())
  const { now } = test.ctx
  onTestFinished(() => {
    test.ctx.now = now
  })
  const maintainAt = async (at: Date) => {
    test.ctx.now = () => at
    await maintainCrashes(test.ctx)
    return reportingOf(client, crashed.deviceId)
  }
  const end = addDays(hour, 30)
  const early = await maintainAt(end)
  const late = await maintainAt(addMs(end, 3 * DAY_MS))
  const { reporting } = await ofVersion(client, version)
  await boot(crashed, '1.0.0')
  const stays = await reportingOf(client, crashed.deviceId)
  await crashed.sync({ crashes: [{ reason: 'assert' }] })

  expect(nothing).toMatchObject({ reportsSince: null, knownBy: null, knownUntil: null })
  const sign = { unknownSince: null, knownBy: 'Crash', knownUntil: end.toISOString() }
  expect(early).toMatchObject(sign)
  expect(early.reportsSince).not.toBeNull()
  const unknown = { reportsSince: null, unknownSince: end.toISOString(), knownBy: 'Crash' }
  expect(late).toMatchObject({ ...unknown, knownUntil: null })
  expect(stays).toMatchObject(unknown)
  expect(reporting).toEqual({
    reportingDeviceCount: 1,
    otherDeviceCount: 1,
    unknownDeviceCount: 1,
  })
  expect(await reportingOf(client, saying.deviceId)).toMatchObject({
    unknownSince: null,
    knownBy: 'Claim',
    knownUntil: null,
  })
  expect(await reportingOf(client, crashed.deviceId)).toMatchObject({
    unknownSince: null,
    knownBy: 'Crash',
    knownUntil: addDays(hour, 63).toISOString(),
  })
})

it('hears it at MQTT and from hawkBit clients, too', async () => {
  const client = await givenClient(test)
  await givenVersions(client, '1.0.0')
  const gateway = await givenGateway(test)
  const mqtt = await givenMqttDevice(test, gateway.port, { workspaceId: client.workspaceId })
  const { publish } = await connectDevice(mqtt)
  const firmware = [{ slug: 'gateway', version: '1.0.0' }]
  const ddi = await givenDdiDevice(test, client)

  await publish('up/session', { runId: 'r', firmware, attributes: { reportsCrashes: true } })
  await ddi.put('/configData', { data: { version: '1.0.0', reportsCrashes: 'true' } })

  expect(await reportsSince(client, mqtt.deviceId)).not.toBeNull()
  expect(await reportsSince(client, ddi.deviceId)).not.toBeNull()
  await ddi.put('/configData', { mode: 'remove', data: { reportsCrashes: '' } })
  await publish('up/session', { runId: 's', firmware })

  for (const { deviceId } of [mqtt, ddi])
    expect(await reportingOf(client, deviceId)).toMatchObject({
      reportsSince: null,
      unknownSince: expect.any(String) as string,
    })
})

it('cannot tell what is new where no device with an earlier version reported crashes', async () => {
  const client = await givenClient(test)
  const [, second = '', third = ''] = await givenVersions(client, '1.0.0', '1.1.0', '1.2.0')
  const old = await givenSyncingDevice(test, client.workspaceId)
  await boot(old, '1.0.0')
  const device = await givenSyncingDevice(test, client.workspaceId)
  await boot(device, '1.1.0')
  await device.sync({ crashes: [{ reason: 'assert' }] })
  const noveltyOf = async (version: string) =>
    (await ofVersion(client, version)).crashGroups.map((one) => [one.novelty, one.unknownBecause])
  const since = async (version: string) =>
    (await client.get(`/crash-groups?newSince=${version}`)).json<{ isComparable: boolean }>()
      .isComparable

  expect(await noveltyOf(second)).toEqual([['Unknown', 'NotMeasured']])
  expect([await since(second), await since(third)]).toEqual([false, true])

  await boot(old, '1.0.0', { reportsCrashes: true })
  await maintainCrashes(test.ctx)

  expect(await noveltyOf(second)).toEqual([['New', null]])
  expect(await since(second)).toBe(true)
})
