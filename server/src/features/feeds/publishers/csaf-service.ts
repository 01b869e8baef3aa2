/**
 * CSAF documents of distributions: from a directory of the standard (section 7.1.11 to 7.1.13), where `changes.csv` lists every
 * document with the time of its last change, or from a ROLIE feed. Red Hat also publishes an archive of all documents
 * (`archive_latest.txt`), which is read first, and the documents that it has withdrawn (`deletions.csv`).
 */
import { formatCountOf } from '../../../formats/counts.ts'
import { createHash } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { DAY_MS } from '../../../formats/instants.ts'
import { HttpFailure } from '../../../platform/http-client/index.ts'
import type { Withdrawals } from '../../advisories/index.ts'
import { readArchiveEnd, type ListedDocument } from './csaf-index.ts'
import {
  type CsafPlace,
  fetchText,
  findPlaces,
  findPublisher,
  type ListedDocuments,
  readListing,
  verifyFile,
} from './csaf-listing-service.ts'
import {
  type FetchedPart,
  type FeedIo,
  type FeedPart,
  writePartMarks,
  needsArchive,
} from './feed-part.ts'

export async function* planCsafParts(io: FeedIo): AsyncGenerator<FeedPart> {
  for (const publisher of io.settings.csafPublishers)
    for (const place of await findPlaces(io, publisher)) yield* planPlaceParts(io, place)
}

async function* planPlaceParts(io: FeedIo, place: CsafPlace): AsyncGenerator<FeedPart> {
  const { name } = place
  const newest = await findArchive(io, place)
  const archive = needsArchive(io.parts.get(name), io) ? newest : undefined
  const listed = await readListing(io, place, findPosition(io, place, archive))
  if (archive !== undefined) {
    yield archivePart(io, place, { archive, listed })
    // Without the archive every document would be fetched by itself.
    if (io.hasFailed(name)) return
  }
  const parts = inParts(listed.changed)
  for (const [index, documents] of parts.entries()) {
    const isLast = index === parts.length - 1
    yield { name: nameDelta(place), fetch: () => fetchDocuments(io, place, { documents, isLast }) }
    // The position must not pass documents that are missing.
    if (io.hasFailed(nameDelta(place))) return
  }
  if (listed.withdrawn) yield withdrawnPart(io, place, listed)
}

/** The name of the archive; undefined for a publisher without one. */
async function findArchive(
  io: FeedIo,
  { kind, url, file }: CsafPlace,
): Promise<string | undefined> {
  if (kind === 'feed') return undefined
  const latest = `${url}/archive_latest.txt`
  const text = await fetchText(io, { url: latest, name: `${file}-archive_latest.txt` })
  if (text === undefined) return undefined
  const [archive = ''] = text.trim().split(/\s+/)
  if (/^[\w.-]+\.tar(?:\.(?:zst|gz))?$/.test(archive)) return archive
  throw new Error(`${latest} does not name an archive.`)
}

/** All changes up to this instant are known when the archive, if there is one, is imported. */
function findPosition({ parts }: FeedIo, place: CsafPlace, archive: string | undefined): string {
  const positions = [place.name, nameDelta(place)].map((name) => parts.get(name)?.position ?? '')
  if (archive !== undefined) positions.push(readArchiveEnd(archive))
  return positions.reduce((a, b) => (a > b ? a : b))
}

function archivePart(
  io: FeedIo,
  place: CsafPlace,
  { archive, listed }: { archive: string; listed: ListedDocuments },
): FeedPart {
  const { name, file: prefix } = place
  const url = `${place.url}/${archive}`
  return {
    name,
    fetch: async () => {
      const file = await io.fetchFile({ url, name: `${prefix}-${archive}` })
      if (!file.isNew) return {}
      await verifyFile(io, file.path, { url, hashUrl: `${url}.sha256` })
      const marks = writePartMarks(file, readArchiveEnd(archive))
      const withdrawals = await findWithdrawals(io, place, listed)
      const complete = listEcosystems(place)
      return {
        path: file.path,
        isSnapshot: true,
        marks,
        complete,
        ...(withdrawals && { withdrawals }),
      }
    },
  }
}

