import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { givenDevice, metrics, storeTelemetry } from '../../../test/given-telemetry.ts'
import { buildManagement } from '../../platform/management.ts'
import { maintainTelemetry, rollUpMetrics, reportTelemetryHealth } from './index.ts'

const NOON = Date.UTC(2026, 4, 20, 12)
const HOUR = 3_600_000

let test: TestApp
beforeAll(async () => {
  test = await startTestApp()
})

it('tells of dropped points, of partitions, of rows without one, and how old the sums of hours are', async () => {
  const telemetry = { ...test.ctx.config.telemetry, metricSeriesPerDevice: 1 }
  const ctx = {
    ...test.ctx,
    now: () => new Date(NOON),
    config: { ...test.ctx.config, telemetry },
  }
  const { workspaceId } = await test.givenWorkspace()
  const device = await givenDevice(ctx, workspaceId)
  const value = 1
  const points = ['a', 'b', 'b'].map((name) => ({ name, value }))
  const watched = { pools: test.pools, queue: test.queue }
  const app = buildManagement(watched, { started: true, stopping: false }, [
    reportTelemetryHealth(ctx),
  ])
  const read = async () => (await app.inject({ url: '/metrics' })).body

  await storeTelemetry(ctx, metrics(device, points, new Date(NOON)))
  const before = await read()
  await maintainTelemetry(ctx)
  await rollUpMetrics(ctx)
  await sql`update metric_packing set packed_until = ${new Date(NOON - 3 * HOUR)}`.execute(ctx.db)
  const behind = await read()

  expect(before).toContain(`plimsoll_metric_dropped_points{workspace="${workspaceId}"} 2`)
  expect(before).toContain('plimsoll_telemetry_default_rows{table="metric_points"} 1')
  expect(before).toContain('plimsoll_telemetry_days_ahead{table="device_logs"} 0')
  expect(before).toContain('plimsoll_metric_rollup_age_seconds 0')
  expect(behind).toContain('plimsoll_telemetry_default_rows{table="metric_points"} 0')
  expect(behind).toContain('plimsoll_telemetry_days_ahead{table="device_logs"} 7')
  expect(behind).toContain('plimsoll_telemetry_partitions{table="metric_hours"} 9')
  expect(behind).toContain('plimsoll_metric_rollup_age_seconds 10800')
  const ready = await app.inject({ url: '/health/ready' })
  expect(ready.json()).toMatchObject({
    telemetry: { metric_points: { daysAhead: 7, restRows: 0 } },
  })
})
