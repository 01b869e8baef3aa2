/**
 * Artifacts that are sent in parts. A part is a file of its own before its row says so, and what arrived of one that is
 * cut off counts too: whoever goes on asks where. The last part joins them all into the artifact.
 */
import type { Readable } from 'node:stream'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import { AppError, invalid } from '../../../platform/errors.ts'
import { newId } from '../../../platform/ids.ts'
import { getFirmwareVersion } from '../../firmware/index.ts'
import {
  algorithmsOf,
  type DeclaredDigest,
  digesting,
  readDigests,
  requireDigests,
} from '../digests.ts'
import { artifactKey, partKey } from '../blob-keys.ts'
import type { SentRange } from '../ranges.ts'
import { keepArtifact, uploadNotFound } from '../service.ts'
import type { OfVersion } from '../store.ts'
import * as store from './store.ts'

const EXPIRY_MS = 24 * 3_600_000
/** 4 GiB in parts of 512 KiB; the row of an upload names each. */
const MOST_PARTS = 10_000

export interface SentPart {
  of: OfVersion
  actor: Actor
  body: Readable
  /** Without it, bytes from the beginning begin an upload. */
  uploadId: string | undefined
  fileName: string
  range: SentRange
  reprDigest: string | undefined
  ofContent: DeclaredDigest[]
}

/** `elsewhere`: the upload has another number of bytes than the part begins after. */
export type PartOutcome =
  | { kind: 'incomplete' | 'elsewhere'; upload: store.UploadRow }
  | ({ kind: 'kept' } & Awaited<ReturnType<typeof keepArtifact>>)

export async function receivePart(ctx: AppContext, sent: SentPart): Promise<PartOutcome> {
  const upload = await openUpload(ctx, sent)
  const { bytes } = sent.range
  if (bytes === undefined) return finish(ctx, sent, upload)
  if (bytes.start !== upload.receivedBytes) return { kind: 'elsewhere', upload }
  if (upload.parts.length >= MOST_PARTS)
    throw invalid(`An artifact is sent in at most ${MOST_PARTS} parts.`, '/headers/content-range')
  const { isCutOff, isKept } = await storePart(ctx, sent, { uploadId: upload.id, ...bytes })
  const now = await findOpen(ctx, sent.of, upload.id)
  if (isCutOff)
    throw new AppError('invalid', 'upload-invalid', 'The part was cut off; what arrived is kept.')
  return isKept ? finish(ctx, sent, now) : { kind: 'elsewhere', upload: now }
}

async function openUpload(ctx: AppContext, sent: SentPart): Promise<store.UploadRow> {
  const { of, uploadId, range, reprDigest, fileName, actor } = sent
  if (uploadId === undefined && range.bytes?.start !== 0)
    throw invalid('Name the upload that the first part began.', '/query/uploadId')
  if (uploadId !== undefined) {
    const upload = await findOpen(ctx, of, uploadId)
    if (range.total !== upload.totalBytes)
      throw invalid(`The upload is one of ${upload.totalBytes} bytes.`, '/headers/content-range')
    if (reprDigest !== undefined && reprDigest !== upload.reprDigest)
      throw invalid('The upload began with another Repr-Digest.', '/headers/repr-digest')
    return upload
  }
  const createdAt = ctx.now()
  const begun = { id: newId(), fileName, totalBytes: range.total, reprDigest: reprDigest ?? null }
  const times = { createdAt, expiresAt: expiryAfter(createdAt) }
  const createdByEmail = actor.email ?? null
  await store.replaceUpload(ctx.db, { ...of, ...begun, ...times, createdByEmail })
  return { ...begun, ...times, receivedBytes: 0, parts: [] }
}

const expiryAfter = (instant: Date) => new Date(instant.getTime() + EXPIRY_MS)

async function findOpen(ctx: AppContext, of: OfVersion, uploadId: string) {
  const upload = await store.findUpload(ctx.db, of)
  if (upload?.id !== uploadId || upload.expiresAt <= ctx.now()) throw uploadNotFound()
  return upload
}

async function storePart(
  ctx: AppContext,
  { of, body, ofContent }: SentPart,
  { uploadId, start, end }: { uploadId: string; start: number; end: number },
): Promise<{ isCutOff: boolean; isKept: boolean }> {
  const partId = newId()
  const key = partKey({ ...of, uploadId, partId })
  const part = readPart(body, end - start + 1)
  const { chunks, digests } = digesting(part.chunks, algorithmsOf(ofContent))
  let isKept = false
  try {
    const { sizeBytes, sha256 } = await ctx.blobs.put(key, chunks)
    const isCutOff = part.isCutOff()
    if (!isCutOff) requireDigests(ofContent, { ...digests(), sha256 })
    // What is declared of a part that is cut off cannot be checked.
    if (sizeBytes === 0 || (isCutOff && ofContent.length > 0)) return { isCutOff, isKept }
    const expiresAt = expiryAfter(ctx.now())
    isKept = await store.appendPart(ctx.db, of, { uploadId, start, partId, sizeBytes, expiresAt })
    return { isCutOff, isKept }
  } finally {
    // After a failure of the database the row may speak of it all the same; the sweep tells.
    if (!isKept && !(await speaksOf(ctx, of, partId))) await ctx.blobs.delete(key)
  }
}

