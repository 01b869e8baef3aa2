/** Byte ranges of uploads (Content-Range) and of downloads (Range), as RFC 9110, section 14, defines them. */
import { invalid } from '../../platform/errors.ts'

export interface ContentRange {
  /** undefined: the request carries no bytes and asks to complete the upload. */
  bytes: { start: number; end: number } | undefined
  total: number
}

const SENT = /^bytes (?:(\d{1,15})-(\d{1,15})|\*)\/(\d{1,15})$/i

/** Reads the Content-Range of a request (RFC 9110, section 14.5): `bytes 0-99/200`, or `bytes *\/200` without bytes. */
export function readContentRange(header: string): ContentRange {
  const [matched, first, last, length] = SENT.exec(header.trim()) ?? []
  const fault = (detail: string) => invalid(detail, '/headers/content-range')
  if (matched === undefined)
    throw fault('Content-Range must have the form bytes 0-1048575/4194304.')
  const total = Number(length)
  if (total === 0) throw fault('An artifact must not be empty.')
  if (first === undefined) return { bytes: undefined, total }
  const [start, end] = [Number(first), Number(last)]
  if (start > end || end >= total) throw fault('The range must lie within the file.')
  return { bytes: { start, end }, total }
}

export type RequestedRange = { start: number; end: number } | 'all' | 'unsatisfiable'

const ASKED = /^bytes=(\d{1,15})?-(\d{1,15})?$/i

/** Several ranges, and malformed ones, mean the whole file, as RFC 9110, section 14.2, allows. */
function lastBytes(count: number, sizeBytes: number): RequestedRange {
  const length = Math.min(count, sizeBytes)
  return length === 0 ? 'unsatisfiable' : { start: sizeBytes - length, end: sizeBytes - 1 }
}

export function readRequestedRange(header: string | undefined, sizeBytes: number): RequestedRange {
  const [matched, first, last] = ASKED.exec(header?.replaceAll(/[ \t]/g, '') ?? '') ?? []
  if (matched === undefined || (first === undefined && last === undefined)) return 'all'
  if (first === undefined) return lastBytes(Number(last), sizeBytes)
  const [start, end] = [Number(first), last === undefined ? sizeBytes - 1 : Number(last)]
  if (last !== undefined && end < start) return 'all'
  if (start >= sizeBytes) return 'unsatisfiable'
  return { start, end: Math.min(end, sizeBytes - 1) }
}
