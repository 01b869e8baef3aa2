import { type RawBuilder, sql } from 'kysely'
import { batchesOf } from '../../formats/batches.ts'
import type { Tx } from '../../platform/db/connect.ts'

export interface PointRow {
  seriesId: number
  time: Date
  /** The value where count is null. */
  sum: number
  count: number | null
  min: number | null
  max: number | null
  deviceTime: Date | null
}

const BATCH = 10_000

export async function insertPoints(
  tx: Tx,
  workspaceId: string,
  points: readonly PointRow[],
): Promise<void> {
  for (const batch of batchesOf(points, BATCH)) await insertBatch(tx, workspaceId, batch)
}

async function insertBatch(
  tx: Tx,
  workspaceId: string,
  points: readonly PointRow[],
): Promise<void> {
  const column = (of: (point: PointRow) => number | null) => sql`${points.map(of)}::float8[]`
  await sql`
    insert into metric_points (workspace_id, series_id, time, sum, count, min, max, device_time)
    select ${workspaceId}, given.series_id, ${instant(sql`given.time`)}, given.sum, given.count, given.min, given.max,
      ${instant(sql`given.device_time`)}
    from unnest(
      ${points.map(({ seriesId }) => seriesId)}::bigint[], ${column(({ time }) => time.getTime())},
      ${column(({ sum }) => sum)}, ${points.map(({ count }) => count)}::bigint[], ${column(({ min }) => min)},
      ${column(({ max }) => max)}, ${column(({ deviceTime }) => deviceTime?.getTime() ?? null)}
    ) as given (series_id, time, sum, count, min, max, device_time)`.execute(tx)
}

/** Milliseconds since 1970: numbers travel at a fraction of what dates cost. */
function instant(milliseconds: RawBuilder<unknown>) {
  return sql`to_timestamp(${milliseconds} / 1000)`
}
