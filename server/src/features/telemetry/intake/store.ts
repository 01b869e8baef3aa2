/** Metric points and log lines as they arrive. */
import { type RawBuilder, sql } from 'kysely'
import { splitIntoBatches } from '../../../formats/batches.ts'
import type { Tx } from '../../../platform/db/connect.ts'

export interface PointRow {
  seriesId: number
  time: Date
  /** The value itself, where `count` is null. */
  sum: number
  count: number | null
  min: number | null
  max: number | null
  deviceTime: Date | null
}

const POINTS_AT_ONCE = 10_000

export async function insertPoints(
  tx: Tx,
  workspaceId: string,
  points: readonly PointRow[],
): Promise<void> {
  for (const batch of splitIntoBatches(points, POINTS_AT_ONCE))
    await (batch.every(isPlain) ? insertPlainPoints : insertPointBatch)(tx, workspaceId, batch)
}

function isPlain({ count, deviceTime }: PointRow): boolean {
  return count === null && deviceTime === null
}

/** Most points are: the empty columns of others would cost as much as what they hold. */
async function insertPlainPoints(
  tx: Tx,
  workspaceId: string,
  points: readonly PointRow[],
): Promise<void> {
  await sql`
    insert into metric_points (workspace_id, series_id, time, sum)
    select ${workspaceId}, given.series_id, ${instant(sql`given.time`)}, given.sum
    from unnest(
      ${points.map(({ seriesId }) => seriesId)}::bigint[], ${points.map(({ time }) => time.getTime())}::float8[],
      ${points.map(({ sum }) => sum)}::float8[]
    ) as given (series_id, time, sum)`.execute(tx)
}

async function insertPointBatch(
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

/** Instants are sent as milliseconds since 1970: numbers cost a fraction of what dates cost. */
function instant(milliseconds: RawBuilder<unknown>) {
  return sql`to_timestamp(${milliseconds} / 1000)`
}

export interface LogRow {
  id: string
  time: Date
  deviceId: string
  severity: string
  message: string
  /** As JSON. */
  labels: string
  runId: string | null
  deviceTime: Date | null
}

const LINES_AT_ONCE = 2_000

export async function insertLines(
  tx: Tx,
  workspaceId: string,
  lines: readonly LogRow[],
): Promise<void> {
  for (const batch of splitIntoBatches(lines, LINES_AT_ONCE))
    await insertLineBatch(tx, workspaceId, batch)
}

async function insertLineBatch(
  tx: Tx,
  workspaceId: string,
  lines: readonly LogRow[],
): Promise<void> {
  const column = (of: (line: LogRow) => string | null) => sql`${lines.map(of)}::text[]`
  await sql`
    insert into device_logs (workspace_id, id, time, device_id, severity, message, labels, run_id, device_time)
    select ${workspaceId}, given.id::uuid, given.time::timestamptz, given.device_id, given.severity, given.message,
      given.labels::jsonb, given.run_id, given.device_time::timestamptz
    from unnest(
      ${column(({ id }) => id)}, ${column(({ time }) => time.toISOString())}, ${column(({ deviceId }) => deviceId)},
      ${column(({ severity }) => severity)}, ${column(({ message }) => message)}, ${column(({ labels }) => labels)},
      ${column(({ runId }) => runId)}, ${column(({ deviceTime }) => deviceTime?.toISOString() ?? null)}
    ) as given (id, time, device_id, severity, message, labels, run_id, device_time)`.execute(tx)
}
