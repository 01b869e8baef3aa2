import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestApp, type TestWorkspace } from '../../../../test/app.ts'
import {
  givenDevice,
  type GivenDevice,
  logs,
  metrics,
  reportOf,
  storeTelemetry,
} from '../../../../test/given-telemetry.ts'

let test: TestApp
let workspace: TestWorkspace
beforeAll(async () => {
  test = await sharedTestApp()
  workspace = await test.givenWorkspace()
})

interface StoredPoint {
  name: string
  labels: Record<string, string>
  sum: number
  count: number | null
  min: number | null
  max: number | null
  time: Date
  deviceTime: Date | null
}

async function pointsOf({ workspaceId, deviceId }: GivenDevice): Promise<StoredPoint[]> {
  const { rows } = await sql<StoredPoint>`
    select series.name, series.labels, point.sum, point.count, point.min, point.max, point.time, point.device_time
    from (
      select * from metric_series where workspace_id = ${workspaceId} and device_id = ${deviceId}
    ) as series join metric_points as point on point.series_id = series.id
    where point.workspace_id = ${workspaceId}
    order by point.time, series.name, point.sum`.execute(test.ctx.db)
  return rows
}

async function valuesOf(device: GivenDevice): Promise<number[]> {
  return (await pointsOf(device)).map(({ sum }) => sum).toSorted((a, b) => a - b)
}

function linesOf({ workspaceId, deviceId }: GivenDevice) {
  return test.ctx.db
    .selectFrom('deviceLogs')
    .select(['time', 'severity', 'message', 'labels', 'runId', 'deviceTime'])
    .where('workspaceId', '=', workspaceId)
    .where('deviceId', '=', deviceId)
    .orderBy('time')
    .orderBy('id')
    .execute()
}

const given = (device: { id?: string; runIds?: string[] } = {}) =>
  givenDevice(test.ctx, workspace.workspaceId, device)
const point = (sequence: number, runId?: string) => ({
  name: 'temperature',
  value: sequence,
  sequence,
  ...(runId === undefined ? {} : { runId }),
})

it('stores values and aggregates with their labels and times', async () => {
  const device = await given()
  const receivedAt = new Date()
  const earlier = new Date(receivedAt.getTime() - 60_123)
  const aggregate = { sum: 12.5, count: 4, min: -1, max: 9.25 }

  await storeTelemetry(
    test.ctx,
    metrics(
      device,
      [
        { name: 'temperature', value: 21.5, timestamp: earlier, labels: { room: 'é"\\', at: 'x' } },
        { name: 'latency', aggregate },
      ],
      receivedAt,
    ),
  )

  expect(await pointsOf(device)).toEqual([
    {
      name: 'temperature',
      labels: { at: 'x', room: 'é"\\' },
      sum: 21.5,
      count: null,
      min: null,
      max: null,
      time: earlier,
      deviceTime: null,
    },
    { name: 'latency', labels: {}, ...aggregate, time: receivedAt, deviceTime: null },
  ])
})

it('takes labels in any order for the same series', async () => {
  const device = await given()
  await storeTelemetry(
    test.ctx,
    metrics(device, [{ name: 'load', value: 1, labels: { a: '1', b: '2' } }]),
  )
  await storeTelemetry(
    test.ctx,
    metrics(device, [{ name: 'load', value: 2, labels: { b: '2', a: '1' } }]),
  )

  const series = await test.ctx.db
    .selectFrom('metricSeries')
    .select('labelNames')
    .where('deviceId', '=', device.deviceId)
    .execute()
  expect(series).toEqual([{ labelNames: ['a', 'b'] }])
  expect(await valuesOf(device)).toEqual([1, 2])
})

it('stores what is sent twice once, in one batch and over several', async () => {
  const device = await given({ runIds: ['run-2', 'run-1'] })

  await storeTelemetry(
    test.ctx,
    metrics(device, [point(1), point(2), point(2)]),
    metrics(device, [point(1)]),
  )
  await storeTelemetry(test.ctx, metrics(device, [point(2), point(4), point(3)]))
  await storeTelemetry(test.ctx, metrics(device, [point(3), point(1), point(5)]))

  expect(await valuesOf(device)).toEqual([1, 2, 3, 4, 5])
})

