/** Crashes as broken devices send them, at each door: what can be read of them is kept, and nothing else. */
import fc from 'fast-check'
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
import { propertyRuns } from '../../../test/property-runs.ts'

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
    { because: 'a negative address', crash: { reason: 'a', lr: -1 } },
    { because: 'a part of an address', crash: { reason: 'a', returnAddresses: [4096.5] } },
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

  it('is of the build that it names, also where that is no hash, with 32 addresses', async () => {
    const { deviceId, send } = await given()
    const buildId = 'release 2.4 (Ünïx)\u202e/\u0007main'

    await send({ reason: 'assert', buildId, returnAddresses: ADDRESSES.slice(1) })

    const { reports } = await read(deviceId)
    expect(reports).toMatchObject([{ buildId: 'release 2.4 (Ünïx)/main' }])
    expect(reports[0]?.frames).toHaveLength(32)
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

/** Whatever memory held: texts of any characters, numbers that are none. */
const anyText = fc.string({ unit: 'binary', maxLength: 8 })
const anyAddress = fc.oneof(
  fc.nat(),
  fc.constantFrom('0x0800abcd', '800ABCD', '0x', '-0x1', ''),
  fc.integer(),
  fc.double(),
  anyText,
)
const anyCrash = fc.record(
  {
    reason: fc.oneof(fc.constant('HardFault'), anyText),
    pc: anyAddress,
    lr: anyAddress,
    returnAddresses: fc.oneof(fc.array(fc.nat(), { maxLength: 34 }), fc.array(anyAddress)),
    loadAddress: anyAddress,
    thread: anyText,
    buildId: anyText,
    sequence: fc.oneof(fc.nat(), fc.integer(), fc.double()),
    runId: fc.oneof(fc.constant('boot-7'), anyText),
    surplus: fc.anything(),
  },
  { requiredKeys: ['reason'] },
)
/** hawkBit's attributes are texts of so many characters. */
const fits = (crash: object) => JSON.stringify(crash).length <= 1_000
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffd]/

it('is read alike at each door, and is either kept or counted', async () => {
  await fc.assert(
    fc.asyncProperty(anyCrash.filter(fits), async (crash) => {
      const outcomes = []
      for (const given of Object.values(DOORS)) {
        const { deviceId, send } = await given()
        await send(crash)
        const { reports, keptCount, malformedCount } = await read(deviceId)
        const told = reports.map(({ reason, thread, buildId, frames }) => ({
          reason,
          thread,
          buildId,
          frames,
        }))
        outcomes.push({ told, keptCount, malformedCount })
      }

      const [first, ...others] = outcomes
      expect(others).toEqual([first, first])
      expect((first?.keptCount ?? 0) + (first?.malformedCount ?? 0)).toBe(1)
      for (const { reason, thread, buildId } of first?.told ?? [])
        expect(
          [reason, thread, buildId].filter((text) => text !== null && UNSEEN.test(text)),
        ).toEqual([])
    }),
    { numRuns: propertyRuns(40, 10) },
  )
})

it('of which an address is no address is counted, and as no CBOR where that is no number', async () => {
  const device = await givenSyncingDevice(test, client.workspaceId)
  const send = (pc: number) => device.syncCbor({ crashes: [{ reason: 'a', pc }] })

  const part = await send(-0.5)
  const none = []
  for (const pc of [NaN, Infinity, -Infinity]) none.push((await send(pc)).statusCode)

  // Its answer is CBOR, too.
  expect(part.statusCode).toBe(200)
  expect(none).toEqual([400, 400, 400])
  expect(await read(device.deviceId)).toMatchObject({ keptCount: 0, malformedCount: 1 })
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
