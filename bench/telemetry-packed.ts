/** Times packing hours, and dashboards that read them; measures bytes a point. Used by `bench/telemetry.ts`. */
import { addMs, DAY_MS, HOUR_MS, MINUTE_MS, startOfHour } from '../server/src/formats/instants.ts'
import { maintainTelemetry, rollUpMetrics } from '../server/src/features/telemetry/index.ts'
import { queryMetric } from '../server/src/features/telemetry/service.ts'
import type { AppContext } from '../server/src/platform/context.ts'
import { keepFigure } from './figures.ts'

/** A gauge once a minute: one decimal, at instants that differ from the minute by up to half a second. */
const GAUGES = 2_000
const HOURS = 10
/** Of the dashboard. */
const SERIES = 20
const DAYS = 30

interface Bytes {
  points: number
  packed: number
  hours: number
}

async function bytesOf({ pool }: AppContext): Promise<Bytes> {
  const sizeOf = async (table: string) => {
    const { rows } = await pool.query<{ bytes: number }>(
      `select sum(pg_total_relation_size(relid))::bigint as bytes from pg_partition_tree($1) where isleaf`,
      [table],
    )
    return rows[0]?.bytes ?? 0
  }
  return {
    points: await sizeOf('metric_points'),
    packed: await sizeOf('metric_packed_hours'),
    hours: await sizeOf('metric_hours'),
  }
}

/** Series of one metric, each of a device of its own, and a point a minute of each from `from` to `to`. */
async function givenGauges(
  { pool }: AppContext,
  given: { workspaceId: string; metric: string; amount: number; from: Date; to: Date },
): Promise<number> {
  const { workspaceId, metric, amount, from, to } = given
  await pool.query(
    `insert into metric_series (workspace_id, device_id, name, labels, label_names, digest, created_at, seen_at)
     select $1, 'device-' || number, $2, '{}', '{}', sha256(($2 || number)::bytea), now(), now()
     from generate_series(0, $3 - 1) as number`,
    [workspaceId, metric, amount],
  )
  // As points arrive: minute by minute.
  const { rowCount } = await pool.query(
    `insert into metric_points (workspace_id, series_id, time, sum)
     select $1, id, minute + random() * interval '1 second',
       round((21 + 5 * sin(extract(epoch from minute) / 7200 + id) + random() / 2)::numeric, 1)
     from generate_series($3::timestamptz, $4::timestamptz - interval '1 minute', interval '1 minute') as minute,
       metric_series where workspace_id = $1 and name = $2 order by minute, id`,
    [workspaceId, metric, from, to],
  )
  return rowCount ?? 0
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

const NO_POINTS: Bytes = { points: 0, packed: 0, hours: 0 }

export async function measurePacking(ctx: AppContext, workspaceId: string): Promise<void> {
  const to = startOfHour(addMs(ctx.now(), -HOUR_MS))
  const from = addMs(to, -HOURS * HOUR_MS)
  await ctx.pool.query('truncate metric_points, metric_packed_hours, metric_hours')
  const before = await bytesOf(ctx)
  const amount = await givenGauges(ctx, { workspaceId, metric: 'gauge', amount: GAUGES, from, to })
  await ctx.pool.query('analyze metric_points')
  const raw = await bytesOf(ctx)
  const seconds = (await timed(() => rollUpMetrics(ctx))) / 1_000
  const packed = await bytesOf(ctx)
  const perPoint = (table: keyof Bytes, one: Bytes, other = NO_POINTS) =>
    ((one[table] - other[table]) / amount).toFixed(2)
  const packedBytes = (packed.packed - before.packed) / amount
  keepFigure({ what: 'bytes of a packed point', value: packedBytes, unit: 'bytes', most: 6 })
  console.log(
    `packing: ${Math.round(amount / seconds)} points/s; bytes a point: ${perPoint('points', raw, before)} before, ` +
      `${perPoint('packed', packed, before)} packed (at most 6), ${perPoint('hours', packed, before)} for the sums of its hour`,
  )
}

const DASHBOARDS = [
  { what: 'steps of 6 hours', stepSeconds: 21_600 },
  { what: 'steps of 1 hour', stepSeconds: 3_600 },
  { what: 'steps of 10 minutes', stepSeconds: 600 },
]
const RUNS = 10

export async function measureDashboard(ctx: AppContext, workspaceId: string): Promise<void> {
  const now = ctx.now()
  const to = startOfHour(now)
  const from = addMs(to, -DAYS * DAY_MS)
  // Partitions as they are in a service that has run for so long.
  for (let day = from.getTime(); day <= to.getTime(); day += DAY_MS)
    await maintainTelemetry({ ...ctx, now: () => new Date(day) })
  await givenGauges(ctx, { workspaceId, metric: 'board', amount: SERIES, from, to })
  await rollUpMetrics(ctx)
  await ctx.pool.query('vacuum analyze metric_points, metric_packed_hours, metric_hours')
  const deviceIds = Array.from({ length: SERIES }, (_, index) => `device-${index}`)
  for (const { what, stepSeconds } of DASHBOARDS) {
    const times: number[] = []
    const cpu = process.cpuUsage()
    let values = 0
    for (let run = 0; run < RUNS; run += 1)
      times.push(
        await timed(async () => {
          const { series } = await queryMetric(ctx, {
            workspaceId,
            metric: 'board',
            deviceIds,
            from: from.toISOString(),
            to: addMs(to, MINUTE_MS).toISOString(),
            stepSeconds,
            aggregation: 'Average',
            groupBy: 'Device',
          })
          values = series.reduce((sum, { points }) => sum + points.length, 0)
        }),
      )
    const { user, system } = process.cpuUsage(cpu)
    const sorted = times.toSorted((a, b) => a - b)
    const slowest = sorted.at(-1) ?? 0
    keepFigure({ what: `dashboard, ${what}`, value: slowest, unit: 'ms', most: 200 })
    console.log(
      `dashboard of ${SERIES} series, ${DAYS} days, ${what} (${values} values): p50 ${sorted[RUNS / 2]?.toFixed(0)} ms, ` +
        `slowest ${sorted.at(-1)?.toFixed(0)} ms (at most 200), ` +
        `processor time here: ${((user + system) / 1_000 / RUNS).toFixed(0)} ms`,
    )
  }
}
