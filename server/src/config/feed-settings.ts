/** Where vulnerability sources are fetched from, and how. */
import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { isAbsolute } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FeedSource } from '../formats/feed-kinds.ts'
import { type HttpSettings, readAllowedHost } from '../platform/http-client/index.ts'
import { findAuthorityFault } from '../platform/certificate.ts'
import { isLoopbackHost } from '../platform/loopback.ts'
import { readAllowedHosts } from './allowed-hosts.ts'
import type { SettingsReader } from './reader.ts'

export const FEED_SOURCES = [
  'kev',
  'epss',
  'cvelist',
  'nvd',
  'osv',
  'csaf',
  'euvd',
  'endoflife',
] as const

/** Sources that are not missing where they are neither fetched nor imported. */
export const OPTIONAL_SOURCES: ReadonlySet<FeedSource> = new Set<FeedSource>([
  'csaf',
  'euvd',
  'endoflife',
])

/** A publisher of CSAF documents: the folder that has its `changes.csv`. */
export interface CsafPublisher {
  name: string
  url: string
}

export interface FeedSettings {
  /** Whether workers fetch on their own. Fetching by hand always works. */
  enabled: boolean
  sources: readonly FeedSource[]
  intervalMinutes: Record<FeedSource, number>
  urls: Record<Exclude<FeedSource, 'csaf'> | 'nvdApi', string>
  /** Empty: none are fetched. */
  csafPublishers: readonly CsafPublisher[]
  nvdMode: 'feeds' | 'api'
  nvdApiKey: string | undefined
  /** How many requests NVD allows. */
  nvdApiPace: { requests: number; spanMs: number }
  /** Empty: all ecosystems. */
  osvEcosystems: readonly string[]
  /** After so many days complete archives are read again, which repairs errors of deltas. */
  fullDays: number
  staleHours: number
  http: HttpSettings
}

const PUBLIC_URLS: FeedSettings['urls'] = {
  cvelist: 'https://api.github.com/repos/CVEProject/cvelistV5/releases',
  nvd: 'https://nvd.nist.gov/feeds/json/cve/2.0',
  nvdApi: 'https://services.nvd.nist.gov/rest/json/cves/2.0',
  osv: 'https://osv-vulnerabilities.storage.googleapis.com',
  kev: 'https://www.cisa.gov/sites/default/files/feeds/known_exploited_vulnerabilities.json',
  epss: 'https://epss.empiricalsecurity.com/epss_scores-current.csv.gz',
  euvd: 'https://euvdservices.enisa.europa.eu/api/kev/dump',
  endoflife: 'https://endoflife.date/api/v1/products/full',
}

/** By how often publishers update: the CVE List and OSV within the hour, NVD every two hours, distributions some times a day, the others daily. */
const INTERVALS: Record<FeedSource, number> = {
  cvelist: 60,
  nvd: 120,
  osv: 60,
  csaf: 360,
  kev: 120,
  epss: 360,
  euvd: 360,
  endoflife: 720,
}

const SECOND = 1000
const MEBIBYTE = 1024 * 1024

export function readFeedSettings(reader: SettingsReader): FeedSettings {
  const urls = { ...PUBLIC_URLS }
  for (const [source, name] of Object.entries(URL_NAMES) as [keyof typeof urls, string][]) {
    const url = readPlace(reader, name)
    if (url === undefined) continue
    urls[source] = url
  }
  const csafPublishers = readCsafPublishers(reader)
  const nvdApiKey = reader.text('PLIMSOLL_FEED_NVD_API_KEY')
  return {
    enabled: reader.flag('PLIMSOLL_FEEDS', true),
    sources: readSources(reader).filter((source) => source !== 'csaf' || csafPublishers.length > 0),
    intervalMinutes: readIntervals(reader),
    urls,
    csafPublishers,
    nvdMode: readNvdMode(reader),
    nvdApiKey,
    // nvd.nist.gov/developers/start-here: in a sliding window of 30 seconds.
    nvdApiPace: { requests: nvdApiKey === undefined ? 5 : 50, spanMs: 30 * SECOND },
    osvEcosystems: reader.list('PLIMSOLL_FEED_OSV_ECOSYSTEMS'),
    fullDays: reader.integer('PLIMSOLL_FEEDS_FULL_DAYS', 7, { min: 1, max: 365 }),
    staleHours: reader.integer('PLIMSOLL_FEEDS_STALE_HOURS', 48, { min: 1, max: 8_760 }),
    http: readHttp(reader, [...Object.values(urls), ...csafPublishers.map(({ url }) => url)]),
  }
}

const URL_NAMES: Record<keyof FeedSettings['urls'], string> = {
  cvelist: 'PLIMSOLL_FEED_CVELIST_URL',
  nvd: 'PLIMSOLL_FEED_NVD_URL',
  nvdApi: 'PLIMSOLL_FEED_NVD_API_URL',
  osv: 'PLIMSOLL_FEED_OSV_URL',
  kev: 'PLIMSOLL_FEED_KEV_URL',
  epss: 'PLIMSOLL_FEED_EPSS_URL',
  euvd: 'PLIMSOLL_FEED_EUVD_URL',
  endoflife: 'PLIMSOLL_FEED_ENDOFLIFE_URL',
}

