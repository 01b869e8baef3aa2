import { sql } from 'kysely'
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
export const isDeployed = async (db: Db, version: VersionKey): Promise<boolean> =>
  (await findLastDeployed(db, version)) !== null

/** When the newest deployment that holds the version was made, active or not; null: none holds it. */
export async function findLastDeployed(
  db: Db,
  { workspaceId, firmwareVersionId }: VersionKey,
): Promise<Date | null> {
  const { madeAt } = await db
    .selectFrom('deploymentArtifacts as held')
    .innerJoin('deployments as deployment', (join) =>
      join
        .onRef('deployment.workspaceId', '=', 'held.workspaceId')
        .onRef('deployment.id', '=', 'held.deploymentId'),
    )
    .select(({ fn }) => fn.max<Date | null>('deployment.createdAt').as('madeAt'))
    .where('held.workspaceId', '=', workspaceId)
    .where('held.firmwareVersionId', '=', firmwareVersionId)
    .executeTakeFirstOrThrow()
  return madeAt
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

/** Whether a released, open device update installs the version of `artifact`, at this position if one is stated. */
export const isOffered = (
  workspaceId: string,
  { updateId, position = null }: { updateId: string; position?: number | null },
) => sql<boolean>`exists (
  select from device_updates as offered
  join deployment_artifacts as held on held.workspace_id = ${workspaceId} and held.deployment_id = offered.deployment_id
  where offered.workspace_id = ${workspaceId} and offered.update_id = ${updateId}
    and offered.state in ('pending', 'inProgress') and offered.released_at is not null
    and held.firmware_version_id = artifact.firmware_version_id
    and (${position}::integer is null or held.position = ${position}))`

/** The artifact with this position and file name in a released, open device update. */
export async function findArtifactOfUpdate(
  db: Db,
  asked: { workspaceId: string; updateId: string; position: number; fileName: string },
) {
  const { workspaceId, updateId, position, fileName } = asked
  return selectArtifacts(db, workspaceId)
    .select('artifact.workspaceId')
    .where(isOffered(workspaceId, { updateId, position }))
    .where('artifact.fileName', '=', fileName)
    .executeTakeFirst()
}
