import { randomUUID } from 'node:crypto'
import { readFailure, type UploadAccepted } from '../../api-client/src/index.ts'
import { writeMultipart, type UploadFile } from './multipart.ts'
import { PATIENT_DELAYS_MS, withRetries } from './retry.ts'
import type { Replacement } from './replacement.ts'
import type { Session } from './session.ts'

export type OnSent = (sentBytes: number, totalBytes: number) => void

/**
 * With these settings fetch streams the body. Otherwise it clones the request and keeps all of the body in memory for a
 * redirect (Fetch standard, "HTTP-network-or-cache fetch").
 */
export const UNBUFFERED = { window: null, redirect: 'error' } as const

export interface SbomUpload {
  files: readonly UploadFile[]
  replace?: Replacement | undefined
  onSent: OnSent
}

/** Uploads all files in one request at constant memory. The service does not store the same bytes twice. */
export async function uploadSboms(
  session: Session,
  firmwareVersionId: string,
  { files, replace, onSent }: SbomUpload,
): Promise<UploadAccepted> {
  const { baseUrl, workspaceId, apiKey } = session
  const url = `${baseUrl}/workspaces/${encodeURIComponent(workspaceId)}/firmware-versions/${encodeURIComponent(firmwareVersionId)}/sboms${replace === undefined ? '' : `?replace=${replace}`}`
  const total = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
  const send = (): Promise<Response> => {
    const { contentType, contentLength, read } = writeMultipart(files, `plimsoll-${randomUUID()}`)
    let sent = 0
    onSent(sent, total)
    const body = ReadableStream.from(read((count) => onSent((sent += count), total)))
    const headers = {
      authorization: `Bearer ${apiKey}`,
      'content-type': contentType,
      'content-length': String(contentLength),
    }
    return fetch(url, { ...UNBUFFERED, method: 'POST', headers, body, duplex: 'half' })
  }
  const response = await withRetries(send, {
    repeatable: true,
    origin: new URL(url).origin,
    delaysMs: PATIENT_DELAYS_MS,
  })
  if (response.status !== 202) throw await readFailure(response)
  return (await response.json()) as UploadAccepted
}
