import type { Db, Tx } from '../../platform/db/connect.ts'

export interface OfVersion {
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

export async function findArtifact(db: Db, { workspaceId, firmwareVersionId }: OfVersion) {
  return selectArtifacts(db, workspaceId)
    .where('artifact.firmwareVersionId', '=', firmwareVersionId)
    .executeTakeFirst()
}

/** Nobody deploys the version meanwhile. */
export async function lockArtifact(tx: Tx, { workspaceId, firmwareVersionId }: OfVersion) {
  return selectArtifacts(tx, workspaceId)
    .where('artifact.firmwareVersionId', '=', firmwareVersionId)
    .forUpdate()
    .executeTakeFirst()
}

/** A deployment holds the version, be it active or not. */
export async function isDeployed(
  db: Db,
  { workspaceId, firmwareVersionId }: OfVersion,
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
  { workspaceId, firmwareVersionId }: OfVersion,
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
  { workspaceId, firmwareVersionId }: OfVersion,
): Promise<void> {
  await tx
    .deleteFrom('firmwareArtifacts')
    .where('workspaceId', '=', workspaceId)
    .where('firmwareVersionId', '=', firmwareVersionId)
    .execute()
}

/** One that the device may take: its update is open and released, and holds a file of that name at that place. */
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
