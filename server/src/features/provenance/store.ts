/** Statements about files of firmware versions. */
import { sql } from 'kysely'
import type { SignatureFact } from '../../formats/images/image-facts.ts'
import type { StatementFacts } from '../../formats/provenance/statement.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'

interface VersionKey {
  workspaceId: string
  firmwareVersionId: string
}

interface StatementKey {
  workspaceId: string
  id: string
}

/** What was read of a statement, whoever is trusted. */
export interface KeptFacts extends StatementFacts {
  signatures: readonly SignatureFact[]
}

export interface StatementRow {
  id: string
  firmwareVersionId: string
  fileName: string
  sha256: string
  sizeBytes: number
  facts: KeptFacts
  createdAt: Date
  createdByEmail: string | null
}

export async function listStatements(
  db: Db,
  {
    workspaceId,
    firmwareVersionIds,
  }: { workspaceId: string; firmwareVersionIds: readonly string[] },
): Promise<StatementRow[]> {
  const { rows } = await sql<StatementRow>`
    select id, firmware_version_id, file_name, sha256, size_bytes, facts, created_at, created_by_email
    from provenance_statements
    where workspace_id = ${workspaceId} and firmware_version_id = any(${firmwareVersionIds}::uuid[])
    order by created_at, id`.execute(db)
  return rows
}

export async function insertStatement(
  tx: Tx,
  { facts, ...row }: StatementRow & { workspaceId: string; content: Buffer; awaitsKey: boolean },
): Promise<void> {
  await tx
    .insertInto('provenanceStatements')
    .values({ ...row, facts: JSON.stringify(facts) })
    .execute()
}

/** undefined: there is none, or not in this version. */
export async function findContent(
  db: Db,
  { workspaceId, firmwareVersionId, id }: VersionKey & StatementKey,
): Promise<{ fileName: string; content: Buffer } | undefined> {
  return db
    .selectFrom('provenanceStatements')
    .select(['fileName', 'content'])
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .where('id', '=', id)
    .executeTakeFirst()
}

export async function deleteStatement(tx: Tx, { workspaceId, id }: StatementKey): Promise<void> {
  await tx
    .deleteFrom('provenanceStatements')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

/** Signed by a key that was not at hand. */
export async function listAwaiting(
  db: Db,
  workspaceId: string,
): Promise<{ id: string; firmwareVersionId: string }[]> {
  return db
    .selectFrom('provenanceStatements')
    .select(['id', 'firmwareVersionId'])
    .where('workspaceId', '=', workspaceId)
    .where('awaitsKey', '=', true)
    .orderBy('id')
    .execute()
}

export async function updateFacts(
  db: Db,
  { workspaceId, id }: StatementKey,
  { facts, awaitsKey }: { facts: KeptFacts; awaitsKey: boolean },
): Promise<void> {
  await db
    .updateTable('provenanceStatements')
    .set({ facts: JSON.stringify(facts), awaitsKey })
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}
