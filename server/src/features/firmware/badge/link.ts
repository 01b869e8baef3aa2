/** The token of a badge: it shows the mark of one firmware version, and opens nothing else. */
import type { SigningKey } from '../../../platform/signing-key.ts'

interface Version {
  workspaceId: string
  firmwareVersionId: string
}

export function signBadgeToken(key: SigningKey, version: Version): string {
  return key.sign(describe(version)).toString('base64url')
}

export function isBadgeTokenRight(key: SigningKey, version: Version, token: string): boolean {
  return key.isSigned(describe(version), token)
}

const describe = ({ workspaceId, firmwareVersionId }: Version) =>
  JSON.stringify(['badge', workspaceId, firmwareVersionId])
