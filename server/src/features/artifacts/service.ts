/** The binary of a firmware version. Once a deployment holds the version, devices have been told its digest: it stays. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { recordAudit } from '../audit/index.ts'
import { getFirmwareVersion, lockFirmwareVersion } from '../firmware/index.ts'
import type { DeclaredDigest } from './digests.ts'
import { artifactKey } from './blob-keys.ts'
import * as store from './store.ts'
import { deleteUpload } from './uploads/store.ts'

type OfVersion = store.OfVersion

export async function getArtifact(
  ctx: Pick<AppContext, 'db'>,
  { workspaceId, firmwareVersionId }: OfVersion,
) {
  const { id } = await getFirmwareVersion(ctx.db, workspaceId, firmwareVersionId)
  const of = { workspaceId, firmwareVersionId: id }
  const artifact = await store.findArtifact(ctx.db, of)
  if (!artifact) throw artifactNotFound()
  return { ...artifact, workspaceId, isDeployed: await store.isDeployed(ctx.db, of) }
}

export interface KeepArtifact {
  of: OfVersion
  file: store.ArtifactFile
  actor: Actor
  /** It was sent in parts, and this ends the upload. */
  uploadId?: string
}

/** What the version's artifact is afterwards: the file, or an equal one that was there before. */
export async function keepArtifact(ctx: AppContext, { of, file, actor, uploadId }: KeepArtifact) {
  return ctx.db.transaction().execute(async (tx) => {
    // Deleted since the upload began, or about to be.
    if (!(await lockFirmwareVersion(tx, of.workspaceId, of.firmwareVersionId)))
      throw notFound('firmware version', of.firmwareVersionId)
    const before = await store.lockArtifact(tx, of)
    const isSame = before?.sha256 === file.sha256 && before.fileName === file.fileName
    const isEnded = uploadId === undefined || (await deleteUpload(tx, of, uploadId))
    if (!isEnded && !isSame) throw uploadNotFound()
    const isDeployed = await store.isDeployed(tx, of)
    if (isSame) return { isNew: false, artifact: { ...before, isDeployed } }
    if (isDeployed) throw deployed()
    const createdByEmail = actor.email ?? null
    await store.upsertArtifact(tx, of, { ...file, createdAt: ctx.now(), createdByEmail })
    await audit(ctx, tx, { of, actor, action: 'firmware-artifact.upload', before, after: file })
    const artifact = await store.findArtifact(tx, of)
    if (!artifact) throw artifactNotFound()
    return { isNew: before === undefined, artifact: { ...artifact, isDeployed } }
  })
}

/** What is there now, before bytes are read that could not be kept. */
export async function refuseDeployed(
  db: Db,
  of: OfVersion,
  declared: readonly DeclaredDigest[],
): Promise<store.ArtifactFile | undefined> {
  const artifact = await store.findArtifact(db, of)
  const sha256 = declared.find(({ name }) => name === 'sha-256')?.value
  if (sha256 === undefined || artifact?.sha256 === sha256) return artifact
  if (await store.isDeployed(db, of)) throw deployed()
  return artifact
}

export async function deleteArtifact(
  ctx: AppContext,
  input: OfVersion & { actor: Actor },
): Promise<void> {
  const { workspaceId, actor } = input
  const { id } = await getFirmwareVersion(ctx.db, workspaceId, input.firmwareVersionId)
  const of = { workspaceId, firmwareVersionId: id }
  const { blobId } = await ctx.db.transaction().execute(async (tx) => {
    await lockFirmwareVersion(tx, workspaceId, id)
    const before = await store.lockArtifact(tx, of)
    if (!before) throw artifactNotFound()
    if (await store.isDeployed(tx, of)) throw deployed()
    await store.deleteArtifact(tx, of)
    await audit(ctx, tx, { of, actor, action: 'firmware-artifact.delete', before })
    return before
  })
  await ctx.blobs.delete(artifactKey({ ...of, blobId }))
}

interface Change {
  of: OfVersion
  actor: Actor
  action: string
  before?: store.ArtifactFile | undefined
  after?: store.ArtifactFile
}

async function audit(
  ctx: AppContext,
  tx: Parameters<typeof recordAudit>[1],
  { of, actor, action, before, after }: Change,
): Promise<void> {
  const { workspaceId, firmwareVersionId: resourceId } = of
  const entry = { workspaceId, actor, resourceType: 'firmware-version', resourceId, action }
  await recordAudit(ctx, tx, { ...entry, before: shown(before), after: shown(after) })
}

function shown(file: store.ArtifactFile | undefined) {
  return file && { fileName: file.fileName, sizeBytes: file.sizeBytes, sha256: file.sha256 }
}

const artifactNotFound = () =>
  new AppError('notFound', 'artifact-not-found', 'This firmware version has no artifact.')

export const uploadNotFound = () =>
  new AppError(
    'notFound',
    'artifact-upload-not-found',
    'There is no such upload: it is complete, has expired, or another took its place. Begin anew.',
  )

const deployed = () =>
  new AppError(
    'conflict',
    'artifact-deployed',
    'A deployment holds this firmware version: its artifact can no longer be changed. Make another version.',
  )
