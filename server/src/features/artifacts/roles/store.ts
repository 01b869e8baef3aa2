import { sql } from 'kysely'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { type ArtifactFile, isOffered, type VersionKey } from '../store.ts'

export interface RoleKey extends VersionKey {
  role: string
  baseVersionId: string | null
}

function selectRoleArtifacts(db: Db, workspaceId: string) {
  return db
    .selectFrom('firmwareRoleArtifacts as artifact')
    .leftJoin('firmwareVersions as base', (join) =>
      join
        .onRef('base.workspaceId', '=', 'artifact.workspaceId')
        .onRef('base.id', '=', 'artifact.baseVersionId'),
    )
    .select(['artifact.id', 'artifact.firmwareVersionId', 'artifact.role'])
    .select(['artifact.baseVersionId', 'base.name as baseVersion'])
    .select(['artifact.blobId', 'artifact.fileName', 'artifact.sizeBytes'])
    .select(['artifact.sha256', 'artifact.sha1', 'artifact.md5'])
    .select(['artifact.createdAt', 'artifact.createdByEmail', 'artifact.offeredFrom'])
    .where('artifact.workspaceId', '=', workspaceId)
}

export type RoleArtifact = Awaited<ReturnType<typeof listRoleArtifacts>>[number]

/** Parts first, then deltas, each by name. */
export async function listRoleArtifacts(db: Db, { workspaceId, firmwareVersionId }: VersionKey) {
  return selectRoleArtifacts(db, workspaceId)
    .where('artifact.firmwareVersionId', '=', firmwareVersionId)
    .orderBy(sql`artifact.role = 'delta'`)
    .orderBy('artifact.role')
    .orderBy('base.name')
    .execute()
}

export async function findRoleArtifact(
  db: Db,
  { workspaceId, firmwareVersionId, role, baseVersionId }: RoleKey,
) {
  return selectRoleArtifacts(db, workspaceId)
    .where('artifact.firmwareVersionId', '=', firmwareVersionId)
    .where('artifact.role', '=', role)
    .where(sql<boolean>`artifact.base_version_id is not distinct from ${baseVersionId}::uuid`)
    .executeTakeFirst()
}

/** With the version locked. */
export async function upsertRoleArtifact(
  tx: Tx,
  { workspaceId, firmwareVersionId, role, baseVersionId }: RoleKey,
  file: ArtifactFile & {
    id: string
    createdAt: Date
    createdByEmail: string | null
    offeredFrom: Date | null
  },
): Promise<void> {
  const { id: _id, ...changed } = file
  await tx
    .insertInto('firmwareRoleArtifacts')
    .values({ workspaceId, firmwareVersionId, role, baseVersionId, ...file })
    .onConflict((conflict) =>
      conflict
        .columns(['workspaceId', 'firmwareVersionId', 'role', 'baseVersionId'])
        .doUpdateSet(changed),
    )
    .execute()
}

export async function deleteRoleArtifact(
  tx: Tx,
  { workspaceId, id }: { workspaceId: string; id: string },
): Promise<void> {
  await tx
    .deleteFrom('firmwareRoleArtifacts')
    .where('workspaceId', '=', workspaceId)
    .where('id', '=', id)
    .execute()
}

export async function hasRoleBlob(
  db: Db,
  { workspaceId, firmwareVersionId, blobId }: VersionKey & { blobId: string },
): Promise<boolean> {
  const row = await db
    .selectFrom('firmwareRoleArtifacts')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .where('blobId', '=', blobId)
    .executeTakeFirst()
  return row !== undefined
}

/** The further artifact of a version that the deployment of a released, open device update holds. */
export async function findRoleArtifactOfUpdate(
  db: Db,
  asked: { workspaceId: string; updateId: string; artifactId: string; fileName: string },
) {
  const { workspaceId, updateId, artifactId, fileName } = asked
  return selectRoleArtifacts(db, workspaceId)
    .select('artifact.workspaceId')
    .where(isOffered(workspaceId, { updateId }))
    .where('artifact.id', '=', artifactId)
    .where('artifact.fileName', '=', fileName)
    .executeTakeFirst()
}
