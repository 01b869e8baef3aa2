import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { givenDevice, metrics, storeTelemetry } from '../../../test/given-telemetry.ts'
import { propertyRuns } from '../../../test/property-runs.ts'
import type { MetricPoint } from '../../formats/device-messages/model.ts'
import { newId } from '../../platform/ids.ts'
import { AGGREGATIONS, type Aggregation } from './query-window.ts'
import { maintainTelemetry } from './index.ts'

let test: TestApp
let client: Client
beforeAll(async () => {
  test = await startTestApp()
  client = await givenClient(test)
})

const BEGIN = Math.floor(Date.now() / 60_000) * 60_000 - 2 * 86_400_000
const after = (seconds: number) => new Date(BEGIN + seconds * 1_000)

interface Page {
  series: { deviceId: string | null; points: { time: string; value: number }[] }[]
  hasMore: boolean
  nextCursor?: string
}

async function query(body: object): Promise<Page> {
  const response = await client.post('/metrics/query', body)
  expect(response.statusCode).toBe(200)
  return response.json<Page>()
}

/** Whole numbers, so that sums do not depend on their order. */
const Value = fc.integer({ min: -1_000, max: 1_000 })
const Point = fc.record({
  device: fc.nat({ max: 2 }),
  room: fc.constantFrom('a', 'b'),
  second: fc.integer({ min: -5, max: 65 }),
  value: fc.oneof(
    Value.map((value) => ({ value })),
    fc.array(Value, { minLength: 1, maxLength: 4 }).map((all) => ({
      aggregate: {
        sum: all.reduce((sum, one) => sum + one, 0),
        count: all.length,
        min: Math.min(...all),
        max: Math.max(...all),
      },
    })),
  ),
})
type Sample = NonNullable<typeof Point extends fc.Arbitrary<infer One> ? One : never>

function summed({ value }: Sample) {
  return 'aggregate' in value
    ? value.aggregate
    : { sum: value.value, count: 1, min: value.value, max: value.value }
}

function aggregated(samples: readonly Sample[], aggregation: Aggregation): number {
  const all = samples.map(summed)
  const sum = all.reduce((total, one) => total + one.sum, 0)
  const count = all.reduce((total, one) => total + one.count, 0)
  const newest = Math.max(...samples.map(({ second }) => second))
  const last = samples.filter(({ second }) => second === newest).map(summed)
  switch (aggregation) {
    case 'Average':
      return sum / count
    case 'Minimum':
      return Math.min(...all.map(({ min }) => min))
    case 'Maximum':
      return Math.max(...all.map(({ max }) => max))
    case 'Sum':
      return sum
    case 'Count':
      return count
    case 'Last':
      return Math.max(...last.map((one) => one.sum / one.count))
  }
}

function windowsOf(
  samples: readonly Sample[],
  { step, aggregation }: { step: number; aggregation: Aggregation },
) {
  const inside = samples.filter(({ second }) => second >= 0 && second < 60)
  const windows = Map.groupBy(inside, ({ second }) => Math.floor(second / step) * step)
  return [...windows]
    .toSorted(([a], [b]) => a - b)
    .map(([second, all]) => ({
      time: after(second).toISOString(),
      value: aggregated(all, aggregation),
    }))
}

