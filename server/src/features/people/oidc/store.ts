import type { Db } from '../../../platform/db/connect.ts'

interface Identity {
  issuer: string
  subject: string
}

export async function findPersonOfIdentity(db: Db, { issuer, subject }: Identity) {
  return db
    .selectFrom('personIdentities as identity')
    .innerJoin('people as person', 'person.id', 'identity.personId')
    .select(['person.id', 'person.email'])
    .where('identity.issuer', '=', issuer)
    .where('identity.subject', '=', subject)
    .executeTakeFirst()
}

export async function updateIdentityUse(
  db: Db,
  { issuer, subject }: Identity,
  lastUsedAt: Date,
): Promise<void> {
  await db
    .updateTable('personIdentities')
    .set({ lastUsedAt })
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .execute()
}

export async function insertIdentity(
  db: Db,
  row: Identity & { personId: string; email: string; createdAt: Date },
): Promise<void> {
  await db
    .insertInto('personIdentities')
    .values({ ...row, lastUsedAt: row.createdAt })
    .execute()
}
