import type { Db } from '../../platform/db/connect.ts'
import type { Role } from '../auth/index.ts'

export interface InvitationRow {
  workspaceId: string
  id: string
  personId: string
  role: Role
  invitedByEmail: string | null
  createdAt: Date
  expiresAt: Date
}

export async function insertInvitation(db: Db, row: InvitationRow): Promise<void> {
  await db.insertInto('invitations').values(row).execute()
}

function openInvitations(db: Db, workspaceId: string) {
  return db
    .selectFrom('invitations as invitation')
    .innerJoin('people as person', 'person.id', 'invitation.personId')
    .select(['invitation.id', 'invitation.personId', 'person.email', 'invitation.role'])
    .select(['invitation.invitedByEmail', 'invitation.createdAt', 'invitation.expiresAt'])
    .select('invitation.sentAt')
    .where('invitation.workspaceId', '=', workspaceId)
    .where('invitation.outcome', 'is', null)
}

/** Includes expired ones; the newest first. */
export async function listInvitations(db: Db, workspaceId: string) {
  return openInvitations(db, workspaceId)
    .orderBy('invitation.createdAt', 'desc')
    .orderBy('invitation.id')
    .execute()
}

export async function findInvitation(db: Db, workspaceId: string, id: string) {
  return openInvitations(db, workspaceId).where('invitation.id', '=', id).executeTakeFirst()
}

/** Locks it, so that it ends once. */
export async function lockInvitation(tx: Db, workspaceId: string, id: string) {
  return openInvitations(tx, workspaceId)
    .where('invitation.id', '=', id)
    .forUpdate('invitation')
    .executeTakeFirst()
}

export async function lockInvitationOfPerson(tx: Db, workspaceId: string, personId: string) {
  return openInvitations(tx, workspaceId)
    .where('invitation.personId', '=', personId)
    .forUpdate('invitation')
    .executeTakeFirst()
}

/** Those that the person made and those that are for the person. */
export async function lockInvitationsAround(tx: Db, workspaceId: string, personId: string) {
  return openInvitations(tx, workspaceId)
    .leftJoin('people as maker', 'maker.email', 'invitation.invitedByEmail')
    .select('maker.id as makerId')
    .where((eb) => eb.or([eb('maker.id', '=', personId), eb('invitation.personId', '=', personId)]))
    .orderBy('invitation.id')
    .forUpdate('invitation')
    .execute()
}

export async function endInvitation(
  tx: Db,
  workspaceId: string,
  end: { id: string; outcome: 'Accepted' | 'Revoked'; endedAt: Date },
): Promise<void> {
  const { id, ...change } = end
  await tx
    .updateTable('invitations')
    .set(change)
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function updateInvitation(
  tx: Db,
  workspaceId: string,
  {
    id,
    ...change
  }: { id: string; expiresAt?: Date; sentAt?: Date; invitedByEmail?: string | null },
): Promise<void> {
  await tx
    .updateTable('invitations')
    .set(change)
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}
