/** What deleted devices leave: it is not shown any more at once, and workers delete it. */
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../../test/app.ts'
import { type Client, givenClient } from '../../../../test/given.ts'
import { givenDevice, logs, metrics, storeTelemetry } from '../../../../test/given-telemetry.ts'
import { addMs, HOUR_MS } from '../../../formats/instants.ts'
import { deleteDataOfDevices, rollUpMetrics } from '../index.ts'

let test: TestApp
let client: Client
beforeAll(async () => {
  test = await startTestApp()
})

const NOW = new Date()
const at = (hours: number) => ({ ...test.ctx, now: () => addMs(NOW, hours * HOUR_MS) })

/** Reports of two hours, of which the first is packed. */
async function givenReports(deviceId: string, name: string) {
  const device = { workspaceId: client.workspaceId, deviceId }
  for (const hours of [-3, 0])
    await storeTelemetry(
      at(hours),
      metrics(device, [{ name, value: hours }], at(hours).now()),
      logs(device, [{ severity: 'Info', message: `${name} ${hours}` }], at(hours).now()),
    )
  await rollUpMetrics(at(0))
}

const TABLES = [
  'metric_points',
  'metric_packed_hours',
  'metric_hours',
  'metric_packed_days',
  'device_logs',
]

async function countRows() {
  const counts: Record<string, number> = {}
  for (const table of TABLES) {
    const { rows } = await sql<{ count: number }>`
      select count(*)::int as count from ${sql.table(table)} where workspace_id = ${client.workspaceId}`.execute(
      test.ctx.db,
    )
    counts[table] = rows[0]?.count ?? 0
  }
  return counts
}

async function shownLines(): Promise<string[]> {
  const response = await client.post('/device-logs/list', {})
  return response.json<{ lines: { message: string }[] }>().lines.map(({ message }) => message)
}

it('deletes values and lines of deleted devices, and keeps those of all others', async () => {
  client = await givenClient(test)
  const { workspaceId } = client
  for (const id of ['gone', 'kept']) {
    await givenDevice(test.ctx, workspaceId, { id })
    await givenReports(id, id)
  }
  await sql`
    insert into metric_packed_days (workspace_id, series_id, time, sums)
    select workspace_id, id, '2026-05-20', '\\xff' from metric_series where workspace_id = ${workspaceId}`.execute(
    test.ctx.db,
  )
  const ofOne = {
    metric_points: 1,
    metric_packed_hours: 1,
    metric_hours: 1,
    metric_packed_days: 1,
    device_logs: 2,
  }

  await client.delete('/devices/gone')
  await deleteDataOfDevices(at(1))

  expect(await countRows()).toEqual(ofOne)
  expect(await shownLines()).toEqual(['kept 0', 'kept -3'])
  await client.delete('/devices/kept')
  await deleteDataOfDevices(at(1))
  expect(Object.values(await countRows())).toEqual([0, 0, 0, 0, 0])
})

it('keeps what a device reports that gets the id of a deleted one', async () => {
  client = await givenClient(test)
  const { workspaceId } = client
  await givenDevice(test.ctx, workspaceId, { id: 'again' })
  await givenReports('again', 'before')
  await client.delete('/devices/again')
  await givenDevice(test.ctx, workspaceId, { id: 'again' })
  await givenReports('again', 'after')

  expect(await shownLines()).toEqual(['after 0', 'after -3'])
  await deleteDataOfDevices(at(1))

  expect(await shownLines()).toEqual(['after 0', 'after -3'])
  expect(await countRows()).toMatchObject({
    metric_points: 1,
    metric_packed_hours: 1,
    metric_hours: 1,
    device_logs: 2,
  })
})

it('deletes what devices leave that were never rolled up', async () => {
  client = await givenClient(test)
  const device = await givenDevice(test.ctx, client.workspaceId)
  await storeTelemetry(at(0), metrics(device, [{ name: 'x', value: 1 }], at(0).now()))
  await client.delete(`/devices/${device.deviceId}`)

  await deleteDataOfDevices(at(0))
  expect(await countRows()).toMatchObject({ metric_points: 1 })
  await deleteDataOfDevices(at(1))

  expect(await countRows()).toMatchObject({ metric_points: 0 })
})