/** The distributions of which a publisher has a document for each vulnerability. */
const ECOSYSTEMS: Readonly<Record<string, readonly string[]>> = {
  redhat: ['Red Hat'],
  suse: ['SUSE', 'openSUSE'],
}

const listEcosystems = ({ name }: CsafPlace) => ECOSYSTEMS[name] ?? []

const nameDelta = ({ name }: CsafPlace) => `${name}-changes`

/** A part is imported before the next is fetched, so an interrupted sync continues where it was. */
const DOCUMENTS_A_PART = 1_000

/** At least one part. Documents of one instant stay together, as the position of a part is the instant of its last one. */
function inParts(changed: readonly ListedDocument[]): ListedDocument[][] {
  const parts: ListedDocument[][] = [[]]
  for (const document of changed) {
    const last = parts.at(-1) ?? []
    if (last.length < DOCUMENTS_A_PART || last.at(-1)?.at === document.at) last.push(document)
    else parts.push([document])
  }
  return parts
}

const AT_ONCE = 6

async function fetchDocuments(
  io: FeedIo,
  place: CsafPlace,
  { documents, isLast }: { documents: readonly ListedDocument[]; isLast: boolean },
): Promise<FetchedPart> {
  const { name, file: prefix } = place
  const position = documents.at(-1)?.at
  if (position === undefined) return {}
  const folder = await emptyFolder(io, `${prefix}-documents`)
  const left = documents.map((document, index) => ({
    ...document,
    name: `${prefix}-documents/${index}.json`,
  }))
  let fetched = 0
  const worker = async () => {
    for (let next = left.pop(); next; next = left.pop())
      if (await fetchDocument(io, next)) fetched++
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  const isAnyMissing = fetched < documents.length
  if (fetched === 0 && isRecent(io, position))
    throw new Error(`${name}: none of the ${documents.length} changed documents exists.`)
  return {
    path: folder,
    isSnapshot: false,
    marks: { position },
    ...(isLast && { complete: listEcosystems(place) }),
    ...(isAnyMissing && {
      notice: `${name}: ${formatCountOf(documents.length - fetched, 'listed document does', 'listed documents do')} not exist.`,
    }),
  }
}

async function emptyFolder(io: FeedIo, name: string): Promise<string> {
  const folder = join(io.folder, name)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  return folder
}

/** A publisher may delete old documents and keep their lines. */
function isRecent({ now }: FeedIo, position: string): boolean {
  return now().getTime() - Date.parse(position) < DAY_MS
}

async function fetchDocument(
  io: FeedIo,
  { url, hashUrl, name }: ListedDocument & { name: string },
): Promise<boolean> {
  try {
    const { path } = await io.fetchFile({ url, name })
    if (hashUrl !== undefined) await verifyFile(io, path, { url, hashUrl })
    return true
  } catch (error) {
    if (error instanceof HttpFailure && error.status === 404) return false
    throw error
  }
}

/** Once for each state of the list. */
function withdrawnPart(io: FeedIo, place: CsafPlace, listed: ListedDocuments): FeedPart {
  const name = `${place.name}-withdrawn`
  return {
    name,
    fetch: async () => {
      const etag = createHash('sha256').update(JSON.stringify(listed.withdrawn)).digest('hex')
      if (io.parts.get(name)?.etag === etag) return {}
      const withdrawals = await findWithdrawals(io, place, listed)
      if (!withdrawals) return {}
      const path = await emptyFolder(io, `${place.file}-withdrawn`)
      return { path, isSnapshot: false, marks: { etag }, withdrawals }
    },
  }
}

/** Undefined if nothing of the publisher is known. */
async function findWithdrawals(
  io: FeedIo,
  place: CsafPlace,
  listed: ListedDocuments,
): Promise<Withdrawals | undefined> {
  if (!listed.withdrawn) return undefined
  const publisher = await findPublisher(io, place, listed)
  if (publisher === undefined) return undefined
  const { are, cves } = listed.withdrawn
  return { publisher, are, ids: cves.map((cve) => `${publisher}:${cve}`) }
}
