import { sql } from 'kysely'
import { batchesOf } from '../../formats/batches.ts'
import type { Tx } from '../../platform/db/connect.ts'

export interface LogRow {
  id: string
  time: Date
  deviceId: string
  severity: string
  message: string
  /** JSON. */
  labels: string
  runId: string | null
  deviceTime: Date | null
}

const BATCH = 2_000

export async function insertLines(
  tx: Tx,
  workspaceId: string,
  lines: readonly LogRow[],
): Promise<void> {
  for (const batch of batchesOf(lines, BATCH)) await insertBatch(tx, workspaceId, batch)
}

async function insertBatch(tx: Tx, workspaceId: string, lines: readonly LogRow[]): Promise<void> {
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
