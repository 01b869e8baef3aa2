/** Sends an artifact, whole or ranges of it. A slow device holds no database connection while it reads. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { asking } from '../../platform/asking.ts'
import { formatAttachmentHeader } from '../../platform/blobs/content-disposition.ts'
import type { AppContext } from '../../platform/context.ts'
import type { Db } from '../../platform/db/connect.ts'
import { AppError } from '../../platform/errors.ts'
import { isKnownTag } from '../../platform/http/entity-tags.ts'
import { isUuid } from '../../platform/ids.ts'
import { formatDigestHeader } from './digests.ts'
import { nameArtifactBlob } from './blob-keys.ts'
import { type ArtifactLink, isUpdateSecret } from './download-link.ts'
import { openByteRanges, planByteRanges } from './byteranges.ts'
import type { DownloadPace } from './download-rate.ts'
import { lookUpInTurn, sendInTurns } from './download-turns-service.ts'
import { type ByteRange, MAX_RANGES, readRequestedRanges } from './ranges.ts'
import { findRoleArtifactOfUpdate } from './roles/store.ts'
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

/** `pace` is that of a device; people and programs of the API have none. */
interface Sending {
  request: FastifyRequest
  reply: FastifyReply
  pace?: DownloadPace
}

/** Answers GET and HEAD, also with ranges (RFC 9110, sections 13 and 14). The entity tag is the SHA-256. */
export async function sendArtifact(
  ctx: Pick<AppContext, 'blobs'>,
  { request, reply, pace }: Sending,
  artifact: SentArtifact,
): Promise<FastifyReply> {
  const { sizeBytes, sha256, fileName } = artifact
  const { 'if-none-match': known, 'if-range': condition, range: asked } = request.headers
  const tag = `"${sha256}"`
  const isKnown = isKnownTag(known, tag)
  const isPartial = !isKnown && request.method === 'GET' && appliesTo(tag, condition)
  const ranges = readRequestedRanges(isPartial ? asked : undefined, sizeBytes)
  if (ranges === 'unsatisfiable' || ranges === 'tooMany') throw refuse(reply, ranges, sizeBytes)
  const isEmpty = isKnown || request.method === 'HEAD'
  // Opened before the content headers are set: a problem response must not carry them.
  const { content, headers } = isEmpty
    ? { content: undefined, headers: describeContent('all', sizeBytes) }
    : await openContent(ctx, artifact, ranges)
  void reply
    .header('accept-ranges', 'bytes')
    .header('etag', tag)
    .header('repr-digest', formatDigestHeader(sha256))
    // Compression by a proxy would break ranges and digests.
    .header('cache-control', 'private, no-transform')
    .header('content-disposition', formatAttachmentHeader(fileName))
  if (isKnown) return reply.code(304).send()
  return reply
    .code(ranges === 'all' ? 200 : 206)
    .headers(headers)
    .send(content && sendInTurns(content, { workspaceId: artifact.workspaceId, pace }))
}

/** One range is sent as it is, as section 15.3.7.2 asks; several in parts. */
async function openContent(
  { blobs }: Pick<AppContext, 'blobs'>,
  artifact: SentArtifact,
  ranges: readonly ByteRange[] | 'all',
) {
  const { sizeBytes } = artifact
  const open = (range?: ByteRange) => blobs.get(nameArtifactBlob(artifact), range)
  if (ranges === 'all' || ranges.length === 1) {
    const [range] = ranges === 'all' ? [] : ranges
    return { content: await open(range), headers: describeContent(range ?? 'all', sizeBytes) }
  }
  const form = planByteRanges(ranges, sizeBytes)
  return {
    content: await openByteRanges(form, open),
    headers: { 'content-type': form.contentType, 'content-length': form.contentLength },
  }
}

function describeContent(range: ByteRange | 'all', sizeBytes: number) {
  const type = { 'content-type': 'application/octet-stream' }
  if (range === 'all') return { ...type, 'content-length': sizeBytes }
  const { start, end } = range
  const place = { 'content-range': `bytes ${start}-${end}/${sizeBytes}` }
  return { ...type, ...place, 'content-length': end - start + 1 }
}

/**
 * Too many ranges are refused with 416, as RFC 9110, section 15.5.17, allows. The whole file would cost a device dearly that
 * asked for little.
 */
function refuse(
  reply: FastifyReply,
  why: 'unsatisfiable' | 'tooMany',
  sizeBytes: number,
): AppError {
  void reply.header('content-range', `bytes */${sizeBytes}`)
  return why === 'tooMany'
    ? new AppError(
        'rangeNotSatisfiable',
        'too-many-ranges',
        `The request asks for more than ${MAX_RANGES} ranges. Ask for the others in further requests.`,
      )
    : new AppError(
        'rangeNotSatisfiable',
        'range-not-satisfiable',
        `The file has ${sizeBytes} bytes.`,
      )
}

/** Gives the same problem for a wrong secret, a finished update and an unknown one, so that links cannot be probed. */
const linkNotFound = () =>
  new AppError(
    'notFound',
    'artifact-not-found',
    'This link is not valid, or its device update has finished.',
  )

type SignedLink = ArtifactLink & { secret: string }

/** Before anything is read. */
export function requireLink(
  { signingKey }: Pick<AppContext, 'signingKey'>,
  { secret, ...link }: SignedLink,
): void {
  const isValid =
    isUuid(link.workspaceId) && isUuid(link.updateId) && isUpdateSecret(signingKey, link, secret)
  if (!isValid) throw linkNotFound()
}

export async function findLinkedArtifact(
  { db }: Pick<AppContext, 'db'>,
  link: ArtifactLink,
): Promise<SentArtifact> {
  const { workspaceId } = link
  // The link is that of a device of this workspace, which takes its turns like those at the other doors.
  const artifact = await asking.run({ workspaceId }, () =>
    lookUpInTurn(workspaceId, () => findOfUpdate(db, link)),
  )
  if (!artifact) throw linkNotFound()
  return artifact
}

async function findOfUpdate(db: Db, { artifactId, ...link }: ArtifactLink) {
  if (artifactId === undefined) return findArtifactOfUpdate(db, link)
  return isUuid(artifactId) ? findRoleArtifactOfUpdate(db, { ...link, artifactId }) : undefined
}
