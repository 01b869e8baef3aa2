/**
 * Further binaries of a firmware version, beside its full image: deltas, each from one version, and parts such as a boot loader. Once a
 * deployment offers one, it cannot change, like the image. A delta may be added later: deployments that are made from then on offer it.
 */
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { Db, Tx } from '../../../platform/db/connect.ts'
import { AppError, invalid, notFound } from '../../../platform/errors.ts'
import { newId } from '../../../platform/ids.ts'
import { recordAudit } from '../../audit/index.ts'
import { getFirmwareVersion, lockFirmwareVersion } from '../../firmware/index.ts'
import { refuseRetained } from '../../product-lines/index.ts'
import { giveBack, takeAll } from '../../quotas/index.ts'
import { nameArtifactBlob } from '../blob-keys.ts'
import { ArtifactStored } from '../schemas.ts'
import { createDeployedRefusal, describeFile, refuseOtherBytes } from '../service.ts'
import { type ArtifactFile, findArtifact, findLastDeployed, lockArtifact } from '../store.ts'
import { uploadNotFound } from '../uploads/faults.ts'
import { receiveUpload, type SentUpload } from '../uploads/service.ts'
import { deleteUpload, listUploads } from '../uploads/store.ts'
import { DELTA, IMAGE, isHeld, isPartRole } from './role.ts'
import { ROLE } from './schemas.ts'
import * as store from './store.ts'

/** Parts of one version. A hundred artifacts fit into an update at the hawkBit door, and a deployment has up to 20 versions. */
const MAX_PARTS = 4

export interface NamedRole {
  workspaceId: string
  firmwareVersionId: string
  role: string
  baseVersionId?: string
}

/** Where the request has them, to say where it is wrong. */
interface RolePlaces {
  role: string
  base: string
}

/** Of a delta the base is another version of the same firmware; no other role has one. */
export async function readRole(
  db: Db,
  { workspaceId, role, ...named }: NamedRole,
  at: RolePlaces = { role: '/params/role', base: '/query/baseVersionId' },
) {
  const version = await getFirmwareVersion(db, workspaceId, named.firmwareVersionId)
  const baseVersionId = await readBase(db, { workspaceId, role, ...named }, version, at)
  return { key: { workspaceId, firmwareVersionId: version.id, role, baseVersionId }, version }
}

type Version = Awaited<ReturnType<typeof getFirmwareVersion>>

async function readBase(
  db: Db,
  { workspaceId, role, baseVersionId }: NamedRole,
  version: Version,
  at: RolePlaces,
): Promise<string | null> {
  const fault = (detail: string) => invalid(detail, at.base)
  if (!ROLE.test(role))
    throw invalid('A role has up to 32 lower-case letters, digits and hyphens.', at.role)
  if (role === IMAGE) throw invalid('The full image is uploaded to …/artifact.', at.role)
  if (role !== DELTA && baseVersionId !== undefined)
    throw fault('Only a delta begins with another version.')
  if (role !== DELTA) return null
  if (baseVersionId === undefined)
    throw fault('Name the version that a device has to run for this delta.')
  const base = await getFirmwareVersion(db, workspaceId, baseVersionId)
  if (base.id === version.id || base.firmware.id !== version.firmware.id)
    throw fault('A delta begins with another version of the same firmware.')
  return base.id
}

/** The full image first, then parts, then deltas. */
export async function listVersionArtifacts(
  { db, now }: Pick<AppContext, 'db' | 'now'>,
  { workspaceId, firmwareVersionId }: Omit<NamedRole, 'role'>,
) {
  const { id } = await getFirmwareVersion(db, workspaceId, firmwareVersionId)
  const version = { workspaceId, firmwareVersionId: id }
  const image = await findArtifact(db, version)
  const further = await store.listRoleArtifacts(db, version)
  const lastDeployedAt = await findLastDeployed(db, version)
  const artifacts = [...(image ? [{ ...image, ...OF_IMAGE }] : []), ...further]
  return {
    isDeployed: lastDeployedAt !== null,
    artifacts: artifacts.map((one) => ({
      ...one,
      isDeployed: isHeld(one.offeredFrom, lastDeployedAt),
    })),
    uploads: await listUploads(db, version, now()),
  }
}

const OF_IMAGE = { role: IMAGE, baseVersionId: null, baseVersion: null, offeredFrom: null }

export interface PutRoleArtifact extends NamedRole, SentUpload {}

export async function putRoleArtifact(ctx: AppContext, input: PutRoleArtifact) {
  const { actor } = input
  return receiveUpload(ctx, input, async (declared) => {
    const { key, version } = await readRole(ctx.db, input)
    const current = await store.findRoleArtifact(ctx.db, key)
    if (current || key.role !== DELTA) await refuseOtherBytes(ctx.db, key, { current, declared })
    return {
      key,
      current,
      defaultName: `${version.firmware.slug}-${version.name}-${key.role}.bin`,
      save: (file, uploadId) => save(ctx, { key, file, actor, uploadId }),
    }
  })
}

interface Saving {
  key: store.RoleKey
  file: ArtifactFile
  actor: Actor
  /** The upload in parts that this file completes. */
  uploadId: string | undefined
}

