/** Uploads of artifacts in parts. */
import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import type { RoleKey } from '../roles/store.ts'
import type { VersionKey } from '../store.ts'

export interface UploadRow {
  id: string
  fileName: string
  totalBytes: number
  receivedBytes: number
  parts: string[]
  reprDigest: string | null
  createdAt: Date
  expiresAt: Date
}

const COLUMNS = [
  'id',
  'fileName',
  'totalBytes',
  'receivedBytes',
  'parts',
  'reprDigest',
  'createdAt',
  'expiresAt',
] as const

export async function findUpload(
  db: Db,
  { workspaceId, firmwareVersionId, role, baseVersionId }: RoleKey,
): Promise<UploadRow | undefined> {
  return db
    .selectFrom('firmwareArtifactUploads')
    .select(COLUMNS)
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .where('role', '=', role)
    .where(sql<boolean>`base_version_id is not distinct from ${baseVersionId}::uuid`)
    .executeTakeFirst()
}

/** The unfinished uploads of all files of a version, the newest first. */
export async function listUploads(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionKey,
  now: Date,
) {
  return db
    .selectFrom('firmwareArtifactUploads as upload')
    .leftJoin('firmwareVersions as base', (join) =>
      join
        .onRef('base.workspaceId', '=', 'upload.workspaceId')
        .onRef('base.id', '=', 'upload.baseVersionId'),
    )
    .select(['upload.role', 'upload.baseVersionId', 'base.name as baseVersion'])
    .select(['upload.id', 'upload.fileName', 'upload.totalBytes', 'upload.receivedBytes'])
    .select(['upload.parts', 'upload.reprDigest', 'upload.createdAt', 'upload.expiresAt'])
    .select('upload.createdByEmail')
    .where('upload.workspaceId', '=', workspaceId)
    .where('upload.firmwareVersionId', '=', firmwareVersionId)
    .where('upload.expiresAt', '>', now)
    .orderBy('upload.createdAt', 'desc')
    .orderBy('upload.id')
    .execute()
}

/** Whether an unfinished upload has the part. */
export async function hasPart(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionKey,
  { uploadId, partId }: { uploadId: string; partId: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('firmwareArtifactUploads')
    .select('parts')
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .where('id', '=', uploadId)
    .executeTakeFirst()
  return row?.parts.includes(partId) ?? false
}

export type NewUpload = RoleKey &
  Pick<UploadRow, 'id' | 'fileName' | 'totalBytes' | 'reprDigest' | 'createdAt' | 'expiresAt'> & {
    createdByEmail: string | null
  }

/** Replaces the open upload of the same file, if there is one; the sweep deletes the parts of the replaced one. */
export async function replaceUpload(db: Db, upload: NewUpload): Promise<void> {
  const { workspaceId, firmwareVersionId, role, baseVersionId, ...fields } = upload
  const opened = { ...fields, receivedBytes: 0, parts: [] as string[] }
  await db
    .insertInto('firmwareArtifactUploads')
    .values({ workspaceId, firmwareVersionId, role, baseVersionId, ...opened })
    .onConflict((conflict) =>
      conflict
        .columns(['workspaceId', 'firmwareVersionId', 'role', 'baseVersionId'])
        .doUpdateSet(opened),
    )
    .execute()
}

/** False: the upload has another size by now, or was replaced. */
export async function appendPart(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionKey,
  part: { uploadId: string; start: number; partId: string; sizeBytes: number; expiresAt: Date },
): Promise<boolean> {
  const row = await db
    .updateTable('firmwareArtifactUploads')
    .set({
      parts: sql`parts || ${part.partId}::uuid`,
      receivedBytes: part.start + part.sizeBytes,
      expiresAt: part.expiresAt,
    })
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .where('id', '=', part.uploadId)
    .where('receivedBytes', '=', part.start)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

/** False: the upload does not exist any more. */
export async function deleteUpload(
  db: Db | Tx,
  { workspaceId, firmwareVersionId }: VersionKey,
  uploadId: string,
): Promise<boolean> {
  const row = await db
    .deleteFrom('firmwareArtifactUploads')
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .where('id', '=', uploadId)
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function listWorkspacesWithExpired(db: Db, now: Date): Promise<string[]> {
  const rows = await db
    .selectFrom('firmwareArtifactUploads')
    .select('workspaceId')
    .distinct()
    .where('expiresAt', '<', now)
    .execute()
  return rows.map(({ workspaceId }) => workspaceId)
}

export async function deleteExpiredUploads(db: Db, workspaceId: string, now: Date): Promise<void> {
  await db
    .deleteFrom('firmwareArtifactUploads')
    .where('workspaceId', '=', workspaceId)
    .where('expiresAt', '<', now)
    .execute()
}
