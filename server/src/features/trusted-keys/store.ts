/** The public keys and certificates that a workspace trusts. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../platform/db/connect.ts'

export interface NamedFields {
  name: string
  purpose: string | null
}

export interface KeyFields {
  kind: 'PublicKey' | 'Certificate'
  pem: string
  fingerprint: string
  algorithm: string
  minisignKeyId: string | null
  subject: string | null
  beginsAt: Date | null
  endsAt: Date | null
}

export interface TrustedKeyRow extends NamedFields, KeyFields {
  id: string
  createdAt: Date
  createdByEmail: string | null
  updatedAt: Date
}

function selectKeys(db: Db, workspaceId: string) {
  return db
    .selectFrom('trustedKeys')
    .select(['id', 'name', 'purpose', 'kind', 'pem', 'fingerprint', 'algorithm', 'minisignKeyId'])
    .select(['subject', 'beginsAt', 'endsAt', 'createdAt', 'createdByEmail', 'updatedAt'])
    .$castTo<TrustedKeyRow>()
    .where('workspaceId', '=', workspaceId)
}

export async function listTrustedKeys(db: Db, workspaceId: string): Promise<TrustedKeyRow[]> {
  return selectKeys(db, workspaceId).orderBy('name').orderBy('id').execute()
}

export async function findTrustedKey(
  db: Db,
  workspaceId: string,
  id: string,
): Promise<TrustedKeyRow | undefined> {
  return selectKeys(db, workspaceId).where('id', '=', id).executeTakeFirst()
}

/** Keys of a workspace change one after the other. */
export async function lockTrustedKeys(tx: Tx, workspaceId: string): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended('trusted-keys:' || ${workspaceId}, 0))`.execute(
    tx,
  )
}

export async function insertTrustedKey(
  tx: Tx,
  row: TrustedKeyRow & { workspaceId: string; digest: string },
): Promise<void> {
  await tx.insertInto('trustedKeys').values(row).execute()
}

interface OneRow {
  workspaceId: string
  id: string
}

export async function updateTrustedKey(
  tx: Tx,
  { workspaceId, id }: OneRow,
  fields: NamedFields & { updatedAt: Date },
): Promise<void> {
  await tx
    .updateTable('trustedKeys')
    .set(fields)
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function deleteTrustedKey(tx: Tx, { workspaceId, id }: OneRow): Promise<void> {
  await tx
    .deleteFrom('trustedKeys')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** Whether another key of the workspace has the digest or the name. */
export async function findTaken(
  db: Db,
  workspaceId: string,
  { digest, name, otherThanId }: { digest?: string; name: string; otherThanId?: string },
): Promise<'digest' | 'name' | undefined> {
  const { rows } = await sql<{ isSame: boolean }>`
    select digest = ${digest ?? ''} as is_same from trusted_keys
    where workspace_id = ${workspaceId} and (digest = ${digest ?? ''} or name = ${name})
      and ${otherThanId === undefined ? sql`true` : sql`id <> ${otherThanId}`}
    order by is_same desc limit 1`.execute(db)
  const [row] = rows
  if (!row) return undefined
  return row.isSame ? 'digest' : 'name'
}
