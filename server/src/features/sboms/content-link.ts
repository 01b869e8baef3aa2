/** Links that give access to a file without an API key until they expire. A signature protects id and expiry. */
import { createHmac, timingSafeEqual } from 'node:crypto'

export interface ContentLink {
  workspaceId: string
  sbomId: string
  /** Seconds since 1970. */
  expires: number
}

export function signContentLink(
  key: Buffer,
  { workspaceId, sbomId, expires }: ContentLink,
): string {
  return createHmac('sha256', key)
    .update(`sbom-content\n${workspaceId}\n${sbomId}\n${expires}`)
    .digest('base64url')
}

export function isContentLinkValid(
  key: Buffer,
  link: ContentLink & { signature: string },
  now: Date,
): boolean {
  const expected = Buffer.from(signContentLink(key, link))
  const given = Buffer.from(link.signature)
  return (
    given.length === expected.length &&
    timingSafeEqual(given, expected) &&
    link.expires * 1000 > now.getTime()
  )
}
