/** The binary of a firmware version. Once a deployment holds the version, devices know its digest: it cannot change. */
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db, Tx } from '../../platform/db/connect.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { type AuditAction, recordAudit } from '../audit/index.ts'
import { getFirmwareVersion, lockFirmwareVersion } from '../firmware/index.ts'
import { refuseRetained } from '../product-lines/index.ts'
import { giveBack, takeAll } from '../quotas/index.ts'
import type { DeclaredDigest } from './digests.ts'
import { nameArtifactBlob } from './blob-keys.ts'
import { ArtifactStored } from './schemas.ts'
import * as store from './store.ts'
import { IMAGE, isHeld } from './roles/role.ts'
import { uploadNotFound } from './uploads/faults.ts'
import { receiveUpload, type SentUpload } from './uploads/service.ts'
import { deleteUpload } from './uploads/store.ts'

type VersionKey = store.VersionKey

export async function getArtifact(
  ctx: Pick<AppContext, 'db'>,
  { workspaceId, firmwareVersionId }: VersionKey,
) {
  const { id } = await getFirmwareVersion(ctx.db, workspaceId, firmwareVersionId)
  const version = { workspaceId, firmwareVersionId: id }
  const artifact = await store.findArtifact(ctx.db, version)
  if (!artifact) throw artifactNotFound()
  return { ...artifact, workspaceId, isDeployed: await store.isDeployed(ctx.db, version) }
}

export interface PutArtifact extends VersionKey, SentUpload {}

export async function putArtifact(ctx: AppContext, { workspaceId, ...input }: PutArtifact) {
  const { actor } = input
  return receiveUpload(ctx, input, async (declared) => {
    const { key, version } = await readImage(ctx.db, { ...input, workspaceId })
    const current = await store.findArtifact(ctx.db, key)
    await refuseOtherBytes(ctx.db, key, { current, declared })
    return {
      key,
      current,
      defaultName: `${version.firmware.slug}-${version.name}.bin`,
      save: (file, uploadId) => saveArtifact(ctx, { version: key, file, actor, uploadId }),
    }
  })
}

/** The full image of a version, as uploads name files. */
export async function readImage(db: Db, { workspaceId, firmwareVersionId }: VersionKey) {
  const version = await getFirmwareVersion(db, workspaceId, firmwareVersionId)
  const key = { workspaceId, firmwareVersionId: version.id, role: IMAGE, baseVersionId: null }
  return { key, version }
}

interface StoredArtifact {
  version: VersionKey
  file: store.ArtifactFile
  actor: Actor
  /** The upload in parts that this artifact completes. */
  uploadId?: string | undefined
}

/** Stores the file as the version's artifact. Answers the existing artifact when it has the same bytes and name. */
async function saveArtifact(ctx: AppContext, { version, file, actor, uploadId }: StoredArtifact) {
  return ctx.db.transaction().execute(async (tx) => {
    // The version was deleted since the upload began.
    if (!(await lockFirmwareVersion(tx, version.workspaceId, version.firmwareVersionId)))
      throw notFound('firmware version', version.firmwareVersionId)
    const before = await store.lockArtifact(tx, version)
    const isSame = before?.sha256 === file.sha256 && before.fileName === file.fileName
    const isEnded = uploadId === undefined || (await deleteUpload(tx, version, uploadId))
    if (!isEnded && !isSame) throw uploadNotFound()
    const isDeployed = await store.isDeployed(tx, version)
    if (isSame) return { isNew: false, artifact: { ...before, isDeployed } }
    if (isDeployed) throw createDeployedRefusal()
    const { workspaceId, firmwareVersionId } = version
    if (before)
      await refuseRetained(ctx, tx, { workspaceId, firmwareVersionIds: [firmwareVersionId] })
    const createdByEmail = actor.email ?? null
    await store.upsertArtifact(tx, version, { ...file, createdAt: ctx.now(), createdByEmail })
    await ctx.reactions.artifactsChanged(ctx, tx, { workspaceId, firmwareVersionId })
    await audit(ctx, tx, {
      version,
      actor,
      action: 'firmware-artifact.upload',
      before,
      after: file,
    })
    const artifact = await store.findArtifact(tx, version)
    if (!artifact) throw artifactNotFound()
    await useBytes(ctx, tx, { version, file, before })
    await ctx.queue.enqueue(tx, ArtifactStored, { ...version, blobId: file.blobId })
    return { isNew: before === undefined, artifact: { ...artifact, isDeployed } }
  })
}

