import type { Db, Tx } from '../../platform/db/connect.ts'

export interface VersionKey {
  workspaceId: string
  firmwareVersionId: string
}

export interface ArtifactFile {
  blobId: string
  fileName: string
  sizeBytes: number
  sha256: string
  sha1: string
  md5: string
}

const COLUMNS = [
  'artifact.firmwareVersionId',
  'artifact.blobId',
  'artifact.fileName',
  'artifact.sizeBytes',
  'artifact.sha256',
  'artifact.sha1',
  'artifact.md5',
  'artifact.createdAt',
  'artifact.createdByEmail',
] as const

function selectArtifacts(db: Db, workspaceId: string) {
  return db
    .selectFrom('firmwareArtifacts as artifact')
    .select(COLUMNS)
    .where('artifact.workspaceId', '=', workspaceId)
}

export async function findArtifact(db: Db, { workspaceId, firmwareVersionId }: VersionKey) {
  return selectArtifacts(db, workspaceId)
    .where('artifact.firmwareVersionId', '=', firmwareVersionId)
    .executeTakeFirst()
}

/** Locks the artifact, so that the version is not deployed meanwhile. */
export async function lockArtifact(tx: Tx, { workspaceId, firmwareVersionId }: VersionKey) {
  return selectArtifacts(tx, workspaceId)
    .where('artifact.firmwareVersionId', '=', firmwareVersionId)
    .forUpdate()
    .executeTakeFirst()
}

/** Whether any deployment, active or not, holds the version. */
export async function isDeployed(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionKey,
): Promise<boolean> {
  const row = await db
    .selectFrom('deploymentArtifacts')
    .select('id')
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

export async function upsertArtifact(
  tx: Tx,
  { workspaceId, firmwareVersionId }: VersionKey,
  file: ArtifactFile & { createdAt: Date; createdByEmail: string | null },
): Promise<void> {
  await tx
    .insertInto('firmwareArtifacts')
    .values({ workspaceId, firmwareVersionId, ...file })
    .onConflict((conflict) =>
      conflict.columns(['workspaceId', 'firmwareVersionId']).doUpdateSet(file),
    )
    .execute()
}

export async function deleteArtifact(
  tx: Tx,
  { workspaceId, firmwareVersionId }: VersionKey,
): Promise<void> {
  await tx
    .deleteFrom('firmwareArtifacts')
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .execute()
}

/** The artifact with this position and file name in a released, open device update. */
export async function findArtifactOfUpdate(
  db: Db,
  asked: { workspaceId: string; updateId: string; position: number; fileName: string },
) {
  const { workspaceId, updateId, position, fileName } = asked
  return selectArtifacts(db, workspaceId)
    .select('artifact.workspaceId')
    .innerJoin('deploymentArtifacts as deployed', (join) =>
      join
        .onRef('deployed.workspaceId', '=', 'artifact.workspaceId')
        .onRef('deployed.firmwareVersionId', '=', 'artifact.firmwareVersionId'),
    )
    .innerJoin('deviceUpdates as update', (join) =>
      join
        .onRef('update.workspaceId', '=', 'deployed.workspaceId')
        .onRef('update.deploymentId', '=', 'deployed.deploymentId'),
    )
    .where('update.updateId', '=', updateId)
    .where('update.state', 'in', ['pending', 'inProgress'])
    .where('update.releasedAt', 'is not', null)
    .where('deployed.position', '=', position)
    .where('artifact.fileName', '=', fileName)
    .executeTakeFirst()
}