async function speaksOf(ctx: AppContext, of: OfVersion, partId: string): Promise<boolean> {
  try {
    return (await store.findUpload(ctx.db, of))?.parts.includes(partId) ?? false
  } catch {
    // Nobody can tell: too many files are swept up, a missing one would break the upload.
    return true
  }
}

/** Ends without a failure where the connection does, so that what arrived can be kept. */
function readPart(body: Readable, length: number) {
  const wrong = (what: string) =>
    new AppError(
      'invalid',
      'artifact-part-length',
      `The part has ${what} than the ${length} bytes that Content-Range says. Nothing of it was kept.`,
    )
  let isCutOff = false
  async function* chunks(): AsyncGenerator<Uint8Array, void> {
    const source: AsyncIterator<Uint8Array> = body.iterator({ destroyOnReturn: false })
    let received = 0
    const next = () =>
      source.next().catch(() => {
        isCutOff = true
        return { done: true, value: undefined } as const
      })
    for (let step = await next(); step.done !== true; step = await next()) {
      received += step.value.byteLength
      if (received > length) throw wrong('more')
      yield step.value
    }
    if (received < length && !isCutOff) throw wrong('fewer')
  }
  return { chunks: chunks(), isCutOff: () => isCutOff }
}

/** Joins the parts, which are removed once the artifact is there, or is not what was declared. */
async function finish(
  ctx: AppContext,
  { of, actor }: SentPart,
  upload: store.UploadRow,
): Promise<PartOutcome> {
  if (upload.receivedBytes < upload.totalBytes) return { kind: 'incomplete', upload }
  const declared = readDigests(upload.reprDigest ?? undefined, 'repr-digest')
  const blobId = newId()
  const key = artifactKey({ ...of, blobId })
  const algorithms = ['md5', 'sha1', ...algorithmsOf(declared)]
  const { chunks, digests } = digesting(joined(ctx, of, upload), algorithms)
  try {
    const stored = await ctx.blobs.put(key, chunks)
    const { md5 = '', sha1 = '', ...others } = digests()
    requireDigests(declared, { ...others, sha256: stored.sha256 })
    const file = { blobId, fileName: upload.fileName, ...stored, md5, sha1 }
    const kept = await keepArtifact(ctx, { of, file, actor, uploadId: upload.id })
    if (kept.artifact.blobId !== blobId) await ctx.blobs.delete(key)
    await deleteParts(ctx, of, upload)
    return { kind: 'kept', ...kept }
  } catch (error) {
    if (error instanceof AppError) await giveUp(ctx, of, { upload, key, error })
    throw error
  }
}

async function* joined(ctx: AppContext, of: OfVersion, upload: store.UploadRow) {
  for (const partId of upload.parts) {
    const part = await ctx.blobs.get(partKey({ ...of, uploadId: upload.id, partId }))
    for await (const chunk of part as AsyncIterable<Uint8Array>) yield chunk
  }
}

/** Sending the same again would not help; where it would, as the store is full or away, the parts stay. */
async function giveUp(
  ctx: AppContext,
  of: OfVersion,
  { upload, key, error }: { upload: store.UploadRow; key: string; error: AppError },
): Promise<void> {
  await ctx.blobs.delete(key)
  if (error.kind === 'unavailable' || error.code === uploadNotFound().code) return
  if (await store.deleteUpload(ctx.db, of, upload.id)) await deleteParts(ctx, of, upload)
}

async function deleteParts(
  ctx: AppContext,
  of: OfVersion,
  { id: uploadId, parts }: store.UploadRow,
): Promise<void> {
  for (const partId of parts) await ctx.blobs.delete(partKey({ ...of, uploadId, partId }))
}

export async function getUpload(ctx: AppContext, input: OfVersion): Promise<store.UploadRow> {
  return (await findUploadOf(ctx, input)).upload
}

/** What is sent afterwards names no upload. */
export async function cancelUpload(ctx: AppContext, input: OfVersion): Promise<void> {
  const { of, upload } = await findUploadOf(ctx, input)
  if (!(await store.deleteUpload(ctx.db, of, upload.id))) throw uploadNotFound()
  await deleteParts(ctx, of, upload)
}

async function findUploadOf(ctx: AppContext, { workspaceId, firmwareVersionId }: OfVersion) {
  const { id } = await getFirmwareVersion(ctx.db, workspaceId, firmwareVersionId)
  const of = { workspaceId, firmwareVersionId: id }
  const upload = await store.findUpload(ctx.db, of)
  if (!upload || upload.expiresAt <= ctx.now()) throw uploadNotFound()
  return { of, upload }
}