async function useBytes(
  ctx: AppContext,
  tx: Tx,
  {
    version,
    file,
    before,
  }: Pick<StoredArtifact, 'version' | 'file'> & { before: store.ArtifactFile | undefined },
): Promise<void> {
  const amount = file.sizeBytes - (before?.sizeBytes ?? 0)
  await takeAll(ctx, tx, { workspaceId: version.workspaceId, quota: 'storedBytes', amount })
}

/** Refuses an upload early when the version is deployed and other bytes than those of `current` are declared. */
export async function refuseOtherBytes(
  db: Db,
  version: VersionKey,
  {
    current,
    declared,
  }: {
    current: { sha256: string; offeredFrom?: Date | null } | undefined
    declared: readonly DeclaredDigest[]
  },
): Promise<void> {
  const sha256 = declared.find(({ name }) => name === 'sha-256')?.value
  if (sha256 === undefined || current?.sha256 === sha256) return
  const lastDeployedAt = await store.findLastDeployed(db, version)
  if (isHeld(current?.offeredFrom ?? null, lastDeployedAt)) throw createDeployedRefusal()
}

export async function deleteArtifact(
  ctx: AppContext,
  input: VersionKey & { actor: Actor },
): Promise<void> {
  const { workspaceId, actor } = input
  const { id } = await getFirmwareVersion(ctx.db, workspaceId, input.firmwareVersionId)
  const version = { workspaceId, firmwareVersionId: id }
  const { blobId } = await ctx.db.transaction().execute(async (tx) => {
    await lockFirmwareVersion(tx, workspaceId, id)
    const before = await store.lockArtifact(tx, version)
    if (!before) throw artifactNotFound()
    if (await store.isDeployed(tx, version)) throw createDeployedRefusal()
    await refuseRetained(ctx, tx, { workspaceId, firmwareVersionIds: [id] })
    await store.deleteArtifact(tx, version)
    await ctx.reactions.artifactsChanged(ctx, tx, version)
    await audit(ctx, tx, { version, actor, action: 'firmware-artifact.delete', before })
    await giveBack(tx, { workspaceId, quota: 'storedBytes', amount: before.sizeBytes })
    return before
  })
  await ctx.blobs.delete(nameArtifactBlob({ ...version, blobId }))
}

interface Change {
  version: VersionKey
  actor: Actor
  action: AuditAction
  before?: store.ArtifactFile | undefined
  after?: store.ArtifactFile
}

async function audit(
  ctx: AppContext,
  tx: Parameters<typeof recordAudit>[1],
  { version, actor, action, before, after }: Change,
): Promise<void> {
  const { workspaceId, firmwareVersionId: resourceId } = version
  const entry = { workspaceId, actor, resourceType: 'firmware-version', resourceId, action }
  await recordAudit(ctx, tx, { ...entry, before: describeFile(before), after: describeFile(after) })
}

export function describeFile(file: store.ArtifactFile | undefined) {
  return file && { fileName: file.fileName, sizeBytes: file.sizeBytes, sha256: file.sha256 }
}

const artifactNotFound = () =>
  new AppError('notFound', 'artifact-not-found', 'This firmware version has no artifact.')

export const createDeployedRefusal = () =>
  new AppError(
    'conflict',
    'artifact-deployed',
    'A deployment holds this firmware version, so its artifact can no longer be changed. Create another firmware version. Only deltas can still be added.',
  )
