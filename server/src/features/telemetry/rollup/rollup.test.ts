/** Sums of hours never show: what is read is what the points say, whatever comes late and whoever is interrupted. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp, type TestWorkspace } from '../../../../test/app.ts'
import {
  givenDevice,
  type GivenDevice,
  metrics,
  storeTelemetry,
} from '../../../../test/given-telemetry.ts'
import { propertyRuns } from '../../../../test/property-runs.ts'
import type { MetricPoint } from '../../../formats/device-messages/model.ts'
import { AGGREGATIONS, parseQueryWindow } from '../query-window.ts'
import { rollUpMetrics } from '../index.ts'
import { listWindows } from '../service.ts'
import * as store from '../windows-store.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

let test: TestApp
let workspace: TestWorkspace
/** Each test has days of its own, because closed hours stay closed. */
let begin = Date.UTC(2026, 4, 20)
const nextDays = (days: number) => (begin += days * DAY)
beforeAll(async () => {
  test = await startTestApp()
  workspace = await test.givenWorkspace()
  await storeTelemetry(test.ctx, metrics(await given(), [{ name: 'x', value: 1 }]))
  await rollUpAt(0)
})

const given = () => givenDevice(test.ctx, workspace.workspaceId)
/** The grace after the end of an hour is over by then. */
const rollUpAt = (hour: number) =>
  rollUpMetrics({ ...test.ctx, now: () => new Date(begin + hour * HOUR + 5 * MINUTE) })
const at = (minute: number) => new Date(begin + minute * MINUTE)

interface Sent {
  device: number
  minute: number
  value: Pick<MetricPoint, 'value' | 'aggregate'>
}

function storeAll(devices: readonly GivenDevice[], sent: readonly Sent[]): Promise<void> {
  const reports = sent.map(({ device, minute, value }) =>
    metrics(
      devices[device] ?? { workspaceId: '', deviceId: '' },
      [{ name: 'x', timestamp: at(minute), ...value }],
      at(6 * 60),
    ),
  )
  return storeTelemetry(test.ctx, ...reports)
}

interface Asked {
  aggregation: (typeof AGGREGATIONS)[number]
  from: number
  to: number
  stepMinutes: number | undefined
  byDevice: boolean
}

function queryOf(devices: readonly GivenDevice[], asked: Asked) {
  const { aggregation, from, to, stepMinutes, byDevice } = asked
  const window = parseQueryWindow({
    from: at(from).toISOString(),
    to: at(to).toISOString(),
    ...(stepMinutes !== undefined && { stepSeconds: stepMinutes * 60 }),
  })
  const { workspaceId } = workspace
  const deviceIds = devices.map(({ deviceId }) => deviceId)
  const filter = { workspaceId, metric: 'x', labels: {}, deviceIds, cohortId: undefined }
  return { ...filter, ...window, aggregation, byDevice }
}

async function expectAlike(devices: readonly GivenDevice[], asked: Asked) {
  const query = queryOf(devices, asked)
  const points = await store.listWindows(test.ctx.db, query)
  expect(await listWindows(test.ctx, query)).toEqual(points)
  return points
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
  rolledUntil: fc.option(fc.nat({ max: 5 }), { nil: undefined }),
  isBusy: fc.boolean(),
})
const Question: fc.Arbitrary<Asked> = fc.record({
  aggregation: fc.constantFrom(...AGGREGATIONS),
  from: fc.oneof(fc.constantFrom(-60, 0, 60, 120), fc.integer({ min: -70, max: 299 })),
  to: fc.oneof(fc.constantFrom(300, 360), fc.integer({ min: 300, max: 400 })),
  stepMinutes: fc.constantFrom(30, 60, 90, 120, 1_440, undefined),
  byDevice: fc.boolean(),
})

it('answers the same with and without sums of hours, while points come late and workers race', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(Round, { minLength: 1, maxLength: 4 }),
      fc.array(Question, { minLength: 1, maxLength: 4 }),
      async (rounds, questions) => {
        nextDays(1)
        const devices = [await given(), await given(), await given()]
        for (const { batches, rolledUntil, isBusy } of rounds) {
          const storing = batches.map((batch) => () => storeAll(devices, batch))
          const rolling = rolledUntil === undefined ? [] : [() => rollUpAt(rolledUntil)]
          const workers = isBusy ? [...rolling, ...storing, ...rolling] : [...storing, ...rolling]
          if (isBusy) await Promise.all(workers.map((work) => work()))
          else for (const work of workers) await work()

          for (const asked of questions) await expectAlike(devices, asked)
        }
      },
    ),
    { numRuns: propertyRuns(40) },
  )
})

async function countHours(): Promise<{ hours: number; late: number }> {
  const { rows } = await sql<{ hours: number; late: number }>`
    select (select count(*)::int from metric_hours where time >= ${at(0)}) as hours,
      (select count(*)::int from metric_late_hours where time >= ${at(0)}) as late`.execute(
    test.ctx.db,
  )
  return rows[0] ?? { hours: 0, late: 0 }
}

const value = (number: number) => ({ value: { value: number } })
const DAILY = {
  aggregation: 'Sum' as const,
  from: 0,
  to: 360,
  stepMinutes: 60,
  byDevice: false,
}
const valuesOf = (windows: readonly store.WindowValue[] | undefined) =>
  windows?.map((one) => one.value)

