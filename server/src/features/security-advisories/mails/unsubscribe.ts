/** The link that ends mails of advisories. Whoever got the mail has no account here; the link is signed and not stored. */
import type { SigningKey } from '../../../platform/signing-key.ts'
import { readSignedToken, signToken } from '../../../platform/signed-token.ts'

interface Reader {
  workspaceId: string
  /** In lower case. */
  address: string
}

const PURPOSE = 'advisory-mail\nunsubscribe'
export const UNSUBSCRIBE_PATH = '/advisory-mail/unsubscribe'

export function unsubscribeUrl(
  { publicUrl, signingKey }: { publicUrl: string; signingKey: SigningKey },
  { workspaceId, address }: Reader,
): string {
  const token = signToken(signingKey, PURPOSE, [workspaceId, address])
  return `${publicUrl}${UNSUBSCRIBE_PATH}?token=${token}`
}

export function readUnsubscribeToken(signingKey: SigningKey, token: string): Reader | undefined {
  const [workspaceId, address] = (readSignedToken(signingKey, PURPOSE, token) ?? []) as string[]
  return workspaceId !== undefined && address !== undefined ? { workspaceId, address } : undefined
}
