/** Packed hours never show: what is read is what the points say, whatever comes late and whoever is interrupted. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import {
  givenDevice,
  type GivenDevice,
  metrics,
  storeTelemetry,
} from '../../../../test/given-telemetry.ts'
import { propertyRuns } from '../../../../test/property-runs.ts'
import type { MetricPoint } from '../../../formats/device-messages/model.ts'
import {
  type Aggregation,
  AGGREGATIONS,
  maintainTelemetry,
  rollUpMetrics,
  storeReportedTelemetry,
} from '../index.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

let test: TestApp
let workspace: Client
/** Each test has days of its own. */
let begin = Date.UTC(2026, 4, 20)
const nextDays = (days: number) => (begin += days * DAY)
beforeAll(async () => {
  test = await startTestApp()
  workspace = await givenClient(test)
})

const given = () => givenDevice(test.ctx, workspace.workspaceId)
/** The grace after the end of an hour is over by then. */
const rollUpAt = (hour: number) =>
  rollUpMetrics({ ...test.ctx, now: () => new Date(begin + hour * HOUR + 5 * MINUTE) })
const at = (minute: number) => new Date(begin + minute * MINUTE)
/** Days are packed that have a partition of hours. */
const makePartitions = () => maintainTelemetry({ ...test.ctx, now: () => at(0) })
/** The day of the points is packed then. */
const DAY_OVER = 26

interface SentPoint {
  device: number
  minute: number
  value: Pick<MetricPoint, 'value' | 'aggregate'>
}

function storeAll(devices: readonly GivenDevice[], sent: readonly SentPoint[]): Promise<void> {
  const reports = sent.map(({ device, minute, value }) =>
    metrics(
      devices[device] ?? { workspaceId: '', deviceId: '' },
      [{ name: 'x', timestamp: at(minute), ...value }],
      at(6 * 60),
    ),
  )
  return storeTelemetry(test.ctx, ...reports)
}

interface WindowCase {
  aggregation: Aggregation
  from: number
  to: number
  stepMinutes: number | undefined
  byDevice: boolean
}

type Answer = Record<string, [minute: number, value: number][]>

/** What the service answers: by device, or `all`. */
async function ask(devices: readonly GivenDevice[], asked: WindowCase): Promise<Answer> {
  const { aggregation, from, to, stepMinutes, byDevice } = asked
  const response = await workspace.post('/metrics/query', {
    metric: 'x',
    aggregation,
    from: at(from).toISOString(),
    to: at(to).toISOString(),
    ...(stepMinutes !== undefined && { stepSeconds: stepMinutes * 60 }),
    deviceIds: devices.map(({ deviceId }) => deviceId),
    groupBy: byDevice ? 'Device' : 'None',
  })
  expect(response.json()).toMatchObject({ hasMore: false })
  const { series } = response.json<{
    series: { deviceId: string | null; points: { time: string; value: number }[] }[]
  }>()
  return Object.fromEntries(
    series.map(({ deviceId, points }) => [
      deviceId ?? 'all',
      points.map(({ time, value }): [number, number] => [
        (Date.parse(time) - begin) / MINUTE,
        value,
      ]),
    ]),
  )
}

const AGGREGATED: Record<Aggregation, (sent: readonly SentPoint[]) => number> = {
  Average: (sent) => AGGREGATED.Sum(sent) / AGGREGATED.Count(sent),
  Minimum: (sent) => Math.min(...sent.map(({ value }) => value.aggregate?.min ?? value.value ?? 0)),
  Maximum: (sent) => Math.max(...sent.map(({ value }) => value.aggregate?.max ?? value.value ?? 0)),
  Sum: (sent) => sent.reduce((sum, { value }) => sum + sumOf(value), 0),
  Count: (sent) => sent.reduce((sum, { value }) => sum + (value.aggregate?.count ?? 1), 0),
  Last: (sent) => {
    const newest = Math.max(...sent.map(({ minute }) => minute))
    const last = sent.filter(({ minute }) => minute === newest)
    return Math.max(...last.map(({ value }) => sumOf(value) / (value.aggregate?.count ?? 1)))
  },
}
const sumOf = ({ value, aggregate }: SentPoint['value']) => aggregate?.sum ?? value ?? 0

