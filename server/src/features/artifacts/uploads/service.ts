/** Receives the bytes of an artifact, whole or in parts. */
import type { Readable } from 'node:stream'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import { AppError, invalid } from '../../../platform/errors.ts'
import { cleanFileName } from '../../../platform/http/upload.ts'
import { newId } from '../../../platform/ids.ts'
import { getFirmwareVersion } from '../../firmware/index.ts'
import {
  listAlgorithmsToHash,
  type DeclaredDigest,
  hashStream,
  readDigests,
  requireDigests,
} from '../digests.ts'
import { requireRoom } from '../../quotas/index.ts'
import { nameArtifactBlob } from '../blob-keys.ts'
import { type PartOutcome, receivePart } from './parts-service.ts'
import { readContentRange } from '../ranges.ts'
import { saveArtifact, requireChangeable } from '../service.ts'
import type { ArtifactFile, VersionKey } from '../store.ts'

export interface PutArtifact extends VersionKey {
  actor: Actor
  headers: Record<string, string | string[] | undefined>
  body: Readable
  fileName?: string
  uploadId?: string
}

export async function putArtifact(ctx: AppContext, input: PutArtifact): Promise<PartOutcome> {
  return releaseBody(input.body, () => receive(ctx, input))
}

/** Reads the rest of a refused body: a connection with unread bytes can neither be reused nor closed. */
export async function releaseBody<Result>(
  body: Readable,
  take: () => Promise<Result>,
): Promise<Result> {
  try {
    return await take()
  } catch (error) {
    body.resume()
    throw error
  }
}

async function receive(ctx: AppContext, input: PutArtifact): Promise<PartOutcome> {
  const { workspaceId, actor, body, uploadId } = input
  const header = (name: string) => readHeader(input, name)
  requireRawBytes(header)
  const declared = readDigests(header('repr-digest'), 'repr-digest')
  const contentDigests = readDigests(header('content-digest'), 'content-digest')
  const { id, name, firmware } = await getFirmwareVersion(
    ctx.db,
    workspaceId,
    input.firmwareVersionId,
  )
  const version = { workspaceId, firmwareVersionId: id }
  const current = await requireChangeable(ctx.db, version, declared)
  const named = `${firmware.slug}-${name}.bin`.replaceAll(/[/\\]/g, '-')
  const fileName = cleanFileName(input.fileName ?? current?.fileName, cleanFileName(named))
  const sent = { version, actor, body, fileName }
  const contentRange = header('content-range')
  const range = contentRange === undefined ? undefined : readContentRange(contentRange)
  const { artifactBytes } = ctx.config
  const totalBytes = range?.total ?? Number(header('content-length') ?? 1)
  if (totalBytes > artifactBytes) throw tooLarge(artifactBytes)
  await requireRoom(ctx, { workspaceId, bytes: totalBytes - (current?.sizeBytes ?? 0) })
  if (!range) {
    const digests = [...declared, ...contentDigests]
    const save = (file: ArtifactFile) => saveArtifact(ctx, { version, file, actor })
    return { kind: 'saved', ...(await storeWhole(ctx, sent, digests, save)) }
  }
  const reprDigest = header('repr-digest')
  return receivePart(ctx, { ...sent, range, uploadId, reprDigest, contentDigests })
}

function readHeader({ headers }: Pick<PutArtifact, 'headers'>, name: string): string | undefined {
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

interface Whole {
  version: VersionKey
  body: Readable
  fileName: string
}

/** Stores the bytes, and deletes them if `save` does not keep them. */
async function storeWhole<Saved extends { artifact: { blobId: string } }>(
  ctx: AppContext,
  { version, body, fileName }: Whole,
  declared: readonly DeclaredDigest[],
  save: (file: ArtifactFile) => Promise<Saved>,
): Promise<Saved> {
  const blobId = newId()
  const key = nameArtifactBlob({ ...version, blobId })
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

export interface SentFile extends Whole {
  headers: PutArtifact['headers']
  /** The size of the file that it replaces. */
  replacedBytes: number
}

/** Receives a file that is sent in one piece. `save` says what it is. */
export async function receiveFile<Saved extends { artifact: { blobId: string } }>(
  ctx: AppContext,
  { headers, replacedBytes, ...file }: SentFile & { version: { workspaceId: string } },
  save: (file: ArtifactFile) => Promise<Saved>,
): Promise<Saved> {
  const header = (name: string) => readHeader({ headers }, name)
  requireRawBytes(header)
  if (header('content-range') !== undefined)
    throw invalid('Only the full image can be sent in parts.', '/headers/content-range')
  const declared = [
    ...readDigests(header('repr-digest'), 'repr-digest'),
    ...readDigests(header('content-digest'), 'content-digest'),
  ]
  const totalBytes = Number(header('content-length') ?? 1)
  const { artifactBytes } = ctx.config
  if (totalBytes > artifactBytes) throw tooLarge(artifactBytes)
  const { workspaceId } = file.version
  await requireRoom(ctx, { workspaceId, bytes: totalBytes - replacedBytes })
  return storeWhole(ctx, file, declared, save)
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
