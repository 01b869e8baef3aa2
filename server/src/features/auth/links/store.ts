import type { Db } from '../../../platform/db/connect.ts'

export const LINK_KINDS = ['Setup', 'Invitation', 'PasswordReset', 'SignIn'] as const
export type LinkKind = (typeof LINK_KINDS)[number]

export interface LinkRow {
  tokenHash: Buffer
  kind: LinkKind
  personId: string
  createdAt: Date
  expiresAt: Date
  mailed: boolean
  /** The workspace of the invitation. */
  invitedTo: string | null
  invitationId: string | null
}

export async function insertLink(db: Db, link: LinkRow): Promise<void> {
  await db.insertInto('oneTimeLinks').values(link).execute()
}

/** A link that still works, with its person. */
export async function findLink(db: Db, tokenHash: Buffer, now: Date) {
  return db
    .selectFrom('oneTimeLinks as link')
    .innerJoin('people as person', 'person.id', 'link.personId')
    .select(['link.kind', 'link.personId', 'link.expiresAt', 'link.mailed', 'link.invitationId'])
    .select(['link.invitedTo', 'person.email', 'person.displayName'])
    .where('link.tokenHash', '=', tokenHash)
    .where('link.usedAt', 'is', null)
    .where('link.expiresAt', '>', now)
    .$narrowType<{ kind: LinkKind }>()
    .executeTakeFirst()
}

/** Uses up a link. Two calls at once: one of them gets false. */
export async function useLink(db: Db, tokenHash: Buffer, usedAt: Date): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('oneTimeLinks')
    .set({ usedAt })
    .where('tokenHash', '=', tokenHash)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', usedAt)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Uses up what other links of these kinds the person has. */
export async function voidLinks(
  db: Db,
  personId: string,
  { kinds, usedAt }: { kinds: readonly LinkKind[]; usedAt: Date },
): Promise<void> {
  await db
    .updateTable('oneTimeLinks')
    .set({ usedAt })
    .where('personId', '=', personId)
    .where('kind', 'in', kinds)
    .where('usedAt', 'is', null)
    .execute()
}

/** Uses up the links of an invitation that ended. */
export async function voidInvitationLinks(
  db: Db,
  invitation: { workspaceId: string; invitationId: string; usedAt: Date },
): Promise<void> {
  await db
    .updateTable('oneTimeLinks')
    .set({ usedAt: invitation.usedAt })
    .where('invitedTo', '=', invitation.workspaceId)
    .where('invitationId', '=', invitation.invitationId)
    .where('usedAt', 'is', null)
    .execute()
}

/** Links that nobody can use any more. */
export async function deleteOldLinks(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('oneTimeLinks').where('expiresAt', '<', before).execute()
}
