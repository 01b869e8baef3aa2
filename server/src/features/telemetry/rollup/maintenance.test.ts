import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import {
  givenDevice,
  metrics,
  partitionOfRow,
  storeTelemetry,
} from '../../../../test/given-telemetry.ts'
import { maintainTelemetry, rollUpMetrics } from '../index.ts'
import { listPartitionDays } from '../retention/partitions-store.ts'

const NOON = Date.UTC(2026, 4, 20, 12)
const HOUR = 3_600_000
const DAY = 24 * HOUR
const DAY_OF_NOON = Math.floor(NOON / DAY)

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
})

const after = (time: number) => ({ ...test.ctx, now: () => new Date(NOON + time) })

async function placesOf(workspaceId: string, table: string): Promise<string[]> {
  const { rows } = await sql<{ place: string }>`
    select ${partitionOfRow} as place from ${sql.table(table)}
    where workspace_id = ${workspaceId} order by time`.execute(test.ctx.db)
  return rows.map(({ place }) => place)
}

it('keeps packed hours as long as points, and sums of hours as long as the workspace says', async () => {
  const [long, short] = [await test.givenWorkspace(), await test.givenWorkspace()]
  await test.ctx.db
    .updateTable('workspaces')
    .set({ metricRetentionDays: 2, metricHourRetentionDays: 4 })
    .where('id', '=', short.workspaceId)
    .execute()
  for (const { workspaceId } of [long, short]) {
    const device = await givenDevice(test.ctx, workspaceId)
    await storeTelemetry(test.ctx, metrics(device, [{ name: 'x', value: 1 }], new Date(NOON)))
    await rollUpMetrics(after(0))
    const later = new Date(NOON + 4 * DAY)
    await storeTelemetry(
      after(4 * DAY),
      metrics(
        device,
        [{ name: 'x', value: 1, timestamp: new Date(NOON + DAY) }],
        new Date(NOON + DAY),
      ),
      metrics(device, [{ name: 'x', value: 1 }], later),
    )
  }

  await rollUpMetrics(after(4 * DAY + 2 * HOUR))
  expect(await placesOf(short.workspaceId, 'metric_hours')).toEqual([
    'default',
    'default',
    'default',
  ])
  await maintainTelemetry(after(5 * DAY))

  for (const table of ['metric_hours', 'metric_packed_hours'])
    expect(await placesOf(long.workspaceId, table)).toEqual(['20260520', '20260521', '20260524'])
  expect(await placesOf(short.workspaceId, 'metric_hours')).toEqual(['20260521', '20260524'])
  expect(await placesOf(short.workspaceId, 'metric_packed_hours')).toEqual(['20260524'])

  await rollUpMetrics(after(5 * DAY + 2 * HOUR))
  const days = ['20260520', '20260521', '20260524']
  expect(await placesOf(long.workspaceId, 'metric_packed_days')).toEqual(days)
  expect(await placesOf(long.workspaceId, 'metric_hours')).toEqual([])
  await maintainTelemetry(after(8 * DAY))
  expect(await placesOf(long.workspaceId, 'metric_packed_days')).toEqual(days)
  expect(await placesOf(short.workspaceId, 'metric_packed_days')).toEqual(['20260524'])
  expect(await listPartitionDays(test.ctx.db, 'metric_hours')).toContain(DAY_OF_NOON)
  await maintainTelemetry(after(40 * DAY))
  expect(await listPartitionDays(test.ctx.db, 'metric_hours')).not.toContain(DAY_OF_NOON)
  expect(await placesOf(long.workspaceId, 'metric_packed_days')).toEqual(days)
})

it('packs the hours of all workspaces though one fails', async () => {
  const time = new Date(NOON + 9 * DAY)
  const workspaces = [await test.givenWorkspace(), await test.givenWorkspace()]
  for (const { workspaceId } of workspaces) {
    const device = await givenDevice(test.ctx, workspaceId)
    await storeTelemetry(test.ctx, metrics(device, [{ name: 'x', value: 1 }], time))
  }
  const [failing, other] = workspaces.map(({ workspaceId }) => workspaceId)
  await sql`
    insert into metric_packed_hours (workspace_id, series_id, time, points)
    select workspace_id, id, ${time}, '\\xff' from metric_series where workspace_id = ${failing}`.execute(
    test.ctx.db,
  )

  await rollUpMetrics(after(9 * DAY + 2 * HOUR))

  expect(await placesOf(other ?? '', 'metric_hours')).toHaveLength(1)
  expect(await placesOf(failing ?? '', 'metric_hours')).toEqual([])
  expect(await placesOf(failing ?? '', 'metric_points')).toHaveLength(1)
})