it('answers what a naive evaluation does', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(Point, { maxLength: 40 }),
      fc.constantFrom(...AGGREGATIONS),
      fc.constantFrom(7, 20, 60, undefined),
      fc.constantFrom('a', undefined),
      async (samples, aggregation, stepSeconds, room) => {
        const metric = `m${newId().replaceAll('-', '')}`
        const devices = await Promise.all(
          ['a', 'b', 'c'].map((id) =>
            givenDevice(test.ctx, client.workspaceId, { id: `${id}-${newId()}` }),
          ),
        )
        const reports = samples.map(({ device, room: label, second, value }) => {
          const point: MetricPoint = {
            name: metric,
            labels: { room: label, x: 'y' },
            timestamp: after(second),
            ...value,
          }
          return metrics(devices[device] ?? { workspaceId: '', deviceId: '' }, [point])
        })
        if (reports.length > 0) await storeTelemetry(test.ctx, ...reports)
        const asked = samples.filter((one) => room === undefined || one.room === room)
        const body = {
          metric,
          from: after(0).toISOString(),
          to: after(60).toISOString(),
          aggregation,
          ...(stepSeconds !== undefined && { stepSeconds }),
          ...(room !== undefined && { labels: { room } }),
        }

        const together = await query(body)
        const apart = await query({ ...body, groupBy: 'Device' })

        const windows = (all: readonly Sample[]) =>
          windowsOf(all, { step: stepSeconds ?? 60, aggregation })
        expect(together.series).toEqual([{ deviceId: null, points: windows(asked) }])
        expect(apart.series).toEqual(
          devices.flatMap(({ deviceId }, index) => {
            const own = asked.filter(({ device }) => device === index)
            return own.length === 0 ? [] : [{ deviceId, points: windows(own) }]
          }),
        )
      },
    ),
    { numRuns: propertyRuns(60) },
  )
})

it('reads over the edges of days, before and after they have a partition', async () => {
  const device = await givenDevice(test.ctx, client.workspaceId)
  const points = Array.from({ length: 49 }, (_, hour) => ({
    name: 'hourly',
    value: hour,
    timestamp: after((hour - 24) * 3_600),
  }))
  await storeTelemetry(test.ctx, metrics(device, points))
  const body = {
    metric: 'hourly',
    aggregation: 'Sum',
    stepSeconds: 3_600,
    from: after(-24 * 3_600).toISOString(),
    to: after(25 * 3_600).toISOString(),
  }
  const before = await query(body)

  await maintainTelemetry(test.ctx)

  expect(before.series[0]?.points.map(({ value }) => value)).toEqual(
    points.map(({ value }) => value),
  )
  expect(await query(body)).toEqual(before)
})

it('pages through devices, of a cohort or named', async () => {
  const { workspaceId } = client
  const cohortId = newId()
  await test.ctx.db
    .insertInto('deploymentCohorts')
    .values({
      workspaceId,
      id: cohortId,
      name: cohortId,
      createdAt: new Date(),
      updatedAt: new Date(),
    })
    .execute()
  const devices = await Promise.all([1, 2, 3, 4].map(() => givenDevice(test.ctx, workspaceId)))
  const ids = devices.map(({ deviceId }) => deviceId).toSorted()
  await test.ctx.db
    .updateTable('devices')
    .set({ cohortId })
    .where('workspaceId', '=', workspaceId)
    .where('id', 'in', ids.slice(0, 3))
    .execute()
  await storeTelemetry(
    test.ctx,
    ...devices.map((device) => metrics(device, [{ name: 'paged', value: 1, timestamp: after(1) }])),
  )
  const body = {
    metric: 'paged',
    aggregation: 'Count',
    groupBy: 'Device',
    limit: 2,
    from: after(0).toISOString(),
    to: after(60).toISOString(),
  }
  const idsOf = ({ series }: Page) => series.map(({ deviceId }) => deviceId)

  const first = await query({ ...body, deploymentCohortId: cohortId })
  const second = await query({ ...body, deploymentCohortId: cohortId, cursor: first.nextCursor })
  const named = await query({ ...body, deviceIds: [ids[3]] })

  expect(idsOf(first)).toEqual(ids.slice(0, 2))
  expect([idsOf(second), second.hasMore]).toEqual([ids.slice(2, 3), false])
  expect(idsOf(named)).toEqual([ids[3]])
  const elsewhere = await client.post('/metrics/query', { ...body, cursor: first.nextCursor })
  expect(elsewhere.json()).toMatchObject({ status: 400, type: '/problems/invalid-cursor' })
})