async function save(ctx: AppContext, { key, file, actor, uploadId }: Saving) {
  return ctx.db.transaction().execute(async (tx) => {
    const { workspaceId, firmwareVersionId } = key
    const before = await lockRole(tx, key)
    const isSame = before?.sha256 === file.sha256 && before.fileName === file.fileName
    const isEnded = uploadId === undefined || (await deleteUpload(tx, key, uploadId))
    if (!isEnded && !isSame) throw uploadNotFound()
    if (isSame) return { isNew: false, artifact: await showHeld(tx, key, before) }
    const offeredFrom = await readOfferedFrom(ctx, tx, { key, before })
    if (before)
      await refuseRetained(ctx, tx, { workspaceId, firmwareVersionIds: [firmwareVersionId] })
    else await requireFewParts(tx, key)
    const made = { createdAt: ctx.now(), createdByEmail: actor.email ?? null, offeredFrom }
    await store.upsertRoleArtifact(tx, key, { id: newId(), ...file, ...made })
    await ctx.reactions.artifactsChanged(ctx, tx, { workspaceId, firmwareVersionId })
    const artifact = await store.findRoleArtifact(tx, key)
    if (!artifact) throw roleNotFound()
    await audit(ctx, tx, { key, actor, before, after: artifact })
    const amount = file.sizeBytes - (before?.sizeBytes ?? 0)
    await takeAll(ctx, tx, { workspaceId, quota: 'storedBytes', amount })
    const { blobId } = file
    await ctx.queue.enqueue(tx, ArtifactStored, { workspaceId, firmwareVersionId, blobId })
    return { isNew: before === undefined, artifact: await showHeld(tx, key, artifact) }
  })
}

/** Locks as `saveArtifact` does, so that the version is not deployed meanwhile. */
async function lockRole(tx: Tx, key: store.RoleKey) {
  // The version was deleted since the upload began.
  if (!(await lockFirmwareVersion(tx, key.workspaceId, key.firmwareVersionId)))
    throw notFound('firmware version', key.firmwareVersionId)
  await lockArtifact(tx, key)
  return store.findRoleArtifact(tx, key)
}

async function showHeld(db: Db, key: store.RoleKey, artifact: store.RoleArtifact) {
  return { ...artifact, isDeployed: isHeld(artifact.offeredFrom, await findLastDeployed(db, key)) }
}

/**
 * From when on deployments offer the bytes that come now; null: none holds the version yet. Refuses what a deployment offers already, and
 * a late part, which devices of a deployment would lack.
 */
async function readOfferedFrom(
  { now }: Pick<AppContext, 'now'>,
  tx: Tx,
  { key, before }: { key: store.RoleKey; before: store.RoleArtifact | undefined },
): Promise<Date | null> {
  const lastDeployedAt = await findLastDeployed(tx, key)
  if (lastDeployedAt === null) return null
  if (key.role !== DELTA || (before && isHeld(before.offeredFrom, lastDeployedAt)))
    throw createDeployedRefusal()
  // Also where the clock of the node that made the deployment is ahead.
  return new Date(Math.max(now().getTime(), lastDeployedAt.getTime() + 1))
}

async function requireFewParts(tx: Tx, key: store.RoleKey): Promise<void> {
  if (!isPartRole(key.role)) return
  const parts = await store.listRoleArtifacts(tx, key)
  if (parts.filter(({ role }) => isPartRole(role)).length < MAX_PARTS) return
  throw new AppError(
    'conflict',
    'artifact-too-many-parts',
    `A version has at most ${MAX_PARTS} parts beside its full image and its deltas.`,
  )
}

export async function getRoleArtifact({ db }: Pick<AppContext, 'db'>, input: NamedRole) {
  const { key } = await readRole(db, input)
  const artifact = await store.findRoleArtifact(db, key)
  if (!artifact) throw roleNotFound()
  return { ...artifact, workspaceId: input.workspaceId }
}

export async function deleteRoleArtifact(
  ctx: AppContext,
  input: NamedRole & { actor: Actor },
): Promise<void> {
  const { workspaceId, actor } = input
  const { key } = await readRole(ctx.db, input)
  const { blobId } = await ctx.db.transaction().execute(async (tx) => {
    const before = await lockRole(tx, key)
    if (!before) throw roleNotFound()
    if (isHeld(before.offeredFrom, await findLastDeployed(tx, key))) throw createDeployedRefusal()
    await refuseRetained(ctx, tx, { workspaceId, firmwareVersionIds: [key.firmwareVersionId] })
    await store.deleteRoleArtifact(tx, { workspaceId, id: before.id })
    await ctx.reactions.artifactsChanged(ctx, tx, {
      workspaceId,
      firmwareVersionId: key.firmwareVersionId,
    })
    await audit(ctx, tx, { key, actor, before })
    await giveBack(tx, { workspaceId, quota: 'storedBytes', amount: before.sizeBytes })
    return before
  })
  await ctx.blobs.delete(nameArtifactBlob({ ...key, blobId }))
}

interface Change {
  key: store.RoleKey
  actor: Actor
  before?: store.RoleArtifact | undefined
  after?: store.RoleArtifact
}

async function audit(
  ctx: AppContext,
  tx: Tx,
  { key, actor, before, after }: Change,
): Promise<void> {
  const { workspaceId, firmwareVersionId: resourceId } = key
  await recordAudit(ctx, tx, {
    workspaceId,
    actor,
    resourceId,
    resourceType: 'firmware-version',
    action: after ? 'firmware-artifact.upload' : 'firmware-artifact.delete',
    before: showRole(before),
    after: showRole(after),
  })
}

function showRole(file: store.RoleArtifact | undefined) {
  if (!file) return undefined
  const { role, baseVersion } = file
  return { ...describeFile(file), role, ...(baseVersion !== null && { baseVersion }) }
}

const roleNotFound = () =>
  new AppError(
    'notFound',
    'artifact-not-found',
    'This firmware version has no such artifact. GET …/artifacts lists those it has.',
  )
