/** Where the bytes of an SBOM lie: below its firmware version, so that a deleted version's files are found. */
export interface SbomAddress {
  workspaceId: string
  firmwareVersionId: string
  sbomId: string
}

export const SBOM_BLOBS = 'sboms/'

export function blobKey({ workspaceId, firmwareVersionId, sbomId }: SbomAddress): string {
  return `${blobPrefix(workspaceId, firmwareVersionId)}${sbomId}`
}

export function blobPrefix(workspaceId: string, firmwareVersionId: string): string {
  return `${SBOM_BLOBS}${workspaceId}/${firmwareVersionId}/`
}

/** undefined for a key this slice did not make. */
export function parseBlobKey(key: string): SbomAddress | undefined {
  const [folder, workspaceId, firmwareVersionId, sbomId, ...rest] = key.split('/')
  const complete = workspaceId && firmwareVersionId && sbomId && rest.length === 0
  return `${folder}/` === SBOM_BLOBS && complete
    ? { workspaceId, firmwareVersionId, sbomId }
    : undefined
}
