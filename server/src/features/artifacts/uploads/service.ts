/** Takes the bytes of an artifact as they arrive, whole or a part of them. */
import type { Readable } from 'node:stream'
import type { Actor } from '../../../platform/actor.ts'
import type { AppContext } from '../../../platform/context.ts'
import { AppError } from '../../../platform/errors.ts'
import { safeFileName } from '../../../platform/http/upload.ts'
import { newId } from '../../../platform/ids.ts'
import { getFirmwareVersion } from '../../firmware/index.ts'
import {
  algorithmsOf,
  type DeclaredDigest,
  digesting,
  readDigests,
  requireDigests,
} from '../digests.ts'
import { artifactKey } from '../blob-keys.ts'
import { type PartOutcome, receivePart } from './parts-service.ts'
import { readSentRange } from '../ranges.ts'
import { keepArtifact, refuseDeployed } from '../service.ts'
import type { OfVersion } from '../store.ts'

export interface PutArtifact extends OfVersion {
  actor: Actor
  headers: Record<string, string | string[] | undefined>
  body: Readable
  fileName?: string
  uploadId?: string
}

export async function putArtifact(ctx: AppContext, input: PutArtifact): Promise<PartOutcome> {
  try {
    return await receive(ctx, input)
  } catch (error) {
    // What is left is thrown away: a connection with unread bytes can neither be used again nor end.
    input.body.resume()
    throw error
  }
}

async function receive(ctx: AppContext, input: PutArtifact): Promise<PartOutcome> {
  const { workspaceId, actor, body, uploadId } = input
  const header = (name: string) => headerOf(input, name)
  requireRawBytes(header)
  const declared = readDigests(header('repr-digest'), 'repr-digest')
  const ofContent = readDigests(header('content-digest'), 'content-digest')
  const { id, name, firmware } = await getFirmwareVersion(
    ctx.db,
    workspaceId,
    input.firmwareVersionId,
  )
  const of = { workspaceId, firmwareVersionId: id }
  const current = await refuseDeployed(ctx.db, of, declared)
  const named = `${firmware.slug}-${name}.bin`.replaceAll(/[/\\]/g, '-')
  const fileName = safeFileName(input.fileName ?? current?.fileName, safeFileName(named))
  const sent = { of, actor, body, fileName }
  const contentRange = header('content-range')
  const range = contentRange === undefined ? undefined : readSentRange(contentRange)
  const { artifactBytes } = ctx.config
  if ((range?.total ?? Number(header('content-length') ?? 0)) > artifactBytes)
    throw tooLarge(artifactBytes)
  if (!range) return receiveWhole(ctx, sent, [...declared, ...ofContent])
  const reprDigest = header('repr-digest')
  return receivePart(ctx, { ...sent, range, uploadId, reprDigest, ofContent })
}

function headerOf({ headers }: PutArtifact, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** What arrives is what devices get: nothing is unpacked, and a form is no firmware. */
function requireRawBytes(header: (name: string) => string | undefined): void {
  const encoding = header('content-encoding')?.trim().toLowerCase() ?? ''
  if (encoding !== '' && encoding !== 'identity')
    throw new AppError(
      'unsupportedMediaType',
      'unsupported-media-type',
      'Send the artifact without Content-Encoding, byte by byte as devices are to get it.',
    )
  const type = header('content-type') ?? ''
  if (/^\s*(multipart\/|application\/x-www-form-urlencoded)/i.test(type))
    throw new AppError(
      'unsupportedMediaType',
      'unsupported-media-type',
      `The content type ${JSON.stringify(type)} is not taken here. Send the raw bytes as application/octet-stream (curl: -T FILE -H 'content-type: application/octet-stream').`,
    )
}

interface Whole {
  of: OfVersion
  actor: Actor
  body: Readable
  fileName: string
}

async function receiveWhole(
  ctx: AppContext,
  { of, actor, body, fileName }: Whole,
  declared: readonly DeclaredDigest[],
): Promise<PartOutcome> {
  const blobId = newId()
  const key = artifactKey({ ...of, blobId })
  const algorithms = ['md5', 'sha1', ...algorithmsOf(declared)]
  const { chunks, digests } = digesting(readBody(body, ctx.config.artifactBytes), algorithms)
  try {
    const stored = await ctx.blobs.put(key, chunks)
    if (stored.sizeBytes === 0)
      throw new AppError('invalid', 'upload-invalid', 'An empty file is no artifact.')
    const { md5 = '', sha1 = '', ...others } = digests()
    requireDigests(declared, { ...others, sha256: stored.sha256 })
    const file = { blobId, fileName, ...stored, md5, sha1 }
    const kept = await keepArtifact(ctx, { of, file, actor })
    if (kept.artifact.blobId !== blobId) await ctx.blobs.delete(key)
    return { kind: 'kept', ...kept }
  } catch (error) {
    // After any other failure the commit may have happened all the same; the sweep tells by the rows.
    if (error instanceof AppError) await ctx.blobs.delete(key)
    throw error
  }
}

/** The request stays open when this ends early: it still has to be answered. */
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
    `The artifact is larger than the ${Math.floor(bytes / MEBIBYTE)} MiB it may have.`,
  )
