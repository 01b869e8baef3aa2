import { formatCountOf } from '../../formats/counts.ts'
import type { Readable } from 'node:stream'
import type { Actor } from '../../platform/actor.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { AppError, notFound } from '../../platform/errors.ts'
import { readUpload, type UploadLimits, type UploadRequest } from '../../platform/http/upload.ts'
import { isUuid, newId } from '../../platform/ids.ts'
import { recordAudit } from '../audit/index.ts'
import { getFirmwareVersion, lockFirmwareVersion } from '../firmware/index.ts'
import { refuseRetained } from '../product-lines/index.ts'
import { giveBack, requireRoom } from '../quotas/index.ts'
import {
  nameSbomBlob,
  nameVersionBlobs,
  parseBlobKey,
  SBOM_BLOBS,
  signContentLink,
} from './stored-file.ts'
import type { Replacement } from './replacement/rules.ts'
import { settleUploads } from './replacement/service.ts'
import { deleteReplaced, findReplaced } from './replacement/store.ts'
import { SbomLinksBroken } from './schemas.ts'
import * as store from './store.ts'
import { acceptUpload, refuseTooManyWaiting, type StoredFile } from './uploads/service.ts'

export interface UploadSboms {
  workspaceId: string
  firmwareVersionId: string
  actor: Actor
  /** What of the version this upload replaces once it is read. */
  replace?: Replacement | undefined
  request: UploadRequest
}

/** Accepts all files of the upload or none: stores the files first, then their rows and jobs in one transaction. */
export async function uploadSboms(ctx: AppContext, input: UploadSboms) {
  const { workspaceId, actor, request, replace } = input
  refuseLength(request, ctx.config.sboms)
  await refuseTooManyWaiting(ctx.db, ctx.config.sboms, workspaceId)
  const { id: firmwareVersionId } = await getFirmwareVersion(
    ctx.db,
    workspaceId,
    input.firmwareVersionId,
  )
  // Without a length something is stored all the same.
  const bytes = Number(request.headers['content-length'] ?? 1)
  await requireRoom(ctx, { workspaceId, bytes })
  const startedKeys: string[] = []
  const storeFile = async (fileName: string, content: Readable): Promise<StoredFile> => {
    const id = newId()
    const key = nameSbomBlob({ workspaceId, firmwareVersionId, sbomId: id })
    startedKeys.push(key)
    const stored = await ctx.blobs.put(key, content)
    if (stored.sizeBytes === 0)
      throw new AppError(
        'invalid',
        'upload-invalid',
        `The file ${JSON.stringify(fileName)} is empty.`,
      )
    return { id, key, fileName, ...stored }
  }
  const discard = (keys: readonly string[]) => Promise.all(keys.map((key) => ctx.blobs.delete(key)))
  try {
    const files = await readUpload(request, ctx.config.sboms, storeFile)
    const upload = { workspaceId, firmwareVersionId, actor, files, replace }
    const answer = await acceptUpload(ctx, upload)
    const accepted = new Set(answer.sboms.map(({ id }) => id))
    await discard(files.filter(({ id }) => !accepted.has(id)).map(({ key }) => key))
    return answer
  } catch (error) {
    // After any other error the transaction may be committed. The sweep later deletes files without a row.
    if (error instanceof AppError) await discard(startedKeys)
    throw error
  }
}

const MEBIBYTE = 1024 * 1024
/** The bytes of a body around its files. */
const AROUND_BYTES = MEBIBYTE

/** Before the body is read. A body without a stated length is measured while it arrives. */
function refuseLength({ headers }: UploadRequest, { files, fileBytes }: UploadLimits): void {
  const length = Number(headers['content-length'] ?? 0)
  if (length <= files * fileBytes + AROUND_BYTES) return
  const most = `${formatCountOf(files, 'file')} of ${Math.floor(fileBytes / MEBIBYTE)} MiB`
  throw new AppError('tooLarge', 'upload-too-large', `An upload takes at most ${most}.`)
}

export async function listSboms(ctx: AppContext, workspaceId: string, firmwareVersionId: string) {
  const rows = await store.listSboms(ctx.db, workspaceId, firmwareVersionId)
  return rows.map(({ notMatched, ...row }) => ({
    ...row,
    notMatchedReasons: Object.entries(notMatched)
      .map(([reason, count]) => ({ reason, count }))
      .toSorted((a, b) => b.count - a.count || (a.reason < b.reason ? -1 : 1)),
  }))
}

export async function getSbom(ctx: Pick<AppContext, 'db'>, workspaceId: string, sbomId: string) {
  const sbom = isUuid(sbomId) ? await store.findSbom(ctx.db, workspaceId, sbomId) : undefined
  if (!sbom) throw notFound('SBOM', sbomId)
  return sbom
}

export interface DeleteSbom {
  workspaceId: string
  sbomId: string
  actor: Actor
}

