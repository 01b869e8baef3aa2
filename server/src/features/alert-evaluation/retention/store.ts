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
  const old = db
    .selectFrom('alertIncidents as incident')
    .innerJoin('alertSeries as old', 'old.incidentId', 'incident.id')
    .select(['old.incidentId', 'old.series', 'old.since'])
    .where('old.workspaceId', '=', workspaceId)
    .where('incident.workspaceId', '=', workspaceId)
    .where('incident.beganAt', '<', before)
    .where('incident.endedAt', '<', before)
    .limit(BATCH_ROWS)
  const { numDeletedRows } = await db
    .deleteFrom('alertSeries as series')
    .using(old.as('old'))
    .where('series.workspaceId', '=', workspaceId)
    .whereRef('series.incidentId', '=', 'old.incidentId')
    .whereRef('series.series', '=', 'old.series')
    .whereRef('series.since', '=', 'old.since')
    .executeTakeFirstOrThrow()
  return numDeletedRows >= BATCH_ROWS
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