it.each`
  change                                                                   | pointer
  ${{ to: after(0).toISOString() }}                                        | ${'/to'}
  ${{ from: '2026-12-31T23:59:60Z' }}                                      | ${'/from'}
  ${{ to: after(20_001).toISOString(), stepSeconds: 2 }}                   | ${'/stepSeconds'}
  ${{ groupBy: 'Device', stepSeconds: 1, to: after(2_000).toISOString() }} | ${'/limit'}
  ${{ from: '2020-01-01T00:00:00Z' }}                                      | ${'/from'}
  ${{ aggregation: 'Median' }}                                             | ${'/aggregation'}
  ${{ cursor: 'x' }}                                                       | ${'/cursor'}
  ${{ labels: { room: 1 } }}                                               | ${'/labels/room'}
`('refuses $change', async ({ change, pointer }: { change: object; pointer: string }) => {
  const body = {
    metric: 'x',
    aggregation: 'Sum',
    from: after(0).toISOString(),
    to: after(60).toISOString(),
    ...change,
  }

  const response = await client.post('/metrics/query', body)

  expect(response.json()).toMatchObject({ status: 400, errors: [{ pointer }] })
})

it('says so where values are too large to be added up', async () => {
  const device = await givenDevice(test.ctx, client.workspaceId)
  const point = { name: 'huge', value: 1.7e308, timestamp: after(1) }
  await storeTelemetry(test.ctx, metrics(device, [point, point]))
  const body = { metric: 'huge', from: after(0).toISOString(), to: after(60).toISOString() }

  const sum = await client.post('/metrics/query', { ...body, aggregation: 'Sum' })

  expect(sum.json()).toMatchObject({ status: 400, errors: [{ pointer: '/aggregation' }] })
  expect((await query({ ...body, aggregation: 'Maximum' })).series[0]?.points).toMatchObject([
    { value: 1.7e308 },
  ])
})

it('lists metrics with their labels, and what was dropped beyond the limits', async () => {
  const own = await givenClient(test)
  const device = await givenDevice(test.ctx, own.workspaceId)
  const telemetry = {
    ...test.ctx.config.telemetry,
    metricSeriesPerDevice: 4,
    metricSeriesPerWorkspace: 100,
  }
  const ctx = { ...test.ctx, config: { ...test.ctx.config, telemetry } }
  await storeTelemetry(
    ctx,
    metrics(device, [
      { name: 'b', value: 1, labels: { room: '1', at: 'x' } },
      { name: 'b', value: 1, labels: { zone: '1' } },
      { name: 'a', value: 1 },
      { name: 'c', value: 1 },
      { name: 'd', value: 1 },
    ]),
  )

  const first = (await own.get('/metrics?limit=2')).json<{ nextCursor: string }>()
  const second = await own.get(`/metrics?limit=2&cursor=${encodeURIComponent(first.nextCursor)}`)

  expect(first).toMatchObject({
    metrics: [
      { name: 'a', labels: [] },
      { name: 'b', labels: ['at', 'room', 'zone'] },
    ],
    droppedPoints: [{ deviceId: device.deviceId, points: 1, lastMetric: 'd' }],
    hasMore: true,
  })
  expect(second.json()).toMatchObject({ metrics: [{ name: 'c', labels: [] }], hasMore: false })
})

it('shows nothing of other workspaces', async () => {
  const device = await givenDevice(test.ctx, client.workspaceId)
  await storeTelemetry(
    test.ctx,
    metrics(device, [{ name: 'secret', value: 1, timestamp: after(1) }]),
  )
  const other = await givenClient(test)
  const body = {
    metric: 'secret',
    aggregation: 'Count',
    deviceIds: [device.deviceId],
    groupBy: 'Device',
    from: after(0).toISOString(),
    to: after(60).toISOString(),
  }

  expect((await other.get('/metrics')).json()).toMatchObject({ metrics: [], droppedPoints: [] })
  expect((await other.post('/metrics/query', body)).statusCode).toBe(400)
  const { deviceIds: _, ...ofAll } = body
  expect((await other.post('/metrics/query', ofAll)).json()).toMatchObject({ series: [] })
})
