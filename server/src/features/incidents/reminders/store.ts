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
  return tx
    .selectFrom('alertIncidents as incident')
    .select(['incident.id', 'incident.reminderAt'])
    .select((eb) =>
      eb
        .selectFrom('alertRules as rule')
        .select('rule.repeatIntervalSeconds')
        .where('rule.workspaceId', '=', workspaceId)
        .whereRef('rule.id', '=', 'incident.ruleId')
        .as('repeatIntervalSeconds'),
    )
    .where('incident.workspaceId', '=', workspaceId)
    .where('incident.reminderAt', '<=', now)
    .orderBy('incident.id')
    .limit(limit)
    .$narrowType<{ reminderAt: Date }>()
    .forUpdate('incident')
    .skipLocked()
    .execute()
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
