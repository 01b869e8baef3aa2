/**
 * Links in mails with which the reader of an address confirms it, or unsubscribes from a workspace. The token of the link
 * is the authorisation. It is signed and not stored. It stands in the query, which the logs of this service leave out.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { DAY_MS } from '../../../formats/instants.ts'
import type { AppContext } from '../../../platform/context.ts'

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
const SIGNATURE_BYTES = 24

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
  const body = Buffer.from(JSON.stringify([workspaceId, address, expires]))
  const signed = Buffer.concat([sign(ctx.signingKey, purpose, body), body])
  return `${ctx.config.publicUrl}/notifications/${purpose}?token=${signed.toString('base64url')}`
}

/** The content of a token, also of one that has expired; undefined when the service has not signed it for this purpose. */
export function readAddressToken(
  signingKey: Buffer,
  purpose: Purpose,
  token: string,
): AddressToken | undefined {
  const bytes = Buffer.from(token, 'base64url')
  const signature = bytes.subarray(0, SIGNATURE_BYTES)
  const body = bytes.subarray(SIGNATURE_BYTES)
  const expected = sign(signingKey, purpose, body)
  if (signature.length !== SIGNATURE_BYTES || !timingSafeEqual(signature, expected))
    return undefined
  const [workspaceId, address, expires] = JSON.parse(body.toString('utf8')) as [
    string,
    string,
    number | null,
  ]
  return { workspaceId, address, expires: expires ?? undefined }
}

function sign(signingKey: Buffer, purpose: Purpose, body: Buffer): Buffer {
  return createHmac('sha256', signingKey)
    .update(`notification-address\n${purpose}\n`)
    .update(body)
    .digest()
    .subarray(0, SIGNATURE_BYTES)
}
