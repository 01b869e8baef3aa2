/**
 * The bytes of Base64 (RFC 4648, section 4) in its one canonical form: undefined where another text would give the same bytes. Node
 * leaves out whatever it does not know and ignores unused bits, so that a changed signature could still be one.
 */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64')
  return bytes.toString('base64') === text ? bytes : undefined
}
