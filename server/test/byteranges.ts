/** Reads `multipart/byteranges` as a client that trusts nothing (RFC 9110, section 14.6; RFC 2046, section 5.1.1). */
import { expect } from 'vitest'

export interface ReceivedPart {
  first: number
  last: number
  total: number
  bytes: Buffer
}

export function readByteRanges(contentType: unknown, body: Buffer): ReceivedPart[] {
  const [, boundary = ''] =
    /^multipart\/byteranges; boundary=([\w-]{1,70})$/.exec(String(contentType)) ?? []
  expect(boundary).not.toBe('')
  const parts: ReceivedPart[] = []
  const [delimiter, end] = [`--${boundary}\r\n`, `--${boundary}--\r\n`]
  let at = 0
  const skip = (text: string) => {
    expect(body.subarray(at, at + text.length).toString('latin1')).toBe(text)
    at += text.length
  }
  while (!body.subarray(at).equals(Buffer.from(end))) {
    skip(delimiter)
    const headEnd = body.indexOf('\r\n\r\n', at)
    const lines = body.subarray(at, headEnd).toString('latin1').split('\r\n')
    expect(lines).toContain('Content-Type: application/octet-stream')
    const stated = lines.find((line) => line.startsWith('Content-Range: ')) ?? ''
    const [, first, last, total] = /^Content-Range: bytes (\d+)-(\d+)\/(\d+)$/.exec(stated) ?? []
    const place = { first: Number(first), last: Number(last), total: Number(total) }
    at = headEnd + 4
    const length = place.last - place.first + 1
    parts.push({ ...place, bytes: body.subarray(at, at + length) })
    at += length
    skip('\r\n')
  }
  return parts
}
