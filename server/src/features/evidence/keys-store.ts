/** The keys of a workspace that sign its evidence bundles. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'

export interface KeyRow {
  id: string
  publicKey: string
  fingerprint: string
  createdAt: Date
  /** null: it signs. */
  retiredAt: Date | null
}

/** Newest first. */
export async function listKeys(db: Db, workspaceId: string): Promise<KeyRow[]> {
  return db
    .selectFrom('evidenceKeys')
    .select(['id', 'publicKey', 'fingerprint', 'createdAt', 'retiredAt'])
    .where('workspaceId', '=', workspaceId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .execute()
}

export async function findSigningKey(
  db: Db,
  workspaceId: string,
): Promise<{ id: string; secret: Buffer } | undefined> {
  const { rows } = await sql<{ id: string; secret: Buffer }>`
    select id, secret from evidence_keys
    where workspace_id = ${workspaceId} and retired_at is null`.execute(db)
  return rows[0]
}

/** The first key of a workspace is made once, and one replaces another at a time. */
export async function lockKeys(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('evidence-keys:' || ${workspaceId}, 0))`.execute(
    tx,
  )
}

export async function insertKey(
  tx: Tx,
  row: Omit<KeyRow, 'retiredAt'> & { workspaceId: string; secret: Buffer },
): Promise<void> {
  await tx.insertInto('evidenceKeys').values(row).execute()
}

/** Forgets what it signs with: nobody can sign as it any more. */
export async function deactivateKey(
  tx: Tx,
  { workspaceId, at }: { workspaceId: string; at: Date },
): Promise<void> {
  await tx
    .updateTable('evidenceKeys')
    .set({ secret: null, retiredAt: at })
    .where('workspaceId', '=', workspaceId)
    .where('retiredAt', 'is', null)
    .execute()
}
