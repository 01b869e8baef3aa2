/** A worker that is killed while it packs hours of metrics: every point is there once, late ones too. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import pg from 'pg'
import { expect, it } from 'vitest'
import { maintainTelemetry, telemetryChecks } from '../src/features/telemetry/index.ts'
import { addMs, HOUR_MS, MINUTE_MS, startOfHour } from '../src/formats/instants.ts'
import { startTestApp, type TestApp } from './app.ts'
import { onEachNode } from './citus.ts'
import { listFaults } from './doctor.ts'
import { closeAtEndOfFile } from './end-of-file.ts'
import { type Client, givenClient } from './given.ts'
import { givenDevice, type GivenDevice, metrics, storeTelemetry } from './given-telemetry.ts'
import { isDeep } from './property-runs.ts'
import { endProcess, freePort, startServiceProcess } from './service-process.ts'

/** Of these hours, in which a worker is killed. */
const KILLED_IN = isDeep ? [0, 1] : [1]
const DEVICES = 16
const HOURS = 2
/** Of a device in an hour. Those of all devices are more than are packed at once. */
const POINTS = 4_500
const EVERY_MS = HOUR_MS / POINTS
const LATE = 20

interface Point {
  device: number
  at: number
  value: number
}

/** The values of the points of `generate_series` below. */
const valueOf = (device: number, index: number) => (index * 31 + device * 7) % 997

async function givenPoints(test: TestApp, devices: readonly GivenDevice[], begin: Date) {
  const reports = devices.map((device) => metrics(device, [{ name: 'x', value: 0 }]))
  await storeTelemetry(test.ctx, ...reports)
  await maintainTelemetry(test.ctx)
  const ids = devices.map(({ deviceId }) => deviceId)
  await sql`
    insert into metric_points (workspace_id, series_id, time, sum)
    select series.workspace_id, series.id, ${begin}::timestamptz + index * ${EVERY_MS} * interval '1 millisecond',
      (index * 31 + (device.place - 1) * 7) % 997
    from unnest(${ids}::text[]) with ordinality as device (id, place)
    join metric_series as series on series.device_id = device.id
    cross join generate_series(0, ${HOURS * POINTS - 1}) as index`.execute(test.ctx.db)
  return devices.flatMap((_, device) =>
    Array.from({ length: HOURS * POINTS }, (_unused, index): Point => ({
      device,
      at: begin.getTime() + index * EVERY_MS,
      value: valueOf(device, index),
    })),
  )
}

/** Of all hours, between the other points. */
async function storeLate(
  { ctx }: TestApp,
  devices: readonly GivenDevice[],
  begin: Date,
): Promise<Point[]> {
  const points = devices.flatMap((_, device) =>
    Array.from({ length: LATE }, (_unused, index): Point => ({
      device,
      at: begin.getTime() + Math.floor(((index + 0.5) * HOURS * HOUR_MS) / LATE) + 1,
      value: 1_000 + index,
    })),
  )
  const reports = devices.map((given, place) =>
    metrics(
      given,
      points
        .filter(({ device }) => device === place)
        .map(({ at, value }) => ({ name: 'x', value, timestamp: new Date(at) })),
    ),
  )
  await storeTelemetry(ctx, ...reports)
  return points
}

type Windows = Record<string, [time: number, value: number][]>

/** What the API answers, by device. Windows of whole hours are read from sums, all others from the points. */
async function ask(
  client: Client,
  { aggregation, from, stepMs }: { aggregation: 'Count' | 'Sum'; from: Date; stepMs: number },
): Promise<Windows> {
  const response = await client.post('/metrics/query', {
    metric: 'x',
    aggregation,
    from: from.toISOString(),
    to: addMs(from, HOURS * HOUR_MS).toISOString(),
    stepSeconds: stepMs / 1_000,
    groupBy: 'Device',
  })
  const { series } = response.json<{
    series: { deviceId: string; points: { time: string; value: number }[] }[]
  }>()
  return Object.fromEntries(
    series.map(({ deviceId, points }) => [
      deviceId,
      points.map(({ time, value }): [number, number] => [Date.parse(time), value]),
    ]),
  )
}