/** A URL, or for the CVE List a folder or archive on this machine (a clone that is updated otherwise). */
function readPlace(reader: SettingsReader, name: string): string | undefined {
  const text = reader.text(name)
  if (text === undefined || name !== URL_NAMES.cvelist) return reader.url(name, ['http:', 'https:'])
  if (isAbsolute(text)) return text
  return text.startsWith('file:') ? fileURLToPath(text) : reader.url(name, ['http:', 'https:'])
}

const CSAF_URL = 'PLIMSOLL_FEED_CSAF_URL'
const CSAF_PUBLISHERS: ReadonlyMap<string, string> = new Map([
  ['redhat', 'https://security.access.redhat.com/data/csaf/v2/vex'],
  ['suse', 'https://ftp.suse.com/pub/projects/security/csaf-vex'],
])

/** Names of known publishers, or `name=URL`. */
function readCsafPublishers(reader: SettingsReader): CsafPublisher[] {
  return reader.list(CSAF_URL).flatMap((text) => {
    const [, name = text, stated] = /^([a-z][a-z0-9-]{0,31})=(.+)$/.exec(text) ?? []
    const url = URL.parse(stated ?? CSAF_PUBLISHERS.get(name) ?? '')
    if (url && /^https?:$/.test(url.protocol)) return [{ name, url: url.href.replace(/\/+$/, '') }]
    reader.faults.push(
      `${CSAF_URL} has ${JSON.stringify(text)}; it takes ${[...CSAF_PUBLISHERS.keys()].join(', ')} or name=URL.`,
    )
    return []
  })
}

function readSources(reader: SettingsReader): FeedSource[] {
  const names = reader.list('PLIMSOLL_FEEDS_SOURCES')
  for (const name of names)
    if (!FEED_SOURCES.some((source) => source === name))
      reader.faults.push(
        `PLIMSOLL_FEEDS_SOURCES names ${JSON.stringify(name)}; there are: ${FEED_SOURCES.join(', ')}.`,
      )
  return FEED_SOURCES.filter((source) => names.length === 0 || names.includes(source))
}

function readIntervals(reader: SettingsReader): Record<FeedSource, number> {
  const minutes = { ...INTERVALS }
  for (const source of FEED_SOURCES) {
    const name = `PLIMSOLL_FEED_${source.toUpperCase()}_INTERVAL_MINUTES`
    minutes[source] = reader.integer(name, INTERVALS[source], { min: 1, max: 43_200 })
  }
  return minutes
}

function readNvdMode(reader: SettingsReader): 'feeds' | 'api' {
  const mode = reader.text('PLIMSOLL_FEED_NVD_MODE') ?? 'feeds'
  if (mode === 'feeds' || mode === 'api') return mode
  reader.faults.push('PLIMSOLL_FEED_NVD_MODE must be feeds or api.')
  return 'feeds'
}

const FEED_HOSTS = 'PLIMSOLL_FEEDS_ALLOWED_HOSTS'

/** An address leads where the operator means. Where a name leads is up to whoever has its domain, such as a publisher. */
function isWrittenAddress({ protocol, hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return /^https?:$/.test(protocol) && (isIP(host) > 0 || isLoopbackHost(host))
}

function readHttp(reader: SettingsReader, places: readonly string[]): HttpSettings {
  const seconds = (name: string, fallback: number) =>
    reader.integer(`PLIMSOLL_HTTP_${name}_SECONDS`, fallback, { min: 1, max: 604_800 }) * SECOND
  return {
    caFile: authorityFile(reader, 'PLIMSOLL_CA_FILE'),
    proxies: {
      http: proxy(reader, 'HTTP_PROXY'),
      https: proxy(reader, 'HTTPS_PROXY'),
      none: reader.list(reader.text('NO_PROXY') === undefined ? 'no_proxy' : 'NO_PROXY'),
    },
    connectMs: seconds('CONNECT', 15),
    idleMs: seconds('IDLE', 60),
    totalMs: seconds('TOTAL', 7_200),
    maxBytes:
      reader.integer('PLIMSOLL_FEEDS_MAX_DOWNLOAD_MEBIBYTES', 4_096, { min: 1, max: 1_048_576 }) *
      MEBIBYTE,
    retry: { attempts: 5, baseMs: 2 * SECOND, maxMs: 300 * SECOND },
    allowedHosts: [
      ...readAllowedHosts(reader, FEED_HOSTS),
      ...places.flatMap((place) => {
        const url = URL.parse(place)
        return url && isWrittenAddress(url) ? [readAllowedHost(url)] : []
      }),
    ],
    allowedBy: FEED_HOSTS,
  }
}

function authorityFile(reader: SettingsReader, name: string): string | undefined {
  const path = reader.text(name)
  if (path === undefined) return undefined
  try {
    const fault = findAuthorityFault(readFileSync(path, 'utf8'))
    if (fault !== undefined)
      reader.faults.push(`${name} names ${path}, which holds no certificates (PEM): ${fault}.`)
  } catch {
    reader.faults.push(`${name} names ${path}, which cannot be read.`)
  }
  return path
}

/** The lower-case name is the older one, which most programs read, too. */
function proxy(reader: SettingsReader, name: string): string | undefined {
  const protocols = ['http:', 'https:']
  return reader.url(name, protocols) ?? reader.url(name.toLowerCase(), protocols)
}
