/** Uploads a delta or a part of a firmware version, in one piece. */
import { readFailure, type RoleArtifact } from '../../api-client/src/index.ts'
import { formatReprDigest, hashFile, readPart } from './artifact-upload.ts'
import type { UploadFile } from './multipart.ts'
import { withRetries } from './retry.ts'
import type { Session } from './session.ts'
import { type OnSent, UNBUFFERED } from './upload.ts'

export interface RoleUpload {
  firmwareVersionId: string
  role: string
  baseVersionId: string | undefined
  file: UploadFile
  onSent: OnSent
}

export async function uploadRoleArtifact(
  { baseUrl, workspaceId, apiKey }: Session,
  { firmwareVersionId, role, baseVersionId, file, onSent }: RoleUpload,
): Promise<RoleArtifact> {
  const { path, name: fileName, sizeBytes } = file
  const query = new URLSearchParams({
    fileName,
    ...(baseVersionId !== undefined && { baseVersionId }),
  })
  const of = [workspaceId, firmwareVersionId, role].map(encodeURIComponent)
  const url = `${baseUrl}/workspaces/${of[0]}/firmware-versions/${of[1]}/artifacts/${of[2]}?${query.toString()}`
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'content-type': 'application/octet-stream',
    'content-length': String(sizeBytes),
    'repr-digest': formatReprDigest(await hashFile(path)),
  }
  const send = (): Promise<Response> => {
    let sent = 0
    const count = (bytes: number) => onSent((sent += bytes), sizeBytes)
    const body = ReadableStream.from(readPart(path, { start: 0, end: sizeBytes, count }))
    return fetch(url, { ...UNBUFFERED, method: 'PUT', headers, body, duplex: 'half' })
  }
  // The same bytes twice are stored once.
  const response = await withRetries(send, { repeatable: true, origin: new URL(url).origin })
  if (!response.ok) throw await readFailure(response)
  return (await response.json()) as RoleArtifact
}
