/** Moves the points of hours that are over into packed hours and sums. */
import { type RawBuilder, sql } from 'kysely'
import { NIL } from 'uuid'
import { addMs, HOUR_MS, startOfHour } from '../../../formats/instants.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import type { HourSums } from '../../../formats/metric-points/hour-sums.ts'

/**
 * Workspaces that have, or had, series. Skips from workspace to workspace in the index, as few workspaces share many series.
 * Each step is a statement of its own, as Citus does not spread a recursive one over its nodes.
 */
export async function listWorkspacesWithMetrics(db: Db): Promise<string[]> {
  const packed = await db.selectFrom('metricPacking').select('workspaceId').execute()
  const ids = new Set(packed.map(({ workspaceId }) => workspaceId))
  let next = await findWorkspaceWithSeries(db, NIL)
  while (next !== undefined) {
    ids.add(next)
    next = await findWorkspaceWithSeries(db, next)
  }
  return [...ids].toSorted()
}

async function findWorkspaceWithSeries(db: Db, after: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('metricSeries')
    .select('workspaceId')
    .where('workspaceId', '>', after)
    .orderBy('workspaceId')
    .limit(1)
    .executeTakeFirst()
  return row?.workspaceId
}

/** The workspace is packed from now on. */
export async function insertPacking(db: Db, workspaceId: string, packedUntil: Date): Promise<void> {
  await db
    .insertInto('metricPacking')
    .values({ workspaceId, packedUntil })
    .onConflict((conflict) => conflict.column('workspaceId').doNothing())
    .execute()
}

/** Until the transaction ends, nobody else packs. false: another worker does. */
export async function lockPacking(tx: Tx, workspaceId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('metricPacking')
    .select('workspaceId')
    .where('workspaceId', '=', workspaceId)
    .forNoKeyUpdate()
    .skipLocked()
    .executeTakeFirst()
  return row !== undefined
}

export async function updatePackedUntil(
  tx: Tx,
  workspaceId: string,
  packedUntil: Date,
): Promise<void> {
  await tx
    .updateTable('metricPacking')
    .set({ packedUntil })
    .where('workspaceId', '=', workspaceId)
    .where('packedUntil', '<', packedUntil)
    .execute()
}

/** The hour of the oldest point that is not packed. undefined: none of that time. */
export async function findHourToPack(
  tx: Tx,
  workspaceId: string,
  { from, until }: { from: Date | undefined; until: Date },
): Promise<Date | undefined> {
  const row = await tx
    .selectFrom('metricPoints')
    .select('time')
    .where('workspaceId', '=', workspaceId)
    .where('time', '<', until)
    .$if(from !== undefined, (query) => query.where('time', '>=', from ?? until))
    .orderBy('time')
    .limit(1)
    .executeTakeFirst()
  return row && startOfHour(row.time)
}

/** Series with ids beyond `after`, up to and with `last`; undefined: all after it. */
export interface SeriesRange {
  hour: Date
  after: number
  last: number | undefined
}

const isIn = (workspaceId: string, { hour, after, last }: SeriesRange) => sql`
  workspace_id = ${workspaceId} and time >= ${hour} and time < ${addMs(hour, HOUR_MS)} and series_id > ${after}
  ${last === undefined ? sql`` : sql`and series_id <= ${last}`}`

/** The series with which so many points of the hour are together. undefined: there are fewer. */
export async function findLastSeries(
  tx: Tx,
  workspaceId: string,
  { hour, after, points }: { hour: Date; after: number; points: number },
): Promise<number | undefined> {
  const { rows } = await sql<{ seriesId: number }>`
    select series_id from metric_points where ${isIn(workspaceId, { hour, after, last: undefined })}
    order by series_id offset ${points} limit 1`.execute(tx)
  return rows[0]?.seriesId
}

/** A point with an aggregate or a time of the device. Values are text, as JSON has no infinite ones. */
export type RichPoint = [
  time: number,
  sum: string,
  count: number | null,
  min: string | null,
  max: string | null,
  deviceTime: number | null,
]