it('tells runs and series apart, and takes a run unnamed for the newest', async () => {
  const device = await given({ runIds: ['new', 'old'] })
  const other = { ...point(7), name: 'pressure' }

  await storeTelemetry(
    test.ctx,
    metrics(device, [point(7), point(7, 'new'), point(7, 'old'), other]),
  )

  expect(await pointsOf(device)).toHaveLength(3)
})

it('takes points before a session in the same batch for those of the run before', async () => {
  const device = await given({ runIds: ['first'] })
  await storeTelemetry(test.ctx, metrics(device, [point(1)]))
  // The devices' own part of the batch comes first.
  await test.ctx.db
    .updateTable('devices')
    .set({ runIds: ['second', 'first'] })
    .where('id', '=', device.deviceId)
    .execute()

  await storeTelemetry(
    test.ctx,
    metrics(device, [point(1), point(2)]),
    reportOf(device, { kind: 'session', session: { runId: 'second' } }),
    metrics(device, [point(1), point(2)]),
  )

  expect(await valuesOf(device)).toEqual([1, 1, 2, 2])
})

it('stores all that has no sequence or is of no known run', async () => {
  const silent = await given()
  const device = await given({ runIds: ['run'] })
  const unnumbered = { name: 'temperature', value: 1 }

  await storeTelemetry(
    test.ctx,
    metrics(silent, [point(1), point(1)]),
    metrics(device, [unnumbered, unnumbered]),
  )

  expect(await valuesOf(silent)).toEqual([1, 1])
  expect(await valuesOf(device)).toEqual([1, 1])
})

it('believes no clock that is an hour ahead or older than the retention, and says so', async () => {
  const device = await given()
  const receivedAt = new Date()
  const after = (hours: number) => new Date(receivedAt.getTime() + hours * 3_600_000)
  const times = [
    after(0.9),
    after(1.1),
    after(-29 * 24),
    after(-31 * 24),
    new Date(0),
    new Date(8.64e15),
  ]
  const points = times.map((timestamp, value) => ({ name: 'clock', value, timestamp }))

  await storeTelemetry(test.ctx, metrics(device, points, receivedAt))
  await storeTelemetry(
    test.ctx,
    logs(device, [{ severity: 'Info', message: 'x', timestamp: new Date(-8.64e15) }], receivedAt),
  )

  const stored = (await pointsOf(device)).toSorted((a, b) => a.sum - b.sum)
  const placed = stored.map(({ time, deviceTime }) => [time, deviceTime])
  expect(placed.slice(0, 5)).toEqual([
    [after(0.9), null],
    [receivedAt, after(1.1)],
    [after(-29 * 24), null],
    [receivedAt, after(-31 * 24)],
    [receivedAt, new Date(0)],
  ])
  expect(stored[5]).toMatchObject({
    time: receivedAt,
    deviceTime: new Date(Date.UTC(9999, 11, 31)),
  })
  expect(await linesOf(device)).toMatchObject([{ time: receivedAt }])
})

it('stores log lines once, in the order they came', async () => {
  const device = await given({ runIds: ['run'] })
  const receivedAt = new Date()
  const line = (sequence: number) => ({
    severity: 'Warning' as const,
    message: `line ${sequence}`,
    sequence,
    labels: { module: 'net' },
  })

  await storeTelemetry(test.ctx, logs(device, [line(1), line(2), line(1)], receivedAt))
  await storeTelemetry(
    test.ctx,
    logs(device, [line(2), line(3)], receivedAt),
    metrics(device, [point(1)]),
  )

  const stored = await linesOf(device)
  expect(stored.map(({ message }) => message)).toEqual(['line 1', 'line 2', 'line 3'])
  expect(stored[0]).toEqual({
    time: receivedAt,
    severity: 'Warning',
    message: 'line 1',
    labels: { module: 'net' },
    runId: 'run',
    deviceTime: null,
  })
  expect(await valuesOf(device)).toEqual([1])
})

it('drops what a deleted device said, and stores the rest of the batch', async () => {
  const [gone, device] = [await given(), await given({ runIds: ['run'] })]
  const runs = (one: GivenDevice) => metrics(one, [point(1, 'run'), { name: 'x', value: 2 }])
  await storeTelemetry(test.ctx, runs(gone), runs(device))
  await test.ctx.db.deleteFrom('devices').where('id', '=', gone.deviceId).execute()

  await storeTelemetry(
    test.ctx,
    metrics(gone, [point(9)]),
    logs(gone, [{ severity: 'Info', message: 'x' }]),
    metrics(device, [point(3)]),
  )

  expect(await pointsOf(gone)).toEqual([])
  expect(await linesOf(gone)).toEqual([])
  expect(await valuesOf(device)).toEqual([1, 2, 3])
})