/** What the points say, one by one. */
function naiveAnswer(
  devices: readonly GivenDevice[],
  sent: readonly SentPoint[],
  { aggregation, from, to, stepMinutes = to - from, byDevice }: WindowCase,
): Answer {
  const windowsOf = (some: readonly SentPoint[]) =>
    [...Map.groupBy(some, ({ minute }) => Math.floor((minute - from) / stepMinutes))]
      .toSorted(([a], [b]) => a - b)
      .map(([window, points]): [number, number] => [
        from + window * stepMinutes,
        AGGREGATED[aggregation](points),
      ])
  const inTime = sent.filter(({ minute }) => minute >= from && minute < to)
  if (!byDevice) return { all: windowsOf(inTime) }
  const reporting = devices.flatMap(({ deviceId }, device) =>
    sent.some((one) => one.device === device) ? [{ deviceId, device }] : [],
  )
  return Object.fromEntries(
    reporting.map(({ deviceId, device }) => [
      deviceId,
      windowsOf(inTime.filter((one) => one.device === device)),
    ]),
  )
}

const Whole = fc.integer({ min: -1_000, max: 1_000 })
const Point = fc.record({
  device: fc.nat({ max: 2 }),
  // A few instants, so that many meet at the edges of hours.
  minute: fc.oneof(fc.nat({ max: 299 }), fc.constantFrom(0, 59, 60, 61, 120, 179, 180, 240)),
  value: fc.oneof(
    Whole.map((value) => ({ value })),
    fc.array(Whole, { minLength: 1, maxLength: 3 }).map((all) => ({
      aggregate: {
        sum: all.reduce((sum, one) => sum + one, 0),
        count: all.length,
        min: Math.min(...all),
        max: Math.max(...all),
      },
    })),
  ),
})
const Round = fc.record({
  batches: fc.array(fc.array(Point, { minLength: 1, maxLength: 8 }), { maxLength: 4 }),
  rolledUntil: fc.option(fc.oneof(fc.nat({ max: 5 }), fc.constantFrom(DAY_OVER, 50)), {
    nil: undefined,
  }),
  isBusy: fc.boolean(),
})
const Question: fc.Arbitrary<WindowCase> = fc.record({
  aggregation: fc.constantFrom(...AGGREGATIONS),
  from: fc.oneof(fc.constantFrom(-60, 0, 60, 120), fc.integer({ min: -70, max: 299 })),
  to: fc.oneof(fc.constantFrom(300, 360), fc.integer({ min: 300, max: 400 })),
  stepMinutes: fc.constantFrom(1, 30, 60, 90, 120, 1_440, undefined),
  byDevice: fc.boolean(),
})

it('answers what the points say one by one, while points come late and workers race', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(Round, { minLength: 1, maxLength: 4 }),
      fc.array(Question, { minLength: 1, maxLength: 4 }),
      async (rounds, questions) => {
        nextDays(3)
        await makePartitions()
        const devices = [await given(), await given(), await given()]
        const sent: SentPoint[] = []
        for (const { batches, rolledUntil, isBusy } of rounds) {
          const storing = batches.map((batch) => () => storeAll(devices, batch))
          const rolling = rolledUntil === undefined ? [] : [() => rollUpAt(rolledUntil)]
          const workers = isBusy ? [...rolling, ...storing, ...rolling] : [...storing, ...rolling]
          if (isBusy) await Promise.all(workers.map((work) => work()))
          else for (const work of workers) await work()
          sent.push(...batches.flat())

          for (const asked of questions)
            expect(await ask(devices, asked)).toEqual(naiveAnswer(devices, sent, asked))
        }
      },
    ),
    { numRuns: propertyRuns(40) },
  )
})

