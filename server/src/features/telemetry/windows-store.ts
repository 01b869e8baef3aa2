/** Values of metrics per window: from points, packed hours, and the sums of hours. */
import { type RawBuilder, sql } from 'kysely'
import { addMs, DAY_MS, HOUR_MS } from '../../formats/instants.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { Aggregation, Span } from './query-window.ts'
import { isWanted, type SeriesFilter } from './store.ts'

export interface PointQuery extends SeriesFilter {
  aggregation: Aggregation
  from: Date
  to: Date
  stepSeconds: number
  byDevice: boolean
}

/** `[value, weight]` as in `WindowTotals`. An aggregate that a device reports counts as the points it is made of. */
const TOTALS: Record<Aggregation, [RawBuilder<unknown>, RawBuilder<unknown>]> = {
  Average: [sql`sum(part.sum)`, sql`sum(part.count)`],
  Minimum: [sql`min(part.min)`, sql`null`],
  Maximum: [sql`max(part.max)`, sql`null`],
  Sum: [sql`sum(part.sum)`, sql`null`],
  Count: [sql`sum(part.count)`, sql`null`],
  // The newest, and of several at one instant the largest.
  Last: [
    sql`(newest(array[extract(epoch from part.last_at)::float8 * 1000, part.last]))[2]`,
    sql`max(extract(epoch from part.last_at)::float8 * 1000)`,
  ],
}

/** Series stand in a subquery, as a database of several nodes may keep them on other nodes than their values. */
function wantedSeries(query: SeriesFilter): RawBuilder<unknown> {
  return sql`(
      select series.id, series.device_id from metric_series as series where ${isWanted(query)}
    ) as wanted`
}

/** Points that are not packed. */
function points(query: PointQuery): RawBuilder<unknown> {
  const { from, to } = query
  return sql`
    select wanted.device_id, point.time, point.sum, coalesce(point.count, 1)::float8 as count,
      coalesce(point.min, point.sum) as min, coalesce(point.max, point.sum) as max,
      point.sum / coalesce(point.count, 1) as last, point.time as last_at
    from ${wantedSeries(query)} join metric_points as point on point.series_id = wanted.id
    where point.workspace_id = ${query.workspaceId} and point.time >= ${from} and point.time < ${to}`
}

function hours(query: PointQuery, { from, to }: Span): RawBuilder<unknown> {
  return sql`
    select wanted.device_id, hour.time, hour.sum, hour.count, hour.min, hour.max, hour.last, hour.last_at
    from ${wantedSeries(query)} join metric_hours as hour on hour.series_id = wanted.id
    where hour.workspace_id = ${query.workspaceId} and hour.time >= ${from} and hour.time < ${to}`
}

/** One for each device: a row for each window would cost the service more than the database. */
export interface DeviceTotals {
  deviceId: string | null
  /** The begin of each window, in ms since 1970, in no order. One that has points and sums of hours is there twice. */
  times: number[]
  values: number[]
  weights: (number | null)[]
  /** false: some hours have no sums, so their points have to be read. */
  isPlain: boolean
}

/** Adds up the points that are not packed and the sums of the given hours, each of which lies in one window. */
export async function listTotals(
  db: Db,
  query: PointQuery,
  wholeHours?: Span,
): Promise<DeviceTotals[]> {
  const { aggregation, from, stepSeconds, byDevice } = query
  const [value, weight] = TOTALS[aggregation]
  const device = byDevice ? sql`part.device_id` : sql`null::text`
  // Each source is added up by itself: nodes add up what they have, and send their totals only.
  const binned = (source: RawBuilder<unknown>) => sql`
      select ${device} as device_id,
        date_bin(make_interval(secs => ${stepSeconds}), part.time, ${from}::timestamptz) as "time",
        ${value} as "value", ${weight} as weight, bool_and(part.sum is not null) as is_plain
      from (${source}) as part
      group by 1, 2`
  const sources = [points(query), ...(wholeHours ? [hours(query, wholeHours)] : [])]
  const { rows } = await sql<DeviceTotals>`
    select device_id, bool_and(is_plain) as is_plain, json_agg("value") as "values", json_agg(weight) as weights,
      json_agg((extract(epoch from "time") * 1000)::bigint) as times
    from (${sql.join(sources.map(binned), sql` union all `)}) as binned
    group by device_id order by device_id`.execute(db)
  return rows
}

export interface PackedHour {
  deviceId: string
  time: Date
  points: Buffer
}

/** The packed hours that lie in the span, at least in part, in no order. */
export async function* readPackedHours(
  tx: Tx,
  query: SeriesFilter,
  { from, to }: Span,
): AsyncGenerator<PackedHour[]> {
  await sql`
    declare packed_hours no scroll cursor for
    select wanted.device_id, hour.time, hour.points
    from ${wantedSeries(query)} join metric_packed_hours as hour on hour.series_id = wanted.id
    where hour.workspace_id = ${query.workspaceId}
      and hour.time > ${addMs(from, -HOUR_MS)} and hour.time < ${to}`.execute(tx)
  yield* fetchPacked<PackedHour>(tx, 'packed_hours')
}

export interface PackedDay {
  deviceId: string
  /** When the day begins. */
  time: Date
  sums: Buffer
}

/** The packed days that lie in the span, at least in part, in no order. */
export async function* readPackedDays(
  tx: Tx,
  query: SeriesFilter,
  { from, to }: Span,
): AsyncGenerator<PackedDay[]> {
  await sql`
    declare packed_days no scroll cursor for
    select wanted.device_id, day.time, day.sums
    from ${wantedSeries(query)} join metric_packed_days as day on day.series_id = wanted.id
    where day.workspace_id = ${query.workspaceId}
      and day.time > ${addMs(from, -DAY_MS)} and day.time < ${to}`.execute(tx)
  yield* fetchPacked<PackedDay>(tx, 'packed_days')
}

const ROWS_PER_FETCH = 2_000

/** A cursor that is not read to its end stays open until the transaction ends. */
async function* fetchPacked<Row>(
  tx: Tx,
  cursor: 'packed_hours' | 'packed_days',
): AsyncGenerator<Row[]> {
  for (;;) {
    const { rows } =
      await sql<Row>`fetch ${sql.lit(ROWS_PER_FETCH)} from ${sql.raw(cursor)}`.execute(tx)
    if (rows.length > 0) yield rows
    if (rows.length < ROWS_PER_FETCH) break
  }
  await sql`close ${sql.raw(cursor)}`.execute(tx)
}
