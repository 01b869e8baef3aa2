/** Adds up the points of all series that metric rules need, in one statement: device by device, for each time slice. */
import { type RawBuilder, sql } from 'kysely'
import { HOUR_MS } from '../../../formats/instants.ts'
import { unpackPoints } from '../../../formats/metric-points/packed-points.ts'
import type { Tx } from '../../../platform/db/connect.ts'
import type { Aggregation } from '../../telemetry/index.ts'
import { defineMaterialized, nameTable, withCtes } from '../cte-store.ts'
import { HASH_JOINS, withPlannerSettings } from '../statement-settings-store.ts'
import { type Amount, SUM_UNIT } from './evaluator.ts'
import type { Measures } from './measures.ts'
import { sumPackedPoints } from './packed-amounts.ts'
import type { TimeSlices } from './time-slices.ts'

/** The points of one series in one time slice. */
export interface SliceRow extends Amount {
  device: string
  /** Places of the selections that the series belongs to, as `{0,3}`. */
  selections: string
  /** Counted from 1; null: the series has no point, and no other row. */
  slice: number | null
}

export interface SliceRequest {
  measures: Measures
  slices: TimeSlices
}

const ROWS_PER_FETCH = 10_000

/** A row of the cursor: a slice, or a packed hour of the series instead. */
interface ReadRow extends SliceRow {
  hour: Date | null
  points: Buffer | null
}

/** The rows of a device follow each other. A series may have several for one slice. */
export async function* readSlices(
  tx: Tx,
  workspaceId: string,
  request: SliceRequest,
): AsyncGenerator<Iterable<SliceRow>> {
  await withPlannerSettings(tx, { ...HASH_JOINS, ...READ_SETTINGS }, () =>
    declareCursor(tx, workspaceId, request),
  )
  // Without plugins: renaming the columns of each row to camelCase would take as long as reading it.
  const plain = tx.withoutPlugins()
  for (;;) {
    const { rows } =
      await sql<ReadRow>`fetch ${sql.lit(ROWS_PER_FETCH)} from metric_values`.execute(plain)
    if (rows.length > 0) yield unpacked(rows, request.slices)
    if (rows.length < ROWS_PER_FETCH) break
  }
  await sql`close metric_values`.execute(tx)
}

function* unpacked(rows: readonly ReadRow[], slices: TimeSlices): Generator<SliceRow> {
  for (const row of rows) {
    const { device, selections, hour, points } = row
    if (!hour || !points) yield row
    else
      for (const [slice, amount] of sumPackedPoints(unpackPoints(points, hour.getTime()), slices))
        yield { device, selections, slice, ...amount }
  }
}

const READ_SETTINGS = {
  enable_mergejoin: 'off',
  enable_sort: 'off',
  work_mem: '64MB',
  cursor_tuple_fraction: '1',
} as const

async function declareCursor(tx: Tx, workspaceId: string, request: SliceRequest): Promise<void> {
  const { measures } = request
  const seriesIds = await findFewSeries(tx, workspaceId, measures)
  const chosen = chosenSeries(workspaceId, measures)
  await sql`
    declare metric_values no scroll cursor for
    ${withCtes(chosen.ctes)}
    select chosen.device_id as device, chosen.selections, point.slice, point.sum, point.count, point.min, point.max,
      point.last[1] as lastat, point.last[2] as last, point.hour, point.points
    from ${chosen.table} as chosen left join (
      ${pointsBySlice(workspaceId, request, seriesIds)}
      union all
      ${packedHours(workspaceId, request, seriesIds)}
    ) as point on point.series_id = chosen.id
    order by chosen.device_id`.execute(tx)
}

/**
 * Points are stored in the order in which they arrive. The points of a few series are found by index, series by series. For
 * more than this share of all series, reading all points of the time is faster.
 */
const FEW = 1 / 16

/** The ids of the chosen series as the text of an array; undefined: they are more than a few. */
async function findFewSeries(
  tx: Tx,
  workspaceId: string,
  measures: Measures,
): Promise<string | undefined> {
  const { ctes, table } = chosenSeries(workspaceId, measures)
  const { rows } = await sql<{ ids: string | null }>`
    ${withCtes(ctes)}
    select case
      when (select count(*) from ${table}) < ${FEW}::float8 * (
        select count(*) from metric_series where workspace_id = ${workspaceId}
      ) then (select coalesce(array_agg(id), '{}')::text from ${table})
    end as ids`.execute(tx)
  return rows[0]?.ids ?? undefined
}

