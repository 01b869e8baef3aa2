/** Queries that ask for too much, or for what no device can have sent. */
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { startTestApp, type TestApp } from '../../../test/app.ts'
import { type Client, givenClient } from '../../../test/given.ts'
import { givenDevice, logs, metrics, storeTelemetry } from '../../../test/given-telemetry.ts'

let test: TestApp
let client: Client
beforeAll(async () => {
  test = await startTestApp()
  client = await givenClient(test)
})

const DAY = {
  metric: 'x',
  aggregation: 'Sum',
  from: '2026-05-20T00:00:00Z',
  to: '2026-05-21T00:00:00Z',
}

it.each`
  what                               | path                   | body
  ${'a metric with a zero byte'}     | ${'/metrics/query'}    | ${{ ...DAY, metric: 'a\0b' }}
  ${'a label with a zero byte'}      | ${'/metrics/query'}    | ${{ ...DAY, labels: { a: 'a\0b' } }}
  ${'a label name with a zero byte'} | ${'/metrics/query'}    | ${{ ...DAY, labels: { 'a\0b': '' } }}
  ${'half a character'}              | ${'/metrics/query'}    | ${{ ...DAY, metric: '\ud800', groupBy: 'Device' }}
  ${'half a character in a label'}   | ${'/metrics/query'}    | ${{ ...DAY, labels: { a: '\ud800' }, groupBy: 'Device' }}
  ${'a device with a zero byte'}     | ${'/metrics/query'}    | ${{ ...DAY, deviceIds: ['a\0b'] }}
  ${'the first of all years'}        | ${'/metrics/query'}    | ${{ ...DAY, from: '0000-01-01T00:00:00Z', to: '0000-01-02T00:00:00Z' }}
  ${'a text with a zero byte'}       | ${'/device-logs/list'} | ${{ filter: { message: [{ contains: 'a\0b' }] } }}
  ${'half a character in a text'}    | ${'/device-logs/list'} | ${{ filter: { message: [{ contains: '\ud800' }] } }}
  ${'a label with a zero byte'}      | ${'/device-logs/list'} | ${{ filter: { labels: { a: '\0' } } }}
  ${'the first of all years'}        | ${'/device-logs/list'} | ${{ filter: { from: '0000-01-01T00:00:00Z' } }}
`('answers $path of $what', async ({ path, body }: { path: string; body: object }) => {
  const response = await client.post(path, body)

  expect([200, 400]).toContain(response.statusCode)
})

it('says so when a query takes too long, and lets go of it', async () => {
  const telemetry = { ...test.ctx.config.telemetry, querySeconds: 0.05 }
  const impatient = await startTestApp({ telemetry }, test.connectionString)
  const query = (path: string, payload: object) =>
    impatient.app.inject({
      method: 'POST',
      url: `/workspaces/${client.workspaceId}${path}`,
      headers: { authorization: `Bearer ${client.apiKey}` },
      payload,
    })

  const answers = await test.ctx.db.transaction().execute(async (tx) => {
    await sql`lock table metric_points, device_logs in access exclusive mode`.execute(tx)
    return [await query('/metrics/query', DAY), await query('/device-logs/list', {})]
  })

  for (const answer of answers)
    expect(answer.json()).toMatchObject({ status: 400, type: '/problems/query-too-large' })
  const { rows } =
    await sql`select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`.execute(
      test.ctx.db,
    )
  expect(rows).toEqual([])
})

it('counts the devices that are named, not those a page could hold', async () => {
  const device = await givenDevice(test.ctx, client.workspaceId)
  const body = {
    ...DAY,
    groupBy: 'Device',
    stepSeconds: 60,
    deviceIds: [device.deviceId, device.deviceId],
  }
  await storeTelemetry(
    test.ctx,
    metrics(
      device,
      [{ name: 'x', value: 1, timestamp: new Date('2026-05-20T12:00:30Z') }],
      new Date('2026-05-20T13:00:00Z'),
    ),
  )

  const one = await client.post('/metrics/query', body)
  const all = await client.post('/metrics/query', { ...body, deviceIds: undefined })

  expect(one.json()).toMatchObject({
    series: [
      { deviceId: device.deviceId, points: [{ time: '2026-05-20T12:00:00.000Z', value: 1 }] },
    ],
  })
  expect(all.json()).toMatchObject({ status: 400, errors: [{ pointer: '/limit' }] })
})

it('finds text whatever its case, in scripts that have one', async () => {
  const device = await givenDevice(test.ctx, client.workspaceId)
  const messages = ['Über die Grenze', 'ΘΕΡΜΟ', 'İstanbul']
  await storeTelemetry(
    test.ctx,
    logs(
      device,
      messages.map((message) => ({ severity: 'Info' as const, message })),
    ),
  )

  for (const [contains, message] of [
    ['ÜBER', messages[0]],
    ['θερμο', messages[1]],
    ['İST', messages[2]],
  ]) {
    const filter = { deviceIds: [device.deviceId], message: [{ contains }] }
    const response = await client.post('/device-logs/list', { filter })
    expect(response.json()).toMatchObject({ lines: [{ message }] })
  }
})
