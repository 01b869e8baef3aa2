/** Where artifacts and the parts of unfinished uploads lie, both below their firmware version. */
import { isUuid } from '../../platform/ids.ts'

export const ARTIFACT_BLOBS = 'artifacts/'
export const PART_BLOBS = 'artifact-parts/'

interface OfVersion {
  workspaceId: string
  firmwareVersionId: string
}

export function artifactKey(of: OfVersion & { blobId: string }): string {
  return `${ARTIFACT_BLOBS}${of.workspaceId}/${of.firmwareVersionId}/${of.blobId}`
}

export function partKey(of: OfVersion & { uploadId: string; partId: string }): string {
  const { workspaceId, firmwareVersionId, uploadId, partId } = of
  return `${PART_BLOBS}${workspaceId}/${firmwareVersionId}/${uploadId}/${partId}`
}

/** undefined for a key this slice did not make. */
export function parseArtifactKey(key: string): (OfVersion & { blobId: string }) | undefined {
  const [workspaceId, firmwareVersionId, blobId, ...rest] = idsBelow(ARTIFACT_BLOBS, key)
  if (!workspaceId || !firmwareVersionId || !blobId || rest.length > 0) return undefined
  return { workspaceId, firmwareVersionId, blobId }
}

export function parsePartKey(
  key: string,
): (OfVersion & { uploadId: string; partId: string }) | undefined {
  const [workspaceId, firmwareVersionId, uploadId, partId, ...rest] = idsBelow(PART_BLOBS, key)
  if (!workspaceId || !firmwareVersionId || !uploadId || !partId) return undefined
  return rest.length > 0 ? undefined : { workspaceId, firmwareVersionId, uploadId, partId }
}

function idsBelow(folder: string, key: string): string[] {
  const names = key.startsWith(folder) ? key.slice(folder.length).split('/') : []
  return names.every(isUuid) ? names : []
}
