/**
 * Uploads of artifacts in parts. Each part is stored as a blob before its row is written. The received bytes of an
 * interrupted part are kept: the sender asks where to continue. The last part joins all parts into the artifact.
 */
import type { Readable } from 'node:stream'
import { addDays } from '../../../formats/instants.ts'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import { AppError, invalid } from '../../../platform/errors.ts'
import { newId } from '../../../platform/ids.ts'
import {
  listAlgorithmsToHash,
  type DeclaredDigest,
  hashStream,
  readDigests,
  requireDigests,
} from '../digests.ts'
import { nameArtifactBlob, namePartBlob } from '../blob-keys.ts'
import type { ContentRange } from '../ranges.ts'
import type { RoleKey } from '../roles/store.ts'
import type { ArtifactFile } from '../store.ts'
import { uploadNotFound } from './faults.ts'
import * as store from './store.ts'

/** Enough for 4 GiB in parts of 512 KiB. The row of an upload lists all its parts. */
const MAX_PARTS = 10_000

/** Whether the row is new, and what is there now: the file that was sent, or the same one of before. */
export interface SavedFile {
  isNew: boolean
  artifact: { blobId: string }
}

/** What an upload is to become. */
export interface UploadTarget<Saved extends SavedFile> {
  key: RoleKey
  fileName: string
  /** Makes the file the artifact, and ends the upload in parts that it completes. */
  save: (file: ArtifactFile, uploadId?: string) => Promise<Saved>
}

export interface SentPart<Saved extends SavedFile> extends UploadTarget<Saved> {
  actor: Actor
  body: Readable
  /** undefined: a range from byte 0 begins a new upload. */
  uploadId: string | undefined
  range: ContentRange
  reprDigest: string | undefined
  contentDigests: DeclaredDigest[]
}

/** `wrongOffset`: the part does not begin where the received bytes end. */
export type UploadOutcome<Saved extends SavedFile> =
  | { kind: 'incomplete' | 'wrongOffset'; upload: store.UploadRow }
  | ({ kind: 'saved' } & Saved)

export async function receivePart<Saved extends SavedFile>(
  ctx: AppContext,
  sent: SentPart<Saved>,
): Promise<UploadOutcome<Saved>> {
  const upload = await openUpload(ctx, sent)
  const { bytes } = sent.range
  if (bytes === undefined) return finish(ctx, sent, upload)
  if (bytes.start !== upload.receivedBytes) return { kind: 'wrongOffset', upload }
  if (upload.parts.length >= MAX_PARTS)
    throw invalid(`An artifact has at most ${MAX_PARTS} parts.`, '/headers/content-range')
  const { isCutOff, isSaved } = await storePart(ctx, sent, { uploadId: upload.id, ...bytes })
  const now = await findOpen(ctx, sent.key, upload.id)
  if (isCutOff)
    throw new AppError(
      'invalid',
      'upload-invalid',
      'The part was cut off. The bytes that arrived are kept.',
    )
  return isSaved ? finish(ctx, sent, now) : { kind: 'wrongOffset', upload: now }
}

async function openUpload(ctx: AppContext, sent: SentPart<SavedFile>): Promise<store.UploadRow> {
  const { key, uploadId, range, reprDigest, fileName, actor } = sent
  if (uploadId === undefined && range.bytes?.start !== 0)
    throw invalid('Send the uploadId that the first part returned.', '/query/uploadId')
  if (uploadId !== undefined) {
    const upload = await findOpen(ctx, key, uploadId)
    if (range.total !== upload.totalBytes)
      throw invalid(
        `The upload was started with ${upload.totalBytes} bytes in total.`,
        '/headers/content-range',
      )
    if (reprDigest !== undefined && reprDigest !== upload.reprDigest)
      throw invalid('The upload was started with another Repr-Digest.', '/headers/repr-digest')
    return upload
  }
  const createdAt = ctx.now()
  const opened = { id: newId(), fileName, totalBytes: range.total, reprDigest: reprDigest ?? null }
  const times = { createdAt, expiresAt: expiryAfter(createdAt) }
  const createdByEmail = actor.email ?? null
  await store.replaceUpload(ctx.db, { ...key, ...opened, ...times, createdByEmail })
  return { ...opened, ...times, receivedBytes: 0, parts: [] }
}

const expiryAfter = (instant: Date) => addDays(instant, 1)

async function findOpen(ctx: AppContext, key: RoleKey, uploadId: string) {
  const upload = await store.findUpload(ctx.db, key)
  if (upload?.id !== uploadId || upload.expiresAt <= ctx.now()) throw uploadNotFound()
  return upload
}

async function storePart(
  ctx: AppContext,
  { key: of, body, contentDigests }: SentPart<SavedFile>,
  { uploadId, start, end }: { uploadId: string; start: number; end: number },
): Promise<{ isCutOff: boolean; isSaved: boolean }> {
  const partId = newId()
  const key = namePartBlob({ ...of, uploadId, partId })
  const part = readInterruptible(body, end - start + 1)
  const { chunks, digests } = hashStream(part.chunks, listAlgorithmsToHash(contentDigests))
  let isSaved = false
  try {
    const { sizeBytes, sha256 } = await ctx.blobs.put(key, chunks)
    const isCutOff = part.isCutOff()
    if (!isCutOff) requireDigests(contentDigests, { ...digests(), sha256 })
    // The declared digest of an interrupted part cannot be checked, so its bytes are not kept.
    if (sizeBytes === 0 || (isCutOff && contentDigests.length > 0)) return { isCutOff, isSaved }
    const expiresAt = expiryAfter(ctx.now())
    isSaved = await store.appendPart(ctx.db, of, {
      uploadId,
      start,
      partId,
      sizeBytes,
      expiresAt,
    })
    return { isCutOff, isSaved }
  } finally {
    // After a database failure the row may refer to the part nevertheless.
    if (!isSaved && !(await isPartReferenced(ctx, of, { uploadId, partId })))
      await ctx.blobs.delete(key)
  }
}

