import { sql } from 'kysely'
import type { Db } from '../../../platform/db/connect.ts'

/** Rows of one statement; rows are locked only for a short time. */
const BATCH_ROWS = 10_000

/** Keeps the latest evaluations of each rule. Returns whether there may be more to delete. */
export async function deleteOldEvaluations(
  db: Db,
  workspaceId: string,
  { before, keep }: { before: Date; keep: number },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from alert_evaluations as evaluation using (
      select old.rule_id, old.scheduled_at
      from alert_rules as rule cross join lateral (
        select scheduled_at from alert_evaluations as latest
        where latest.workspace_id = ${workspaceId} and latest.rule_id = rule.id
        order by scheduled_at desc offset ${keep - 1} limit 1
      ) as oldest_kept join alert_evaluations as old
        on old.workspace_id = ${workspaceId} and old.rule_id = rule.id and old.scheduled_at < oldest_kept.scheduled_at
      where rule.workspace_id = ${workspaceId} and old.scheduled_at < ${before} limit ${BATCH_ROWS}
    ) as old
    where evaluation.workspace_id = ${workspaceId} and evaluation.rule_id = old.rule_id
      and evaluation.scheduled_at = old.scheduled_at`.execute(db)
  return numAffectedRows >= BATCH_ROWS
}

/** Deletes series of incidents that ended before. Returns whether there may be more to delete. */
export async function deleteOldSeries(db: Db, workspaceId: string, before: Date): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from alert_series as series using (
      select old.incident_id, old.series, old.since
      from alert_incidents as incident join alert_series as old
        on old.workspace_id = ${workspaceId} and old.incident_id = incident.id
      where incident.workspace_id = ${workspaceId} and incident.began_at < ${before} and incident.ended_at < ${before}
      limit ${BATCH_ROWS}
    ) as old
    where series.workspace_id = ${workspaceId} and series.incident_id = old.incident_id
      and series.series = old.series and series.since = old.since`.execute(db)
  return numAffectedRows >= BATCH_ROWS
}

/** To be called after their series are deleted. */
export async function deleteOldIncidents(db: Db, workspaceId: string, before: Date): Promise<void> {
  await db
    .deleteFrom('alertIncidents')
    .where('workspaceId', '=', workspaceId)
    .where('beganAt', '<', before)
    .where('endedAt', '<', before)
    .execute()
}
