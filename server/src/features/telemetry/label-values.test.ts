import { beforeAll, describe, expect, it } from 'vitest'
import { sharedTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { givenDevice, metrics, storeTelemetry } from '../../../test/given-telemetry.ts'

let test: TestApp
let client: Client
beforeAll(async () => {
  test = await sharedTestApp()
  client = await givenClient(test)
  for (const sensor of ['cpu', 'Case', 'ambient', 'ärger']) {
    const device = await givenDevice(test.ctx, client.workspaceId)
    const labels = { sensor, rack: '1' }
    await storeTelemetry(
      test.ctx,
      metrics(device, [
        { name: 'temperature', value: 1, labels },
        { name: 'temperature', value: 1, labels: { sensor: 'cpu' } },
        { name: 'humidity', value: 1, labels: { sensor: 'outside' } },
      ]),
    )
  }
})

interface Page {
  values: string[]
  hasMore: boolean
  nextCursor?: string
}

const PATH = '/metrics/label-values?metric=temperature&label=sensor'

it('lists each value of a label once, page by page', async () => {
  const first = (await client.get(`${PATH}&limit=3`)).json<Page>()
  const cursor = encodeURIComponent(first.nextCursor ?? '')
  const second = (await client.get(`${PATH}&limit=3&cursor=${cursor}`)).json<Page>()

  expect([first.values, first.hasMore]).toEqual([['Case', 'ambient', 'cpu'], true])
  expect([second.values, second.hasMore]).toEqual([['ärger'], false])
  const elsewhere = await client.get(`${PATH.replace('sensor', 'rack')}&cursor=${cursor}`)
  expect(elsewhere.json()).toMatchObject({ status: 400, type: '/problems/invalid-cursor' })
})

it('has none of what nobody measures, and none of other workspaces', async () => {
  const other = await givenClient(test)
  const none = { values: [], hasMore: false }

  expect((await client.get('/metrics/label-values?metric=temperature&label=x')).json()).toEqual(
    none,
  )
  expect((await client.get('/metrics/label-values?metric=x&label=sensor')).json()).toEqual(none)
  expect((await other.get(PATH)).json()).toEqual(none)
})

it('asks for both names, and for the scope', async () => {
  const response = await client.get('/metrics/label-values?metric=temperature')
  const apiKey = await test.givenKey(client.workspaceId, ['Firmware: read'])
  const forbidden = await test.app.inject({
    url: `/workspaces/${client.workspaceId}${PATH}`,
    headers: { authorization: `Bearer ${apiKey}` },
  })

  expect(response.json()).toMatchObject({ status: 400 })
  expect(forbidden.json()).toMatchObject({ status: 403, type: '/problems/insufficient-scope' })
})

describe('the series of a device', () => {
  const series = (deviceId: string, more = '') =>
    client.get(`/metrics/series?deviceId=${deviceId}${more}`)

  it('have their labels, page by page, and are those of this device', async () => {
    const { ctx } = test
    const device = await givenDevice(ctx, client.workspaceId)
    const label = '<img src=x onerror=alert(1)>'
    await storeTelemetry(
      ctx,
      metrics(device, [
        { name: 'temperature', value: 1, labels: { sensor: 'cpu' } },
        { name: 'humidity', value: 1, labels: { label } },
        { name: 'temperature', value: 1 },
      ]),
    )

    const first = (await series(device.deviceId, '&limit=2')).json<DeviceSeries>()
    const cursor = encodeURIComponent(first.nextCursor ?? '')
    const second = (await series(device.deviceId, `&limit=2&cursor=${cursor}`)).json<DeviceSeries>()

    const shown = [...first.series, ...second.series]
    expect(shown.map(({ metric }) => metric)).toEqual(['humidity', 'temperature', 'temperature'])
    expect(shown.map(({ labels }) => labels)).toEqual(
      expect.arrayContaining([{ label }, { sensor: 'cpu' }, {}]),
    )
    expect(Date.now() - Date.parse(shown[0]?.seenAt ?? '')).toBeLessThan(60_000)
    expect(second.hasMore).toBe(false)
  })

  it('are none of an unknown device, nor for another workspace', async () => {
    const device = await givenDevice(test.ctx, client.workspaceId)
    await storeTelemetry(test.ctx, metrics(device, [{ name: 'x', value: 1 }]))
    const stranger = await givenClient(test)

    const none = { series: [], wrongClock: null, hasMore: false }
    const elsewhere = await stranger.get(`/metrics/series?deviceId=${device.deviceId}`)

    expect(elsewhere.json()).toEqual(none)
    expect((await series('nobody')).json()).toEqual(none)
    expect((await series('a%00b')).statusCode).toBeLessThan(500)
  })

  it('tell of a clock that is a year off, until it is right again', async () => {
    const { ctx } = test
    const device = await givenDevice(ctx, client.workspaceId)
    const clock = async () =>
      (await series(device.deviceId)).json<{ wrongClock: object | null }>().wrongClock
    const now = Date.now()
    const at = (ms: number) => new Date(now + ms)
    const point = (timestamp: Date) => [{ name: 'temperature', value: 1, timestamp }]

    await storeTelemetry(ctx, metrics(device, point(at(365 * DAY_MS)), at(-2_000)))
    const ahead = await clock()
    await storeTelemetry(ctx, metrics(device, point(at(-1_000)), at(-1_000)))

    expect(ahead).toEqual({
      deviceTime: at(365 * DAY_MS).toISOString(),
      receivedAt: at(-2_000).toISOString(),
    })
    expect(await clock()).toBeNull()
  })
})

const DAY_MS = 86_400_000

interface DeviceSeries {
  series: { metric: string; labels: Record<string, string>; seenAt: string }[]
  hasMore: boolean
  nextCursor?: string
}
