/** The lists of CSAF publishers (CSAF 2.0, section 7.1): of a directory, as a ROLIE feed, and where to find them. */
import { isObject } from '../../../formats/advisories/record-reader.ts'

export interface ChangedDocument {
  /** Below the directory: `2024/cve-2024-6119.json`. */
  path: string
  /** ISO 8601 in UTC. */
  at: string
}

/** A line that is cut off within its quotes does not match. */
const LINE = /^("?)([\w./+-]+\.json)\1\s*,\s*("?)([^",]+)\3\s*$/

/** A line of `changes.csv` or `deletions.csv`. Undefined for a heading, and for a path that leads out of the directory. */
export function parseChange(line: string): ChangedDocument | undefined {
  const [, , path, , time = ''] = LINE.exec(line) ?? []
  const at = new Date(time)
  if (path === undefined || Number.isNaN(at.getTime())) return undefined
  if (path.startsWith('/') || path.split('/').includes('..')) return undefined
  return { path, at: at.toISOString() }
}

/**
 * The instant up to which an archive has all changes. `csaf_vex_2026-11-20.tar.zst` states a day but no time, so that the
 * changes of this day and the day before are fetched again.
 */
export function readArchiveEnd(archive: string): string {
  const [, day] = /(\d{4}-\d{2}-\d{2})/.exec(archive) ?? []
  const at = new Date(`${day ?? '1970-01-02'}T00:00:00Z`)
  at.setUTCDate(at.getUTCDate() - 1)
  return at.toISOString()
}

/** The id of the document, as its file name has it (section 5.1). Undefined if it is not a CVE. */
export function readCveOfFile(path: string): string | undefined {
  const [, cve] = /(?:^|\/)(cve-\d{4}-\d{4,})\.json$/i.exec(path) ?? []
  return cve?.toUpperCase()
}

export interface ListedDocument {
  url: string
  at: string
  /** Where its checksum is. */
  hashUrl?: string | undefined
}

/** Reads a ROLIE feed (section 7.1.15). Undefined: it is none. Entries without an address or time are left out. */
export function readFeedDocuments(json: unknown, feedUrl: string): ListedDocument[] | undefined {
  const feed = isObject(json) ? json['feed'] : undefined
  if (!isObject(feed) || !Array.isArray(feed['entry'])) return undefined
  return feed['entry'].flatMap((entry) => readDocument(entry, feedUrl) ?? [])
}

function readDocument(entry: unknown, feedUrl: string): ListedDocument | undefined {
  if (!isObject(entry)) return undefined
  const links = objectsIn(entry['link'])
  const hrefOf = (rel: string) => links.find((link) => link['rel'] === rel)?.['href']
  const content = isObject(entry['content']) ? entry['content']['src'] : undefined
  const url = readAddress(content ?? hrefOf('self'), feedUrl)
  const at = new Date(typeof entry['updated'] === 'string' ? entry['updated'] : '')
  if (url === undefined || Number.isNaN(at.getTime()) || !url.endsWith('.json')) return undefined
  return { url, at: at.toISOString(), hashUrl: readAddress(hrefOf('hash'), feedUrl) }
}

function objectsIn(value: unknown) {
  return Array.isArray(value) ? value.filter((one) => isObject(one)) : []
}

/** Undefined if it is no address, has a password, or leaves https. */
function readAddress(text: unknown, base: string): string | undefined {
  const url = typeof text === 'string' ? URL.parse(text, base) : null
  const allowed = ['https:', new URL(base).protocol]
  return url && allowed.includes(url.protocol) && url.username === '' ? url.href : undefined
}

/** A directory with `changes.csv`, or a ROLIE feed. */
export interface Listing {
  kind: 'directory' | 'feed'
  url: string
}

/**
 * What a `provider-metadata.json` (section 7.1.7) offers to everybody. Of a directory and a feed of the same documents the
 * directory is taken, since it may have an archive. Where some are of VEX documents by their address, others are left out: security
 * advisories are about several vulnerabilities. Undefined: it is no such file.
 */
export function readProviderListings(json: unknown, base: string): Listing[] | undefined {
  if (!isObject(json) || !Array.isArray(json['distributions'])) return undefined
  const distributions = objectsIn(json['distributions'])
  const directories = distributions.flatMap(({ directory_url: url }) =>
    listingAt('directory', url, base),
  )
  const feeds = distributions
    .flatMap(({ rolie }) => (isObject(rolie) ? objectsIn(rolie['feeds']) : []))
    .filter(({ tlp_label: label }) => /^(?:UNLABELED|WHITE|CLEAR)$/.test(String(label)))
    .flatMap(({ url }) => listingAt('feed', url, base))
  const all = directories.length > 0 ? directories : feeds
  const ofVex = all.filter(({ url }) => /vex/i.test(new URL(url).pathname))
  return ofVex.length > 0 ? ofVex : all
}

function listingAt(kind: Listing['kind'], url: unknown, base: string): Listing[] {
  const address = readAddress(url, base)
  return address === undefined ? [] : [{ kind, url: address.replace(/\/+$/, '') }]
}

/** The addresses that a `security.txt` (RFC 9116) gives for provider metadata (section 7.1.8). */
export function readSecurityTextProviders(text: string, base: string): string[] {
  const fields = text.matchAll(/^CSAF:[ \t]*(\S+)/gim)
  return [...fields].flatMap(([, url]) => readAddress(url, base) ?? [])
}
