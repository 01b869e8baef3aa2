/** OSV: an archive per ecosystem. Between two readings of the archive, only the records that its index lists as modified. */
import { createReadStream, readFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { nameDownload, HttpFailure } from '../../../platform/http-client/index.ts'
import {
  type FetchedPart,
  type FeedIo,
  type FeedPart,
  type KnownPart,
  writePartMarks,
  needsArchive,
} from './feed-part.ts'
import { parseEcosystemIndex, type OsvChanges, readOsvIndex } from './osv-index.ts'

export async function* planOsvParts(io: FeedIo): AsyncGenerator<FeedPart> {
  const names = await ecosystems(io)
  for (const name of names)
    yield { name, total: names.length, fetch: () => fetchEcosystem(io, name) }
}

async function ecosystems(io: FeedIo): Promise<readonly string[]> {
  if (io.settings.osvEcosystems.length > 0) return io.settings.osvEcosystems
  const url = `${io.settings.urls.osv}/ecosystems.txt`
  const { path } = await io.fetchFile({ url, maxBytes: 1024 * 1024 })
  const names = parseEcosystemIndex(readFileSync(path, 'utf8'))
  if (names.length === 0) throw new Error(`${url} lists no ecosystem.`)
  return names
}

/** Above this number of modified records, one request for the archive is cheaper. */
const MAX_SINGLE_RECORDS = 300

async function fetchEcosystem(io: FeedIo, name: string): Promise<FetchedPart> {
  const part = io.parts.get(name)
  const { since, indexTag } = readPosition(part)
  const isArchiveDue = needsArchive(part, io)
  const index = await fetchIndex(io, { name, since, known: isArchiveDue ? undefined : indexTag })
  if (index === 'unchanged') return {}
  if (!index) return fetchArchive(io, name, undefined)
  const { newest = '', ids, tag = '' } = index
  if (since !== undefined && newest !== '' && newest < since)
    return {
      notice: `${name}: the index ends at ${newest}, before the known data (${since}); the known data stays.`,
    }
  const position = `${newest} ${tag}`.trim()
  if (isArchiveDue || ids.length > MAX_SINGLE_RECORDS) return fetchArchive(io, name, position)
  return ids.length === 0 ? {} : fetchSingle(io, { name, ids, position })
}

/** The position of a part: the newest time in its index, and the entity tag of the index. */
function readPosition(part: KnownPart | undefined): { since?: string; indexTag?: string } {
  const [since, indexTag] = part?.position?.split(' ') ?? []
  return { ...(since !== undefined && { since }), ...(indexTag !== undefined && { indexTag }) }
}

async function fetchArchive(
  io: FeedIo,
  name: string,
  position: string | undefined,
): Promise<FetchedPart> {
  const part = io.parts.get(name)
  const known = part?.snapshotReadAt && { etag: part.etag, lastModified: part.lastModified }
  const url = `${base(io, name)}/all.zip`
  const file = await io.fetchFile({ url, ...(known && { known }) })
  if (!file.isNew) return {}
  return {
    path: file.path,
    isSnapshot: true,
    marks: writePartMarks(file, position),
    complete: [name],
  }
}

function base({ settings }: FeedIo, name: string): string {
  return `${settings.urls.osv}/${encodeURIComponent(name)}`
}

/** The index of all ecosystems has 30 MiB. A file of this size fits into a string, even as one line. */
const MAX_INDEX_BYTES = 256 * 1024 * 1024

interface IndexRequest {
  name: string
  since: string | undefined
  known: string | undefined
}

/** Fetched before the archive: a record that changes between the two requests is then fetched twice, not missed. */
async function fetchIndex(
  io: FeedIo,
  { name, since, known }: IndexRequest,
): Promise<(OsvChanges & { tag: string | undefined }) | 'unchanged' | undefined> {
  const url = `${base(io, name)}/modified_id.csv`
  try {
    const file = await io.fetchFile({
      url,
      maxBytes: MAX_INDEX_BYTES,
      ...(known !== undefined && { known: { etag: known } }),
    })
    if (!file.isNew) return 'unchanged'
    const lines = createInterface({ input: createReadStream(file.path) })
    const changes = await readOsvIndex(lines, since)
    await rm(file.path, { force: true })
    if (changes.newest === undefined) throw new Error(`${url} is not an index of records.`)
    return { ...changes, tag: file.etag }
  } catch (error) {
    // A mirror may have archives without an index.
    if (error instanceof HttpFailure && error.status === 404) return undefined
    throw error
  }
}

const AT_ONCE = 6

interface Single {
  name: string
  ids: readonly string[]
  position: string | undefined
}

async function fetchSingle(io: FeedIo, { name, ids, position }: Single): Promise<FetchedPart> {
  const folder = join(io.folder, `changed-${name.replaceAll(/\W/g, '_')}`)
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const left = [...ids]
  let fetched = 0
  const worker = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop())
      if (
        await fetchRecord(io, { url: `${base(io, name)}/${encodeURIComponent(id)}.json`, folder })
      )
        fetched++
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  if (fetched === 0) return { notice: `${name}: none of ${ids.length} changed records exists.` }
  const marks = position === undefined ? {} : { position }
  return { path: folder, isSnapshot: false, marks }
}

/** Answers whether the record exists. A record that left the ecosystem is withdrawn when the archive is read next. */
async function fetchRecord(
  io: FeedIo,
  { url, folder }: { url: string; folder: string },
): Promise<boolean> {
  try {
    await io.fetchFile({ url, name: join(basename(folder), nameDownload(url)) })
    return true
  } catch (error) {
    if (error instanceof HttpFailure && error.status === 404) return false
    throw error
  }
}
