import { sql } from 'kysely'
import type { Db } from '../../platform/db/connect.ts'

export interface RequestKey {
  workspaceId: string
  actorId: string
  key: string
}

export interface KeptAnswer {
  status: number
  headers: Record<string, string>
  /** null: too long, or it held a secret. */
  body: string | null
  /** The digest of a body that was read as a stream, and is not part of the fingerprint. */
  bodyDigest: string | null
}

export interface KnownRequest {
  fingerprint: string
  /** undefined: there is none yet. */
  answer: KeptAnswer | undefined
}

/** False: the key was used already. */
export async function insertKey(
  db: Db,
  row: RequestKey & { fingerprint: string; createdAt: Date },
): Promise<boolean> {
  const inserted = await db
    .insertInto('idempotencyKeys')
    .values(row)
    .onConflict((conflict) => conflict.columns(['workspaceId', 'actorId', 'key']).doNothing())
    .returning('key')
    .executeTakeFirst()
  return inserted !== undefined
}

export async function findKey(db: Db, of: RequestKey): Promise<KnownRequest | undefined> {
  const row = await db
    .selectFrom('idempotencyKeys')
    .select(['fingerprint', 'status', 'body', 'bodyDigest'])
    .select(sql<Record<string, string> | null>`headers`.as('headers'))
    .where('workspaceId', '=', of.workspaceId)
    .where('actorId', '=', of.actorId)
    .where('key', '=', of.key)
    .executeTakeFirst()
  if (!row) return undefined
  const { fingerprint, status, headers, body, bodyDigest } = row
  return {
    fingerprint,
    answer: status === null ? undefined : { status, headers: headers ?? {}, body, bodyDigest },
  }
}

export async function keepAnswer(db: Db, of: RequestKey, answer: KeptAnswer): Promise<void> {
  await db
    .updateTable('idempotencyKeys')
    .set({ ...answer, headers: JSON.stringify(answer.headers) })
    .where('workspaceId', '=', of.workspaceId)
    .where('actorId', '=', of.actorId)
    .where('key', '=', of.key)
    .execute()
}

export async function deleteKey(db: Db, of: RequestKey): Promise<void> {
  await db
    .deleteFrom('idempotencyKeys')
    .where('workspaceId', '=', of.workspaceId)
    .where('actorId', '=', of.actorId)
    .where('key', '=', of.key)
    .execute()
}

/** Deletes the keys of all workspaces. */
export async function deleteKeysBefore(db: Db, before: Date): Promise<void> {
  await db.deleteFrom('idempotencyKeys').where('createdAt', '<', before).execute()
}
