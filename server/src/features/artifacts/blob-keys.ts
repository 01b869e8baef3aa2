/** Blob keys of artifacts and of the parts of unfinished uploads, both grouped by firmware version. */
import { isUuid } from '../../platform/ids.ts'

export const ARTIFACT_BLOBS = 'artifacts/'
export const PART_BLOBS = 'artifact-parts/'

interface VersionKey {
  workspaceId: string
  firmwareVersionId: string
}

export function nameArtifactBlob(version: VersionKey & { blobId: string }): string {
  return `${ARTIFACT_BLOBS}${version.workspaceId}/${version.firmwareVersionId}/${version.blobId}`
}

export function namePartBlob(version: VersionKey & { uploadId: string; partId: string }): string {
  const { workspaceId, firmwareVersionId, uploadId, partId } = version
  return `${PART_BLOBS}${workspaceId}/${firmwareVersionId}/${uploadId}/${partId}`
}

/** undefined: this slice did not make the key. */
export function parseArtifactBlobKey(key: string): (VersionKey & { blobId: string }) | undefined {
  const [workspaceId, firmwareVersionId, blobId, ...rest] = idsBelow(ARTIFACT_BLOBS, key)
  if (!workspaceId || !firmwareVersionId || !blobId || rest.length > 0) return undefined
  return { workspaceId, firmwareVersionId, blobId }
}

export function parsePartBlobKey(
  key: string,
): (VersionKey & { uploadId: string; partId: string }) | undefined {
  const [workspaceId, firmwareVersionId, uploadId, partId, ...rest] = idsBelow(PART_BLOBS, key)
  if (!workspaceId || !firmwareVersionId || !uploadId || !partId) return undefined
  return rest.length > 0 ? undefined : { workspaceId, firmwareVersionId, uploadId, partId }
}

function idsBelow(folder: string, key: string): string[] {
  const names = key.startsWith(folder) ? key.slice(folder.length).split('/') : []
  return names.every(isUuid) ? names : []
}
