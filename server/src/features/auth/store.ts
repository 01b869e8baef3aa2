import type { Pool } from 'pg'
import type { Db } from '../../platform/db/connect.ts'

export interface ApiKeyRow {
  id: string
  workspaceId: string
  name: string
  scopes: string[]
  keyHash: Buffer
  createdByEmail: string
  createdAt: Date
  expiresAt: Date | null
}

export async function insertApiKey(db: Db, row: ApiKeyRow): Promise<void> {
  await db.insertInto('apiKeys').values(row).execute()
}

interface KeyHolder {
  id: string
  workspace_id: string
  scopes: string[]
  created_by_email: string
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
}

/** Read from the database at every request, so that a revocation takes effect at once on every node. */
export async function findApiKeyByHash(
  pool: Pool,
  keyHash: Buffer,
): Promise<KeyHolder | undefined> {
  const { rows } = await pool.query<KeyHolder>({
    name: 'find-api-key',
    text: `select id, workspace_id, scopes, created_by_email, expires_at, revoked_at, last_used_at
           from api_keys where key_hash = $1`,
    values: [keyHash],
  })
  return rows[0]
}

export async function updateApiKeyUse(db: Db, id: string, usedAt: Date): Promise<void> {
  await db.updateTable('apiKeys').set({ lastUsedAt: usedAt }).where('id', '=', id).execute()
}

export async function findApiKey(db: Db, id: string) {
  return db
    .selectFrom('apiKeys')
    .select([
      'id',
      'workspaceId',
      'name',
      'scopes',
      'createdByEmail',
      'createdAt',
      'expiresAt',
      'revokedAt',
    ])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** True when the key was not revoked before. */
export async function revokeApiKey(db: Db, id: string, revokedAt: Date): Promise<boolean> {
  const result = await db
    .updateTable('apiKeys')
    .set({ revokedAt })
    .where('id', '=', id)
    .where('revokedAt', 'is', null)
    .executeTakeFirst()
  return result.numUpdatedRows > 0n
}

export interface NewPerson {
  id: string
  email: string
  displayName: string
  createdAt: Date
}

/** Two calls at once get the same person. */
export async function findOrCreatePerson(db: Db, person: NewPerson) {
  await db
    .insertInto('people')
    .values(person)
    .onConflict((conflict) => conflict.column('email').doNothing())
    .execute()
  return db
    .selectFrom('people')
    .select(['id', 'email'])
    .where('email', '=', person.email)
    .executeTakeFirstOrThrow()
}

/** The workspaces of a person, with the person's address, for audit entries. */
export async function listMemberships(db: Db, personId: string) {
  return db
    .selectFrom('members')
    .innerJoin('people', 'people.id', 'members.subjectId')
    .select(['members.workspaceId', 'people.email'])
    .where('members.subjectId', '=', personId)
    .orderBy('members.workspaceId')
    .execute()
}

export async function insertSetupLink(
  db: Db,
  link: { tokenHash: Buffer; personId: string; createdAt: Date; expiresAt: Date },
): Promise<void> {
  await db.insertInto('setupLinks').values(link).execute()
}

export async function isSetupLinkValid(db: Db, tokenHash: Buffer, now: Date): Promise<boolean> {
  const row = await db
    .selectFrom('setupLinks')
    .select('personId')
    .where('tokenHash', '=', tokenHash)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  return row !== undefined
}

/** Uses up a valid link, and with it all other links of the person. Returns the person's id, or undefined. */
export async function useSetupLink(
  db: Db,
  tokenHash: Buffer,
  usedAt: Date,
): Promise<string | undefined> {
  const row = await db
    .updateTable('setupLinks')
    .set({ usedAt })
    .where('tokenHash', '=', tokenHash)
    .where('usedAt', 'is', null)
    .where('expiresAt', '>', usedAt)
    .returning('personId')
    .executeTakeFirst()
  if (!row) return undefined
  await db
    .updateTable('setupLinks')
    .set({ usedAt })
    .where('personId', '=', row.personId)
    .where('usedAt', 'is', null)
    .execute()
  return row.personId
}

export async function updatePassword(
  db: Db,
  personId: string,
  passwordHash: string,
): Promise<void> {
  await db.updateTable('people').set({ passwordHash }).where('id', '=', personId).execute()
}

/** The secret of this name. The node that asks first creates it. */
export async function findOrCreateSecret(
  db: Db,
  secret: { name: string; value: Buffer; createdAt: Date },
): Promise<Buffer> {
  await db
    .insertInto('secrets')
    .values(secret)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
  const row = await db
    .selectFrom('secrets')
    .select('value')
    .where('name', '=', secret.name)
    .executeTakeFirstOrThrow()
  return row.value
}