function naive(
  devices: readonly GivenDevice[],
  points: readonly Point[],
  { aggregation, stepMs }: { aggregation: 'Count' | 'Sum'; stepMs: number },
): Windows {
  const windows = devices.map(() => new Map<number, number>())
  for (const { device, at, value } of points) {
    const window = Math.floor(at / stepMs) * stepMs
    const sums = windows[device]
    sums?.set(window, (sums.get(window) ?? 0) + (aggregation === 'Count' ? 1 : value))
  }
  return Object.fromEntries(
    devices.map(({ deviceId }, device) => [
      deviceId,
      [...(windows[device] ?? [])].toSorted(([a], [b]) => a - b),
    ]),
  )
}

async function countRows({ ctx: { db } }: TestApp, from: Date) {
  const until = addMs(from, HOURS * HOUR_MS)
  const { rows } = await sql<{ points: number; packed: number }>`
    select (select count(*)::int from metric_points where time >= ${from} and time < ${until}) as points,
      (select count(*)::int from metric_packed_hours) as packed`.execute(db)
  return rows[0] ?? { points: 0, packed: 0 }
}

/** Keeps workers from packing an hour of the last series until the result is called. */
async function holdUp({ connectionString }: TestApp, hour: Date): Promise<() => Promise<unknown>> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  closeAtEndOfFile(() => client.end())
  await client.query('begin')
  await client.query(
    `insert into metric_packed_hours (workspace_id, series_id, time, points)
     select workspace_id, id, $1, '' from metric_series order by id desc limit 1`,
    [hour],
  )
  return () => client.query('rollback')
}

/** Whether a worker has taken points out, and waits to put them into their packed hours, on whichever node they lie. */
async function isHeldUp({ connectionString }: TestApp): Promise<boolean> {
  let waiting = 0
  await onEachNode(connectionString, async (client) => {
    const { rows } = await client.query(
      `select from pg_stat_activity
       where datname = current_database() and wait_event_type = 'Lock' and query like '%metric_packed_hours%'`,
    )
    waiting += rows.length
  })
  return waiting > 0
}

it('keeps each point once when a worker is killed while it packs', async () => {
  const test = await startTestApp()
  const client = await givenClient(test)
  const devices: GivenDevice[] = []
  for (let made = 0; made < DEVICES; made += 1)
    devices.push(await givenDevice(test.ctx, client.workspaceId))
  const from = startOfHour(addMs(test.ctx.now(), -(HOURS + 1) * HOUR_MS))
  const points = await givenPoints(test, devices, from)
  const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-test-'))
  closeAtEndOfFile(() => rmSync(dataDir, { recursive: true, force: true }))
  const startWorker = async () => {
    const worker = await startServiceProcess({
      dataDir,
      port: await freePort(),
      managementPort: await freePort(),
      env: { DATABASE_URL: test.connectionString },
      args: ['--roles', 'worker'],
    })
    closeAtEndOfFile(() => endProcess(worker.child, 'SIGKILL'))
    return worker
  }
  const expectAll = async () => {
    for (const aggregation of ['Count', 'Sum'] as const)
      for (const stepMs of [MINUTE_MS, HOUR_MS]) {
        const answer = await ask(client, { aggregation, from, stepMs })
        expect(answer).toEqual(naive(devices, points, { aggregation, stepMs }))
      }
  }

  for (const hour of KILLED_IN) {
    const release = await holdUp(test, addMs(from, hour * HOUR_MS))
    const worker = await startWorker()
    await expect.poll(() => isHeldUp(test)).toBe(true)
    await endProcess(worker.child, 'SIGKILL')

    const left = await countRows(test, from)
    expect(left.points).toBeGreaterThan(0)
    expect(left.packed).toBeGreaterThan(0)
    await expectAll()
    points.push(...(await storeLate(test, devices, from)))
    await expectAll()
    await release()
  }
  await startWorker()
  while ((await countRows(test, from)).points > 0) await delay(20)

  await expectAll()
  expect(await listFaults(test.ctx, telemetryChecks)).toEqual([])
})