it('reads whole hours from their sums, the edges and what is late from the points', async () => {
  nextDays(2)
  const devices = [await given(), await given()]
  await storeAll(devices, [
    { device: 0, minute: 10, ...value(1) },
    { device: 0, minute: 70, ...value(2) },
    { device: 1, minute: 130, ...value(4) },
  ])
  await rollUpAt(2)
  expect(await countHours()).toEqual({ hours: 2, late: 0 })
  // Sums that are wrong tell which hours are read from them.
  await sql`update metric_hours set sum = sum + 100 where time >= ${at(0)}`.execute(test.ctx.db)
  const read = async (asked: object) =>
    valuesOf(await listWindows(test.ctx, queryOf(devices, { ...DAILY, ...asked })))

  expect(await read({})).toEqual([101, 102, 4])
  expect(await read({ from: -1, stepMinutes: undefined })).toEqual([207])
  expect(await read({ from: 1, stepMinutes: undefined })).toEqual([107])
  expect(await read({ from: 1 })).toEqual([1, 2, 4])
  expect(await read({ stepMinutes: 90 })).toEqual([3, 4])
  expect(await read({ stepMinutes: 120 })).toEqual([203, 4])
  expect(await read({ to: 119 })).toEqual([101, 2])

  await storeAll(devices, [{ device: 0, minute: 20, ...value(8) }])
  expect(await read({})).toEqual([9, 102, 4])
  await storeAll(devices, [{ device: 1, minute: 30, ...value(16) }])
  expect(await countHours()).toEqual({ hours: 2, late: 2 })
  expect(await read({})).toEqual([25, 102, 4])

  await rollUpAt(2)

  expect(await countHours()).toEqual({ hours: 3, late: 0 })
  expect(await read({})).toEqual([25, 102, 4])
})

it('closes no hour that a batch may still add to', async () => {
  nextDays(2)
  const devices = [await given()]
  await rollUpAt(0)
  await test.ctx.db.transaction().execute(async (tx) => {
    const { storeReportedTelemetry } = await import('../index.ts')
    const reports = [
      metrics(
        devices[0] ?? { workspaceId: '', deviceId: '' },
        [{ name: 'x', value: 1, timestamp: at(10) }],
        at(60),
      ),
    ]
    await storeReportedTelemetry(test.ctx, tx, { workspaceId: workspace.workspaceId, reports })
    await rollUpAt(1)
    expect(await countHours()).toEqual({ hours: 0, late: 0 })
  })
  expect(valuesOf(await expectAlike(devices, DAILY))).toEqual([1])

  await rollUpAt(1)

  expect(await countHours()).toEqual({ hours: 1, late: 0 })
  expect(valuesOf(await expectAlike(devices, DAILY))).toEqual([1])
})

it('keeps the mark of a point that was not committed yet when its hour was made anew', async () => {
  nextDays(2)
  const devices = [await given()]
  const late = (number: number) => storeAll(devices, [{ device: 0, minute: 10, ...value(number) }])
  await late(1)
  await rollUpAt(1)
  await late(2)
  await test.ctx.db.transaction().execute(async (tx) => {
    const { storeReportedTelemetry } = await import('../index.ts')
    const reports = [
      metrics(
        devices[0] ?? { workspaceId: '', deviceId: '' },
        [{ name: 'x', value: 4, timestamp: at(10) }],
        at(60),
      ),
    ]
    await storeReportedTelemetry(test.ctx, tx, { workspaceId: workspace.workspaceId, reports })
    await rollUpAt(1)
    expect(await countHours()).toEqual({ hours: 1, late: 0 })
  })

  expect(await countHours()).toEqual({ hours: 1, late: 1 })
  expect(valuesOf(await expectAlike(devices, DAILY))).toEqual([7])
  await rollUpAt(1)
  expect(await countHours()).toEqual({ hours: 1, late: 0 })
  expect(valuesOf(await expectAlike(devices, DAILY))).toEqual([7])
})

it('goes on where a worker was ended', async () => {
  nextDays(2)
  const devices = [await given()]
  await storeAll(
    devices,
    [10, 70, 130].map((minute) => ({ device: 0, minute, ...value(minute) })),
  )
  const { workspaceId } = workspace
  // Closed, and nothing made yet.
  await sql`update metric_rollups set closed_until = ${at(180)} where workspace_id = ${workspaceId}`.execute(
    test.ctx.db,
  )
  await storeAll(devices, [{ device: 0, minute: 71, ...value(1) }])
  expect(valuesOf(await expectAlike(devices, DAILY))).toEqual([10, 71, 130])

  await Promise.all([rollUpAt(3), rollUpAt(3)])
  await rollUpAt(3)

  expect(await countHours()).toEqual({ hours: 3, late: 0 })
  expect(valuesOf(await expectAlike(devices, DAILY))).toEqual([10, 71, 130])
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
  nextDays(2)
  const devices = [await given()]
  await storeAll(
    devices,
    values.map((number, index) => ({ device: 0, minute: index, ...value(number) })),
  )

  await rollUpAt(1)

  expect(await countHours()).toEqual({ hours: 1, late: 0 })
  expect(valuesOf(await expectAlike(devices, { ...DAILY, aggregation }))).toEqual(expected)
})
