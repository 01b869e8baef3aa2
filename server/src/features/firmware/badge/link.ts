/** The token of a badge: it shows the mark of one firmware version, and opens nothing else. */
import { createHmac, timingSafeEqual } from 'node:crypto'

interface Version {
  workspaceId: string
  firmwareVersionId: string
}

export function signBadgeToken(
  signingKey: Buffer,
  { workspaceId, firmwareVersionId }: Version,
): string {
  return createHmac('sha256', signingKey)
    .update(JSON.stringify(['badge', workspaceId, firmwareVersionId]))
    .digest('base64url')
}

export function isBadgeTokenRight(signingKey: Buffer, version: Version, token: string): boolean {
  const right = Buffer.from(signBadgeToken(signingKey, version))
  const given = Buffer.from(token)
  return right.length === given.length && timingSafeEqual(right, given)
}
