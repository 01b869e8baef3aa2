/** The requests of an upload in parts, and what their answers mean. */
import {
  ApiProblem,
  readFailure,
  type RoleArtifact,
  UnexpectedAnswer,
  type UnfinishedUpload,
} from '@plimsoll/api-client'
import { api } from '../../api.ts'
import { createSha256 } from '../uploads/sha256.ts'

/** Which file of which version. */
export interface UploadPlace {
  workspaceId: string
  versionId: string
  role: string
  baseVersionId: string | null
  /** Of the version that a delta begins with. */
  baseVersion: string | null
}

export interface StatedUpload {
  place: UploadPlace
  file: File
  /** What it is called on devices. */
  fileName: string
  /** The upload that it is to continue; else it begins, and takes the place of another of the same file. */
  continued?: UnfinishedUpload
}

const PART_BYTES = 8 * 1024 * 1024
const READ_BYTES = 1024 * 1024

/** Where the next part begins; without an id the upload begins. */
export interface Next {
  uploadId: string | undefined
  offset: number
}

const VERSION = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}' as const

const isOf = (
  { role, baseVersionId }: UploadPlace,
  one: Pick<RoleArtifact, 'role' | 'baseVersionId'>,
) => one.role === role && one.baseVersionId === baseVersionId

interface SoughtUpload {
  stated: StatedUpload
  sha256: string
  hasBegun: boolean
}

/** Asks what the service has: the file itself, or parts of it. */
export async function findPlace(located: SoughtUpload): Promise<Next | 'present'> {
  const { stated, sha256 } = located
  const { place, fileName } = stated
  const { workspaceId, versionId: firmwareVersionId } = place
  const params = { workspaceId, firmwareVersionId }
  const { artifacts, uploads } = await api.get(`${VERSION}/artifacts`, { params })
  const present = artifacts.find((one) => isOf(place, one))
  if (present?.sha256 === sha256 && present.fileName === fileName) return 'present'
  const upload = uploads.find((one) => isOf(place, one))
  if (!upload) return START
  if (isSameFile(upload, located))
    return { uploadId: upload.uploadId, offset: upload.receivedBytes }
  refuseOther(upload, located)
  return START
}

const START: Next = { uploadId: undefined, offset: 0 }

export const isSameFile = (
  { reprDigest, totalBytes, fileName }: UnfinishedUpload,
  { stated, sha256 }: Pick<SoughtUpload, 'stated' | 'sha256'>,
) =>
  reprDigest === formatDigest(sha256) &&
  totalBytes === stated.file.size &&
  fileName === stated.fileName

/** An upload that begins takes the place of another, as the form says; one that goes on does not. */
function refuseOther(upload: UnfinishedUpload, { stated, hasBegun }: SoughtUpload): void {
  const { file, continued } = stated
  if (continued && upload.uploadId === continued.uploadId)
    throw new Error(
      `${file.name} is another file than the one whose upload began: its bytes differ. Discard this row, and choose the right one; what arrived of the other stays.`,
    )
  if (hasBegun || continued)
    throw new Error(
      `Somebody has begun another upload in its place: ${upload.fileName}. Discard one of the two.`,
    )
}

function formatDigest(sha256: string): string {
  const bytes = sha256.match(/../g) ?? []
  const text = bytes.map((pair) => String.fromCodePoint(Number.parseInt(pair, 16))).join('')
  return `sha-256=:${btoa(text)}:`
}

export async function hashFile(
  file: File,
  signal: AbortSignal,
  onRead: (bytes: number) => void,
): Promise<string> {
  const hash = createSha256()
  for (let start = 0; start < file.size; start += READ_BYTES) {
    signal.throwIfAborted()
    hash.update(await readPiece(file, start, start + READ_BYTES))
    onRead(Math.min(start + READ_BYTES, file.size))
  }
  return hash.digest()
}

class FileGone extends Error {}

/** Fails where the file changed or went away since it was chosen. */
async function readPiece(file: File, start: number, end: number): Promise<Uint8Array> {
  try {
    return new Uint8Array(await file.slice(start, end).arrayBuffer())
  } catch {
    throw new FileGone(
      `${file.name} was changed or moved on this computer since you chose it. Discard this row, and choose it again.`,
    )
  }
}

interface SentPart extends Next {
  sha256: string
}

