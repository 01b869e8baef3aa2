/** Signatures that stand beside artifacts. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { selectArtifacts } from '../store.ts'

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

/** What a signature stands beside. */
export interface SignedFile {
  role: string
  baseVersionId: string | null
}

/** Those of the artifacts that the version has now. */
export async function listSignatures(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionKey,
): Promise<(SignatureRow & SignedFile)[]> {
  const { rows } = await sql<SignatureRow & SignedFile>`
    select signature.id, signature.blob_id, signature.file_name, signature.content, signature.created_at, signature.created_by_email,
      artifact.role, artifact.base_version_id
    from artifact_signatures as signature
    join ${selectArtifacts(workspaceId)} as artifact on artifact.firmware_version_id = signature.firmware_version_id and artifact.blob_id = signature.blob_id
    where signature.workspace_id = ${workspaceId} and signature.firmware_version_id = ${firmwareVersionId}
    order by signature.created_at, signature.id`.execute(db)
  return rows
}

/** undefined: the version has no such artifact. */
export async function findBlobId(
  db: Db,
  { workspaceId, firmwareVersionId, role, baseVersionId }: VersionKey & SignedFile,
): Promise<string | undefined> {
  const { rows } = await sql<{ blobId: string }>`
    select artifact.blob_id from ${selectArtifacts(workspaceId)} as artifact
    where artifact.firmware_version_id = ${firmwareVersionId} and artifact.role = ${role}
      and artifact.base_version_id is not distinct from ${baseVersionId}::uuid`.execute(db)
  return rows[0]?.blobId
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
