/** Signatures that stand beside artifacts. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'

interface VersionKey {
  workspaceId: string
  firmwareVersionId: string
}

export interface SignatureRow {
  id: string
  blobId: string
  fileName: string
  content: string
  createdAt: Date
  createdByEmail: string | null
}

/** Those of the artifacts that the version has now. */
export async function listSignatures(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionKey,
): Promise<SignatureRow[]> {
  const { rows } = await sql<SignatureRow>`
    select signature.id, signature.blob_id, signature.file_name, signature.content, signature.created_at, signature.created_by_email
    from artifact_signatures as signature
    join firmware_artifacts as artifact on artifact.workspace_id = ${workspaceId}
      and artifact.firmware_version_id = signature.firmware_version_id and artifact.blob_id = signature.blob_id
    where signature.workspace_id = ${workspaceId} and signature.firmware_version_id = ${firmwareVersionId}
    order by signature.created_at, signature.id`.execute(db)
  return rows
}

/** undefined: the version has no artifact. */
export async function findBlobId(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionKey,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('firmwareArtifacts')
    .select('blobId')
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .orderBy('createdAt')
    .executeTakeFirst()
  return row?.blobId
}

export async function insertSignature(tx: Tx, row: SignatureRow & VersionKey): Promise<void> {
  await tx.insertInto('artifactSignatures').values(row).execute()
}

export async function deleteSignature(
  tx: Tx,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<void> {
  await tx
    .deleteFrom('artifactSignatures')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}
