/**
 * CSAF documents of distributions, in the directory form of the standard (section 7.1.11 to 7.1.13): `changes.csv` lists
 * every document with the time of its last change. Red Hat also publishes an archive of all documents
 * (`archive_latest.txt`), which is read first.
 */
import { createReadStream, readFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { CsafPublisher } from '../../../config/feed-settings.ts'
import { DAY_MS } from '../../../formats/instants.ts'
import { HttpFailure } from '../../../platform/http-client/index.ts'
import { archivedUntil, type ChangedDocument, parseChange } from './csaf-index.ts'
import { type Fetched, type FeedIo, type FeedPart, marksOf, needsArchive } from './feed-part.ts'

export async function* csafParts(io: FeedIo): AsyncGenerator<FeedPart> {
  for (const publisher of io.settings.csafPublishers) {
    const { name } = publisher
    const archive = await findArchive(io, publisher)
    if (archive !== undefined && needsArchive(io.parts.get(name), io)) {
      yield archivePart(io, publisher, archive)
      // Without the archive every document would be fetched by itself.
      if (io.hasFailed(name)) continue
    }
    yield* changedParts(io, publisher)
  }
}

/** The name of the archive; undefined for a publisher without one. */
async function findArchive(io: FeedIo, { name, url }: CsafPublisher): Promise<string | undefined> {
  const file = `${url}/archive_latest.txt`
  const text = await fetchText(io, file, `${name}-archive_latest.txt`)
  if (text === undefined) return undefined
  const [archive = ''] = text.trim().split(/\s+/)
  if (/^[\w.-]+\.tar(?:\.(?:zst|gz))?$/.test(archive)) return archive
  throw new Error(`${file} does not name an archive.`)
}

async function fetchText(io: FeedIo, url: string, name: string): Promise<string | undefined> {
  try {
    const { path } = await io.fetchFile({ url, name, maxBytes: 64 * 1024 })
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (error instanceof HttpFailure && error.status === 404) return undefined
    throw error
  }
}

function archivePart(io: FeedIo, { name, url }: CsafPublisher, archive: string): FeedPart {
  return {
    name,
    fetch: async () => {
      const file = await io.fetchFile({ url: `${url}/${archive}`, name: `${name}-${archive}` })
      if (!file.isNew) return {}
      return { path: file.path, isSnapshot: true, marks: marksOf(file, archivedUntil(archive)) }
    },
  }
}

const deltaOf = (publisher: CsafPublisher) => `${publisher.name}-changes`

/** A part is imported before the next is fetched, so an interrupted sync continues where it was. */
const DOCUMENTS_A_PART = 1_000

async function* changedParts(io: FeedIo, publisher: CsafPublisher): AsyncGenerator<FeedPart> {
  const { name } = publisher
  const since = [io.parts.get(name), io.parts.get(deltaOf(publisher))]
    .map((part) => part?.position ?? '')
    .reduce((a, b) => (a > b ? a : b))
  const changed = await listChanges(io, publisher, since)
  for (const documents of inParts(changed)) {
    yield { name: deltaOf(publisher), fetch: () => fetchDocuments(io, publisher, documents) }
    // The position must not pass documents that are missing.
    if (io.hasFailed(deltaOf(publisher))) return
  }
}

/** At least one part. Documents of one instant stay together, as the position of a part is the instant of its last one. */
function inParts(changed: readonly ChangedDocument[]): ChangedDocument[][] {
  const parts: ChangedDocument[][] = [[]]
  for (const document of changed) {
    const last = parts.at(-1) ?? []
    if (last.length < DOCUMENTS_A_PART || last.at(-1)?.at === document.at) last.push(document)
    else parts.push([document])
  }
  return parts
}

const MAX_INDEX_BYTES = 256 * 1024 * 1024

/** Oldest first. The files of publishers have either order. */
async function listChanges(
  io: FeedIo,
  { name, url }: CsafPublisher,
  since: string,
): Promise<ChangedDocument[]> {
  const file = await io.fetchFile({
    url: `${url}/changes.csv`,
    name: `${name}-changes.csv`,
    maxBytes: MAX_INDEX_BYTES,
  })
  const changed: ChangedDocument[] = []
  let listed = 0
  for await (const line of createInterface({ input: createReadStream(file.path) })) {
    const change = parseChange(line)
    if (change) listed++
    if (change && change.at > since) changed.push(change)
  }
  await rm(file.path, { force: true })
  if (listed === 0) throw new Error(`${url}/changes.csv lists no document.`)
  return changed.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

const AT_ONCE = 6

async function fetchDocuments(
  io: FeedIo,
  { name, url }: CsafPublisher,
  documents: readonly ChangedDocument[],
): Promise<Fetched> {
  const position = documents.at(-1)?.at
  if (position === undefined) return {}
  const folder = join(io.folder, `${name}-documents`)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const left = documents.map(({ path }, index) => ({
    path,
    file: `${name}-documents/${index}.json`,
  }))
  let fetched = 0
  const worker = async () => {
    for (let next = left.pop(); next; next = left.pop())
      if (await fetchDocument(io, { url: `${url}/${next.path}`, name: next.file })) fetched++
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  const isAnyMissing = fetched < documents.length
  if (fetched === 0 && isRecent(io, position))
    throw new Error(`${name}: none of the ${documents.length} changed documents exists.`)
  return {
    path: folder,
    isSnapshot: false,
    marks: { position },
    ...(isAnyMissing && {
      notice: `${name}: ${documents.length - fetched} listed documents do not exist.`,
    }),
  }
}

/** A publisher may delete old documents and keep their lines. */
function isRecent({ now }: FeedIo, position: string): boolean {
  return now().getTime() - Date.parse(position) < DAY_MS
}

async function fetchDocument(io: FeedIo, file: { url: string; name: string }): Promise<boolean> {
  try {
    await io.fetchFile(file)
    return true
  } catch (error) {
    if (error instanceof HttpFailure && error.status === 404) return false
    throw error
  }
}