/** The points of a series as PostgreSQL sends them in binary form, in no order. */
export interface TakenPoints {
  seriesId: number
  /** Microseconds since 2000, 8 bytes each. */
  times: Buffer | null
  /** 8 bytes each. */
  sums: Buffer | null
  rich: RichPoint[] | null
}

const MILLISECONDS = (time: RawBuilder<unknown>) =>
  sql`(extract(epoch from ${time}) * 1000)::bigint`
const IS_RICH = sql`count is not null or device_time is not null`

/** Deletes the points, and answers them. Points that arrive meanwhile stay. */
export async function takePoints(
  tx: Tx,
  workspaceId: string,
  range: SeriesRange,
): Promise<TakenPoints[]> {
  const { rows } = await sql<TakenPoints>`
    with taken as (
      delete from metric_points where ${isIn(workspaceId, range)}
      returning series_id, time, sum, count, min, max, device_time
    )
    select series_id, string_agg(timestamptz_send(time), '') filter (where not (${IS_RICH})) as times,
      string_agg(float8send(sum), '') filter (where not (${IS_RICH})) as sums,
      json_agg(json_build_array(${MILLISECONDS(sql`time`)}, sum::text, count, min::text, max::text,
        ${MILLISECONDS(sql`device_time`)})) filter (where ${IS_RICH}) as rich
    from taken group by series_id`.execute(tx)
  return rows
}

export interface PackedHour {
  seriesId: number
  points: Uint8Array
}

export async function listPackedHours(
  tx: Tx,
  workspaceId: string,
  { hour, seriesIds }: { hour: Date; seriesIds: readonly number[] },
): Promise<PackedHour[]> {
  return tx
    .selectFrom('metricPackedHours')
    .select(['seriesId', 'points'])
    .where('workspaceId', '=', workspaceId)
    .where('time', '=', hour)
    .where(sql<boolean>`series_id = any(${seriesIds}::bigint[])`)
    .execute()
}

export async function writePackedHours(
  tx: Tx,
  workspaceId: string,
  { hour, hours }: { hour: Date; hours: readonly PackedHour[] },
): Promise<void> {
  await sql`
    insert into metric_packed_hours (workspace_id, series_id, time, points)
    select ${workspaceId}, given.series_id, ${hour}, decode(given.points, 'base64')
    from unnest(
      ${hours.map(({ seriesId }) => seriesId)}::bigint[],
      ${hours.map(({ points }) => Buffer.from(points).toString('base64'))}::text[]
    ) as given (series_id, points)
    on conflict (workspace_id, series_id, time) do update set points = excluded.points`.execute(tx)
}

export interface SummedHour {
  seriesId: number
  sums: HourSums
}

export async function writeHours(
  tx: Tx,
  workspaceId: string,
  { hour, hours }: { hour: Date; hours: readonly SummedHour[] },
): Promise<void> {
  const column = (name: keyof HourSums) => sql`${hours.map(({ sums }) => sums[name])}::float8[]`
  await sql`
    insert into metric_hours (workspace_id, series_id, time, sum, count, min, max, last, last_at)
    select ${workspaceId}, given.series_id, ${hour}, given.sum, given.count, given.min, given.max, given.last,
      to_timestamp(given.last_at / 1000)
    from unnest(
      ${hours.map(({ seriesId }) => seriesId)}::bigint[], ${column('sum')}, ${column('count')}, ${column('min')},
      ${column('max')}, ${column('last')}, ${column('lastAt')}
    ) as given (series_id, sum, count, min, max, last, last_at)
    on conflict (workspace_id, series_id, time) do update set sum = excluded.sum, count = excluded.count,
      min = excluded.min, max = excluded.max, last = excluded.last, last_at = excluded.last_at`.execute(
    tx,
  )
}

export async function deleteHours(
  db: Db,
  workspaceId: string,
  { hour, seriesIds }: { hour: Date; seriesIds: readonly number[] },
): Promise<void> {
  await db
    .deleteFrom('metricHours')
    .where('workspaceId', '=', workspaceId)
    .where('time', '=', hour)
    .where(sql<boolean>`series_id = any(${seriesIds}::bigint[])`)
    .execute()
}
