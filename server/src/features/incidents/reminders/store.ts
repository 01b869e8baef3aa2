/** Incidents whose reminder is due. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'

export async function listWorkspacesToRemind(db: Db, now: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('alertIncidents')
    .select('workspaceId')
    .distinct()
    .where('reminderAt', '<=', now)
    .execute()
  return rows.map(({ workspaceId }) => workspaceId)
}

export interface DueReminder {
  id: string
  reminderAt: Date
  /** null: the rule no longer wants reminders, or was deleted. */
  repeatIntervalSeconds: number | null
}

/** Skips incidents that an evaluation or another worker has locked; the next run of the schedule finds them. */
export async function lockDueReminders(
  tx: Tx,
  workspaceId: string,
  { now, limit }: { now: Date; limit: number },
): Promise<DueReminder[]> {
  const { rows } = await sql<DueReminder>`
    select incident.id, incident.reminder_at, (
      select rule.repeat_interval_seconds from alert_rules as rule
      where rule.workspace_id = incident.workspace_id and rule.id = incident.rule_id) as repeat_interval_seconds
    from alert_incidents as incident
    where incident.workspace_id = ${workspaceId} and incident.reminder_at <= ${now}
    order by incident.id limit ${limit} for update of incident skip locked`.execute(tx)
  return rows
}

export async function updateReminders(
  tx: Tx,
  workspaceId: string,
  reminders: readonly { id: string; reminderAt: Date | null }[],
): Promise<void> {
  await sql`
    update alert_incidents as incident set reminder_at = next.reminder_at
    from unnest(
      ${reminders.map(({ id }) => id)}::uuid[],
      ${reminders.map(({ reminderAt }) => reminderAt?.toISOString() ?? null)}::timestamptz[]
    ) as next (id, reminder_at)
    where incident.workspace_id = ${workspaceId} and incident.id = next.id`.execute(tx)
}
