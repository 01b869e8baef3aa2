/** Metrics as they are asked for. */
import { type RawBuilder, sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'
import type { Aggregation } from './aggregation.ts'

export interface SeriesFilter {
  workspaceId: string
  metric: string
  labels: Readonly<Record<string, string>>
  /** Of these devices; of those in the cohort; both absent: of all. */
  deviceIds: readonly string[] | undefined
  cohortId: string | undefined
}

export interface PointQuery extends SeriesFilter {
  aggregation: Aggregation
  from: Date
  to: Date
  stepSeconds: number
  byDevice: boolean
}

function matching(filter: SeriesFilter): RawBuilder<unknown> {
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

/** The devices that have such a series, page by page. */
export async function listSeriesDevices(
  db: Db,
  filter: SeriesFilter,
  page: { after: string | undefined; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ deviceId: string }>`
    select distinct series.device_id from metric_series as series
    where ${matching(filter)} ${page.after === undefined ? sql`` : sql`and series.device_id > ${page.after}`}
    order by series.device_id limit ${page.limit}`.execute(db)
  return rows.map(({ deviceId }) => deviceId)
}

/** What a device summed up counts as the points it is made of; as the last value it is their average. */
const VALUES: Record<Aggregation, RawBuilder<unknown>> = {
  Average: sql`sum(point.sum) / sum(coalesce(point.count, 1))::float8`,
  Minimum: sql`min(coalesce(point.min, point.sum))`,
  Maximum: sql`max(coalesce(point.max, point.sum))`,
  Sum: sql`sum(point.sum)`,
  Count: sql`sum(coalesce(point.count, 1))::float8`,
  // Arrays compare element by element: the newest, and of several at one instant the largest.
  Last: sql`(max(array[extract(epoch from point.time)::float8, point.sum / coalesce(point.count, 1)]))[2]`,
}

export interface WindowValue {
  deviceId: string | null
  time: Date
  value: number
}

/** Windows are half-open and begin at `from`; those without points are left out. */
export async function listWindows(db: Db, query: PointQuery): Promise<WindowValue[]> {
  const { aggregation, from, to, stepSeconds, byDevice } = query
  const device = byDevice ? sql`series.device_id` : sql`null::text`
  const { rows } = await sql<WindowValue>`
    select ${device} as device_id,
      date_bin(make_interval(secs => ${stepSeconds}), point.time, ${from}::timestamptz) as time,
      ${VALUES[aggregation]} as value
    from metric_series as series join metric_points as point
      on point.workspace_id = series.workspace_id and point.series_id = series.id
    where ${matching(query)} and point.time >= ${from} and point.time < ${to}
    group by 1, 2 order by 1, 2`.execute(db)
  return rows
}

export interface MetricName {
  name: string
  labels: string[]
}

/** Each name once, found in the index behind the one before: many series share a few. */
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
