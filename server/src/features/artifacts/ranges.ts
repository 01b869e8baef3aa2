/** Ranges of bytes: the parts of an upload (Content-Range) and of a download (Range, RFC 9110 section 14). */
import { invalid } from '../../platform/errors.ts'

export interface SentRange {
  /** undefined: no bytes are sent, the end is asked for. */
  bytes: { start: number; end: number } | undefined
  total: number
}

const SENT = /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15})$/i

/** The Content-Range of a request (RFC 9110, section 14.5): `bytes 0-99/200`, or `*` for the range and no bytes. */
export function readSentRange(header: string): SentRange {
  const [matched, first, last, length] = SENT.exec(header.trim()) ?? []
  const fault = (detail: string) => invalid(detail, '/headers/content-range')
  if (matched === undefined)
    throw fault('Content-Range has to be of the form bytes 0-1048575/4194304.')
  const total = Number(length)
  if (total === 0) throw fault('An empty file is no artifact.')
  if (first === undefined) return { bytes: undefined, total }
  const [start, end] = [Number(first), Number(last)]
  if (start > end || end >= total) throw fault('The range has to lie within the file.')
  return { bytes: { start, end }, total }
}

export type AskedRange = { start: number; end: number } | 'all' | 'unsatisfiable'

const ASKED = /^bytes=(\d{1,15})?-(\d{1,15})?$/i

/** Several ranges at once, and what cannot be read, are answered with the whole, as RFC 9110 (14.2) allows. */
export function readAskedRange(header: string | undefined, sizeBytes: number): AskedRange {
  const [matched, first, last] = ASKED.exec(header?.replaceAll(/[ \t]/g, '') ?? '') ?? []
  if (matched === undefined || (first === undefined && last === undefined)) return 'all'
  if (first === undefined) {
    const length = Math.min(Number(last), sizeBytes)
    return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 }
  }
  const [start, end] = [Number(first), last === undefined ? sizeBytes - 1 : Number(last)]
  if (last !== undefined && end < start) return 'all'
  if (start >= sizeBytes) return 'unsatisfiable'
  return { start, end: Math.min(end, sizeBytes - 1) }
}
