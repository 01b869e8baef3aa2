import type { Db, Tx } from '../../platform/db/connect.ts'

export async function findPerson(db: Db, personId: string) {
  return db
    .selectFrom('people')
    .select(['id', 'email', 'displayName', 'passwordHash', 'emailVerifiedAt'])
    .where('id', '=', personId)
    .executeTakeFirst()
}

/** Until the transaction ends, nobody else changes how the person signs in. An update locks on several nodes too. */
export async function lockPerson(tx: Tx, personId: string): Promise<void> {
  await tx
    .updateTable('people')
    .set((eb) => ({ displayName: eb.ref('displayName') }))
    .where('id', '=', personId)
    .execute()
}

export async function findPersonByEmail(db: Db, email: string) {
  return db
    .selectFrom('people')
    .select(['id', 'email', 'displayName', 'passwordHash', 'emailVerifiedAt'])
    .where('email', '=', email)
    .executeTakeFirst()
}

export async function updateDisplayName(
  db: Db,
  personId: string,
  displayName: string,
): Promise<void> {
  await db.updateTable('people').set({ displayName }).where('id', '=', personId).execute()
}

/** How a person can sign in. */
export async function readCredentials(db: Db, personId: string) {
  return db
    .selectFrom('people as person')
    .select((eb) => [
      eb('person.passwordHash', 'is not', null).as('hasPassword'),
      eb
        .exists(
          eb
            .selectFrom('totpSecrets')
            .select('personId')
            .whereRef('personId', '=', 'person.id')
            .where('confirmedAt', 'is not', null),
        )
        .as('totp'),
      eb
        .selectFrom('recoveryCodes')
        .select((inner) => inner.cast<number>(inner.fn.countAll(), 'integer').as('count'))
        .whereRef('personId', '=', 'person.id')
        .where('usedAt', 'is', null)
        .as('recoveryCodesLeft'),
      eb
        .selectFrom('passkeys')
        .select((inner) => inner.cast<number>(inner.fn.countAll(), 'integer').as('count'))
        .whereRef('personId', '=', 'person.id')
        .as('passkeys'),
      eb
        .selectFrom('personIdentities')
        .select((inner) => inner.cast<number>(inner.fn.countAll(), 'integer').as('count'))
        .whereRef('personId', '=', 'person.id')
        .as('identities'),
    ])
    .where('person.id', '=', personId)
    .executeTakeFirstOrThrow()
}

export async function listIdentities(db: Db, personId: string) {
  return db
    .selectFrom('personIdentities')
    .select(['issuer', 'subject', 'email', 'createdAt', 'lastUsedAt'])
    .where('personId', '=', personId)
    .orderBy('createdAt')
    .execute()
}

export async function listWorkspacesOfPerson(db: Db, personId: string) {
  return db
    .selectFrom('members as member')
    .innerJoin('workspaces as workspace', 'workspace.id', 'member.workspaceId')
    .select(['workspace.id', 'workspace.name', 'member.role', 'workspace.requireSecondFactor'])
    .where('member.subjectId', '=', personId)
    .orderBy('workspace.name')
    .orderBy('workspace.id')
    .execute()
}
