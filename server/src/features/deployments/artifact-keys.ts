/** Where artifacts and the parts of unfinished uploads lie, both below their firmware version. */
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
  const [folder, workspaceId, firmwareVersionId, blobId, ...rest] = key.split('/')
  if (`${folder}/` !== ARTIFACT_BLOBS || rest.length > 0) return undefined
  if (!workspaceId || !firmwareVersionId || !blobId) return undefined
  return { workspaceId, firmwareVersionId, blobId }
}

export function parsePartKey(
  key: string,
): (OfVersion & { uploadId: string; partId: string }) | undefined {
  const [folder, workspaceId, firmwareVersionId, uploadId, partId, ...rest] = key.split('/')
  if (`${folder}/` !== PART_BLOBS || rest.length > 0) return undefined
  if (!workspaceId || !firmwareVersionId || !uploadId || !partId) return undefined
  return { workspaceId, firmwareVersionId, uploadId, partId }
}
