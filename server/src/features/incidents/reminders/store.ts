/** Incidents of which people are to be told again, or were not told as they were silenced. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { selectSilencedUntil } from '../silences/store.ts'

export async function listWorkspacesToRemind(db: Db, now: Date): Promise<string[]> {
  const { rows } = await sql<{ workspaceId: string }>`
    select workspace_id from alert_incidents where reminder_at <= ${now}
    union
    select workspace_id from alert_incidents where is_held and acknowledged_at is null`.execute(db)
  return rows.map(({ workspaceId }) => workspaceId)
}

export interface DueReminder {
  id: string
  reminderAt: Date | null
  isHeld: boolean
  notifiedAt: Date | null
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
    .select(['incident.id', 'incident.reminderAt', 'incident.isHeld', 'incident.notifiedAt'])
    .select((eb) =>
      eb
        .selectFrom('alertRules as rule')
        .select('rule.repeatIntervalSeconds')
        .where('rule.workspaceId', '=', workspaceId)
        .whereRef('rule.id', '=', 'incident.ruleId')
        .as('repeatIntervalSeconds'),
    )
    .where('incident.workspaceId', '=', workspaceId)
    .where('incident.endedAt', 'is', null)
    .where('incident.acknowledgedAt', 'is', null)
    .where((eb) => eb.or([eb('incident.reminderAt', '<=', now), eb('incident.isHeld', '=', true)]))
    .where(selectSilencedUntil({ workspaceId, now }), 'is', null)
    .orderBy('incident.id')
    .limit(limit)
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
    update alert_incidents as incident set reminder_at = next.reminder_at, is_held = false
    from unnest(
      ${reminders.map(({ id }) => id)}::uuid[],
      ${reminders.map(({ reminderAt }) => reminderAt?.toISOString() ?? null)}::timestamptz[]
    ) as next (id, reminder_at)
    where incident.workspace_id = ${workspaceId} and incident.id = next.id`.execute(tx)
}
