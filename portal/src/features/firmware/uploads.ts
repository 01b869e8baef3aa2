/** Uploads of this tab, kept outside of the pages so that one may leave and come back. */
import { readFailure } from '@plimsoll/api-client'
import { describeFailure } from '../../components/states.tsx'
import type { Replacement } from './queries.ts'

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
  /** They count together if they replace all. */
  files: readonly File[]
  replace?: Replacement | undefined
}

/** By XMLHttpRequest, as fetch tells no progress of what it sends. */
export function startUpload(
  { workspaceId, versionId, files, replace }: StartUpload,
  onDone: () => void,
): void {
  lastId += 1
  const id = lastId
  const body = new FormData()
  for (const file of files) body.append('file', file)
  const upload: Upload = {
    id,
    versionId,
    fileName: files.map(({ name }) => name).join(', '),
    sizeBytes: files.reduce((sum, { size }) => sum + size, 0),
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
  const query = replace === undefined ? '' : `?replace=${replace}`
  request.open('POST', `/workspaces/${workspaceId}/firmware-versions/${versionId}/sboms${query}`)
  request.send(body)
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
  const error = await readFailure(new Response(responseText, { status, headers }))
  change(id, { state: 'Failed', fault: describeFailure(error) })
}