export async function sendPart(
  { place, file, fileName }: StatedUpload,
  { uploadId, offset, sha256 }: SentPart,
  watched: Watched,
): Promise<Next | 'saved'> {
  const end = Math.min(offset + PART_BYTES, file.size)
  // Read first: a request whose file is gone fails as if the connection were lost.
  const part = await readPiece(file, offset, end)
  const range = end === offset ? '*' : `${offset}-${end - 1}`
  const request = new XMLHttpRequest()
  request.open('PUT', buildUrl(place, { fileName, uploadId }))
  request.setRequestHeader('content-type', 'application/octet-stream')
  request.setRequestHeader('content-range', `bytes ${range}/${file.size}`)
  request.setRequestHeader('repr-digest', formatDigest(sha256))
  const response = await send(request, part, watched)
  if (response.status === 200 || response.status === 201) return 'saved'
  if (response.status === 202) {
    const upload = (await response.json()) as { uploadId: string; receivedBytes: number }
    return { uploadId: upload.uploadId, offset: upload.receivedBytes }
  }
  const present = response.headers.get('upload-offset')
  if (response.status === 409 && present !== null) return { uploadId, offset: Number(present) }
  throw await readFailure(response)
}

function buildUrl(
  { workspaceId, versionId, role, baseVersionId }: UploadPlace,
  { fileName, uploadId }: { fileName: string; uploadId: string | undefined },
): string {
  const query = new URLSearchParams({
    fileName,
    ...(baseVersionId !== null && { baseVersionId }),
    ...(uploadId !== undefined && { uploadId }),
  })
  const file = role === 'image' ? 'artifact' : `artifacts/${encodeURIComponent(role)}`
  return `/workspaces/${workspaceId}/firmware-versions/${versionId}/${file}?${query.toString()}`
}

interface Watched {
  signal: AbortSignal
  onSent: (bytes: number) => void
}

/** By XMLHttpRequest, as fetch tells no progress of what it sends. */
async function send(
  request: XMLHttpRequest,
  body: Uint8Array,
  { signal, onSent }: Watched,
): Promise<Response> {
  const stop = () => request.abort()
  signal.addEventListener('abort', stop)
  try {
    await new Promise<void>((resolve, reject) => {
      request.upload.addEventListener('progress', ({ loaded }) => onSent(loaded))
      request.addEventListener('load', () => resolve())
      for (const event of ['error', 'abort', 'timeout'])
        request.addEventListener(event, () => reject(new TypeError('The connection broke.')))
      request.send(new Blob([body as Uint8Array<ArrayBuffer>]))
    })
  } finally {
    signal.removeEventListener('abort', stop)
  }
  const headers = new Headers()
  for (const name of ['content-type', 'upload-offset']) {
    const value = request.getResponseHeader(name)
    if (value !== null) headers.set(name, value)
  }
  return new Response(request.responseText, { status: request.status, headers })
}

/** Whether it may go on by itself: the connection broke, or the service is away or overloaded. */
export function isPassing(error: unknown): boolean {
  if (error instanceof UnexpectedAnswer) return error.status >= 500
  if (!(error instanceof ApiProblem)) return error instanceof TypeError
  const { status, type } = error.problem
  // The upload ended or expired meanwhile: asking again tells what is there now.
  return status >= 500 || status === 429 || type.endsWith('/artifact-upload-not-found')
}

/** Deletes what has arrived of the upload that is meant, and not of one that somebody else began in its place. */
export async function deleteUpload(
  place: UploadPlace,
  isMeant: (upload: UnfinishedUpload) => boolean,
): Promise<void> {
  const { workspaceId, versionId: firmwareVersionId, role, baseVersionId } = place
  const params = { workspaceId, firmwareVersionId }
  const { uploads } = await api.get(`${VERSION}/artifacts`, { params })
  if (!uploads.some((one) => isOf(place, one) && isMeant(one))) return
  const gone = (error: unknown) => {
    const isGone =
      error instanceof ApiProblem && error.problem.type.endsWith('/artifact-upload-not-found')
    if (!isGone) throw error
  }
  if (role === 'image') await api.delete(`${VERSION}/artifact/upload`, { params }).catch(gone)
  else
    await api
      .delete(`${VERSION}/artifacts/{role}/upload`, {
        params: { ...params, role },
        query: { ...(baseVersionId !== null && { baseVersionId }) },
      })
      .catch(gone)
}
