import type { Db } from '../../../platform/db/connect.ts'

export async function insertChallenge(
  db: Db,
  row: { challenge: string; personId: string | null; expiresAt: Date },
): Promise<void> {
  await db.insertInto('passkeyChallenges').values(row).execute()
}

/** True once for a challenge that was made for this person, or for a sign-in. */
export async function useChallenge(
  db: Db,
  { challenge, personId, now }: { challenge: string; personId: string | null; now: Date },
): Promise<boolean> {
  const row = await db
    .deleteFrom('passkeyChallenges')
    .where('challenge', '=', challenge)
    .where('personId', 'is not distinct from', personId)
    .returning('expiresAt')
    .executeTakeFirst()
  return row !== undefined && row.expiresAt > now
}

export async function deleteOldChallenges(db: Db, now: Date): Promise<void> {
  await db.deleteFrom('passkeyChallenges').where('expiresAt', '<=', now).execute()
}

export interface PasskeyRow {
  id: string
  personId: string
  credentialId: string
  publicKey: Buffer
  counter: number
  transports: string[]
  name: string
  createdAt: Date
}

/** False when this credential is registered already. */
export async function insertPasskey(db: Db, row: PasskeyRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await db
    .insertInto('passkeys')
    .values(row)
    .onConflict((conflict) => conflict.column('credentialId').doNothing())
    .executeTakeFirst()
  return (numInsertedOrUpdatedRows ?? 0n) > 0n
}

export async function listPasskeys(db: Db, personId: string) {
  return db
    .selectFrom('passkeys')
    .select(['id', 'name', 'credentialId', 'transports', 'createdAt', 'lastUsedAt'])
    .where('personId', '=', personId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

export async function findPasskey(db: Db, credentialId: string) {
  return db
    .selectFrom('passkeys as passkey')
    .innerJoin('people as person', 'person.id', 'passkey.personId')
    .select(['passkey.id', 'passkey.personId', 'passkey.credentialId', 'passkey.publicKey'])
    .select(['passkey.counter', 'person.email'])
    .where('passkey.credentialId', '=', credentialId)
    .executeTakeFirst()
}

/** False when another use has shown this counter, or a later one, meanwhile. Passkeys without a counter show 0. */
export async function updatePasskeyUse(
  db: Db,
  id: string,
  use: { counter: number; lastUsedAt: Date },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('passkeys')
    .set(use)
    .where('id', '=', id)
    .where((eb) => (use.counter === 0 ? eb('counter', '=', 0) : eb('counter', '<', use.counter)))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** The name of the deleted one; undefined: the person has no such passkey. */
export async function deletePasskey(
  db: Db,
  personId: string,
  id: string,
): Promise<string | undefined> {
  const row = await db
    .deleteFrom('passkeys')
    .where('personId', '=', personId)
    .where('id', '=', id)
    .returning('name')
    .executeTakeFirst()
  return row?.name
}
