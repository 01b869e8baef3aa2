/** Moves the sums of hours of days that are over into packed days. */
import { sql } from 'kysely'
import { addMs, DAY_MS } from '../../../formats/instants.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'

/** Whether nodes of other releases live, or ended just now: those before packed days would not find sums in them. */
export async function hasOtherReleases(db: Db, version: string): Promise<boolean> {
  const row = await db
    .selectFrom('nodes')
    .select('id')
    .where('version', '<>', version)
    .where('beatAt', '>=', sql<Date>`clock_timestamp() - interval '1 hour'`)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** Series with ids beyond `after`, up to and with `last`; undefined: all after it. */
interface SeriesOfDay {
  day: Date
  after: number
  last: number | undefined
}

const isIn = (workspaceId: string, { day, after, last }: SeriesOfDay) => sql`
  workspace_id = ${workspaceId} and time >= ${day} and time < ${addMs(day, DAY_MS)} and series_id > ${after}
  ${last === undefined ? sql`` : sql`and series_id <= ${last}`}`

/** The series with which so many hours of the day are together. undefined: there are fewer. */
export async function findLastSeriesOfDay(
  tx: Tx,
  workspaceId: string,
  { day, after, hours }: { day: Date; after: number; hours: number },
): Promise<number | undefined> {
  const { rows } = await sql<{ seriesId: number }>`
    select series_id from metric_hours where ${isIn(workspaceId, { day, after, last: undefined })}
    order by series_id offset ${hours} limit 1`.execute(tx)
  return rows[0]?.seriesId
}

/** The hours of a series as PostgreSQL sends them in binary form, 8 bytes each: time, sum, count, min, max, last, last_at. */
export interface TakenHours {
  seriesId: number
  hours: Buffer
}

/** Deletes the sums, and answers them by series, so that the index of packed days is filled in its order; hours in no order. */
export async function takeHours(
  tx: Tx,
  workspaceId: string,
  range: SeriesOfDay,
): Promise<TakenHours[]> {
  const { rows } = await sql<TakenHours>`
    with taken as (
      delete from metric_hours where ${isIn(workspaceId, range)}
      returning series_id, time, sum, count, min, max, last, last_at
    )
    select series_id, string_agg(timestamptz_send(time) || float8send(coalesce(sum, 'NaN')) || float8send(count)
      || float8send(min) || float8send(max) || float8send(coalesce(last, 'NaN')) || timestamptz_send(last_at), '') as hours
    from taken group by series_id order by series_id`.execute(tx)
  return rows
}

export interface PackedDay {
  seriesId: number
  sums: Uint8Array
}

export async function listPackedDays(
  db: Db,
  workspaceId: string,
  { day, seriesIds }: { day: Date; seriesIds: readonly number[] },
): Promise<PackedDay[]> {
  return db
    .selectFrom('metricPackedDays')
    .select(['seriesId', 'sums'])
    .where('workspaceId', '=', workspaceId)
    .where('time', '=', day)
    .where(sql<boolean>`series_id = any(${seriesIds}::bigint[])`)
    .orderBy('seriesId')
    .execute()
}

export async function writePackedDays(
  tx: Tx,
  workspaceId: string,
  { day, days }: { day: Date; days: readonly PackedDay[] },
): Promise<void> {
  await sql`
    insert into metric_packed_days (workspace_id, series_id, time, sums)
    select ${workspaceId}, given.series_id, ${day}, decode(given.sums, 'base64')
    from unnest(
      ${days.map(({ seriesId }) => seriesId)}::bigint[],
      ${days.map(({ sums }) => Buffer.from(sums).toString('base64'))}::text[]
    ) as given (series_id, sums)
    on conflict (workspace_id, series_id, time) do update set sums = excluded.sums`.execute(tx)
}

export async function deletePackedDays(
  tx: Tx,
  workspaceId: string,
  { day, seriesIds }: { day: Date; seriesIds: readonly number[] },
): Promise<void> {
  await tx
    .deleteFrom('metricPackedDays')
    .where('workspaceId', '=', workspaceId)
    .where('time', '=', day)
    .where(sql<boolean>`series_id = any(${seriesIds}::bigint[])`)
    .execute()
}
