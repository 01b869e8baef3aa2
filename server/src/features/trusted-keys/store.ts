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

/** Certificates alone, as a public key has no end. One that ends later, of the same key or the same subject, has replaced it. */
export async function listCertificateEnds(
  db: Db,
  workspaceId: string,
): Promise<{ id: string; name: string; endsAt: Date }[]> {
  const { rows } = await sql<{ id: string; name: string; endsAt: Date }>`
    select trusted.id, trusted.name, trusted.ends_at
    from trusted_keys as trusted
    where trusted.workspace_id = ${workspaceId} and trusted.ends_at is not null and not exists (
      select from trusted_keys as later
      where later.workspace_id = ${workspaceId} and later.ends_at > trusted.ends_at
        and (later.fingerprint = trusted.fingerprint or later.subject = trusted.subject))
    order by trusted.ends_at, trusted.id`.execute(db)
  return rows
}

export async function hasTrustedCertificates(db: Db, workspaceId: string): Promise<boolean> {
  const row = await db
    .selectFrom('trustedKeys')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('endsAt', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}
