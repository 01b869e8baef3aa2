/** Random batches side by side, sent again and out of order, against a set of what was said. */
import fc from 'fast-check'
import { sql } from 'kysely'
import { beforeAll, expect, it } from 'vitest'
import { sharedTestApp, type TestApp, type TestWorkspace } from '../../../../test/app.ts'
import { givenDevice, logs, metrics, storeTelemetry } from '../../../../test/given-telemetry.ts'
import { propertyRuns } from '../../../../test/property-runs.ts'

let test: TestApp
let workspace: TestWorkspace
beforeAll(async () => {
  test = await sharedTestApp()
  workspace = await test.givenWorkspace()
})

const Point = fc.record({
  device: fc.nat({ max: 2 }),
  runId: fc.constantFrom('a', 'b'),
  name: fc.constantFrom('x', 'y'),
  label: fc.constantFrom('1', '2'),
  sequence: fc.nat({ max: 12 }),
})
const Rounds = fc.array(
  fc.array(
    fc.array(fc.array(Point, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 4 }),
    {
      minLength: 1,
      maxLength: 3,
    },
  ),
  { minLength: 1, maxLength: 4 },
)

it('stores each sequence of a run and series once, however many batches bring it at the same time', async () => {
  const { ctx } = test
  const { workspaceId } = workspace
  await fc.assert(
    fc.asyncProperty(Rounds, async (rounds) => {
      const devices = [
        await givenDevice(ctx, workspaceId),
        await givenDevice(ctx, workspaceId),
        await givenDevice(ctx, workspaceId),
      ]
      const expected = new Set<string>()
      const reportOf = (points: (typeof rounds)[0][0][0]) =>
        points.map(({ device, runId, name, label, sequence }) => {
          const given = devices[device] ?? { workspaceId, deviceId: '' }
          expected.add([given.deviceId, runId, name, label, sequence].join(' '))
          // The run is in the value, so that the points of two are told apart.
          const value = sequence + (runId === 'a' ? 0 : 1_000)
          return metrics(given, [{ name, value, labels: { label }, sequence, runId }])
        })

      for (const batches of rounds)
        await Promise.all(
          batches.map((reports) => storeTelemetry(ctx, ...reports.flatMap(reportOf))),
        )

      const { rows } = await sql<{ point: string }>`
        select concat_ws(' ', device_id, case when sum < 1000 then 'a' else 'b' end, name, labels ->> 'label',
          sum::int % 1000) as point
        from metric_points as point join (
          select * from metric_series where workspace_id = ${workspaceId}
            and device_id = any(${devices.map(({ deviceId }) => deviceId)}::text[])
        ) as series on series.id = point.series_id
        where point.workspace_id = ${workspaceId}`.execute(ctx.db)
      expect(rows.map(({ point }) => point).toSorted()).toEqual([...expected].toSorted())
    }),
    { numRuns: propertyRuns(60) },
  )
})

it('takes batches that bring the first points of the same runs side by side', async () => {
  const { ctx } = test
  const { workspaceId } = workspace
  const runs = fc.uniqueArray(fc.nat({ max: 11 }), { minLength: 6, maxLength: 12 })
  const Batches = fc.array(runs, { minLength: 4, maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(Batches, async (batches) => {
      const device = await givenDevice(ctx, workspaceId)
      await Promise.all(
        batches.map((numbers) =>
          storeTelemetry(
            ctx,
            ...numbers.map((run) =>
              logs(device, [
                { severity: 'Info', message: String(run), sequence: 0, runId: `run-${run}` },
              ]),
            ),
          ),
        ),
      )
      const { rows } = await sql<{ value: number }>`
        select message::int as value from device_logs
        where workspace_id = ${workspaceId} and device_id = ${device.deviceId} order by 1`.execute(
        ctx.db,
      )
      const expected = [...new Set(batches.flat())].toSorted((a, b) => a - b)
      expect(rows.map(({ value }) => value)).toEqual(expected)
    }),
    { numRuns: propertyRuns(60) },
  )
})
