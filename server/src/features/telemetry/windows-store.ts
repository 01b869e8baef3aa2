/** Values of metrics per window, from points or from the sums of rolled-up hours. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import type { Aggregation, Span } from './query-window.ts'
import { isWanted, type SeriesFilter } from './store.ts'

export interface PointQuery extends SeriesFilter {
  aggregation: Aggregation
  from: Date
  to: Date
  stepSeconds: number
  byDevice: boolean
}

/** Hours that are rolled up. `hasLate`: points have arrived for some of them since. */
export interface RolledSpan extends Span {
  hasLate: boolean
}

/** An aggregate that a device reports counts as the points it is made of. As the last value it is their average. */
const VALUES: Record<Aggregation, RawBuilder<unknown>> = {
  Average: sql`sum(part.sum) / sum(part.count)`,
  Minimum: sql`min(part.min)`,
  Maximum: sql`max(part.max)`,
  Sum: sql`sum(part.sum)`,
  Count: sql`sum(part.count)`,
  // Arrays compare element by element: the newest, and of several at one instant the largest.
  Last: sql`(max(array[extract(epoch from part.last_at)::float8, part.last]))[2]`,
}

const OF_POINT = sql`series.device_id, point.time, point.sum, coalesce(point.count, 1)::float8 as count,
  coalesce(point.min, point.sum) as min, coalesce(point.max, point.sum) as max,
  point.sum / coalesce(point.count, 1) as last, point.time as last_at`

function points(query: PointQuery, { from, to }: Span): RawBuilder<unknown> {
  return sql`
    select ${OF_POINT}
    from metric_series as series join metric_points as point
      on point.workspace_id = series.workspace_id and point.series_id = series.id
    where ${isWanted(query)} and point.time >= ${from} and point.time < ${to}`
}

const LATE = sql`select from metric_late_hours as late
  where late.workspace_id = hour.workspace_id and late.series_id = hour.series_id and late.time = hour.time`

function hours(query: PointQuery, { from, to, hasLate }: RolledSpan): RawBuilder<unknown> {
  return sql`
    select series.device_id, hour.time, hour.sum, hour.count, hour.min, hour.max, hour.last, hour.last_at
    from metric_series as series join metric_hours as hour
      on hour.workspace_id = series.workspace_id and hour.series_id = series.id
    where ${isWanted(query)} and hour.time >= ${from} and hour.time < ${to}
      ${hasLate ? sql`and not exists (${LATE})` : sql``}`
}

/** All points of the hours that have late points. Each hour is read on its own, so that only its partition is read. */
function latePoints(query: PointQuery, { from, to }: Span): RawBuilder<unknown> {
  const { workspaceId } = query
  return sql`
    select ${OF_POINT}
    from (
      select distinct series_id, time from metric_late_hours
      where workspace_id = ${workspaceId} and time >= ${from} and time < ${to}
    ) as late
    join metric_series as series on series.workspace_id = ${workspaceId} and series.id = late.series_id
    cross join lateral (
      select point.time, point.sum, point.count, point.min, point.max from metric_points as point
      where point.workspace_id = ${workspaceId} and point.series_id = late.series_id
        and point.time >= ${from} and point.time < ${to}
        and point.time >= late.time and point.time < late.time + interval '1 hour'
      offset 0
    ) as point
    where ${isWanted(query)}`
}

function valuesFrom(query: PointQuery, rolled: RolledSpan | undefined): RawBuilder<unknown> {
  const { from, to } = query
  if (!rolled) return points(query, { from, to })
  const before = { from, to: rolled.from }
  const afterwards = { from: rolled.to, to }
  const raw = [before, afterwards].filter((span) => span.from < span.to)
  const sources = [
    hours(query, rolled),
    ...(rolled.hasLate ? [latePoints(query, rolled)] : []),
    ...raw.map((span) => points(query, span)),
  ]
  return sql.join(sources, sql` union all `)
}

export interface WindowValue {
  deviceId: string | null
  time: Date
  value: number
}

/**
 * Windows are half-open and begin at `from`; windows without points are left out. Each hour of `rolled` has to lie in
 * one window. undefined: the sums of some hours are missing (see `rollUpHour`), so the points have to be read.
 */
export async function listWindows(
  db: Db,
  query: PointQuery,
  rolled?: RolledSpan,
): Promise<WindowValue[] | undefined> {
  const { aggregation, from, stepSeconds, byDevice } = query
  const device = byDevice ? sql`part.device_id` : sql`null::text`
  const { rows } = await sql<SeriesRow>`
    select device_id, bool_and(is_plain) as is_plain, json_agg("value" order by "time") as "values",
      json_agg((extract(epoch from "time") * 1000)::bigint order by "time") as times
    from (
      select ${device} as device_id,
        date_bin(make_interval(secs => ${stepSeconds}), part.time, ${from}::timestamptz) as "time",
        ${VALUES[aggregation]} as "value",
        ${rolled ? sql`bool_and(part.sum is not null)` : sql`true`} as is_plain
      from (${valuesFrom(query, rolled)}) as part
      group by 1, 2
    ) as binned
    group by device_id order by device_id`.execute(db)
  if (rows.some(({ isPlain }) => !isPlain)) return undefined
  return rows.flatMap(({ deviceId, times, values }) =>
    times.map((time, index) => ({ deviceId, time: new Date(time), value: values[index] ?? 0 })),
  )
}

/** One for each device: a row for each window would cost the service more than the database. */
interface SeriesRow {
  deviceId: string | null
  /** The begin of each window, in ms since 1970. */
  times: number[]
  values: number[]
  isPlain: boolean
}

/** The hours that are rolled up. `hasLate` concerns the given span. */
export async function findRolled(
  db: Db,
  workspaceId: string,
  { from, to }: Span,
): Promise<RolledSpan | undefined> {
  return db
    .selectFrom('metricRollups')
    .select(['begunAt as from', 'rolledUntil as to'])
    .select(
      sql<boolean>`exists (
        select from metric_late_hours as late
        where late.workspace_id = ${workspaceId} and late.time >= ${from}::timestamptz - interval '1 hour'
          and late.time < ${to}
      )`.as('hasLate'),
    )
    .where('workspaceId', '=', workspaceId)
    .executeTakeFirst()
}
