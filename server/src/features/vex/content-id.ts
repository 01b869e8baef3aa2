import { hash } from 'node:crypto'

/** A UUID of version 8 (RFC 9562, section 5.8) made of what it stands for: the same content has the same id. */
export function contentId(...parts: readonly unknown[]): string {
  const bytes = hash('sha256', JSON.stringify(parts), 'buffer')
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = bytes.toString('hex', 0, 16)
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
