/** The key of an SBOM's file. It begins with the firmware version, so that the files of a deleted version are found. */
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

/** Undefined for a key of another form. */
export function parseBlobKey(key: string): SbomAddress | undefined {
  const [folder, workspaceId, firmwareVersionId, sbomId, ...rest] = key.split('/')
  const complete = workspaceId && firmwareVersionId && sbomId && rest.length === 0
  return `${folder}/` === SBOM_BLOBS && complete
    ? { workspaceId, firmwareVersionId, sbomId }
    : undefined
}
