/** Opaque, signed page cursors. A cursor belongs to one list: its workspace, sort and filter. */
import { createHash } from 'node:crypto'
import { AppError } from '../errors.ts'
import type { SigningKey } from '../signing-key.ts'

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
export function encodeCursor(key: SigningKey, scope: unknown, payload: CursorPayload): string {
  const body = Buffer.from(JSON.stringify([payload.asOf, payload.after, payload.total ?? null]))
  const signature = key.sign(bind(scope, body), SIGNATURE_BYTES)
  return Buffer.concat([signature, body]).toString('base64url')
}

export function decodeCursor(key: SigningKey, scope: unknown, cursor: string): CursorPayload {
  const bytes = Buffer.from(cursor, 'base64url')
  // Decoding skips what is not base64url: one cursor has one spelling.
  if (bytes.toString('base64url') !== cursor) throw badCursor()
  const body = bytes.subarray(SIGNATURE_BYTES)
  const signature = bytes.subarray(0, SIGNATURE_BYTES)
  if (!key.isSigned(bind(scope, body), signature, SIGNATURE_BYTES)) throw badCursor()
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

function bind(scope: unknown, body: Buffer): Buffer {
  const bound = createHash('sha256').update(JSON.stringify(scope)).digest()
  return Buffer.concat([Buffer.from('cursor'), bound, body])
}
