import { readFailure } from '@plimsoll/api-client'
import { describeFailure } from '../../components/states.tsx'
import { addUpload, changeUpload } from '../../components/uploads/uploads.ts'
import type { Replacement } from './queries.ts'

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
  const body = new FormData()
  for (const file of files) body.append('file', file)
  const id = addUpload({
    versionId,
    kind: 'sbom',
    fileName: files.map(({ name }) => name).join(', '),
    sizeBytes: files.reduce((sum, { size }) => sum + size, 0),
    doneBytes: 0,
    state: 'Sending',
  })
  const request = new XMLHttpRequest()
  request.upload.addEventListener('progress', ({ loaded }) =>
    changeUpload(id, { doneBytes: loaded }),
  )
  request.addEventListener('load', () => void finish(id, request, onDone))
  request.addEventListener('error', () =>
    changeUpload(id, {
      state: 'Failed',
      fault: 'The connection broke. The service has kept nothing of it.',
    }),
  )
  const query = replace === undefined ? '' : `?replace=${replace}`
  request.open('POST', `/workspaces/${workspaceId}/firmware-versions/${versionId}/sboms${query}`)
  request.send(body)
}

async function finish(id: number, request: XMLHttpRequest, onDone: () => void): Promise<void> {
  const { status, responseText } = request
  if (status < 300) {
    changeUpload(id, { state: 'Done' })
    onDone()
    return
  }
  const headers = { 'content-type': request.getResponseHeader('content-type') ?? '' }
  const error = await readFailure(new Response(responseText, { status, headers }))
  changeUpload(id, { state: 'Failed', fault: describeFailure(error) })
}
