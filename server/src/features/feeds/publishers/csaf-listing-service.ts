/** Finds where a CSAF publisher lists its documents, and reads the lists (CSAF 2.0, section 7.1). */
import { createHash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { relative } from 'node:path'
import { createInterface } from 'node:readline'
import type { CsafPublisher } from '../../../config/feed-settings.ts'
import { DuplicateMember, parseUniqueJson } from '../../../formats/duplicate-members.ts'
import { readCsafPublisher } from '../../../formats/advisories/csaf-vex.ts'
import { HttpFailure } from '../../../platform/http-client/index.ts'
import {
  readCveOfFile,
  readFeedDocuments,
  type ListedDocument,
  type Listing,
  readProviderListings,
  parseChange,
  readSecurityTextProviders,
} from './csaf-index.ts'
import type { ListingIo } from './feed-part.ts'

/** A list that is read for itself. */
export interface CsafPlace extends Listing {
  /** The prefix of its parts. */
  name: string
  /** The prefix of its files. */
  file: string
  /** It has all documents of its publisher. */
  isWhole: boolean
}

/** A setting names a directory, a ROLIE feed, a provider-metadata.json, or a host whose metadata is looked for. */
export async function findPlaces(io: ListingIo, publisher: CsafPublisher): Promise<CsafPlace[]> {
  const listings = await findListings(io, publisher)
  const isWhole = listings.length === 1
  return listings.map((listing) => {
    const { url } = listing
    const isConfigured = url === publisher.url
    const hash = createHash('sha256').update(url).digest('hex').slice(0, 8)
    return {
      ...listing,
      isWhole,
      name: isConfigured ? publisher.name : `${publisher.name} ${url}`,
      file: isConfigured ? publisher.name : `${publisher.name}-${hash}`,
    }
  })
}

async function findListings(io: ListingIo, publisher: CsafPublisher): Promise<Listing[]> {
  const { name, url } = publisher
  const { pathname, origin } = new URL(url)
  if (pathname === '/') return findOnHost(io, name, origin)
  if (!pathname.endsWith('.json')) return [{ kind: 'directory', url }]
  const json = await fetchJson(io, { url, name: `${name}-listing.json` })
  if (readFeedDocuments(json, url)) return [{ kind: 'feed', url }]
  return offeredBy(json, url)
}

function offeredBy(json: unknown, url: string): Listing[] {
  const listings = readProviderListings(json, url)
  if (!listings) throw new Error(`${url} is neither provider metadata nor a ROLIE feed.`)
  if (listings.length > 0) return listings
  throw new Error(`${url} offers no directory and no feed that everybody may read.`)
}

/** In the order of section 7.3.1, without the DNS path. */
async function findOnHost(io: ListingIo, name: string, origin: string): Promise<Listing[]> {
  const wellKnown = `${origin}/.well-known/csaf/provider-metadata.json`
  const file = `${name}-provider.json`
  const json = await orUndefinedIfMissing(fetchJson(io, { url: wellKnown, name: file }))
  if (json !== undefined) return offeredBy(json, wellKnown)
  const security = `${origin}/.well-known/security.txt`
  const text = await fetchText(io, { url: security, name: `${name}-security.txt` })
  const [url] = text === undefined ? [] : readSecurityTextProviders(text, security)
  if (url === undefined)
    throw new Error(`${origin} has no provider-metadata.json, and no security.txt that names one.`)
  return offeredBy(await fetchJson(io, { url, name: file }), url)
}

export interface ListedDocuments {
  /** Those that changed after the given instant, oldest first. */
  changed: ListedDocument[]
  newest: ListedDocument | undefined
  /** The CVEs whose documents were deleted; or those that are listed, where all others are withdrawn. */
  withdrawn: { are: 'Deleted' | 'Listed'; cves: string[] } | undefined
}

export async function readListing(
  io: ListingIo,
  place: CsafPlace,
  since: string,
): Promise<ListedDocuments> {
  const listed =
    place.kind === 'feed' ? await readFeed(io, place, since) : await readDirectory(io, place, since)
  if (!listed.newest) throw new Error(`${listingFile(place)} lists no document.`)
  listed.changed.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
  return listed
}

const listingFile = ({ kind, url }: CsafPlace) => (kind === 'feed' ? url : `${url}/changes.csv`)

async function readFeed(io: ListingIo, place: CsafPlace, since: string): Promise<ListedDocuments> {
  const { url, file } = place
  const documents = readFeedDocuments(await fetchJson(io, { url, name: `${file}-feed.json` }), url)
  if (!documents) throw new Error(`${url} is no ROLIE feed.`)
  const cves = documents.flatMap((one) => readCveOfFile(one.url) ?? [])
  return {
    changed: documents.filter(({ at }) => at > since),
    newest: documents.reduce<ListedDocument | undefined>(chooseNewer, undefined),
    // A document whose file is not named after its CVE would seem to be withdrawn.
    withdrawn:
      place.isWhole && cves.length === documents.length ? { are: 'Listed', cves } : undefined,
  }
}

function chooseNewer(a: ListedDocument | undefined, b: ListedDocument): ListedDocument {
  return a && a.at > b.at ? a : b
}

const MAX_INDEX_BYTES = 256 * 1024 * 1024

/** A document that is listed as changed after its deletion is there again. */
async function readDirectory(
  io: ListingIo,
  { url, file }: CsafPlace,
  since: string,
): Promise<ListedDocuments> {
  const deleted = await readDeletions(io, { url, file })
  const changed = new Map<string, ListedDocument>()
  let newest: ListedDocument | undefined
  const changes = await fetchLines(io, { url: `${url}/changes.csv`, name: `${file}-changes.csv` })
  for await (const line of changes) {
    const change = parseChange(line)
    if (!change) continue
    const { path, at } = change
    const document = { url: `${url}/${path}`, at }
    newest = chooseNewer(newest, document)
    if ((deleted.get(path) ?? at) < at) deleted.delete(path)
    if (at > since) changed.set(path, document)
  }
  for (const path of deleted.keys()) changed.delete(path)
  const cves = [...deleted.keys()].flatMap((path) => readCveOfFile(path) ?? [])
  return {
    changed: [...changed.values()],
    newest,
    withdrawn: cves.length > 0 ? { are: 'Deleted', cves } : undefined,
  }
}

/** When each document was deleted, the last time. A publisher need not have the file. */
async function readDeletions(
  io: ListingIo,
  { url, file }: Pick<CsafPlace, 'url' | 'file'>,
): Promise<Map<string, string>> {
  const asked = { url: `${url}/deletions.csv`, name: `${file}-deletions.csv` }
  const deleted = new Map<string, string>()
  const lines = await orUndefinedIfMissing(fetchLines(io, asked))
  if (!lines) return deleted
  for await (const line of lines) {
    // The page of a proxy.
    if (line.startsWith('<')) throw new Error(`${asked.url} is no list of documents.`)
    const { path, at } = parseChange(line) ?? { path: '', at: '' }
    if ((deleted.get(path) ?? '') < at) deleted.set(path, at)
  }
  return deleted
}

/** Whose documents they are, as the newest of them says. Undefined for a publisher whose documents are not read. */
export async function findPublisher(
  io: ListingIo,
  { file }: CsafPlace,
  { newest }: ListedDocuments,
): Promise<string | undefined> {
  if (!newest) return undefined
  return readCsafPublisher(await fetchJson(io, { url: newest.url, name: `${file}-newest.json` }))
}

interface AskedFile {
  url: string
  name: string
}

async function fetchLines(io: ListingIo, asked: AskedFile): Promise<AsyncIterable<string>> {
  const { path } = await io.fetchFile({ ...asked, maxBytes: MAX_INDEX_BYTES })
  return readLines(path)
}

async function* readLines(path: string): AsyncGenerator<string> {
  yield* createInterface({ input: createReadStream(path) })
  await rm(path, { force: true })
}

const MAX_JSON_BYTES = 64 * 1024 * 1024

async function fetchJson(io: ListingIo, asked: AskedFile): Promise<unknown> {
  const { path } = await io.fetchFile({ ...asked, maxBytes: MAX_JSON_BYTES })
  const bytes = readFileSync(path)
  await rm(path, { force: true })
  try {
    return parseUniqueJson(bytes)
  } catch (error) {
    const isTwice = error instanceof DuplicateMember
    const fault = isTwice ? 'names a member twice' : 'is no valid JSON'
    throw new Error(`${asked.url} ${fault}.`, { cause: error })
  }
}

/** Fetches the text of a small file. Undefined if the file does not exist. */
export async function fetchText(io: ListingIo, asked: AskedFile): Promise<string | undefined> {
  const file = await orUndefinedIfMissing(io.fetchFile({ ...asked, maxBytes: 64 * 1024 }))
  if (!file) return undefined
  const text = readFileSync(file.path, 'utf8')
  await rm(file.path, { force: true })
  return text
}

async function orUndefinedIfMissing<Value>(fetching: Promise<Value>): Promise<Value | undefined> {
  try {
    return await fetching
  } catch (error) {
    if (error instanceof HttpFailure && error.status === 404) return undefined
    throw error
  }
}

/** Refuses a file whose checksum is published and differs. Publishers need not have checksums. */
export async function verifyFile(
  io: ListingIo,
  path: string,
  { url, hashUrl }: { url: string; hashUrl: string },
): Promise<void> {
  const name = `checksums/${relative(io.folder, path).replaceAll('/', '-')}`
  const stated = await fetchText(io, { url: hashUrl, name })
  if (stated === undefined) return
  const [sum] = /^(?:[0-9a-f]{64}|[0-9a-f]{128})\b/i.exec(stated) ?? []
  if (sum === undefined) throw new Error(`${hashUrl} states no checksum.`)
  const hash = createHash(sum.length === 64 ? 'sha256' : 'sha512')
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer)
  if (hash.digest('hex') !== sum.toLowerCase())
    throw new Error(`${url} has another checksum than ${hashUrl} states.`)
}
