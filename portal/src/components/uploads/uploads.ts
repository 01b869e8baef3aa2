/** Uploads of this tab, kept outside of the pages so that one may leave and come back. */

export interface Upload {
  id: number
  versionId: string
  kind: 'sbom' | 'artifact'
  fileName: string
  /** What it is to become, where there are several: "Delta from 2.4.1". */
  target?: string
  sizeBytes: number
  /** Of a file that is being read: what was read. */
  doneBytes: number
  /** `Reading`: its hash is computed. `Waiting`: the service did not answer, and is tried again. */
  state: 'Reading' | 'Sending' | 'Waiting' | 'Paused' | 'Done' | 'Failed'
  /** Why it failed or waits, for a person. */
  fault?: string | undefined
  /** Of an upload that can be interrupted. */
  control?: UploadControl
}

interface UploadControl {
  pause: () => void
  goOn: () => void
  /** Deletes what has arrived. */
  discard: () => Promise<void>
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

function replaceUploads(next: readonly Upload[]): void {
  uploads = next
  for (const watcher of watchers) watcher()
}

export function addUpload(upload: Omit<Upload, 'id'>): number {
  lastId += 1
  replaceUploads([...uploads, { ...upload, id: lastId }])
  return lastId
}

export function changeUpload(id: number, changes: Partial<Upload>): void {
  replaceUploads(uploads.map((upload) => (upload.id === id ? { ...upload, ...changes } : upload)))
}

export function removeUpload(id: number): void {
  replaceUploads(uploads.filter((upload) => upload.id !== id))
}
