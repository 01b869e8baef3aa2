/** Sources on a feed server in the formats and under the names their publishers use. */
import { createHash } from 'node:crypto'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { type Config, readConfig } from '../src/config/config.ts'
import { tarOf } from './tar-of.ts'
import type { FeedServer } from './feed-server.ts'
import { givenZip } from './given-zip.ts'

export function feedConfig(server: FeedServer, dataDir: string): Config {
  const { url } = server
  const config = readConfig({
    PLIMSOLL_DATA_DIR: dataDir,
    PLIMSOLL_FEED_CVELIST_URL: `${url}/cvelist/releases`,
    PLIMSOLL_FEED_NVD_URL: `${url}/nvd`,
    PLIMSOLL_FEED_NVD_API_URL: `${url}/nvd-api`,
    PLIMSOLL_FEED_OSV_URL: `${url}/osv`,
    PLIMSOLL_FEED_KEV_URL: `${url}/kev.json`,
    PLIMSOLL_FEED_EPSS_URL: `${url}/epss.csv.gz`,
    PLIMSOLL_FEED_EUVD_URL: `${url}/euvd.json`,
    PLIMSOLL_FEED_ENDOFLIFE_URL: `${url}/endoflife.json`,
    PLIMSOLL_FEED_CSAF_URL: `acme=${url}/csaf`,
  })
  config.feeds.nvdApiPace = { requests: 1_000, spanMs: 1_000 }
  config.feeds.http.idleMs = 300
  config.feeds.http.retry = { attempts: 2, baseMs: 1, maxMs: 10 }
  return config
}

/** A yearly feed or the one of modified records, with its `.meta`. */
export function publishNvdFeed(
  server: FeedServer,
  name: string,
  { page, lastModified }: { page: object | string; lastModified: string },
): void {
  const text = typeof page === 'string' ? page : JSON.stringify(page)
  const packed = gzipSync(text)
  const sha256 = createHash('sha256').update(text).digest('hex').toUpperCase()
  server.put(`/nvd/nvdcve-2.0-${name}.json.gz`, packed)
  server.put(
    `/nvd/nvdcve-2.0-${name}.meta`,
    `lastModifiedDate:${lastModified}\r\nsize:${text.length}\r\nzipSize:${packed.length}\r\ngzSize:${packed.length}\r\nsha256:${sha256}\r\n`,
  )
}

interface NvdRecord {
  cve: { id: string; lastModified: string }
}

/** The API over these records: pages, and windows of modification of at most 120 days. */
export function publishNvdApi(server: FeedServer, records: () => readonly NvdRecord[]): void {
  server.handle('/nvd-api', ({ searchParams }) => {
    const from = searchParams.get('lastModStartDate')
    const to = searchParams.get('lastModEndDate')
    const days = from && to ? (Date.parse(to) - Date.parse(from)) / 86_400_000 : 0
    if (days > 120) throw new Error('The window is longer than 120 days.')
    const start = Number(searchParams.get('startIndex'))
    const size = Math.min(2_000, Number(searchParams.get('resultsPerPage')))
    const matching = records().filter(
      ({ cve }) =>
        !from ||
        !to ||
        (Date.parse(`${cve.lastModified}Z`) >= Date.parse(from) &&
          Date.parse(`${cve.lastModified}Z`) <= Date.parse(to)),
    )
    const vulnerabilities = matching.slice(start, start + size)
    return {
      resultsPerPage: vulnerabilities.length,
      startIndex: start,
      totalResults: matching.length,
      format: 'NVD_CVE',
      version: '2.0',
      timestamp: '2026-08-22T00:00:00.000',
      vulnerabilities,
    }
  })
}

interface CsafDocument {
  document: { tracking?: { id: string; current_release_date: string } }
}

const csafPath = ({ document: { tracking } }: CsafDocument) => {
  const id = tracking?.id ?? ''
  return `${id.slice(4, 8)}/${id.toLowerCase()}.json`
}

/** A directory of CSAF documents as Red Hat has it; without `archived` as SUSE has it, which has no archive. */
export function publishCsaf(
  server: FeedServer,
  documents: readonly CsafDocument[],
  archived?: { day: string; documents: readonly CsafDocument[] },
): void {
  server.put('/csaf/changes.csv', csafLines(documents))
  for (const one of documents) server.put(`/csaf/${csafPath(one)}`, one)
  if (!archived) return
  const name = `csaf_vex_${archived.day}.tar.zst`
  const texts = archived.documents.map((one) => [csafPath(one), JSON.stringify(one)] as const)
  server.put('/csaf/archive_latest.txt', `${name}\n`)
  const packed = zstdCompressSync(tarOf(Object.fromEntries(texts)))
  server.put(`/csaf/${name}`, packed)
  server.put(`/csaf/${name}.sha256`, `${sha256Of(packed)}  ${name}\n`)
}

