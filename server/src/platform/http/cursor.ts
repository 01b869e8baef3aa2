/** Opaque, signed page cursors. A cursor belongs to one list: its workspace, sort and filter. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { AppError } from '../errors.ts'

export interface CursorPayload {
  /** The sort values and id of the last row of the page before. */
  after: (string | number | boolean | null)[]
  /** The instant of the first page, as of which later pages answer; milliseconds since 1970. */
  asOf: number
  /** How many rows the first page counted, if the list counts them. */
  total?: number
}

const SIGNATURE_BYTES = 16

/** `scope` is everything the list depends on besides the position; it is hashed, not shown. */
export function encodeCursor(key: Buffer, scope: unknown, payload: CursorPayload): string {
  const body = Buffer.from(JSON.stringify([payload.asOf, payload.after, payload.total ?? null]))
  return Buffer.concat([sign(key, scope, body), body]).toString('base64url')
}

export function decodeCursor(key: Buffer, scope: unknown, cursor: string): CursorPayload {
  const bytes = Buffer.from(cursor, 'base64url')
  // Decoding skips what is not base64url: one cursor has one spelling.
  if (bytes.toString('base64url') !== cursor) throw badCursor()
  const body = bytes.subarray(SIGNATURE_BYTES)
  const signature = bytes.subarray(0, SIGNATURE_BYTES)
  const expected = sign(key, scope, body)
  if (signature.length !== SIGNATURE_BYTES || !timingSafeEqual(signature, expected))
    throw badCursor()
  const [asOf, after, total] = JSON.parse(body.toString('utf8')) as [
    number,
    CursorPayload['after'],
    number | null | undefined,
  ]
  return { asOf, after, ...(typeof total === 'number' && { total }) }
}

function badCursor(): AppError {
  const detail =
    'is not a cursor of this list: pass a nextCursor back with the same sort and filter'
  return new AppError('invalid', 'invalid-cursor', `/cursor ${detail}.`, [
    { pointer: '/cursor', detail },
  ])
}

function sign(key: Buffer, scope: unknown, body: Buffer): Buffer {
  const bound = createHash('sha256').update(JSON.stringify(scope)).digest()
  return createHmac('sha256', key)
    .update('cursor')
    .update(bound)
    .update(body)
    .digest()
    .subarray(0, SIGNATURE_BYTES)
}
