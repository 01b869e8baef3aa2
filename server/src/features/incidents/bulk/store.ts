/** What commands did to many incidents at once, and what was there before. */
import { sql } from 'kysely'
import type { Tx } from '../../../platform/db/connect.ts'
import type { NoteRow } from '../handling/store.ts'

interface NamedBatch {
  workspaceId: string
  id: string
}

interface NoteBefore extends Omit<NoteRow, 'notedAt'> {
  incidentId: string
  notedAt: string | null
}

/** Of each kind only what the command changed. */
export interface Changes {
  /** `notes`: where the command brought one. */
  acknowledged?: { incidentIds: string[]; notes: NoteBefore[] }
  assigned?: { to: string | null; incidents: { incidentId: string; before: string | null }[] }
  silenceIds?: string[]
}

export interface NewBatch extends NamedBatch {
  createdAt: Date
  createdByEmail: string | null
  changes: Changes
}

export async function insertBatch(tx: Tx, { changes, ...row }: NewBatch): Promise<void> {
  await tx
    .insertInto('alertIncidentBatches')
    .values({ ...row, changes: JSON.stringify(changes) })
    .execute()
}

export async function deleteBatchesBefore(tx: Tx, workspaceId: string, at: Date): Promise<void> {
  await tx
    .deleteFrom('alertIncidentBatches')
    .where('workspaceId', '=', workspaceId)
    .where('createdAt', '<', at)
    .execute()
}

/** So that it is taken back once. */
export async function lockBatch(tx: Tx, { workspaceId, id }: NamedBatch) {
  return tx
    .selectFrom('alertIncidentBatches')
    .select(['createdAt', 'undoneAt', 'undoneByEmail', sql<Changes>`changes`.as('changes')])
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
}

interface WriteNotes {
  ids: readonly string[]
  note: string
  notedAt: Date
  notedByEmail: string | null
}

export async function writeNotes(
  tx: Tx,
  workspaceId: string,
  { ids, ...note }: WriteNotes,
): Promise<void> {
  await tx
    .updateTable('alertIncidents')
    .set(note)
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
}

/** Only where the note is still the one of `writtenAt`. */
export async function restoreNotes(
  tx: Tx,
  workspaceId: string,
  { notes, writtenAt }: { notes: readonly NoteBefore[]; writtenAt: Date },
): Promise<void> {
  await sql`
    update alert_incidents as incident
    set note = before.note, noted_at = before.noted_at, noted_by_email = before.noted_by_email
    from unnest(
      ${notes.map(({ incidentId }) => incidentId)}::uuid[],
      ${notes.map(({ note }) => note)}::text[],
      ${notes.map(({ notedAt }) => notedAt)}::timestamptz[],
      ${notes.map(({ notedByEmail }) => notedByEmail)}::text[]
    ) as before (id, note, noted_at, noted_by_email)
    where incident.workspace_id = ${workspaceId} and incident.id = before.id
      and incident.noted_at = ${writtenAt}`.execute(tx)
}

export async function assign(
  tx: Tx,
  workspaceId: string,
  { ids, assigneeId }: { ids: readonly string[]; assigneeId: string | null },
): Promise<void> {
  await tx
    .updateTable('alertIncidents')
    .set({ assigneeId })
    .where('workspaceId', '=', workspaceId)
    .where(sql<boolean>`id = any(${ids}::uuid[])`)
    .execute()
}

/** Answers with how many have again whom they had: not those that were given on since, nor to a member who has left. */
export async function restoreAssignees(
  tx: Tx,
  workspaceId: string,
  { to, incidents }: NonNullable<Changes['assigned']>,
): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    update alert_incidents as incident set assignee_id = before.assignee_id
    from unnest(
      ${incidents.map(({ incidentId }) => incidentId)}::uuid[],
      ${incidents.map(({ before }) => before)}::uuid[]
    ) as before (id, assignee_id)
    where incident.workspace_id = ${workspaceId} and incident.id = before.id
      and incident.assignee_id is not distinct from ${to}::uuid
      and (before.assignee_id is null or exists (
        select from members as member
        where member.workspace_id = ${workspaceId} and member.subject_id = before.assignee_id))`.execute(
    tx,
  )
  return Number(numAffectedRows)
}
