/** Requests and answers of NVD: its API 2.0 (nvd.nist.gov/developers/vulnerabilities) and its `.meta` files. */

import { DAY_MS } from '../../../formats/instants.ts'

/** The longest window that the API accepts. */
const MAX_DAYS = 120

/** How far the API was read; stored as the position of the part. */
export interface ApiPosition {
  /** All changes before this instant are known. */
  covered?: string
  /** A reading under way: of the window that begins with `from`, or of all records; `next` is the next index. */
  under?: { from?: string; to: string; next: number }
}

export function parseApiPosition(text: string | undefined): ApiPosition {
  try {
    const value: unknown = JSON.parse(text ?? '{}')
    return typeof value === 'object' && value !== null ? value : {}
  } catch {
    return {}
  }
}

/** The next reading: the one under way, else the next window of changes; all records if nothing is covered. */
export function planNextReading(
  { under }: ApiPosition,
  { covered, now }: { covered: string | undefined; now: Date },
): Required<ApiPosition>['under'] | undefined {
  if (under) return under
  if (covered === undefined) return { to: now.toISOString(), next: 0 }
  const end = Math.min(now.getTime(), Date.parse(covered) + MAX_DAYS * DAY_MS)
  const to = new Date(end).toISOString()
  return to > covered ? { from: covered, to, next: 0 } : undefined
}

export function buildPageUrl(
  base: string,
  { from, to, next }: Required<ApiPosition>['under'],
  size: number,
): string {
  const query = new URLSearchParams({ resultsPerPage: String(size), startIndex: String(next) })
  if (from !== undefined) {
    query.set('lastModStartDate', from)
    query.set('lastModEndDate', to)
  }
  return `${base}?${query.toString()}`
}

export interface PageHead {
  startIndex: number
  resultsPerPage: number
  totalResults: number
}

/** Reads the numbers that come before the records. */
export function readPageHead(head: string): PageHead | undefined {
  const number = (name: string) => {
    const digits = new RegExp(`"${name}"\\s*:\\s*(\\d{1,9})\\b`).exec(head)?.[1]
    return digits === undefined ? undefined : Number(digits)
  }
  const startIndex = number('startIndex')
  const resultsPerPage = number('resultsPerPage')
  const totalResults = number('totalResults')
  if (startIndex === undefined || resultsPerPage === undefined || totalResults === undefined)
    return undefined
  return { startIndex, resultsPerPage, totalResults }
}

/** The `.meta` file of a feed (nvd.nist.gov/vuln/data-feeds): lines of name and value. */
export interface NvdMeta {
  lastModified: string
  /** The hash of the unpacked feed, in lower case. */
  sha256: string
}

export function parseNvdMeta(text: string): NvdMeta | undefined {
  const values = new Map(
    text.split(/\r?\n/).flatMap((line): [string, string][] => {
      const at = line.indexOf(':')
      return at < 0 ? [] : [[line.slice(0, at).trim(), line.slice(at + 1).trim()]]
    }),
  )
  const sha256 = values.get('sha256')?.toLowerCase() ?? ''
  const time = new Date(values.get('lastModifiedDate') ?? '')
  if (!/^[0-9a-f]{64}$/.test(sha256) || Number.isNaN(time.getTime())) return undefined
  return { lastModified: time.toISOString(), sha256 }
}

/** The position of a feed that was read: its time and its checksum. */
export function formatNvdPosition({ lastModified, sha256 }: NvdMeta): string {
  return `${lastModified} ${sha256}`
}

export function readNvdPositionTime(position: string | undefined): string | undefined {
  return position?.split(' ')[0]
}