export async function countChosenSeries(
  tx: Tx,
  workspaceId: string,
  measures: Measures,
): Promise<number> {
  const { ctes, table } = chosenSeries(workspaceId, measures)
  const { rows } = await sql<{ count: number }>`
    ${withCtes(ctes)} select count(*)::int as count from ${table}`.execute(tx)
  return rows[0]?.count ?? 0
}

function chosenSeries(workspaceId: string, { selections }: Measures) {
  const metrics = [...new Set(selections.map(({ metric }) => metric))]
  const wanted = defineMaterialized(
    nameTable<{ selection: number; metric: string; labels: unknown; cohortId: string | null }>(
      'selections',
    ),
    sql`
      select (position - 1)::int as selection, metric, labels::jsonb as labels, cohort_id
      from unnest(
        ${selections.map(({ metric }) => metric)}::text[], ${selections.map(({ labels }) => labels)}::text[],
        ${selections.map(({ cohortId }) => cohortId)}::uuid[]
      ) with ordinality as given (metric, labels, cohort_id, position)`,
  )
  const chosen = defineMaterialized(
    nameTable<{ id: string; deviceId: string; selections: string }>('chosen_series'),
    sql`
      select series.id, series.device_id, array_agg(selection.selection)::text as selections
      from metric_series as series join ${wanted.table} as selection
        on selection.metric = series.name and series.labels @> selection.labels
      where series.workspace_id = ${workspaceId} and series.name = any(${metrics}::text[])
        and (selection.cohort_id is null or (series.device_id, selection.cohort_id) in (
          select id, cohort_id from devices where workspace_id = ${workspaceId}))
      group by series.id, series.device_id`,
  )
  return { ctes: [wanted, chosen], table: chosen.table }
}

interface AmountColumn {
  of: RawBuilder<unknown>
  as: string
  for: readonly Aggregation[]
}

/** An amount is only added up if a rule has an aggregation that needs it. */
const AMOUNTS: readonly AmountColumn[] = [
  { of: sql`sum(sum / ${SUM_UNIT}::float8)`, as: 'sum', for: ['Sum', 'Average'] },
  { of: sql`sum(coalesce(count, 1))::float8`, as: 'count', for: ['Count', 'Average'] },
  { of: sql`min(coalesce(min, sum))`, as: 'min', for: ['Minimum'] },
  { of: sql`max(coalesce(max, sum))`, as: 'max', for: ['Maximum'] },
  // The newest value, and the largest of several values at one instant.
  {
    of: sql`newest(array[extract(epoch from time)::float8, sum / coalesce(count, 1)])`,
    as: 'last',
    for: ['Last'],
  },
]

function pointsBySlice(
  workspaceId: string,
  { measures, slices: { bounds } }: SliceRequest,
  seriesIds: string | undefined,
): RawBuilder<unknown> {
  const instants = bounds.map((bound) => new Date(bound).toISOString())
  const aggregations = new Set(measures.measures.map(({ aggregation }) => aggregation))
  const amounts = AMOUNTS.map(({ of, as, for: by }) => {
    const isNeeded = by.some((aggregation) => aggregations.has(aggregation))
    const none = as === 'last' ? sql`array[0, 0]::float8[]` : sql`0::float8`
    return sql`${isNeeded ? of : none} as ${sql.ref(as)}`
  })
  const slice = bounds.length > 2 ? sql`width_bucket(time, ${instants}::timestamptz[])` : sql`1`
  return sql`
    select series_id, ${slice} as slice, ${sql.join(amounts)}, null::timestamptz as hour, null::bytea as points
    from metric_points
    where workspace_id = ${workspaceId} and time >= ${instants[0]} and time < ${instants.at(-1)}
      ${seriesIds === undefined ? sql`` : sql`and series_id = any(${seriesIds}::bigint[])`}
    group by 1, 2`
}

/** Those that lie in the slices, at least in part: the hours that are over, where the rules look so far back. */
function packedHours(
  workspaceId: string,
  { slices: { bounds } }: SliceRequest,
  seriesIds: string | undefined,
): RawBuilder<unknown> {
  const from = new Date((bounds[0] ?? 0) - HOUR_MS).toISOString()
  const to = new Date(bounds.at(-1) ?? 0).toISOString()
  return sql`
    select series_id, null, null, null, null, null, null, time, points from metric_packed_hours
    where workspace_id = ${workspaceId} and time > ${from} and time < ${to}
      ${seriesIds === undefined ? sql`` : sql`and series_id = any(${seriesIds}::bigint[])`}`
}
