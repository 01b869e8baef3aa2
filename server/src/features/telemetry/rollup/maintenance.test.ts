import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { givenDevice, metrics, storeTelemetry } from '../../../../test/given-telemetry.ts'
import { maintainTelemetry, rollUpMetrics } from '../index.ts'

const NOON = Date.UTC(2026, 4, 20, 12)
const HOUR = 3_600_000
const DAY = 24 * HOUR

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
})

const after = (time: number) => ({ ...test.ctx, now: () => new Date(NOON + time) })

async function hoursOf(workspaceId: string): Promise<string[]> {
  const { rows } = await sql<{ place: string }>`
    select replace(tableoid::regclass::text, 'metric_hours_', '') as place from metric_hours
    where workspace_id = ${workspaceId} order by time`.execute(test.ctx.db)
  return rows.map(({ place }) => place)
}

it('keeps sums of hours in days of their own, as long as their points', async () => {
  const [long, short] = [await test.givenWorkspace(), await test.givenWorkspace()]
  await test.ctx.db
    .updateTable('workspaces')
    .set({ metricRetentionDays: 3 })
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
  expect(await hoursOf(short.workspaceId)).toEqual(['default', 'default', 'default'])
  await maintainTelemetry(after(5 * DAY))

  expect(await hoursOf(long.workspaceId)).toEqual(['20260520', '20260521', '20260524'])
  expect(await hoursOf(short.workspaceId)).toEqual(['20260524'])
})

it('makes the hours of all workspaces though one fails', async () => {
  const workspaces = [await test.givenWorkspace(), await test.givenWorkspace()]
  for (const { workspaceId } of workspaces) {
    const device = await givenDevice(test.ctx, workspaceId)
    await storeTelemetry(
      test.ctx,
      metrics(device, [{ name: 'x', value: 1 }], new Date(NOON + 9 * DAY)),
    )
  }
  const [failing, other] = workspaces.map(({ workspaceId }) => workspaceId)
  await rollUpMetrics(after(9 * DAY))
  // What is there already ends the statement that would make it.
  await sql`
    insert into metric_hours (workspace_id, series_id, time, sum, count, min, max, last_at)
    select workspace_id, id, ${new Date(NOON + 9 * DAY)}, 1, 1, 1, 1, ${new Date(NOON + 9 * DAY)}
    from metric_series where workspace_id = ${failing}`.execute(test.ctx.db)

  await rollUpMetrics(after(9 * DAY + 2 * HOUR))

  expect(await hoursOf(other ?? '')).toHaveLength(1)
  const { rows } = await sql<{ isBehind: boolean }>`
    select rolled_until < closed_until as is_behind from metric_rollups
    where workspace_id = any(${[failing, other]}::uuid[]) order by workspace_id`.execute(
    test.ctx.db,
  )
  expect(rows).toEqual([{ isBehind: true }, { isBehind: false }])
})
