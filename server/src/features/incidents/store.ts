import { sql } from 'kysely'
import type { Tx } from '../../platform/db/connect.ts'
import type { RuleCondition } from '../alert-rules/index.ts'

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
    set ended_at = greatest(over.ended_at, incident.began_at), ended_cause = over.ended_cause, reminder_at = null,
      series_count = (
        select count(distinct series) from alert_series as held
        where held.workspace_id = incident.workspace_id and held.incident_id = incident.id)
    from unnest(
      ${ended.map(({ id }) => id)}::uuid[],
      ${ended.map(({ endedAt }) => endedAt.toISOString())}::timestamptz[],
      ${ended.map(({ endedCause }) => endedCause)}::text[]
    ) as over (id, ended_at, ended_cause)
    where incident.workspace_id = ${workspaceId} and incident.id = over.id`.execute(tx)
}

/** All series of a rule that fire, when its incident ends otherwise than by an evaluation. */
export async function closeSeries(
  tx: Tx,
  workspaceId: string,
  { ruleId, until }: { ruleId: string; until: Date },
): Promise<void> {
  await sql`
    update alert_series set until = greatest(${until}, since)
    where workspace_id = ${workspaceId} and rule_id = ${ruleId} and until is null`.execute(tx)
}

/** Of one that lasts and that nobody acknowledged. */
export async function updateReminder(
  tx: Tx,
  workspaceId: string,
  { id, reminderAt }: { id: string; reminderAt: Date | null },
): Promise<void> {
  await tx
    .updateTable('alertIncidents')
    .set({ reminderAt })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .where('endedAt', 'is', null)
    .where('acknowledgedAt', 'is', null)
    .execute()
}

/** False when somebody did before. */
export async function acknowledge(
  tx: Tx,
  workspaceId: string,
  by: { id: string; acknowledgedAt: Date; acknowledgedByEmail: string | null },
): Promise<boolean> {
  const { id, ...fields } = by
  const { numUpdatedRows } = await tx
    .updateTable('alertIncidents')
    .set({ ...fields, reminderAt: null })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .where('acknowledgedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}
