import { hash } from 'node:crypto'

/** A UUID of version 8 (RFC 9562, section 5.8) from the text's SHA-256: equal content gives an equal id. */
export function deriveUuid(text: string): string {
  const bytes = hash('sha256', text, 'buffer')
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex', 0, 16)
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