async function count(table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${sql.table(table)} where time >= ${at(0)}`.execute(
    test.ctx.db,
  )
  return rows[0]?.count ?? 0
}

const countRows = async () => ({
  points: await count('metric_points'),
  packed: await count('metric_packed_hours'),
  hours: await count('metric_hours'),
})
const countSums = async () => ({
  hours: await count('metric_hours'),
  days: await count('metric_packed_days'),
})

const value = (number: number) => ({ value: { value: number } })
const DAILY = {
  aggregation: 'Sum' as const,
  from: 0,
  to: 360,
  stepMinutes: 60,
  byDevice: false,
}
const valuesOf = async (devices: readonly GivenDevice[], asked: object = {}) =>
  (await ask(devices, { ...DAILY, ...asked }))['all']?.map(([, number]) => number)

it('reads whole hours from their sums, and the edges and what is late from the points', async () => {
  nextDays(2)
  const devices = [await given(), await given()]
  await storeAll(devices, [
    { device: 0, minute: 10, ...value(1) },
    { device: 0, minute: 70, ...value(2) },
    { device: 1, minute: 130, ...value(4) },
  ])
  await rollUpAt(2)
  expect(await countRows()).toEqual({ points: 1, packed: 2, hours: 2 })
  // Sums that are wrong tell which hours are read from them.
  await sql`update metric_hours set sum = sum + 100 where time >= ${at(0)}`.execute(test.ctx.db)
  const read = (asked: object) => valuesOf(devices, asked)

  expect(await read({})).toEqual([101, 102, 4])
  expect(await read({ from: -1, stepMinutes: undefined })).toEqual([207])
  expect(await read({ from: 1, stepMinutes: undefined })).toEqual([107])
  expect(await read({ from: 1 })).toEqual([1, 2, 4])
  expect(await read({ stepMinutes: 90 })).toEqual([3, 4])
  expect(await read({ stepMinutes: 120 })).toEqual([203, 4])
  expect(await read({ to: 119 })).toEqual([101, 2])

  await storeAll(devices, [{ device: 0, minute: 20, ...value(8) }])
  expect(await read({})).toEqual([109, 102, 4])
  await storeAll(devices, [{ device: 1, minute: 30, ...value(16) }])
  expect(await countRows()).toEqual({ points: 3, packed: 2, hours: 2 })

  await rollUpAt(2)

  expect(await countRows()).toEqual({ points: 1, packed: 3, hours: 3 })
  expect(await read({})).toEqual([25, 102, 4])
})

it('packs a point later that was not committed when its hour was packed', async () => {
  nextDays(2)
  const devices = [await given()]
  await storeAll(devices, [{ device: 0, minute: 11, ...value(2) }])
  await test.ctx.db.transaction().execute(async (tx) => {
    const reports = [
      metrics(
        devices[0] ?? { workspaceId: '', deviceId: '' },
        [{ name: 'x', value: 1, timestamp: at(10) }],
        at(60),
      ),
    ]
    await storeReportedTelemetry(test.ctx, tx, { workspaceId: workspace.workspaceId, reports })
    await rollUpAt(1)
    expect(await countRows()).toEqual({ points: 0, packed: 1, hours: 1 })
  })
  expect(await countRows()).toEqual({ points: 1, packed: 1, hours: 1 })
  expect(await valuesOf(devices)).toEqual([3])

  await rollUpAt(1)

  expect(await countRows()).toEqual({ points: 0, packed: 1, hours: 1 })
  expect(await valuesOf(devices)).toEqual([3])
})

it('goes on where a worker was ended', async () => {
  nextDays(2)
  const devices = [await given()]
  await storeAll(
    devices,
    [10, 70, 130].map((minute) => ({ device: 0, minute, ...value(minute) })),
  )
  // Ends the run, as it cannot be read.
  await sql`
    insert into metric_packed_hours (workspace_id, series_id, time, points)
    select workspace_id, id, ${at(60)}, '\xff' from metric_series
    where device_id = ${devices[0]?.deviceId ?? ''}`.execute(test.ctx.db)
  await rollUpAt(3)
  expect(await countRows()).toEqual({ points: 2, packed: 2, hours: 1 })
  await sql`delete from metric_packed_hours where points = '\xff'`.execute(test.ctx.db)
  expect(await valuesOf(devices)).toEqual([10, 70, 130])

  await Promise.all([rollUpAt(3), rollUpAt(3)])
  await rollUpAt(3)

  expect(await countRows()).toEqual({ points: 0, packed: 3, hours: 3 })
  expect(await valuesOf(devices)).toEqual([10, 70, 130])
})

it('packs the sums of a day that is over, and reads whole hours from them', async () => {
  nextDays(3)
  await makePartitions()
  const devices = [await given(), await given()]
  await storeAll(devices, [
    { device: 0, minute: 10, ...value(1) },
    { device: 0, minute: 70, ...value(2) },
    { device: 1, minute: 130, ...value(4) },
  ])
  await rollUpAt(24)
  expect(await countSums()).toEqual({ hours: 3, days: 0 })

  await rollUpAt(25)

  expect(await countSums()).toEqual({ hours: 0, days: 2 })
  expect(await valuesOf(devices)).toEqual([1, 2, 4])
  // Without their points, only the sums can tell.
  await sql`delete from metric_packed_hours where time >= ${at(0)}`.execute(test.ctx.db)
  expect(await valuesOf(devices)).toEqual([1, 2, 4])
  expect(await valuesOf(devices, { from: 60 })).toEqual([2, 4])
  expect(await valuesOf(devices, { to: 120 })).toEqual([1, 2])
  expect(await valuesOf(devices, { stepMinutes: 1_440, aggregation: 'Last' })).toEqual([4])
})

it('changes a packed day when a late point comes, and packs hours that it did not have', async () => {
  nextDays(3)
  await makePartitions()
  const devices = [await given(), await given()]
  await storeAll(devices, [{ device: 0, minute: 10, ...value(1) }])
  await rollUpAt(DAY_OVER)
  await storeAll(devices, [
    { device: 0, minute: 20, ...value(2) },
    { device: 0, minute: 80, ...value(4) },
    { device: 1, minute: 80, ...value(8) },
  ])
  expect(await valuesOf(devices)).toEqual([3, 12])

  await rollUpAt(DAY_OVER)

  expect(await countSums()).toEqual({ hours: 0, days: 2 })
  expect(await valuesOf(devices)).toEqual([3, 12])
})

it('leaves the sums of a day where they are when packing it fails, and packs it later', async () => {
  nextDays(3)
  await makePartitions()
  const devices = [await given()]
  await storeAll(
    devices,
    [10, 70].map((minute) => ({ device: 0, minute, ...value(minute) })),
  )
  await rollUpAt(24)
  // Ends the run, as it cannot be read.
  await sql`
    insert into metric_packed_days (workspace_id, series_id, time, sums)
    select workspace_id, id, ${at(0)}, '\xff' from metric_series
    where device_id = ${devices[0]?.deviceId ?? ''}`.execute(test.ctx.db)
  await rollUpAt(DAY_OVER)
  expect(await countSums()).toEqual({ hours: 2, days: 1 })
  await sql`delete from metric_packed_days where sums = '\xff'`.execute(test.ctx.db)
  expect(await valuesOf(devices)).toEqual([10, 70])

  await Promise.all([rollUpAt(DAY_OVER), rollUpAt(DAY_OVER)])
  await rollUpAt(DAY_OVER)

  expect(await countSums()).toEqual({ hours: 0, days: 1 })
  expect(await valuesOf(devices)).toEqual([10, 70])
})

it('packs no days beside a node of another release, which would not find them', async () => {
  nextDays(3)
  await makePartitions()
  const devices = [await given()]
  await storeAll(devices, [{ device: 0, minute: 10, ...value(1) }])
  await sql`
    insert into nodes (id, host, roles, version, started_at, beat_at)
    values (gen_random_uuid(), 'old', '{worker}', '0.0.9', now(), now())`.execute(test.ctx.db)
  await rollUpAt(DAY_OVER)
  expect(await countSums()).toEqual({ hours: 1, days: 0 })

  await sql`delete from nodes where version = '0.0.9'`.execute(test.ctx.db)
  await rollUpAt(DAY_OVER)

  expect(await countSums()).toEqual({ hours: 0, days: 1 })
})

it.each`
  values                | aggregation  | expected
  ${[1e300, -1e300]}    | ${'Sum'}     | ${[0]}
  ${[1e300, 5]}         | ${'Maximum'} | ${[1e300]}
  ${[5e-324, 5e-324]}   | ${'Sum'}     | ${[1e-323]}
  ${[1.7e308, 1.7e308]} | ${'Count'}   | ${[2]}
`('reads $values from the points, as they cannot be added up in part', async (row) => {
  const { values, aggregation, expected } = row as {
    values: number[]
    aggregation: 'Sum'
    expected: number[]
  }
  nextDays(3)
  await makePartitions()
  const devices = [await given()]
  await storeAll(
    devices,
    values.map((number, index) => ({ device: 0, minute: index, ...value(number) })),
  )

  await rollUpAt(1)

  expect(await countRows()).toEqual({ points: 0, packed: 1, hours: 1 })
  expect(await valuesOf(devices, { aggregation })).toEqual(expected)
  await rollUpAt(DAY_OVER)
  expect(await countSums()).toEqual({ hours: 0, days: 1 })
  expect(await valuesOf(devices, { aggregation })).toEqual(expected)
})

it('refuses to add up values that are too large together, packed or not', async () => {
  nextDays(2)
  const devices = [await given()]
  const body = {
    metric: 'x',
    aggregation: 'Sum',
    from: at(0).toISOString(),
    to: at(60).toISOString(),
  }
  await storeAll(
    devices,
    [0, 1].map((minute) => ({ device: 0, minute, ...value(1.7e308) })),
  )
  const before = await workspace.post('/metrics/query', body)
  await rollUpAt(1)

  const after = await workspace.post('/metrics/query', body)

  expect(before.json()).toMatchObject({ status: 400, errors: [{ pointer: '/aggregation' }] })
  expect(after.json()).toEqual(before.json())
})

it('tells of a wrong clock when the points are packed, too', async () => {
  const { workspaceId } = workspace
  const device = await givenDevice(test.ctx, workspaceId)
  const now = Date.now()
  const receivedAt = new Date(now - 2 * HOUR)
  await storeTelemetry(
    test.ctx,
    metrics(device, [{ name: 'x', value: 1, timestamp: new Date(0) }], receivedAt),
  )
  await rollUpMetrics({ ...test.ctx, now: () => new Date(now) })

  const response = await workspace.get(`/metrics/series?deviceId=${device.deviceId}`)

  expect(response.json()).toMatchObject({
    wrongClock: { deviceTime: '1970-01-01T00:00:00.000Z', receivedAt: receivedAt.toISOString() },
  })
})
