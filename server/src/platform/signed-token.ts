/** Tokens of links that are signed and not stored. They stand in the query, which the logs of this service leave out. */
import { createHmac, timingSafeEqual } from 'node:crypto'

const SIGNATURE_BYTES = 24

/** `purpose` tells links of one kind from those of others: a token works for its own purpose only. */
export function signToken(signingKey: Buffer, purpose: string, content: unknown): string {
  const body = Buffer.from(JSON.stringify(content))
  return Buffer.concat([sign(signingKey, purpose, body), body]).toString('base64url')
}

/** The content of a token; undefined when the service has not signed it for this purpose. */
export function readSignedToken(signingKey: Buffer, purpose: string, token: string): unknown {
  const bytes = Buffer.from(token, 'base64url')
  const signature = bytes.subarray(0, SIGNATURE_BYTES)
  const body = bytes.subarray(SIGNATURE_BYTES)
  const expected = sign(signingKey, purpose, body)
  if (signature.length !== SIGNATURE_BYTES || !timingSafeEqual(signature, expected))
    return undefined
  return JSON.parse(body.toString('utf8')) as unknown
}

function sign(signingKey: Buffer, purpose: string, body: Buffer): Buffer {
  return createHmac('sha256', signingKey)
    .update(`${purpose}\n`)
    .update(body)
    .digest()
    .subarray(0, SIGNATURE_BYTES)
}
