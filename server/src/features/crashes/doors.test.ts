/** Crashes by MQTT and from hawkBit clients, those of many devices at once, and how long they are kept. */
import { beforeAll, expect, it } from 'vitest'
import {
  mqttSettings,
  connectDevice,
  givenGateway,
  givenMqttDevice,
} from '../../../test/given-mqtt.ts'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenDdiDevice } from '../../../test/given-ddi.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { addDays, addMs } from '../../formats/instants.ts'
import { listCrashCounts, maintainCrashes } from './index.ts'

let test: TestApp
let client: Client

beforeAll(async () => {
  test = await startTestApp({ mqtt: mqttSettings() })
  client = await givenClient(test)
})

interface DeviceCrashes {
  reports: { reason: string; frames: { address: string }[] }[]
  keptCount: number
  droppedCount: number
  malformedCount: number
  lastFault: string | null
}

async function crashesOf(deviceId: string): Promise<DeviceCrashes> {
  return (await client.get(`/devices/${deviceId}/crashes`)).json<DeviceCrashes>()
}

it('of a device at MQTT are stored, and those that are malformed are counted with their fault', async () => {
  const gateway = await givenGateway(test)
  const device = await givenMqttDevice(test, gateway.port, { workspaceId: client.workspaceId })
  const { publish } = await connectDevice(device)

  await publish('up/crashes', {
    runId: 'r',
    crashes: [{ reason: 'assert', pc: 4096, sequence: 1 }],
  })
  await publish('up/crashes', [
    { reason: 'assert', pc: 4096, sequence: 1, runId: 'r' },
    { pc: 'x' },
  ])
  await publish('up/crashes', [{ reason: 'assert', pc: '-1' }])

  expect(await crashesOf(device.deviceId)).toMatchObject({
    reports: [{ reason: 'assert', frames: [{ address: '0x1000' }] }],
    keptCount: 1,
    malformedCount: 2,
    lastFault: expect.stringContaining('/0/pc is not an address') as string,
  })
  const counted = await gateway.metrics.getSingleMetricAsString('plimsoll_mqtt_messages_total')
  expect(counted).toContain('kind="crashes",outcome="stored"} 2')
  expect(counted).toContain('kind="crashes",outcome="malformed"} 1')
})

it('in the attributes of a hawkBit client count once, however often it sends them', async () => {
  const device = await givenDdiDevice(test, client)
  const send = (crash: object | string) =>
    device.put('/configData', {
      data: {
        board: 'rev-c',
        crash: typeof crash === 'string' ? crash : JSON.stringify(crash),
      },
    })

  const first = { reason: 'watchdog', sequence: 1 }
  const answers = [await send(first), await send(first), await send({ ...first, sequence: 2 })]
  answers.push(await send('HardFault at 0x8000'))

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200])
  expect(await crashesOf(device.deviceId)).toMatchObject({ keptCount: 2, malformedCount: 1 })
  const { attributes } = (await client.get(`/devices/${device.deviceId}`)).json<{
    attributes: object
  }>()
  expect(attributes).toEqual({ board: 'rev-c' })
})

it('of two hundred devices in a loop are kept or counted to the last one', async () => {
  const { workspaceId } = client
  const deviceIds = Array.from({ length: 200 }, (_, at) => `loop-${at}`)
  await test.ctx.db
    .insertInto('devices')
    .values(
      deviceIds.map((id) => ({
        workspaceId,
        id,
        createdAt: new Date(),
        effectiveLogSeverity: 'Info' as const,
      })),
    )
    .execute()
  const from = test.ctx.now()
  const [ROUNDS, AT_ONCE] = [7, 9]
  const crash = { reason: 'watchdog', pc: '0x7776', returnAddresses: ['0x201'] }
  for (let round = 0; round < ROUNDS; round++)
    await Promise.all(
      deviceIds.map((deviceId) =>
        test.doors.intake.receive({
          workspaceId,
          deviceId,
          door: 'Mqtt',
          receivedAt: test.ctx.now(),
          message: {
            kind: 'crashes',
            crashes: Array.from({ length: AT_ONCE }, () => crash),
            malformedCount: 0,
            faults: [],
          },
        }),
      ),
    )

  const to = addMs(test.ctx.now(), 1)
  const counts = await listCrashCounts(test.ctx.db, { workspaceId, deviceIds, from, to })
  expect(counts).toHaveLength(200)
  expect(new Set(counts.map(({ crashCount }) => crashCount))).toEqual(new Set([ROUNDS * AT_ONCE]))
  const listed = await client.get('/crash-groups?q=0x7776')
  const { crashGroups, droppedCount } = listed.json<{
    crashGroups: { crashCount: number; deviceCount: number }[]
    droppedCount: number
  }>()
  const [group] = crashGroups
  expect(crashGroups).toHaveLength(1)
  expect(group?.deviceCount).toBe(200)
  // At the turn of an hour each device may send sixty more.
  expect((group?.crashCount ?? 0) + droppedCount).toBe(200 * ROUNDS * AT_ONCE)
})

it('older than the retention go, and their groups stay', async () => {
  const device = await givenDdiDevice(test, client)
  await device.put('/configData', { data: { crash: JSON.stringify({ reason: 'old one' }) } })

  await maintainCrashes({ db: test.ctx.db, now: () => addDays(test.ctx.now(), 3_000) })

  expect(await crashesOf(device.deviceId)).toMatchObject({ reports: [], keptCount: 0 })
  const listed = await client.get('/crash-groups?q=old%20one')
  expect(listed.json()).toMatchObject({ crashGroups: [{ crashCount: 1, deviceCount: 0 }] })
})
