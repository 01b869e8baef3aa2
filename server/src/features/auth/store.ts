import type { Pool } from 'pg'
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'

export interface ApiKeyRow {
  id: string
  workspaceId: string
  name: string
  scopes: string[]
  keyHash: Buffer
  createdByEmail: string
  createdAt: Date
  expiresAt: Date | null
  /** The person who logged in with a program: the key may do no more than the person. */
  personId: string | null
}

export async function insertApiKey(db: Db, row: ApiKeyRow): Promise<void> {
  await db.insertInto('apiKeys').values(row).execute()
}

export interface KeyHolder {
  id: string
  workspace_id: string
  scopes: string[]
  created_by_email: string
  expires_at: Date | null
  revoked_at: Date | null
  last_used_at: Date | null
  /** The person who logged in with a program: the key may do no more than the person. */
  person_id: string | null
}

/** Read from the database at every request, so that a revocation takes effect at once on every node. */
export async function findApiKeyByHash(
  pool: Pool,
  keyHash: Buffer,
): Promise<KeyHolder | undefined> {
  const { rows } = await pool.query<KeyHolder>({
    name: 'find-api-key',
    text: `select key.id, key.workspace_id, key.scopes, key.created_by_email, key.expires_at, key.revoked_at,
             key.last_used_at, key.person_id
           from api_keys as key where key.key_hash = $1`,
    values: [keyHash],
  })
  return rows[0]
}

interface Membership {
  role: string
  require_second_factor: boolean
}

/** Read at every request as well; undefined: the person is no member. */
export async function findMembership(
  pool: Pool,
  workspaceId: string,
  personId: string,
): Promise<Membership | undefined> {
  const { rows } = await pool.query<Membership>({
    name: 'find-membership',
    text: `select member.role, workspace.require_second_factor
           from members as member join workspaces as workspace on workspace.id = member.workspace_id
           where member.workspace_id = $1 and member.subject_id = $2`,
    values: [workspaceId, personId],
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
      'personId',
    ])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** Includes revoked and expired keys; the newest first. `isMakerMember`: who made it is a member still. */
export async function listApiKeys(db: Db, workspaceId: string) {
  const keys = await db
    .selectFrom('apiKeys')
    .select(['id', 'name', 'scopes', 'createdByEmail', 'createdAt'])
    .select(['expiresAt', 'revokedAt', 'lastUsedAt'])
    .select(sql<boolean>`person_id is not null`.as('isLogin'))
    .where('workspaceId', '=', workspaceId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute()
  const makers = keys.map(({ createdByEmail }) => createdByEmail)
  const members = await db
    .selectFrom('members as member')
    .innerJoin('people as person', 'person.id', 'member.subjectId')
    .select('person.email')
    .where('member.workspaceId', '=', workspaceId)
    .where(sql<boolean>`person.email = any(${makers}::text[])`)
    .execute()
  const present = new Set(members.map(({ email }) => email))
  return keys.map((key) => ({ ...key, isMakerMember: present.has(key.createdByEmail) }))
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

/** The keys of the workspace that work and that this person made, without those of terminals. */
export async function listKeysOfMaker(db: Db, workspaceId: string, personId: string) {
  return db
    .selectFrom('apiKeys as key')
    .innerJoin('people as maker', 'maker.email', 'key.createdByEmail')
    .select(['key.id', 'key.name'])
    .where('key.workspaceId', '=', workspaceId)
    .where('maker.id', '=', personId)
    .where('key.personId', 'is', null)
    .where('key.revokedAt', 'is', null)
    .orderBy('key.id')
    .execute()
}

/** Revokes the keys with which a person is logged in, in one workspace or in all; the answer is their number. */
export async function revokeLoginKeys(
  db: Db,
  { personId, workspaceId, revokedAt }: { personId: string; workspaceId?: string; revokedAt: Date },
): Promise<number> {
  const keys = db.updateTable('apiKeys').set({ revokedAt }).where('personId', '=', personId)
  const chosen = workspaceId === undefined ? keys : keys.where('workspaceId', '=', workspaceId)
  const { numUpdatedRows } = await chosen.where('revokedAt', 'is', null).executeTakeFirst()
  return Number(numUpdatedRows)
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

/** The workspaces of a person. */
export async function listMemberships(db: Db, personId: string) {
  return db
    .selectFrom('members')
    .select('workspaceId')
    .where('subjectId', '=', personId)
    .orderBy('workspaceId')
    .execute()
}

export async function updatePassword(
  db: Db,
  personId: string,
  passwordHash: string,
): Promise<void> {
  await db.updateTable('people').set({ passwordHash }).where('id', '=', personId).execute()
}

/** The person reads the mails of this address, or the operator vouches for it. */
export async function markEmailVerified(db: Db, personId: string, at: Date): Promise<void> {
  await db
    .updateTable('people')
    .set({ emailVerifiedAt: at })
    .where('id', '=', personId)
    .where('emailVerifiedAt', 'is', null)
    .execute()
}

/** Until the transaction ends, nobody else decides about secrets. */
export async function lockSecrets(db: Db): Promise<void> {
  await sql`lock table secrets in share row exclusive mode`.execute(db)
}

export async function findSecret(db: Db, name: string): Promise<Buffer | undefined> {
  const query = db.selectFrom('secrets').select('value').where('name', '=', name)
  return (await query.executeTakeFirst())?.value
}

export async function replaceSecret(
  db: Db,
  secret: { name: string; value: Buffer; createdAt: Date },
): Promise<void> {
  await db
    .insertInto('secrets')
    .values(secret)
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: secret.value }))
    .execute()
}

const SIGNING_KEYS = 'signing%'

/** In the order in which they begin. */
export async function listSigningKeys(db: Db) {
  return db
    .selectFrom('secrets')
    .select(['name', 'value', 'beginsAt', 'endsAt'])
    .where('name', 'like', SIGNING_KEYS)
    .orderBy(sql`begins_at nulls first`)
    .execute()
}

/** The node that comes first creates it. */
export async function insertFirstSigningKey(
  db: Db,
  key: { name: string; value: Buffer; createdAt: Date },
): Promise<void> {
  await db
    .insertInto('secrets')
    .values(key)
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute()
}

/** All others end, unless they end before. */
export async function insertSigningKey(
  tx: Tx,
  key: { name: string; value: Buffer; createdAt: Date; beginsAt: Date; othersEndAt: Date },
): Promise<void> {
  const { othersEndAt, ...row } = key
  await tx
    .updateTable('secrets')
    .set({ endsAt: sql<Date>`least(ends_at, ${othersEndAt})` })
    .where('name', 'like', SIGNING_KEYS)
    .execute()
  await tx.insertInto('secrets').values(row).execute()
}

export async function deleteEndedSigningKeys(tx: Tx, now: Date): Promise<void> {
  await tx
    .deleteFrom('secrets')
    .where('name', 'like', SIGNING_KEYS)
    .where('endsAt', '<=', now)
    .execute()
}
