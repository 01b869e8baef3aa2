/** Uploads of this tab, kept outside of the pages so that one may leave and come back. */
import { failureOf } from '@plimsoll/api-client'
import { failureText } from '../../components/states.tsx'

export interface Upload {
  id: number
  versionId: string
  fileName: string
  sizeBytes: number
  sentBytes: number
  state: 'Sending' | 'Done' | 'Failed'
  /** Why it failed, for a person. */
  fault: string | undefined
}

let uploads: readonly Upload[] = []
let lastId = 0
const watchers = new Set<() => void>()

export function listUploads(): readonly Upload[] {
  return uploads
}

export function watchUploads(onChange: () => void): () => void {
  watchers.add(onChange)
  return () => watchers.delete(onChange)
}

function change(id: number, changes: Partial<Upload>): void {
  uploads = uploads.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload))
  for (const watcher of watchers) watcher()
}

interface StartUpload {
  workspaceId: string
  versionId: string
  file: File
}

/** By XMLHttpRequest, as fetch tells no progress of what it sends. */
export function startUpload(
  { workspaceId, versionId, file }: StartUpload,
  onDone: () => void,
): void {
  lastId += 1
  const id = lastId
  const upload: Upload = {
    id,
    versionId,
    fileName: file.name,
    sizeBytes: file.size,
    sentBytes: 0,
    state: 'Sending',
    fault: undefined,
  }
  uploads = [...uploads, upload]
  const request = new XMLHttpRequest()
  request.upload.addEventListener('progress', ({ loaded }) => change(id, { sentBytes: loaded }))
  request.addEventListener('load', () => void finish(id, request, onDone))
  request.addEventListener('error', () =>
    change(id, {
      state: 'Failed',
      fault: 'The connection broke. The service has kept nothing of it.',
    }),
  )
  const name = encodeURIComponent(file.name)
  request.open(
    'POST',
    `/workspaces/${workspaceId}/firmware-versions/${versionId}/sboms?fileName=${name}`,
  )
  request.setRequestHeader('content-type', 'application/octet-stream')
  request.send(file)
  change(id, {})
}

async function finish(id: number, request: XMLHttpRequest, onDone: () => void): Promise<void> {
  const { status, responseText } = request
  if (status < 300) {
    change(id, { state: 'Done' })
    onDone()
    return
  }
  const headers = { 'content-type': request.getResponseHeader('content-type') ?? '' }
  const error = await failureOf(new Response(responseText, { status, headers }))
  change(id, { state: 'Failed', fault: failureText(error) })
}
