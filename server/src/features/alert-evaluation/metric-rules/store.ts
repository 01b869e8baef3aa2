/** What the series many rules ask for came to, in one statement: device by device, added up for each piece of time. */
import { type RawBuilder, sql } from 'kysely'
import type { Tx } from '../../../platform/db/connect.ts'
import type { Aggregation } from '../../telemetry/index.ts'
import { SUM_UNIT } from './evaluator.ts'
import type { Asked } from './selection.ts'
import type { Pieces } from './time-slices.ts'
import { AS_SETS, planned } from '../statement-settings-store.ts'

/** What one series came to in one piece. */
export interface PieceRow {
  device: string
  /** Places of the selections it belongs to, as `{0,3}`. */
  selections: string
  /** Counted from 1; null: there is no point, and no further row of the series. */
  piece: number | null
  sum: number
  count: number
  min: number
  max: number
  /** Seconds since 1970. */
  lastat: number
  last: number
}

export interface Reading {
  asked: Asked
  pieces: Pieces
}

const ROWS = 10_000

/** Rows of a device follow each other. */
export async function* readPieces(
  tx: Tx,
  workspaceId: string,
  reading: Reading,
): AsyncGenerator<PieceRow[]> {
  await planned(tx, { ...AS_SETS, ...PLANNED }, () => declareCursor(tx, workspaceId, reading))
  // Renaming the columns of every row would take as long as reading them.
  const plain = tx.withoutPlugins()
  for (;;) {
    const { rows } = await sql<PieceRow>`fetch ${sql.lit(ROWS)} from metric_values`.execute(plain)
    if (rows.length > 0) yield rows
    if (rows.length < ROWS) break
  }
  await sql`close metric_values`.execute(tx)
}

const PLANNED = {
  enable_mergejoin: 'off',
  enable_sort: 'off',
  work_mem: '64MB',
  cursor_tuple_fraction: '1',
} as const

async function declareCursor(tx: Tx, workspaceId: string, reading: Reading): Promise<void> {
  const { asked } = reading
  const seriesIds = await findFewSeries(tx, workspaceId, asked)
  await sql`
    declare metric_values no scroll cursor for
    with ${chosenSeries(workspaceId, asked)}
    select chosen.device_id as device, chosen.selections, point.piece, point.sum, point.count, point.min, point.max,
      point.last[1] as lastat, point.last[2] as last
    from chosen left join (${pointsByPiece(workspaceId, reading, seriesIds)}) as point on point.series_id = chosen.id
    order by chosen.device_id`.execute(tx)
}

/**
 * Points lie in the order they came in. Those of a few series are found one series after the other; where more than a few
 * in a hundred are wanted, reading all points of the time is faster.
 */
const FEW = 1 / 16

/** The ids as the text of an array; undefined: they are not few. */
async function findFewSeries(
  tx: Tx,
  workspaceId: string,
  asked: Asked,
): Promise<string | undefined> {
  const { rows } = await sql<{ ids: string | null }>`
    with ${chosenSeries(workspaceId, asked)}
    select case
      when (select count(*) from chosen) < ${FEW}::float8 * (
        select count(*) from metric_series where workspace_id = ${workspaceId}
      ) then (select coalesce(array_agg(id), '{}')::text from chosen)
    end as ids`.execute(tx)
  return rows[0]?.ids ?? undefined
}

export async function countChosenSeries(
  tx: Tx,
  workspaceId: string,
  asked: Asked,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    with ${chosenSeries(workspaceId, asked)} select count(*)::int as count from chosen`.execute(tx)
  return rows[0]?.count ?? 0
}

function chosenSeries(workspaceId: string, { selections }: Asked): RawBuilder<unknown> {
  const metrics = [...new Set(selections.map(({ metric }) => metric))]
  return sql`
    selections as materialized (
      select (position - 1)::int as selection, metric, labels::jsonb as labels, cohort_id
      from unnest(
        ${selections.map(({ metric }) => metric)}::text[], ${selections.map(({ labels }) => labels)}::text[],
        ${selections.map(({ cohortId }) => cohortId)}::uuid[]
      ) with ordinality as given (metric, labels, cohort_id, position)
    ), chosen as materialized (
      select series.id, series.device_id, array_agg(selection.selection)::text as selections
      from metric_series as series join selections as selection
        on selection.metric = series.name and series.labels @> selection.labels
      where series.workspace_id = ${workspaceId} and series.name = any(${metrics}::text[])
        and (selection.cohort_id is null or (series.device_id, selection.cohort_id) in (
          select id, cohort_id from devices where workspace_id = ${workspaceId}))
      group by series.id, series.device_id
    )`
}

/** What is asked of no rule is not added up. */
const AMOUNTS: readonly { of: RawBuilder<unknown>; as: string; for: readonly Aggregation[] }[] = [
  { of: sql`sum(sum / ${SUM_UNIT}::float8)`, as: 'sum', for: ['Sum', 'Average'] },
  { of: sql`sum(coalesce(count, 1))::float8`, as: 'count', for: ['Count', 'Average'] },
  { of: sql`min(coalesce(min, sum))`, as: 'min', for: ['Minimum'] },
  { of: sql`max(coalesce(max, sum))`, as: 'max', for: ['Maximum'] },
  // Arrays compare element by element: the newest, and of several at one instant the largest.
  {
    of: sql`max(array[extract(epoch from time)::float8, sum / coalesce(count, 1)])`,
    as: 'last',
    for: ['Last'],
  },
]

function pointsByPiece(
  workspaceId: string,
  { asked, pieces: { bounds } }: Reading,
  seriesIds: string | undefined,
): RawBuilder<unknown> {
  const instants = bounds.map((bound) => new Date(bound).toISOString())
  const aggregations = new Set(asked.measures.map(({ aggregation }) => aggregation))
  const amounts = AMOUNTS.map(({ of, as, for: by }) => {
    const isAsked = by.some((aggregation) => aggregations.has(aggregation))
    const none = as === 'last' ? sql`array[0, 0]::float8[]` : sql`0::float8`
    return sql`${isAsked ? of : none} as ${sql.ref(as)}`
  })
  const piece = bounds.length > 2 ? sql`width_bucket(time, ${instants}::timestamptz[])` : sql`1`
  return sql`
    select series_id, ${piece} as piece, ${sql.join(amounts)}
    from (
      select series_id, time, sum, count, min, max from metric_points
      where workspace_id = ${workspaceId} and time >= ${instants[0]} and time < ${instants.at(-1)}
        ${seriesIds === undefined ? sql`` : sql`and series_id = any(${seriesIds}::bigint[])`}
      offset 0
    ) as point group by 1, 2`
}
