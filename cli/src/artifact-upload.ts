/** Uploads a file of any size in parts. Continues an upload that was interrupted, also one of another process. */
import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ApiProblem,
  type Artifact,
  type ArtifactUpload as UploadState,
  readFailure,
  type RoleArtifact,
} from '../../api-client/src/index.ts'
import { CliError } from './failure.ts'
import { EXIT } from './exit-codes.ts'
import type { UploadFile } from './multipart.ts'
import { withRetries } from './retry.ts'
import type { Session } from './session.ts'
import { type OnSent, UNBUFFERED } from './upload.ts'

export interface ArtifactUpload {
  firmwareVersionId: string
  /** undefined: the full image. */
  role: string | undefined
  /** Of a delta: the version that a device has to run. */
  baseVersionId: string | undefined
  file: UploadFile
  partBytes: number
  onSent: OnSent
}

type Uploaded = Artifact | RoleArtifact

interface FileToUpload extends ArtifactUpload {
  session: Session
  sha256: string
}

/** Where the next part begins. Without an id the upload has not begun yet. */
interface Place {
  uploadId: string | undefined
  offset: number
}

const START: Place = { uploadId: undefined, offset: 0 }
/** Attempts in a row without progress; the wait grows with each. */
const MOST_FAILURES = 5
const FIRST_DELAY_MS = 500

export async function uploadArtifact(session: Session, upload: ArtifactUpload): Promise<Uploaded> {
  const sending = { ...upload, session, sha256: await hashFile(upload.file.path) }
  const { file, onSent } = upload
  let place: Place | undefined
  let furthest = -1
  for (let failures = 0; failures < MOST_FAILURES;) {
    const step = place ? sendPart(sending, place) : locate(sending)
    const outcome = await step.catch((error: unknown) => asLost(error, failures))
    if ('artifact' in outcome) return outcome.artifact
    place = outcome.place
    if (place && place.offset > furthest) {
      failures = 0
      furthest = place.offset
      onSent(furthest, file.sizeBytes)
    } else {
      failures += 1
      await sleep(FIRST_DELAY_MS * 2 ** failures)
    }
  }
  throw new CliError(
    EXIT.unavailable,
    `The service accepted no more of ${file.path} after ${furthest} bytes.`,
  )
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  const content: AsyncIterable<Buffer> = createReadStream(path)
  for await (const chunk of content) hash.update(chunk)
  return hash.digest('hex')
}

const formatReprDigest = (sha256: string) =>
  `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`

const IMAGE = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/artifact'
const ROLES = '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/artifacts'
const IMAGE_UPLOAD =
  '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/artifact/upload'
const ROLE_UPLOAD =
  '/workspaces/{workspaceId}/firmware-versions/{firmwareVersionId}/artifacts/{role}/upload'

async function findArtifact({
  session,
  firmwareVersionId,
  role,
  baseVersionId,
}: FileToUpload): Promise<Uploaded | undefined> {
  const { client, workspaceId } = session
  const params = { workspaceId, firmwareVersionId }
  if (role === undefined) return unlessMissing('artifact-not-found', client.get(IMAGE, { params }))
  const { artifacts } = await client.get(ROLES, { params })
  return artifacts.find((one) => one.role === role && one.baseVersionId === (baseVersionId ?? null))
}

/** The unfinished upload of the same bytes under the same name; uploads of other files are not continued. */
async function findPlace(sending: FileToUpload): Promise<Place> {
  const { file, sha256 } = sending
  const upload = await unlessMissing('artifact-upload-not-found', findUpload(sending))
  const isSame =
    upload?.reprDigest === formatReprDigest(sha256) &&
    upload.totalBytes === file.sizeBytes &&
    upload.fileName === file.name
  return isSame ? { uploadId: upload.uploadId, offset: upload.receivedBytes } : START
}

async function findUpload({ session, firmwareVersionId, role, baseVersionId }: FileToUpload) {
  const { client, workspaceId } = session
  const params = { workspaceId, firmwareVersionId }
  if (role === undefined) return client.get(IMAGE_UPLOAD, { params })
  const query = { ...(baseVersionId !== undefined && { baseVersionId }) }
  return client.get(ROLE_UPLOAD, { params: { ...params, role }, query })
}

