import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'

export interface Retention {
  workspaceId: string
  metricRetentionDays: number
  /** Sums of hours are kept at least as long as points. */
  metricHourRetentionDays: number
  logRetentionDays: number
}

export async function listRetentions(db: Db): Promise<Retention[]> {
  return db
    .selectFrom('workspaces')
    .select(['id as workspaceId', 'metricRetentionDays', 'logRetentionDays'])
    .select(({ fn }) =>
      fn<number>('greatest', ['metricRetentionDays', 'metricHourRetentionDays']).as(
        'metricHourRetentionDays',
      ),
    )
    .orderBy('id')
    .execute()
}

/** Deletes series that were not seen since then: they received no points since, and the sums of their hours are deleted. */
export async function deleteSeriesUnseenSince(
  db: Db,
  { workspaceId, before }: { workspaceId: string; before: Date },
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('metricSeries')
    .where('workspaceId', '=', workspaceId)
    .where('seenAt', '<', before)
    .executeTakeFirstOrThrow()
  return Number(numDeletedRows)
}

const RUNS_KEPT = 50

/** Deletes runs that sent nothing since then, all but the newest runs of each device, and runs of deleted devices. */
export async function deleteOldRuns(
  db: Db,
  { workspaceId, before }: { workspaceId: string; before: Date },
): Promise<void> {
  await sql`
    delete from device_run_sequences as run
    where run.workspace_id = ${workspaceId} and (run.updated_at < ${before}
      or not exists (select from devices where workspace_id = ${workspaceId} and id = run.device_id)
      or (run.device_id, run.run_id) in (
        select device_id, run_id from (
          select device_id, run_id,
            row_number() over (partition by device_id order by updated_at desc, run_id) as place
          from device_run_sequences where workspace_id = ${workspaceId}) as placed
        where place > ${RUNS_KEPT}))`.execute(db)
}
