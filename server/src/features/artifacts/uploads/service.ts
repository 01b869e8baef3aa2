/** Receives the bytes of an artifact, whole or in parts. */
import type { Readable } from 'node:stream'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { cleanFileName } from '../../../platform/http/upload.ts'
import { newId } from '../../../platform/ids.ts'
import {
  listAlgorithmsToHash,
  type DeclaredDigest,
  hashStream,
  readDigests,
  requireDigests,
} from '../digests.ts'
import { requireRoom } from '../../quotas/index.ts'
import { nameArtifactBlob } from '../blob-keys.ts'
import { readContentRange } from '../ranges.ts'
import {
  receivePart,
  type SavedFile,
  type UploadOutcome,
  type UploadTarget,
} from './parts-service.ts'

export interface SentUpload {
  actor: Actor
  headers: Record<string, string | string[] | undefined>
  body: Readable
  /** As the sender states it. */
  fileName?: string
  uploadId?: string
}

export interface Destination<Saved extends SavedFile> extends Omit<
  UploadTarget<Saved>,
  'fileName'
> {
  /** What is there and would be replaced. */
  current: { fileName: string; sizeBytes: number } | undefined
  /** What the file is called if neither its sender nor the present one says it. */
  defaultName: string
}

/** Receives a file, whole or a part of it. `find` says what it is to become, or refuses it. */
export async function receiveUpload<Saved extends SavedFile>(
  ctx: AppContext,
  sent: SentUpload,
  find: (declared: readonly DeclaredDigest[]) => Promise<Destination<Saved>>,
): Promise<UploadOutcome<Saved>> {
  try {
    return await receive(ctx, sent, find)
  } catch (error) {
    // A connection with unread bytes can neither be reused nor closed.
    sent.body.resume()
    throw error
  }
}

async function receive<Saved extends SavedFile>(
  ctx: AppContext,
  sent: SentUpload,
  find: (declared: readonly DeclaredDigest[]) => Promise<Destination<Saved>>,
): Promise<UploadOutcome<Saved>> {
  const header = (name: string) => readHeader(sent, name)
  requireRawBytes(header)
  const declared = readDigests(header('repr-digest'), 'repr-digest')
  const contentDigests = readDigests(header('content-digest'), 'content-digest')
  const { key, save, current, defaultName } = await find(declared)
  const named = cleanFileName(defaultName.replaceAll(/[/\\]/g, '-'))
  const fileName = cleanFileName(sent.fileName ?? current?.fileName, named)
  const contentRange = header('content-range')
  const range = contentRange === undefined ? undefined : readContentRange(contentRange)
  const totalBytes = range?.total ?? Number(header('content-length') ?? 1)
  if (totalBytes > ctx.config.artifactBytes) throw tooLarge(ctx.config.artifactBytes)
  const { workspaceId } = key
  await requireRoom(ctx, { workspaceId, bytes: totalBytes - (current?.sizeBytes ?? 0) })
  const target = { key, save, fileName }
  const { body, actor, uploadId } = sent
  if (!range) {
    const saved = await storeWhole(ctx, { ...target, body }, [...declared, ...contentDigests])
    return { kind: 'saved', ...saved }
  }
  const reprDigest = header('repr-digest')
  return receivePart(ctx, { ...target, body, actor, range, uploadId, reprDigest, contentDigests })
}

function readHeader({ headers }: Pick<SentUpload, 'headers'>, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** Devices get exactly the received bytes, so encodings and forms are refused. */
function requireRawBytes(header: (name: string) => string | undefined): void {
  const encoding = header('content-encoding')?.trim().toLowerCase() ?? ''
  if (encoding !== '' && encoding !== 'identity')
    throw new AppError(
      'unsupportedMediaType',
      'unsupported-media-type',
      'Send the artifact without Content-Encoding: devices get exactly these bytes.',
    )
  const type = header('content-type') ?? ''
  if (/^\s*(multipart\/|application\/x-www-form-urlencoded)/i.test(type))
    throw new AppError(
      'unsupportedMediaType',
      'unsupported-media-type',
      `The content type ${JSON.stringify(type)} is not supported here. Send the raw bytes as application/octet-stream (curl: -T FILE -H 'content-type: application/octet-stream').`,
    )
}

/** Stores the bytes, and deletes them if `save` does not keep them. */
async function storeWhole<Saved extends SavedFile>(
  ctx: AppContext,
  { key: of, body, fileName, save }: UploadTarget<Saved> & { body: Readable },
  declared: readonly DeclaredDigest[],
): Promise<Saved> {
  const blobId = newId()
  const key = nameArtifactBlob({ ...of, blobId })
  const algorithms = ['md5', 'sha1', ...listAlgorithmsToHash(declared)]
  const { chunks, digests } = hashStream(readBody(body, ctx.config.artifactBytes), algorithms)
  try {
    const stored = await ctx.blobs.put(key, chunks)
    if (stored.sizeBytes === 0)
      throw new AppError('invalid', 'upload-invalid', 'An artifact must not be empty.')
    const { md5 = '', sha1 = '', ...others } = digests()
    requireDigests(declared, { ...others, sha256: stored.sha256 })
    const saved = await save({ blobId, fileName, ...stored, md5, sha1 })
    if (saved.artifact.blobId !== blobId) await ctx.blobs.delete(key)
    return saved
  } catch (error) {
    // After any other failure the transaction may have committed. The sweep deletes the blob if no row refers to it.
    if (error instanceof AppError) await ctx.blobs.delete(key)
    throw error
  }
}

/** Keeps the request open when it stops early, so that it can be answered. */
async function* readBody(body: Readable, mostBytes: number): AsyncGenerator<Uint8Array, void> {
  let received = 0
  try {
    const source: AsyncIterable<Uint8Array> = body.iterator({ destroyOnReturn: false })
    for await (const chunk of source) {
      received += chunk.byteLength
      if (received > mostBytes) throw tooLarge(mostBytes)
      yield chunk
    }
  } catch (error) {
    if (error instanceof AppError) throw error
    throw new AppError('invalid', 'upload-invalid', 'The body was cut off.')
  }
}

const MEBIBYTE = 1024 * 1024

const tooLarge = (bytes: number) =>
  new AppError(
    'tooLarge',
    'upload-too-large',
    `The artifact is larger than the limit of ${Math.floor(bytes / MEBIBYTE)} MiB.`,
  )
