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

/** Includes both ends. */
export interface ByteRange {
  start: number
  end: number
}

/**
 * The most ranges of one request: about as many as fit into the headers that Node takes (16 KiB). SWUpdate's delta handler
 * asks for 150 at a time.
 */
export const MAX_RANGES = 1_000

/** Parts in the order to be sent; `all`: the header asks for nothing that is understood here. */
export type RequestedRanges = readonly ByteRange[] | 'all' | 'unsatisfiable' | 'tooMany'

/**
 * Reads the Range of a request (RFC 9110, section 14.2). A malformed header means the whole file, as that section allows.
 * Ranges outside the file are left out, as long as one is inside. No byte is sent twice (section 17.15).
 */
export function readRequestedRanges(
  header: string | undefined,
  sizeBytes: number,
): RequestedRanges {
  const [, set] = /^bytes=(.*)$/i.exec(header?.trim() ?? '') ?? []
  // RFC 9110, section 5.6.1.2: empty elements of a list are ignored.
  const specs = set?.split(',').flatMap((text) => text.trim() || []) ?? []
  if (specs.length === 0) return 'all'
  if (specs.length > MAX_RANGES) return 'tooMany'
  const asked: ByteRange[] = []
  for (const spec of specs) {
    const range = readSpec(spec, sizeBytes)
    if (range === undefined) return 'all'
    if (isInside(range, sizeBytes)) asked.push(range)
  }
  return asked.length === 0 ? 'unsatisfiable' : joinRanges(asked)
}

/** undefined: malformed. A range that holds no byte of the file begins behind it. */
function readSpec(spec: string, sizeBytes: number): ByteRange | undefined {
  const [matched, first, last] = /^(\d*)-(\d*)$/.exec(spec) ?? []
  if (matched === undefined || matched === '-') return undefined
  const end = sizeBytes - 1
  if (first === '') return { start: Math.max(0, sizeBytes - Number(last)), end }
  const start = Number(first)
  if (last === '') return { start, end }
  return Number(last) < start ? undefined : { start, end: Math.min(Number(last), end) }
}

const isInside = ({ start }: ByteRange, sizeBytes: number) => start < sizeBytes

/**
 * Joins ranges that overlap or touch, which section 15.3.7.2 allows. A joined range takes the place of the first one in it:
 * SWUpdate's delta handler expects the order in which it asked.
 */
function joinRanges(asked: readonly ByteRange[]): ByteRange[] {
  const joined: (ByteRange & { place: number })[] = []
  const sorted = asked
    .map((range, place) => ({ ...range, place }))
    .toSorted((one, other) => one.start - other.start)
  for (const range of sorted) {
    const before = joined.at(-1)
    if (before === undefined || range.start > before.end + 1) {
      joined.push(range)
      continue
    }
    before.end = Math.max(before.end, range.end)
    before.place = Math.min(before.place, range.place)
  }
  return joined
    .toSorted((one, other) => one.place - other.place)
    .map(({ start, end }) => ({ start, end }))
}