async function isPartReferenced(
  ctx: AppContext,
  key: RoleKey,
  part: { uploadId: string; partId: string },
): Promise<boolean> {
  try {
    return await store.hasPart(ctx.db, key, part)
  } catch {
    // Unknown: the sweep can delete a surplus blob, but a missing one would break the upload.
    return true
  }
}

/** Ends normally when the connection breaks, so that the received bytes can be kept. */
function readInterruptible(body: Readable, length: number) {
  const wrong = (what: string) =>
    new AppError(
      'invalid',
      'artifact-part-length',
      `The part has ${what} than the ${length} bytes that Content-Range declares. Nothing of it was stored.`,
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

const createJoins = () => new Map<string, Promise<unknown>>()

/**
 * Joins the parts once all are there. To join 4 GiB may take longer than a proxy waits: whoever asks again then gets the answer of the same
 * join, and begins no second one that would slow both.
 */
async function finish<Saved extends SavedFile>(
  ctx: AppContext,
  sent: SentPart<Saved>,
  upload: store.UploadRow,
): Promise<UploadOutcome<Saved>> {
  if (upload.receivedBytes < upload.totalBytes) return { kind: 'incomplete', upload }
  const joins = ctx.memory.of(createJoins)
  // An upload is of one kind of file.
  const running = joins.get(upload.id) as Promise<UploadOutcome<Saved>> | undefined
  if (running) return running
  const joined = join(ctx, sent, upload).finally(() => joins.delete(upload.id))
  joins.set(upload.id, joined)
  return joined
}

/** Joins the parts into the artifact, then deletes them. Also deletes them when the artifact is not as declared. */
async function join<Saved extends SavedFile>(
  ctx: AppContext,
  { key: of, save }: SentPart<Saved>,
  upload: store.UploadRow,
): Promise<UploadOutcome<Saved>> {
  const declared = readDigests(upload.reprDigest ?? undefined, 'repr-digest')
  const blobId = newId()
  const key = nameArtifactBlob({ ...of, blobId })
  const algorithms = ['md5', 'sha1', ...listAlgorithmsToHash(declared)]
  const { chunks, digests } = hashStream(joinParts(ctx, of, upload), algorithms)
  try {
    const stored = await ctx.blobs.put(key, chunks)
    const { md5 = '', sha1 = '', ...others } = digests()
    requireDigests(declared, { ...others, sha256: stored.sha256 })
    const file = { blobId, fileName: upload.fileName, ...stored, md5, sha1 }
    const saved = await save(file, upload.id)
    if (saved.artifact.blobId !== blobId) await ctx.blobs.delete(key)
    await deleteParts(ctx, of, upload)
    return { kind: 'saved', ...saved }
  } catch (error) {
    if (error instanceof AppError) await discardUpload(ctx, of, { upload, key, error })
    throw error
  }
}

async function* joinParts(ctx: AppContext, version: RoleKey, upload: store.UploadRow) {
  for (const partId of upload.parts) {
    const key = namePartBlob({ ...version, uploadId: upload.id, partId })
    const part = await ctx.blobs.get(key).catch((error: unknown) => {
      // Another node has joined them meanwhile, so that the artifact is there.
      throw error instanceof AppError && error.code === 'blob-not-found' ? uploadNotFound() : error
    })
    for await (const chunk of part as AsyncIterable<Uint8Array>) yield chunk
  }
}

/** Deletes the parts, unless sending them again may succeed because storage was full or unavailable. */
async function discardUpload(
  ctx: AppContext,
  version: RoleKey,
  { upload, key, error }: { upload: store.UploadRow; key: string; error: AppError },
): Promise<void> {
  await ctx.blobs.delete(key)
  if (error.kind === 'unavailable' || error.code === uploadNotFound().code) return
  if (await store.deleteUpload(ctx.db, version, upload.id)) await deleteParts(ctx, version, upload)
}

async function deleteParts(
  ctx: AppContext,
  version: RoleKey,
  { id: uploadId, parts }: store.UploadRow,
): Promise<void> {
  for (const partId of parts) await ctx.blobs.delete(namePartBlob({ ...version, uploadId, partId }))
}

export async function getUpload(ctx: AppContext, key: RoleKey): Promise<store.UploadRow> {
  const upload = await store.findUpload(ctx.db, key)
  if (!upload || upload.expiresAt <= ctx.now()) throw uploadNotFound()
  return upload
}

/** Later parts get `artifact-upload-not-found`. */
export async function cancelUpload(ctx: AppContext, key: RoleKey): Promise<void> {
  const upload = await getUpload(ctx, key)
  if (!(await store.deleteUpload(ctx.db, key, upload.id))) throw uploadNotFound()
  await deleteParts(ctx, key, upload)
}
