import { sql } from 'kysely'
import type { Tx } from '../../platform/db/connect.ts'
import type { RuleCondition } from './condition.ts'

export interface NewIncident {
  id: string
  ruleId: string
  ruleName: string
  ruleType: RuleCondition['type']
  condition: RuleCondition['condition']
  beganAt: Date
  /** When people are told again. */
  reminderAt: Date | null
}

export async function insertIncidents(
  tx: Tx,
  workspaceId: string,
  incidents: readonly NewIncident[],
): Promise<void> {
  if (incidents.length === 0) return
  const rows = incidents.map(({ condition, ...incident }) => ({
    workspaceId,
    ...incident,
    condition: JSON.stringify(condition),
  }))
  await tx.insertInto('alertIncidents').values(rows).execute()
}

export const END_CAUSES = [
  'Recovered',
  'NoData',
  'RuleChanged',
  'RuleDisabled',
  'RuleDeleted',
] as const
export type EndCause = (typeof END_CAUSES)[number]

export interface EndedIncident {
  id: string
  endedAt: Date
  endedCause: EndCause
}

export async function endIncidents(
  tx: Tx,
  workspaceId: string,
  ended: readonly EndedIncident[],
): Promise<void> {
  if (ended.length === 0) return
  await sql`
    update alert_incidents as incident
    set ended_at = over.ended_at, ended_cause = over.ended_cause, reminder_at = null
    from unnest(
      ${ended.map(({ id }) => id)}::uuid[],
      ${ended.map(({ endedAt }) => endedAt.toISOString())}::timestamptz[],
      ${ended.map(({ endedCause }) => endedCause)}::text[]
    ) as over (id, ended_at, ended_cause)
    where incident.workspace_id = ${workspaceId} and incident.id = over.id`.execute(tx)
}