/** Lines of `changes.csv`; with a time, of `deletions.csv`. */
export function csafLines(documents: readonly CsafDocument[], at?: string): string {
  const lines = documents.map(
    (one) => `"${csafPath(one)}","${at ?? one.document.tracking?.current_release_date ?? ''}"\n`,
  )
  return lines.join('')
}

const sha256Of = (content: string | Uint8Array) =>
  createHash('sha256').update(content).digest('hex')

/** A ROLIE feed at `/csaf/feed.json` with the documents that it lists and their checksums. */
export function publishCsafFeed(server: FeedServer, documents: readonly CsafDocument[]): void {
  const entry = documents.map((one) => {
    const url = `${server.url}/csaf/${csafPath(one)}`
    server.put(`/csaf/${csafPath(one)}`, one)
    server.put(`/csaf/${csafPath(one)}.sha256`, `${sha256Of(JSON.stringify(one))}  a.json\n`)
    const { id = '', current_release_date: updated } = one.document.tracking ?? {}
    return {
      id,
      title: id,
      link: [
        { rel: 'self', href: url },
        { rel: 'hash', href: `${url}.sha256` },
        { rel: 'signature', href: `${url}.asc` },
      ],
      published: updated,
      updated,
      content: { type: 'application/json', src: url },
      format: {
        schema: 'https://docs.oasis-open.org/csaf/csaf/v2.0/csaf_json_schema.json',
        version: '2.0',
      },
    }
  })
  server.put('/csaf/feed.json', {
    feed: {
      id: 'acme-csaf-feed-tlp-white',
      title: 'CSAF feed (TLP:WHITE)',
      link: [{ rel: 'self', href: `${server.url}/csaf/feed.json` }],
      category: [{ scheme: 'urn:ietf:params:rolie:category:information-type', term: 'csaf' }],
      updated: '2026-08-22T00:00:00Z',
      entry,
    },
  })
}

export function providerMetadata(server: FeedServer, distributions: readonly object[]) {
  return {
    canonical_url: `${server.url}/.well-known/csaf/provider-metadata.json`,
    distributions,
    last_updated: '2026-08-22T00:00:00Z',
    metadata_version: '2.0',
    publisher: { category: 'vendor', name: 'Red Hat', namespace: 'https://www.redhat.com' },
    role: 'csaf_trusted_provider',
  }
}

export interface OsvRecord {
  id: string
  modified: string
  [other: string]: unknown
}

/** An ecosystem's archive, index and single records. */
export function publishOsv(
  server: FeedServer,
  name: string,
  records: readonly OsvRecord[],
  archived = records,
): void {
  const sorted = records.toSorted((a, b) => (a.modified < b.modified ? 1 : -1))
  server.put(
    `/osv/${name}/modified_id.csv`,
    sorted.map(({ id, modified }) => `${modified},${id}\n`).join(''),
  )
  server.put(
    `/osv/${name}/all.zip`,
    zipOf(archived, ({ id }) => `${id}.json`),
  )
  for (const record of records) server.put(`/osv/${name}/${record.id}.json`, record)
}

function zipOf<Item extends object>(items: readonly Item[], nameOf: (item: Item) => string) {
  return givenZip(Object.fromEntries(items.map((item) => [nameOf(item), JSON.stringify(item)])))
}

export interface CveRecord {
  cveMetadata: { cveId: string }
}

export interface GivenRelease {
  /** `2026-08-22_all_CVEs_at_midnight.zip.zip`, `2026-08-22_delta_CVEs_at_0900Z.zip`, … */
  [asset: string]: readonly CveRecord[]
}

/** Releases, the newest first, with the baseline as an archive in an archive. */
export function publishCveList(server: FeedServer, releases: readonly GivenRelease[]): void {
  for (const release of releases)
    for (const [name, records] of Object.entries(release)) {
      const folder = name.includes('_delta_') ? 'deltaCves' : 'cves/2026/0xxx'
      const zip = zipOf(records, ({ cveMetadata }) => `${folder}/${cveMetadata.cveId}.json`)
      const isNested = name.endsWith('.zip.zip')
      server.put(`/download/${name}`, isNested ? givenZip({ 'cves.zip': zip }) : zip)
    }
  server.put(
    '/cvelist/releases',
    releases.map((release, index) => ({
      tag_name: `cve_${releases.length - index}`,
      assets: Object.keys(release).map((name) => ({
        name,
        browser_download_url: `${server.url}/download/${name}`,
      })),
    })),
  )
}
