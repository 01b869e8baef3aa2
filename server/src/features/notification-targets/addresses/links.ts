/**
 * Links in mails with which the reader of an address confirms it, or unsubscribes from a workspace. The token of the link
 * is the authorisation.
 */
import { DAY_MS } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'
import type { SigningKey } from '../../../platform/signing-key.ts'
import { readSignedToken, signToken } from '../../../platform/signed-token.ts'

type Purpose = 'confirm' | 'unsubscribe'

interface WorkspaceAddress {
  workspaceId: string
  address: string
}

export interface AddressToken extends WorkspaceAddress {
  /** Milliseconds since 1970; undefined for a link that never expires. */
  expires: number | undefined
}

type LinkContext = Pick<AppContext, 'signingKey' | 'now'> & {
  config: Pick<AppContext['config'], 'publicUrl'>
}

const CONFIRMATION_MS = 7 * DAY_MS

/** Opens a page on which the reader of the address agrees to mail of the workspace. */
export function confirmUrl(ctx: LinkContext, workspaceId: string, address: string): string {
  const expires = ctx.now().getTime() + CONFIRMATION_MS
  return addressUrl(ctx, 'confirm', { workspaceId, address, expires })
}

/** Opens a page on which the reader of the address ends all mail of the workspace. A POST ends it at once (RFC 8058). */
export function unsubscribeUrl(ctx: LinkContext, workspaceId: string, address: string): string {
  return addressUrl(ctx, 'unsubscribe', { workspaceId, address, expires: undefined })
}

function addressUrl(ctx: LinkContext, purpose: Purpose, token: AddressToken): string {
  const { workspaceId, address, expires = null } = token
  const signed = signToken(ctx.signingKey, signedFor(purpose), [workspaceId, address, expires])
  return `${ctx.config.publicUrl}/notifications/${purpose}?token=${signed}`
}

const signedFor = (purpose: Purpose) => `notification-address\n${purpose}`

/** The content of a token, also of one that has expired; undefined when the service has not signed it for this purpose. */
export function readAddressToken(
  signingKey: SigningKey,
  purpose: Purpose,
  token: string,
): AddressToken | undefined {
  const content = readSignedToken(signingKey, signedFor(purpose), token)
  if (content === undefined) return undefined
  const [workspaceId, address, expires] = content as [string, string, number | null]
  return { workspaceId, address, expires: expires ?? undefined }
}
