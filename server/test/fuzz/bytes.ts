/** Bytes of cases: as text where they are UTF-8, so that people can read stored cases. */
import { isUtf8 } from 'node:buffer'

export type StoredBytes = { text: string } | { base64: string }

export function stored(bytes: Buffer): StoredBytes {
  const text = bytes.toString('utf8')
  // A byte order mark is lost by some readers of text.
  return isUtf8(bytes) && !text.startsWith('\uFEFF')
    ? { text }
    : { base64: bytes.toString('base64') }
}

export function bytesOf(sent: StoredBytes): Buffer {
  return 'text' in sent ? Buffer.from(sent.text, 'utf8') : Buffer.from(sent.base64, 'base64')
}