async function unlessMissing<Found>(
  slug: string,
  found: Promise<Found>,
): Promise<Found | undefined> {
  return found.catch((error: unknown) => {
    if (error instanceof ApiProblem && error.problem.type.endsWith(`/${slug}`)) return undefined
    throw error
  })
}

/** undefined: ask the service for the position. */
type Outcome = { artifact: Uploaded } | { place: Place | undefined }

/** After a broken connection or a service that is away, continues from the position that the service reports. */
function asLost(error: unknown, failures: number): Outcome {
  const isAway = error instanceof CliError && error.exitCode === EXIT.unavailable
  const isGone =
    error instanceof ApiProblem &&
    (error.problem.status >= 500 || error.problem.type.endsWith('/artifact-upload-not-found'))
  if ((isAway || isGone) && failures + 1 < MOST_FAILURES) return { place: undefined }
  throw error
}

/** Whether the service already has the file, so that nothing needs to be sent. */
async function locate(sending: FileToUpload): Promise<Outcome> {
  const artifact = await findArtifact(sending)
  const { sha256, file } = sending
  if (artifact?.sha256 === sha256 && artifact.fileName === file.name) return { artifact }
  return { place: await findPlace(sending) }
}

async function sendPart(sending: FileToUpload, place: Place): Promise<Outcome> {
  const { file, partBytes, sha256, onSent } = sending
  const { offset, uploadId } = place
  const total = file.sizeBytes
  const end = Math.min(offset + partBytes, total)
  const isWhole = offset === 0 && end === total
  const url = buildUrl(sending, uploadId)
  const range = end === offset ? '*' : `${offset}-${end - 1}`
  const headers = {
    authorization: `Bearer ${sending.session.apiKey}`,
    'content-type': 'application/octet-stream',
    'content-length': String(end - offset),
    'repr-digest': formatReprDigest(sha256),
    ...(isWhole ? {} : { 'content-range': `bytes ${range}/${total}` }),
  }
  const send = (): Promise<Response> => {
    let sent = offset
    const count = (bytes: number) => onSent((sent += bytes), total)
    const body = ReadableStream.from(readPart(file.path, { start: offset, end, count }))
    return fetch(url, { ...UNBUFFERED, method: 'PUT', headers, body, duplex: 'half' })
  }
  // The service keeps the bytes of a broken part, so the next part begins after them.
  const response = await withRetries(send, { repeatable: false, origin: new URL(url).origin })
  if (response.status === 200 || response.status === 201)
    return { artifact: (await response.json()) as Uploaded }
  if (response.status === 202) {
    const upload = (await response.json()) as UploadState
    return { place: { uploadId: upload.uploadId, offset: upload.receivedBytes } }
  }
  const next = response.headers.get('upload-offset')
  if (response.status !== 409 || next === null) throw await readFailure(response)
  await response.body?.cancel()
  return { place: { uploadId, offset: Number(next) } }
}

function buildUrl(
  { session, firmwareVersionId, role, baseVersionId, file }: FileToUpload,
  uploadId: string | undefined,
) {
  const { baseUrl, workspaceId } = session
  const query = new URLSearchParams({
    fileName: file.name,
    ...(baseVersionId === undefined ? {} : { baseVersionId }),
    ...(uploadId === undefined ? {} : { uploadId }),
  })
  const of = [workspaceId, firmwareVersionId].map(encodeURIComponent)
  const place = role === undefined ? 'artifact' : `artifacts/${encodeURIComponent(role)}`
  return `${baseUrl}/workspaces/${of[0]}/firmware-versions/${of[1]}/${place}?${query.toString()}`
}

async function* readPart(
  path: string,
  { start, end, count }: { start: number; end: number; count: (bytes: number) => void },
): AsyncGenerator<Uint8Array> {
  if (start === end) return
  const range = { start, end: end - 1, highWaterMark: 256 * 1024 }
  const content: AsyncIterable<Buffer> = createReadStream(path, range)
  for await (const chunk of content) {
    yield chunk
    count(chunk.length)
  }
}
