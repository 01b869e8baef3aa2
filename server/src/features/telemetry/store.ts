/** The names, labels and devices of metrics, and how the tables of metrics and logs are. */
import { type RawBuilder, sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'
import type { PartitionedTable } from './retention/partitions-store.ts'

export interface SeriesFilter {
  workspaceId: string
  metric: string
  labels: Readonly<Record<string, string>>
  /** Without device ids and cohort, the series of all devices. */
  deviceIds: readonly string[] | undefined
  cohortId: string | undefined
}

/** Each statement of the transaction fails when it takes longer. What a cursor reads is read to its end. */
export async function limitTime(tx: Tx, seconds: number): Promise<void> {
  const milliseconds = Math.max(1, Math.round(seconds * 1_000))
  await sql`select set_config('statement_timeout', ${String(milliseconds)}, true),
    set_config('cursor_tuple_fraction', '1', true)`.execute(tx)
}

/** A condition on `metric_series as series`. */
export function isWanted(filter: SeriesFilter): RawBuilder<boolean> {
  const { workspaceId, metric, labels, deviceIds, cohortId } = filter
  return sql`series.workspace_id = ${workspaceId} and series.name = ${metric}
    and series.labels @> ${JSON.stringify(labels)}::jsonb
    ${deviceIds ? sql`and series.device_id = any(${deviceIds}::text[])` : sql``}
    ${
      cohortId === undefined
        ? sql``
        : sql`and series.device_id in (select id from devices
            where workspace_id = ${workspaceId} and cohort_id = ${cohortId}::uuid)`
    }`
}

/** The devices that have such a series, by id. */
export async function listSeriesDevices(
  db: Db,
  filter: SeriesFilter,
  page: { after: string | undefined; limit: number },
): Promise<string[]> {
  const { after, limit } = page
  const rows = await db
    .selectFrom('metricSeries as series')
    .select('series.deviceId')
    .distinct()
    .where(isWanted(filter))
    .$if(after !== undefined, (query) => query.where('series.deviceId', '>', after ?? ''))
    .orderBy('series.deviceId')
    .limit(limit)
    .execute()
  return rows.map(({ deviceId }) => deviceId)
}

export interface MetricName {
  name: string
  labels: string[]
}

/** Skips from name to name in the index, as many series share few names. */
export async function listMetricNames(
  db: Db,
  workspaceId: string,
  page: { after: string | undefined; limit: number },
): Promise<MetricName[]> {
  const { rows } = await sql<MetricName>`
    with recursive names (name) as (
      (select name from metric_series where workspace_id = ${workspaceId} and name > ${page.after ?? ''}
        order by name limit 1)
      union all
      select (select name from metric_series where workspace_id = ${workspaceId} and name > names.name
        order by name limit 1)
      from names where names.name is not null
    )
    select name, array(
      with recursive sets (labels) as (
        (select label_names from metric_series where workspace_id = ${workspaceId} and name = names.name
          order by label_names limit 1)
        union all
        select (select label_names from metric_series
          where workspace_id = ${workspaceId} and name = names.name and label_names > sets.labels
          order by label_names limit 1)
        from sets where sets.labels is not null
      )
      select distinct label from sets, unnest(labels) as label order by label
    ) as labels
    from names where name is not null limit ${page.limit}`.execute(db)
  return rows
}

export interface DeviceSeries {
  id: number
  metric: string
  labels: Record<string, string>
  seenAt: Date
}

/** By metric. A device has few enough to read and sort them all. */
export async function listDeviceSeries(
  db: Db,
  { workspaceId, deviceId }: { workspaceId: string; deviceId: string },
  { after, limit }: { after: { metric: string; id: number } | undefined; limit: number },
): Promise<DeviceSeries[]> {
  return db
    .selectFrom('metricSeries')
    .select(['id', 'name as metric', 'seenAt'])
    .select(sql<Record<string, string>>`labels`.as('labels'))
    .where('workspaceId', '=', workspaceId)
    .where('deviceId', '=', deviceId)
    .$if(after !== undefined, (query) =>
      query.where(
        sql<boolean>`(name, id) > (${after?.metric ?? ''}::text collate "C", ${after?.id ?? 0}::bigint)`,
      ),
    )
    .orderBy('name')
    .orderBy('id')
    .limit(limit)
    .execute()
}

/** The ids of the series that were heard of last. */
export async function listLastSeries(
  db: Db,
  { workspaceId, deviceId }: { workspaceId: string; deviceId: string },
  limit: number,
): Promise<number[]> {
  const rows = await db
    .selectFrom('metricSeries')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('deviceId', '=', deviceId)
    .orderBy('seenAt', 'desc')
    .limit(limit)
    .execute()
  return rows.map(({ id }) => id)
}

/** The newest point of a series that is not packed, and its newest packed hour. */
export interface NewestPoints {
  time: Date | null
  deviceTime: Date | null
  hour: Date | null
  points: Buffer | null
}

/** Points before `since` are not looked at. */
export async function listNewestPoints(
  db: Db,
  { workspaceId, seriesId }: { workspaceId: string; seriesId: number },
  since: Date,
): Promise<NewestPoints[]> {
  const { rows } = await sql<NewestPoints>`
    (select time, device_time, null::timestamptz as hour, null::bytea as points from metric_points
      where workspace_id = ${workspaceId} and series_id = ${seriesId} and time >= ${since}
      order by time desc limit 1)
    union all
    (select null, null, time, points from metric_packed_hours
      where workspace_id = ${workspaceId} and series_id = ${seriesId} and time >= ${since}
      order by time desc limit 1)`.execute(db)
  return rows
}

/** The values that the label has in any series of the metric. */
export async function listLabelValues(
  db: Db,
  { workspaceId, metric, label }: { workspaceId: string; metric: string; label: string },
  page: { after: string | undefined; limit: number },
): Promise<string[]> {
  const value = sql`(series.labels ->> ${label}::text) collate "C"`
  const { rows } = await sql<{ value: string }>`
    select distinct ${value} as value from metric_series as series
    where series.workspace_id = ${workspaceId} and series.name = ${metric}
      and series.label_names @> array[${label}]::text[]
      ${page.after === undefined ? sql`` : sql`and ${value} > ${page.after}`}
    order by value limit ${page.limit}`.execute(db)
  return rows.map((row) => row.value)
}

export async function listOverflows(db: Db, workspaceId: string, limit: number) {
  return db
    .selectFrom('metricOverflows')
    .select(['deviceId', 'points', 'lastName', 'lastAt'])
    .where('workspaceId', '=', workspaceId)
    .orderBy('lastAt', 'desc')
    .orderBy('deviceId')
    .limit(limit)
    .execute()
}

/** Points of devices that were deleted are not counted. */
export async function listDroppedPoints(
  db: Db,
): Promise<{ workspaceId: string; points: number }[]> {
  return db
    .selectFrom('metricOverflows')
    .select(['workspaceId', sql<number>`sum(points)::float8`.as('points')])
    .groupBy('workspaceId')
    .orderBy('workspaceId')
    .execute()
}

/** Rows of days without a partition, counted up to the limit. */
export async function countDefaultRows(
  db: Db,
  table: PartitionedTable,
  limit: number,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count
    from (select time from ${sql.table(`${table}_default`)} limit ${limit}) as counted`.execute(db)
  return rows[0]?.count ?? 0
}

/** The instant up to which all workspaces are rolled up. undefined: nothing is rolled up. */
export async function findRolledUntil(db: Db): Promise<Date | undefined> {
  const row = await db
    .selectFrom('metricPacking')
    .select(({ fn }) => fn.min<Date | null>('packedUntil').as('packedUntil'))
    .executeTakeFirst()
  return row?.packedUntil ?? undefined
}