export async function deleteSbom(ctx: AppContext, input: DeleteSbom): Promise<void> {
  const { workspaceId, actor } = input
  const { id: sbomId, firmwareVersionId } = await getStoredSbom(ctx, workspaceId, input.sbomId)
  await ctx.db.transaction().execute(async (tx) => {
    await lockFirmwareVersion(tx, workspaceId, firmwareVersionId)
    const scope = { workspaceId, firmwareVersionId }
    const sbom = await store.findSbom(tx, workspaceId, sbomId)
    const gone = sbom ?? (await findReplaced(tx, workspaceId, sbomId))
    if (!gone) throw notFound('SBOM', sbomId)
    await refuseRetained(ctx, tx, { workspaceId, firmwareVersionIds: [firmwareVersionId] })
    const { fileName, sha256, sizeBytes } = gone
    if (sbom) {
      await store.deleteSbom(tx, workspaceId, sbomId)
      await ctx.reactions.inventoryChanged(ctx, tx, { ...scope, cause: 'SbomDeleted' })
      await settleUploads(ctx, tx, scope)
      await ctx.queue.enqueue(tx, SbomLinksBroken, scope)
    } else await deleteReplaced(tx, workspaceId, sbomId)
    const entry = { workspaceId, actor, action: 'sbom.delete' as const, resourceType: 'sbom' }
    const before = { firmwareVersionId, fileName, sha256 }
    await recordAudit(ctx, tx, { ...entry, resourceId: sbomId, before })
    await giveBack(tx, { workspaceId, quota: 'storedBytes', amount: sizeBytes })
  })
  await ctx.blobs.delete(nameSbomBlob({ workspaceId, firmwareVersionId, sbomId }))
}

/** Also one that was replaced, as long as it is kept. */
export async function getStoredSbom(
  ctx: Pick<AppContext, 'db'>,
  workspaceId: string,
  sbomId: string,
) {
  const sbom = await findStoredSbom(ctx.db, workspaceId, sbomId)
  if (!sbom) throw notFound('SBOM', sbomId)
  return sbom
}

export async function findStoredSbom(db: Db, workspaceId: string, sbomId: string) {
  if (!isUuid(sbomId)) return undefined
  // In this order: an SBOM that is replaced meanwhile is found by the second look.
  return (
    (await store.findSbom(db, workspaceId, sbomId)) ?? (await findReplaced(db, workspaceId, sbomId))
  )
}

/** A link to the blob store if it can sign one, else to this service. */
export async function linkContent(ctx: AppContext, input: { workspaceId: string; sbomId: string }) {
  const { workspaceId } = input
  const {
    id: sbomId,
    firmwareVersionId,
    fileName,
  } = await getStoredSbom(ctx, workspaceId, input.sbomId)
  const { publicUrl, contentLinkSeconds: expiresInSeconds } = ctx.config
  const key = nameSbomBlob({ workspaceId, firmwareVersionId, sbomId })
  const signed = await ctx.blobs.signedUrl(key, { fileName, expiresInSeconds })
  if (signed !== undefined) return { contentSasLink: signed, fileName }
  const expires = Math.floor(ctx.now().getTime() / 1000) + expiresInSeconds
  const signature = signContentLink(ctx.signingKey, { workspaceId, sbomId, expires })
  const query = new URLSearchParams({ expires: String(expires), signature })
  const path = `/content/sboms/${workspaceId}/${sbomId}`
  return { contentSasLink: `${publicUrl}${path}?${query.toString()}`, fileName }
}

export async function deleteSbomFiles(
  ctx: AppContext,
  { workspaceId, firmwareVersionIds }: { workspaceId: string; firmwareVersionIds: string[] },
): Promise<void> {
  for (const firmwareVersionId of firmwareVersionIds)
    for await (const { key } of ctx.blobs.list(nameVersionBlobs(workspaceId, firmwareVersionId)))
      await ctx.blobs.delete(key)
}

/** Files without a row, of deleted versions or interrupted uploads. Rows of files stored after `before` may follow. */
export async function* listOrphanedFiles(
  { db, blobs }: Pick<AppContext, 'db' | 'blobs'>,
  before: Date,
): AsyncGenerator<string> {
  for await (const { key, modifiedAt } of blobs.list(SBOM_BLOBS)) {
    const address = parseBlobKey(key)
    if (!address || modifiedAt >= before) continue
    if (!(await findStoredSbom(db, address.workspaceId, address.sbomId))) yield key
  }
}

/** Deletes files without a row. Answers how many. */
export async function sweepOrphanedFiles(ctx: AppContext, before: Date): Promise<number> {
  await ctx.blobs.sweepTemporary(before)
  let deleted = 0
  for await (const key of listOrphanedFiles(ctx, before)) {
    await ctx.blobs.delete(key)
    deleted += 1
  }
  return deleted
}
