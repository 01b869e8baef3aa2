import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp, type TestWorkspace } from '../../../../test/app.ts'
import {
  givenDevice,
  type GivenDevice,
  logs,
  metrics,
  partitionOfRow,
  storeTelemetry,
} from '../../../../test/given-telemetry.ts'
import { maintainTelemetry } from '../index.ts'

const DAY_MS = 86_400_000
const NOON = Date.UTC(2026, 4, 20, 12)

let test: TestApp
let workspace: TestWorkspace
beforeAll(async () => {
  test = await startTestApp()
  workspace = await test.givenWorkspace()
})

const on = (day: number) => ({ ...test.ctx, now: () => new Date(NOON + day * DAY_MS) })
const noon = (day: number) => new Date(NOON + day * DAY_MS)

async function tableOf(table: 'metric_points' | 'device_logs'): Promise<Record<string, number>> {
  const { rows } = await sql<{ name: string; count: number }>`
    select ${partitionOfRow} as name, count(*)::int as count from ${sql.table(table)}
    group by 1 order by 1`.execute(test.ctx.db)
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]))
}

async function partitionsOf(table: 'metric_points' | 'device_logs'): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select inhrelid::regclass::text as name from pg_inherits where inhparent = ${table}::regclass
    order by 1`.execute(test.ctx.db)
  return rows.map(({ name }) => name.slice(table.length + 1))
}

async function storeAt(device: GivenDevice, ...times: readonly Date[]) {
  for (const at of times)
    await storeTelemetry(
      { ...test.ctx, now: () => at },
      metrics(device, [{ name: 'x', value: 1 }], at),
      logs(device, [{ severity: 'Info', message: 'x' }], at),
    )
}

async function keepFor(workspaceId: string, metricRetentionDays: number, logRetentionDays: number) {
  await test.ctx.db
    .updateTable('workspaces')
    .set({ metricRetentionDays, metricHourRetentionDays: metricRetentionDays, logRetentionDays })
    .where('id', '=', workspaceId)
    .execute()
}

it('makes a week ahead, moves what came before its day had a partition, and cuts days in UTC', async () => {
  const device = await givenDevice(test.ctx, workspace.workspaceId)
  const midnight = Date.UTC(2026, 4, 20)
  await storeAt(device, new Date(midnight - 1), new Date(midnight), noon(-30))
  expect(await tableOf('metric_points')).toEqual({ default: 3 })

  await maintainTelemetry(on(0))
  await storeAt(device, new Date(midnight + DAY_MS - 1), new Date(midnight + DAY_MS))
  await Promise.all([maintainTelemetry(on(0)), maintainTelemetry(on(0))])

  for (const table of ['metric_points', 'device_logs'] as const) {
    expect(await tableOf(table)).toEqual({
      '20260420': 1,
      '20260519': 1,
      '20260520': 2,
      '20260521': 1,
    })
    expect((await partitionsOf(table)).slice(0, -1)).toEqual(
      ['0420', '0519', '0520', '0521', '0522', '0523', '0524', '0525', '0526', '0527'].map(
        (day) => `2026${day}`,
      ),
    )
  }
})

it('drops days nobody keeps, and deletes before that what a workspace no longer keeps', async () => {
  const shorter = await test.givenWorkspace()
  await keepFor(workspace.workspaceId, 10, 20)
  await keepFor(shorter.workspaceId, 5, 5)
  const long = await givenDevice(test.ctx, workspace.workspaceId)
  const short = await givenDevice(test.ctx, shorter.workspaceId)
  const days = [-21, -20, -11, -10, -6, -5, 0]
  for (const device of [long, short]) await storeAt(device, ...days.map((day) => noon(1_000 + day)))

  await maintainTelemetry(on(1_000))

  const times = async (table: 'metric_points' | 'device_logs', { workspaceId }: TestWorkspace) => {
    const { rows } = await sql<{ time: Date }>`
      select time from ${sql.table(table)} where workspace_id = ${workspaceId} order by time`.execute(
      test.ctx.db,
    )
    return rows.map(({ time }) => (time.getTime() - NOON) / DAY_MS - 1_000)
  }
  expect(await times('metric_points', workspace)).toEqual([-10, -6, -5, 0])
  expect(await times('device_logs', workspace)).toEqual([-20, -11, -10, -6, -5, 0])
  expect(await times('metric_points', shorter)).toEqual([-5, 0])
  expect(await times('device_logs', shorter)).toEqual([-5, 0])
  expect((await partitionsOf('metric_points')).filter((name) => name < '20290203')).toEqual([])
})

it('deletes large days piece by piece', async () => {
  const { workspaceId } = await test.givenWorkspace()
  await keepFor(workspaceId, 1, 1)
  const device = await givenDevice(test.ctx, workspaceId)
  const at = noon(1_990)
  const lines = Array.from({ length: 12_000 }, (_, index) => ({
    severity: 'Info' as const,
    message: `${index}`,
    timestamp: new Date(at.getTime() + index),
  }))
  const points = Array.from({ length: 12_000 }, (_, index) => ({
    name: `m${index % 900}`,
    value: 1,
  }))
  await storeTelemetry(
    { ...test.ctx, now: () => at },
    metrics(device, points, at),
    logs(device, lines, at),
  )

  await maintainTelemetry(on(2_000))

  for (const table of ['metric_points', 'device_logs']) {
    const { rows } = await sql`
      select from ${sql.table(table)} where workspace_id = ${workspaceId}`.execute(test.ctx.db)
    expect(rows).toEqual([])
  }
})

it('forgets series and runs nothing was heard of for longer than the retention, and no others', async () => {
  const { workspaceId } = await test.givenWorkspace()
  await keepFor(workspaceId, 10, 10)
  const device = await givenDevice(test.ctx, workspaceId)
  const store = (day: number, name: string) =>
    storeTelemetry(
      on(day),
      metrics(device, [{ name, value: day, sequence: 1, runId: `run of ${name}` }], noon(day)),
    )
  await store(3_000, 'silent')
  await store(3_000, 'busy')
  for (let day = 3_001; day < 3_020; day++)
    await storeTelemetry(on(day), metrics(device, [{ name: 'busy', value: day }], noon(day)))

  await maintainTelemetry(on(3_020))

  const series = await sql<{ name: string }>`
    select name from metric_series where workspace_id = ${workspaceId}`.execute(test.ctx.db)
  expect(series.rows).toEqual([{ name: 'busy' }])
  const runs =
    await sql`select from device_run_sequences where workspace_id = ${workspaceId}`.execute(
      test.ctx.db,
    )
  expect(runs.rows).toEqual([])
  await store(3_020, 'silent')
  const { rows } = await sql<{ sum: number }>`
    select sum from (
      select id from metric_series where workspace_id = ${workspaceId} and name = 'silent'
    ) as series join metric_points as point on point.series_id = series.id
    where point.workspace_id = ${workspaceId}`.execute(test.ctx.db)
  expect(rows).toEqual([{ sum: 3_020 }])
})

it('keeps the newest fifty runs of a device that never stops booting', async () => {
  const { workspaceId } = await test.givenWorkspace()
  const device = await givenDevice(test.ctx, workspaceId)
  for (let boot = 0; boot < 60; boot++)
    await storeTelemetry(
      { ...test.ctx, now: () => new Date(NOON + 4_000 * DAY_MS + boot * 1_000) },
      metrics(device, [{ name: 'x', value: 1, sequence: 1, runId: `boot ${boot}` }], noon(4_000)),
    )

  await maintainTelemetry(on(4_000))

  const { rows } = await sql<{ runId: string }>`
    select run_id from device_run_sequences where workspace_id = ${workspaceId} order by updated_at`.execute(
    test.ctx.db,
  )
  expect(rows).toHaveLength(50)
  expect(rows[0]).toEqual({ runId: 'boot 10' })
})

it('waits for no long read, and makes up for it later', async () => {
  const device = await givenDevice(test.ctx, workspace.workspaceId)
  await storeAt(device, noon(5_100))
  await test.ctx.db.transaction().execute(async (tx) => {
    await sql`select count(*) from metric_points_default`.execute(tx)
    await maintainTelemetry(on(5_000))
  })
  expect(await tableOf('metric_points')).toHaveProperty('default')

  await maintainTelemetry(on(5_000))

  expect(await tableOf('metric_points')).not.toHaveProperty('default')
})

const isOfPartition = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === '23514'

it('stores what comes while days are being made, as ever', async () => {
  const device = await givenDevice(test.ctx, workspace.workspaceId)
  const times = Array.from({ length: 60 }, (_, index) => noon(6_000 + (index % 20)))

  // The intake tries once more where the partition of the day was made while the rows were on their way to the default one.
  const store = (at: Date): Promise<void> =>
    storeAt(device, at).catch((error: unknown) => {
      if (!isOfPartition(error)) throw error
      return store(at)
    })

  await Promise.all([
    ...times.map(store),
    maintainTelemetry(on(6_010)),
    maintainTelemetry(on(6_010)),
  ])

  await maintainTelemetry(on(6_010))
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from (
      select id from metric_series
      where workspace_id = ${workspace.workspaceId} and device_id = ${device.deviceId}
    ) as series join metric_points as point on point.series_id = series.id
    where point.workspace_id = ${workspace.workspaceId}`.execute(test.ctx.db)
  expect(rows).toEqual([{ count: 60 }])
})
