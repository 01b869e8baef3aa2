/** What people do about an incident: acknowledge it, look after it, say something. */
import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/connect.ts'

/** Returns how many of the incidents nobody had acknowledged before. */
export async function acknowledge(
  tx: Tx,
  workspaceId: string,
  by: { ids: readonly string[]; acknowledgedAt: Date; acknowledgedByEmail: string | null },
): Promise<number> {
  const { ids, ...fields } = by
  const { numUpdatedRows } = await tx
    .updateTable('alertIncidents')
    .set({ ...fields, reminderAt: null })
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .where('acknowledgedAt', 'is', null)
    .executeTakeFirstOrThrow()
  return Number(numUpdatedRows)
}

/** Reminders begin again, an interval from `now` on. Returns the ids of those that were acknowledged by that. */
export async function deleteAcknowledgements(
  tx: Tx,
  workspaceId: string,
  { ids, acknowledgedAt, now }: { ids: readonly string[]; acknowledgedAt: Date; now: Date },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update alert_incidents as incident set acknowledged_at = null, acknowledged_by_email = null,
      reminder_at = case when incident.ended_at is null then (
        select ${now}::timestamptz + rule.repeat_interval_seconds * interval '1 second' from alert_rules as rule
        where rule.workspace_id = ${workspaceId} and rule.id = incident.rule_id) end
    where incident.workspace_id = ${workspaceId} and incident.id = any(${ids}::uuid[])
      and incident.acknowledged_at = ${acknowledgedAt}
    returning incident.id`.execute(tx)
  return rows.map(({ id }) => id)
}

export interface NoteRow {
  note: string | null
  notedAt: Date
  notedByEmail: string | null
}

/** Answers with what was there before. */
export async function replaceNote(
  tx: Tx,
  workspaceId: string,
  { id, ...note }: NoteRow & { id: string },
): Promise<string | null> {
  const before = await lockIncident(tx, workspaceId, id)
  if (before.note === note.note) return before.note
  await tx
    .updateTable('alertIncidents')
    .set(note)
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
  return before.note
}

/** Answers with the id of whoever looked after it before. */
export async function replaceAssignee(
  tx: Tx,
  workspaceId: string,
  { id, assigneeId }: { id: string; assigneeId: string | null },
): Promise<string | null> {
  const before = await lockIncident(tx, workspaceId, id)
  await tx
    .updateTable('alertIncidents')
    .set({ assigneeId })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
  return before.assigneeId
}

/** Answers which those are. */
export async function moveOpenIncidents(
  tx: Tx,
  workspaceId: string,
  { personId, toId }: { personId: string; toId: string },
): Promise<string[]> {
  const rows = await tx
    .updateTable('alertIncidents')
    .set({ assigneeId: toId })
    .where('workspaceId', '=', workspaceId)
    .where('assigneeId', '=', personId)
    .where('endedAt', 'is', null)
    .returning('id')
    .execute()
  return rows.map(({ id }) => id).toSorted()
}

/** A key does it where there is one server; Citus has no such key. */
export async function releaseIncidentsOf(
  tx: Tx,
  workspaceId: string,
  personId: string,
): Promise<void> {
  await tx
    .updateTable('alertIncidents')
    .set({ assigneeId: null })
    .where('workspaceId', '=', workspaceId)
    .where('assigneeId', '=', personId)
    .execute()
}

function lockIncident(tx: Tx, workspaceId: string, id: string) {
  return tx
    .selectFrom('alertIncidents')
    .select(['note', 'assigneeId'])
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirstOrThrow()
}
