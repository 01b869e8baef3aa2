/** The link of a weekly mail that ends it, also where nobody is signed in. It is signed and not stored. */
import type { SigningKey } from '../../platform/signing-key.ts'
import { signToken, readSignedToken } from '../../platform/signed-token.ts'

interface Reader {
  workspaceId: string
  personId: string
}

const PURPOSE = 'weekly-mail\nunsubscribe'
export const UNSUBSCRIBE_PATH = '/weekly-mail/unsubscribe'

export function unsubscribeUrl(
  { publicUrl, signingKey }: { publicUrl: string; signingKey: SigningKey },
  { workspaceId, personId }: Reader,
): string {
  const token = signToken(signingKey, PURPOSE, [workspaceId, personId])
  return `${publicUrl}${UNSUBSCRIBE_PATH}?token=${token}`
}

export function readUnsubscribeToken(signingKey: SigningKey, token: string): Reader | undefined {
  const [workspaceId, personId] = (readSignedToken(signingKey, PURPOSE, token) ?? []) as string[]
  return workspaceId !== undefined && personId !== undefined ? { workspaceId, personId } : undefined
}
