/** Crashes as broken devices send them, at each door: what can be read of them is kept, and nothing else. */
import { beforeAll, describe, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenDdiDevice } from '../../../test/given-ddi.ts'
import { givenSyncingDevice } from '../../../test/given-device-sync.ts'
import {
  connectDevice,
  givenGateway,
  givenMqttDevice,
  mqttSettings,
  type TestGateway,
} from '../../../test/given-mqtt.ts'
import { type Client, givenClient } from '../../../test/given.ts'

let test: TestApp
let gateway: TestGateway
let client: Client

beforeAll(async () => {
  test = await startTestApp({ mqtt: mqttSettings() })
  gateway = await givenGateway(test)
  client = await givenClient(test)
})

interface Told {
  reports: {
    reason: string
    thread: string | null
    buildId: string | null
    time: string
    deviceTime: string | null
    firmwareVersion: object | null
    frames: object[]
  }[]
  keptCount: number
  malformedCount: number
}

type Send = (crash: unknown) => Promise<unknown>

/** A device of the door, that runs a version which nobody created. */
const DOORS: Record<string, () => Promise<{ deviceId: string; send: Send }>> = {
  MQTT: async () => {
    const device = await givenMqttDevice(test, gateway.port, { workspaceId: client.workspaceId })
    const { publish } = await connectDevice(device)
    const firmware = [{ slug: 'ghost', version: '9.9.9' }]
    await publish('up/session', { runId: 'r', firmware })
    return { deviceId: device.deviceId, send: (crash) => publish('up/crashes', [crash]) }
  },
  HTTP: async () => {
    const device = await givenSyncingDevice(test, client.workspaceId)
    await device.sync({ session: { runId: 'r', firmware: [{ slug: 'ghost', version: '9.9.9' }] } })
    return {
      deviceId: device.deviceId,
      send: async (crash) => {
        expect((await device.sync({ crashes: [crash] })).statusCode).toBe(200)
      },
    }
  },
  hawkBit: async () => {
    const { deviceId, put } = await givenDdiDevice(test, client)
    const send: Send = async (crash) => {
      const data = { 'firmware.ghost': '9.9.9', crash: JSON.stringify(crash) }
      expect((await put('/configData', { data })).statusCode).toBe(200)
    }
    return { deviceId, send }
  },
}

const read = async (deviceId: string) =>
  (await client.get(`/devices/${deviceId}/crashes`)).json<Told>()

const ADDRESSES = Array.from({ length: 33 }, (_, at) => at)
const YEAR_MS = 365 * 86_400_000

describe.each(Object.entries(DOORS))('at %s', (_name, given) => {
  it.each([
    { because: '33 addresses', crash: { reason: 'a', returnAddresses: ADDRESSES } },
    { because: 'wrong hex', crash: { reason: 'a', pc: '0xgg' } },
    { because: 'more than 64 bits', crash: { reason: 'a', lr: '0x1ffffffffffffffff' } },
    { because: 'a huge number', crash: { reason: 'a', pc: 1e300 } },
    { because: 'a time that is none', crash: { reason: 'a', timestamp: 'yesterday' } },
    { because: 'nothing that is seen', crash: { reason: '\u0000\u202e\u200b' } },
    { because: 'no crash', crash: 7 },
  ])('is counted as malformed for $because', async ({ crash }) => {
    const { deviceId, send } = await given()

    await send(crash)

    expect(await read(deviceId)).toMatchObject({ reports: [], keptCount: 0, malformedCount: 1 })
  })

  it('is kept without what nobody sees, of a version that is not known, and once', async () => {
    const { deviceId, send } = await given()
    const crash = {
      reason: 'HardFault\u0007\u202e\n',
      thread: 'mo\u0000dem\u2066',
      buildId: '4BE1D0A7',
      pc: '0X0800ABCD',
      runId: 'boot-7',
      sequence: 1,
    }

    await send(crash)
    await send({ ...crash, reason: 'sent again' })

    const { reports, keptCount } = await read(deviceId)
    expect(keptCount).toBe(1)
    expect(reports).toMatchObject([
      {
        reason: 'HardFault',
        thread: 'modem',
        buildId: '4be1d0a7',
        firmwareVersion: null,
        frames: [{ address: '0x800abcd' }],
      },
    ])
  })

  it('has no thread where nothing of its name is seen', async () => {
    const { deviceId, send } = await given()

    await send({ reason: 'assert', thread: '\u202e\u0007', buildId: '\u0000' })

    expect(await read(deviceId)).toMatchObject({
      reports: [{ thread: null, buildId: null }],
      malformedCount: 0,
    })
  })

  it.each([10 * YEAR_MS, -10 * YEAR_MS])(
    'has the time of receipt where the clock is off by %i ms',
    async (offMs) => {
      const { deviceId, send } = await given()
      const timestamp = new Date(Date.now() + offMs).toISOString()
      const before = Date.now()

      await send({ reason: 'assert', timestamp })

      const [report] = (await read(deviceId)).reports
      expect(report?.deviceTime).toBe(timestamp)
      expect(Math.abs(Date.parse(report?.time ?? '') - before)).toBeLessThan(3_600_000)
    },
  )
})

it('names the same build, whichever case its id is in', async () => {
  const slug = `fw-${crypto.randomUUID().slice(0, 8)}`
  const { id } = (await client.post('/firmwares', { slug, name: slug })).json<{ id: string }>()
  await client.post(`/firmwares/${id}/versions`, { name: '1.0.0', buildId: 'ABCDEF0123' })
  const device = await givenSyncingDevice(test, client.workspaceId)
  const firmware = [{ slug, version: '1.0.0' }]
  await device.sync({ session: { runId: 'r', firmware } })

  await device.sync({ crashes: [{ reason: 'assert', pc: 16, buildId: 'abcdef0123' }] })
  await device.sync({ crashes: [{ reason: 'assert', pc: 16, buildId: 'ABCDEF0123' }] })
  await device.sync({ crashes: [{ reason: 'assert', pc: 16 }] })

  const found = (await client.get(`/crash-groups?firmwareId=${id}`)).json<{
    crashGroups: { crashCount: number; buildId: string }[]
  }>()
  expect(found.crashGroups).toMatchObject([{ crashCount: 3, buildId: 'abcdef0123' }])
  const frames = [{ function: 'poll', file: null, line: null }]
  const put = await client.put('/crash-builds/ABCDEF0123/lines', {
    lines: [{ address: '0x10', frames }],
  })
  expect(put.json()).toMatchObject({ buildId: 'abcdef0123', movedCount: 1 })
})

it('of which a metric is no number takes nothing with it that was sent before', async () => {
  const device = await givenSyncingDevice(test, client.workspaceId)
  await device.sync({ crashes: [{ reason: 'assert', runId: 'r', sequence: 1 }] })

  const answers = []
  for (const value of [NaN, Infinity])
    answers.push(
      await device.syncCbor({
        metrics: [{ name: 'temperature', value }],
        crashes: [{ reason: 'watchdog', runId: 'r', sequence: 2 }],
      }),
    )
  answers.push(await device.syncCbor({ metrics: [{ name: 'temperature', value: 1.7e308 }] }))

  expect(answers.map(({ statusCode }) => statusCode)).toEqual([400, 400, 200])
  expect((await read(device.deviceId)).keptCount).toBe(1)
})
