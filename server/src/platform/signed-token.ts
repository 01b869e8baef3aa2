/** Tokens of links that are signed and not stored. They stand in the query, which the logs of this service leave out. */
import type { SigningKey } from './signing-key.ts'

const SIGNATURE_BYTES = 24

/** `purpose` tells links of one kind from those of others: a token works for its own purpose only. */
export function signToken(key: SigningKey, purpose: string, content: unknown): string {
  const body = Buffer.from(JSON.stringify(content))
  const signature = key.sign(bind(purpose, body), SIGNATURE_BYTES)
  return Buffer.concat([signature, body]).toString('base64url')
}

/** The content of a token; undefined when the service has not signed it for this purpose. */
export function readSignedToken(key: SigningKey, purpose: string, token: string): unknown {
  const bytes = Buffer.from(token, 'base64url')
  const signature = bytes.subarray(0, SIGNATURE_BYTES)
  const body = bytes.subarray(SIGNATURE_BYTES)
  if (!key.isSigned(bind(purpose, body), signature, SIGNATURE_BYTES)) return undefined
  return JSON.parse(body.toString('utf8')) as unknown
}

const bind = (purpose: string, body: Buffer) => Buffer.concat([Buffer.from(`${purpose}\n`), body])
