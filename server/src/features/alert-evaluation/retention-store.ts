import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

/** Rows of one statement: locks are held for moments only. */
const AT_ONCE = 10_000

export async function listWorkspaceIds(db: Db): Promise<string[]> {
  const rows = await db.selectFrom('workspaces').select('id').orderBy('id').execute()
  return rows.map(({ id }) => id)
}

/** All of a rule but its latest; whether there may be more. */
export async function deleteOldEvaluations(
  db: Db,
  workspaceId: string,
  { before, kept }: { before: Date; kept: number },
): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from alert_evaluations as one using (
      select old.rule_id, old.scheduled_at
      from alert_rules as rule cross join lateral (
        select scheduled_at from alert_evaluations as latest
        where latest.workspace_id = ${workspaceId} and latest.rule_id = rule.id
        order by scheduled_at desc offset ${kept - 1} limit 1
      ) as oldest join alert_evaluations as old
        on old.workspace_id = ${workspaceId} and old.rule_id = rule.id and old.scheduled_at < oldest.scheduled_at
      where rule.workspace_id = ${workspaceId} and old.scheduled_at < ${before} limit ${AT_ONCE}
    ) as gone
    where one.workspace_id = ${workspaceId} and one.rule_id = gone.rule_id and one.scheduled_at = gone.scheduled_at`.execute(
    db,
  )
  return numAffectedRows >= AT_ONCE
}

/** Of incidents that ended before; whether there may be more. */
export async function deleteOldSeries(db: Db, workspaceId: string, before: Date): Promise<boolean> {
  const { numAffectedRows = 0n } = await sql`
    delete from alert_series as one using (
      select held.incident_id, held.series, held.since
      from alert_incidents as incident join alert_series as held
        on held.workspace_id = ${workspaceId} and held.incident_id = incident.id
      where incident.workspace_id = ${workspaceId} and incident.began_at < ${before} and incident.ended_at < ${before}
      limit ${AT_ONCE}
    ) as gone
    where one.workspace_id = ${workspaceId} and one.incident_id = gone.incident_id and one.series = gone.series
      and one.since = gone.since`.execute(db)
  return numAffectedRows >= AT_ONCE
}

/** Once their series are gone. */
export async function deleteOldIncidents(db: Db, workspaceId: string, before: Date): Promise<void> {
  await sql`
    delete from alert_incidents
    where workspace_id = ${workspaceId} and began_at < ${before} and ended_at < ${before}`.execute(
    db,
  )
}