it('drops what a device says that is being deleted, without waiting for it', async () => {
  const [leaving, device] = [await given(), await given()]

  await test.ctx.db.transaction().execute(async (tx) => {
    await tx.deleteFrom('devices').where('id', '=', leaving.deviceId).execute()
    await storeTelemetry(test.ctx, metrics(leaving, [point(1)]), metrics(device, [point(2)]))
  })

  expect(await pointsOf(leaving)).toEqual([])
  expect(await valuesOf(device)).toEqual([2])
})

it('takes a device made anew under the same name for another', async () => {
  const id = `device-${crypto.randomUUID()}`
  const first = await given({ id })
  await storeTelemetry(test.ctx, metrics(first, [{ name: 'x', value: 1 }]))
  await storeTelemetry(test.ctx, metrics(first, [{ name: 'x', value: 2 }]))
  await test.ctx.db.deleteFrom('devices').where('id', '=', id).execute()
  const second = await given({ id })

  await storeTelemetry(test.ctx, metrics(second, [{ name: 'x', value: 3 }]))
  await storeTelemetry(test.ctx, metrics(second, [{ name: 'x', value: 4 }]))

  expect(await valuesOf(second)).toEqual([3, 4])
})

it('keeps nothing of a batch that fails, and stores it when it comes again', async () => {
  const device = await given({ runIds: ['run'] })
  const store = (fails: boolean) =>
    test.ctx.db.transaction().execute(async (tx) => {
      const { storeReportedTelemetry } = await import('../index.ts')
      const reports = [metrics(device, [point(1), point(2)])]
      await storeReportedTelemetry(test.ctx, tx, { workspaceId: device.workspaceId, reports })
      if (fails) throw new Error('a later listener fails')
    })

  await expect(store(true)).rejects.toThrow('a later listener fails')
  await store(false)
  await store(false)

  expect(await valuesOf(device)).toEqual([1, 2])
})

it('drops and counts points of series beyond the limit, never those of known ones', async () => {
  const telemetry = {
    ...test.ctx.config.telemetry,
    metricSeriesPerDevice: 3,
    metricSeriesPerWorkspace: 5,
  }
  const ctx = { ...test.ctx, config: { ...test.ctx.config, telemetry } }
  const { workspaceId } = await test.givenWorkspace()
  const [bomb, other] = [await givenDevice(ctx, workspaceId), await givenDevice(ctx, workspaceId)]
  const numbered = (from: number, to: number) =>
    Array.from({ length: to - from }, (_, at) => ({ name: `m${from + at}`, value: from + at }))

  await storeTelemetry(ctx, metrics(bomb, numbered(0, 5)), metrics(other, numbered(10, 12)))
  await storeTelemetry(ctx, metrics(bomb, numbered(0, 5)), metrics(other, numbered(11, 14)))

  expect(await valuesOf(bomb)).toEqual([0, 0, 1, 1, 2, 2])
  expect(await valuesOf(other)).toEqual([10, 11, 11])
  const overflows = await ctx.db
    .selectFrom('metricOverflows')
    .select(['deviceId', 'points', 'lastName'])
    .where('workspaceId', '=', workspaceId)
    .execute()
  expect(new Map(overflows.map((one) => [one.deviceId, [one.points, one.lastName]]))).toEqual(
    new Map([
      [bomb.deviceId, [4, 'm4']],
      [other.deviceId, [2, 'm13']],
    ]),
  )
})

it('never mixes workspaces, though their devices have one name', async () => {
  const elsewhere = await test.givenWorkspace()
  const id = `device-${crypto.randomUUID()}`
  const mine = await givenDevice(test.ctx, workspace.workspaceId, { id, runIds: ['run'] })
  const theirs = await givenDevice(test.ctx, elsewhere.workspaceId, { id, runIds: ['run'] })

  for (const times of [1, 2]) {
    await storeTelemetry(test.ctx, metrics(mine, [point(times)]))
    await storeTelemetry(test.ctx, metrics(theirs, [point(times), point(10 + times)]))
  }

  expect(await valuesOf(mine)).toEqual([1, 2])
  expect(await valuesOf(theirs)).toEqual([1, 2, 11, 12])
})
