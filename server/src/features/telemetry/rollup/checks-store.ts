/** What `admin doctor` reads of rolled-up hours. */
import { sql } from 'kysely'
import { addMs, HOUR_MS } from '../../../formats/instants.ts'
import type { Db } from '../../../platform/db/connect.ts'
import { HOUR_SUMS, IS_PLAIN, type SeriesHour } from './store.ts'

export interface RolledUp {
  workspaceId: string
  /** Hours from here on are rolled up, */
  begunAt: Date
  /** until here. */
  rolledUntil: Date
  seriesCount: number
  metricRetentionDays: number
}

export async function findRolledUp(db: Db, workspaceId: string): Promise<RolledUp | undefined> {
  return db
    .selectFrom('metricRollups as rollup')
    .innerJoin('workspaces', 'workspaces.id', 'rollup.workspaceId')
    .select(['rollup.workspaceId', 'rollup.begunAt', 'rollup.rolledUntil'])
    .select('workspaces.metricRetentionDays')
    .select(
      sql<number>`(select count(*)::int from metric_series where workspace_id = ${workspaceId})`.as(
        'seriesCount',
      ),
    )
    .where('rollup.workspaceId', '=', workspaceId)
    .executeTakeFirst()
}

/** Neighbours from a random one on. */
export async function sampleSeries(db: Db, workspaceId: string, limit: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from metric_series
    where workspace_id = ${workspaceId} and id >= (
      select min(id) + random() * greatest(0, max(id) - min(id) - ${limit}::int)
      from metric_series where workspace_id = ${workspaceId})
    order by id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

export interface Hours {
  from: Date
  until: Date
  /** undefined: all. */
  seriesIds: readonly number[] | undefined
}

/** The addition of floating-point numbers in another order may differ in the last digits. */
const TOLERANCE = 1e-9

/** Stored hours that are not the sums of their points. Hours that are about to be rolled up again are left out. */
export async function listDifferingHours(
  db: Db,
  workspaceId: string,
  { from, until, seriesIds }: Hours,
): Promise<SeriesHour[]> {
  const isMeant = (table: string) =>
    seriesIds ? sql`and ${sql.ref(`${table}.series_id`)} = any(${seriesIds}::bigint[])` : sql``
  const { rows } = await sql<SeriesHour>`
    with made as (
      select point.series_id, date_trunc('hour', point.time, 'UTC') as time, ${HOUR_SUMS},
        sum(abs(point.sum)) filter (where ${IS_PLAIN}) as magnitude
      from metric_points as point
      where point.workspace_id = ${workspaceId} and point.time >= ${from} and point.time < ${until}
        ${isMeant('point')}
      group by 1, 2
    ), stored as (
      select hour.* from metric_hours as hour
      where hour.workspace_id = ${workspaceId} and hour.time >= ${from} and hour.time < ${until}
        ${isMeant('hour')}
    )
    select series_id, extract(epoch from time)::float8 * 1000 as time
    from stored full join made using (series_id, time)
    where ((stored.count, stored.min, stored.max, stored.last, stored.last_at)
        is distinct from (made.count, made.min, made.max, made.last, made.last_at)
        or (stored.sum is null) <> (made.sum is null)
        or abs(stored.sum - made.sum) > ${TOLERANCE}::float8 * made.magnitude)
      and exists (
        select from metric_series as series where series.workspace_id = ${workspaceId} and series.id = series_id)
      and not exists (
        select from metric_late_hours as late
        where late.workspace_id = ${workspaceId} and late.series_id = made.series_id and late.time = made.time)
    order by time, series_id`.execute(db)
  return rows
}

/** The hours of a span, one by one. */
export function* hoursOf(from: Date, until: Date): Generator<Date> {
  for (let hour = from; hour < until; hour = addMs(hour, HOUR_MS)) yield hour
}
