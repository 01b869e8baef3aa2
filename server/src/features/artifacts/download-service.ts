/** Sends an artifact, whole or a range of it. A slow device holds no database connection while it reads. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { formatAttachmentHeader } from '../../platform/blobs/content-disposition.ts'
import type { AppContext } from '../../platform/context.ts'
import { AppError } from '../../platform/errors.ts'
import { isKnownTag } from '../../platform/http/entity-tags.ts'
import { isUuid } from '../../platform/ids.ts'
import { formatDigestHeader } from './digests.ts'
import { nameArtifactBlob } from './blob-keys.ts'
import { type ArtifactLink, isUpdateSecret } from './download-link.ts'
import { readRequestedRange } from './ranges.ts'
import { findArtifactOfUpdate } from './store.ts'

export interface SentArtifact {
  workspaceId: string
  firmwareVersionId: string
  blobId: string
  fileName: string
  sizeBytes: number
  sha256: string
}

/** RFC 9110, section 14.2: ranges apply to GET only. If-Range with a date never matches, as there is no Last-Modified. */
function appliesTo(tag: string, condition: string | string[] | undefined): boolean {
  return condition === undefined || condition === tag
}

/** Answers GET and HEAD, also with a range (RFC 9110, sections 13 and 14). The entity tag is the SHA-256. */
export async function sendArtifact(
  ctx: Pick<AppContext, 'blobs'>,
  request: FastifyRequest,
  reply: FastifyReply,
  artifact: SentArtifact,
): Promise<FastifyReply> {
  const { sizeBytes, sha256, fileName } = artifact
  const { 'if-none-match': known, 'if-range': condition, range: asked } = request.headers
  const tag = `"${sha256}"`
  const isKnown = isKnownTag(known, tag)
  const isPartial = request.method === 'GET' && appliesTo(tag, condition)
  const range = isKnown ? 'all' : readRequestedRange(isPartial ? asked : undefined, sizeBytes)
  if (range === 'unsatisfiable') throw unsatisfiable(reply, sizeBytes)
  const part = range === 'all' ? undefined : range
  const isEmpty = isKnown || request.method === 'HEAD'
  // Opened before the content headers are set: a problem response must not carry them.
  const content = isEmpty ? undefined : await ctx.blobs.get(nameArtifactBlob(artifact), part)
  void reply
    .header('accept-ranges', 'bytes')
    .header('etag', tag)
    .header('repr-digest', formatDigestHeader(sha256))
    // Compression by a proxy would break ranges and digests.
    .header('cache-control', 'private, no-transform')
    .header('content-disposition', formatAttachmentHeader(fileName))
  if (isKnown) return reply.code(304).send()
  const { start, end } = part ?? { start: 0, end: sizeBytes - 1 }
  if (part) void reply.code(206).header('content-range', `bytes ${start}-${end}/${sizeBytes}`)
  return reply
    .header('content-length', end - start + 1)
    .type('application/octet-stream')
    .send(content)
}

function unsatisfiable(reply: FastifyReply, sizeBytes: number): AppError {
  void reply.header('content-range', `bytes */${sizeBytes}`)
  return new AppError(
    'rangeNotSatisfiable',
    'range-not-satisfiable',
    `The file has ${sizeBytes} bytes.`,
  )
}

/** Gives the same problem for a wrong secret, a finished update and an unknown one, so that links cannot be probed. */
export async function findLinkedArtifact(
  ctx: Pick<AppContext, 'db' | 'signingKey'>,
  { secret, ...link }: ArtifactLink & { secret: string },
): Promise<SentArtifact> {
  const isValid =
    isUuid(link.workspaceId) &&
    isUuid(link.updateId) &&
    isUpdateSecret(ctx.signingKey, link, secret)
  const artifact = isValid ? await findArtifactOfUpdate(ctx.db, link) : undefined
  if (!artifact)
    throw new AppError(
      'notFound',
      'artifact-not-found',
      'This link is not valid, or its device update has finished.',
    )
  return artifact
}
