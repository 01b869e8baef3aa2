/** What `admin doctor` reads of rolled-up hours. */
import { sql } from 'kysely'
import { addMs, HOUR_MS } from '../../../formats/instants.ts'
import type { Db } from '../../../platform/db/connect.ts'
import type { HourSums } from '../../../formats/metric-points/hour-sums.ts'

export interface RolledUp {
  packedUntil: Date
  seriesCount: number
  metricRetentionDays: number
}

export async function findRolledUp(db: Db, workspaceId: string): Promise<RolledUp | undefined> {
  return db
    .selectFrom('metricPacking as packing')
    .innerJoin('workspaces', 'workspaces.id', 'packing.workspaceId')
    .select(['packing.packedUntil', 'workspaces.metricRetentionDays'])
    .select(
      sql<number>`(select count(*)::int from metric_series where workspace_id = ${workspaceId})`.as(
        'seriesCount',
      ),
    )
    .where('packing.workspaceId', '=', workspaceId)
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

/** The next ids in their order. */
export async function listSeriesAfter(
  db: Db,
  workspaceId: string,
  { after, limit }: { after: number; limit: number },
): Promise<number[]> {
  const rows = await db
    .selectFrom('metricSeries')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

export interface Hours {
  from: Date
  until: Date
  seriesIds: readonly number[]
}

/** A packed hour beside its sums. */
export interface HourWithSums {
  seriesId: number
  time: Date
  /** null: there is no packed hour. */
  points: Buffer | null
  /** null: there are no sums. */
  stored: HourSums | null
}

export async function listHoursWithSums(
  db: Db,
  workspaceId: string,
  { from, until, seriesIds }: Hours,
): Promise<HourWithSums[]> {
  const isMeant = sql`workspace_id = ${workspaceId} and time >= ${from} and time < ${until}
    and series_id = any(${seriesIds}::bigint[])`
  const { rows } = await sql<HourWithSums>`
    select series_id, time, packed.points,
      case when hour.count is not null then json_build_object('sum', hour.sum, 'count', hour.count, 'min', hour.min,
        'max', hour.max, 'last', hour.last, 'lastAt', (extract(epoch from hour.last_at) * 1000)::float8) end as stored
    from (select * from metric_packed_hours where ${isMeant}) as packed
    full join (select * from metric_hours where ${isMeant}) as hour using (series_id, time)
    order by time, series_id`.execute(db)
  return rows
}

/** The hours of a span, one by one. */
export function* listHours(from: Date, until: Date): Generator<Date> {
  for (let hour = from; hour < until; hour = addMs(hour, HOUR_MS)) yield hour
}
