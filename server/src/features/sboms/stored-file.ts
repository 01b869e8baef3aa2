/** Where the file of an SBOM is stored, and links to it. */
import type { SigningKey } from '../../platform/signing-key.ts'

/** The key of an SBOM's file. It begins with the firmware version, so that the files of a deleted version are found. */
export interface SbomAddress {
  workspaceId: string
  firmwareVersionId: string
  sbomId: string
}

export const SBOM_BLOBS = 'sboms/'

export function nameSbomBlob({ workspaceId, firmwareVersionId, sbomId }: SbomAddress): string {
  return `${nameVersionBlobs(workspaceId, firmwareVersionId)}${sbomId}`
}

export function nameVersionBlobs(workspaceId: string, firmwareVersionId: string): string {
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

/** Gives access to the file without an API key until it expires. A signature protects id and expiry. */
export interface ContentLink {
  workspaceId: string
  sbomId: string
  /** Seconds since 1970. */
  expires: number
}

export function signContentLink(key: SigningKey, link: ContentLink): string {
  return key.sign(describe(link)).toString('base64url')
}

const describe = ({ workspaceId, sbomId, expires }: ContentLink) =>
  `sbom-content\n${workspaceId}\n${sbomId}\n${expires}`

export function isContentLinkValid(
  key: SigningKey,
  link: ContentLink & { signature: string },
  now: Date,
): boolean {
  return key.isSigned(describe(link), link.signature) && link.expires * 1000 > now.getTime()
}
