import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

export interface AlertHealth {
  enabledRules: number
  firingRules: number
  /** How long the rule that has waited longest has waited for its turn; 0: none waits. */
  lagSeconds: number
}

/** Of all workspaces together. */
export async function readAlertHealth(db: Db, now: Date): Promise<AlertHealth> {
  const { rows } = await sql<AlertHealth>`
    select count(*)::int as enabled_rules, count(incident_id)::int as firing_rules,
      greatest(0, coalesce(extract(epoch from ${now}::timestamptz - min(next_evaluation_at)), 0))::float8 as lag_seconds
    from alert_rules where next_evaluation_at is not null`.execute(db)
  return rows[0] ?? { enabledRules: 0, firingRules: 0, lagSeconds: 0 }
}
