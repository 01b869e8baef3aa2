/** The files of an import, read as streams: a file or folder, gzip undone, ZIP archives entered. */
import { createReadStream, type Dirent, readFileSync, statSync } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline, Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { FEED_HEAD_BYTES } from '../../formats/feed-files.ts'
import { AppError } from '../../platform/errors.ts'

type Bytes = AsyncIterable<Uint8Array>

export interface OpenedFile {
  name: string
  /** The first bytes, unpacked. */
  head: Uint8Array
  /** All bytes, the first ones included; fails where the file cannot be read on. */
  chunks: Bytes
  /** Why reading ended within the first bytes. */
  failure: Error | undefined
  /** To be called when done, also when nothing was read. */
  close: () => Promise<void>
}

/** Every file at or below the path, one open at a time, in the order of their names. */
export async function* openFiles(path: string): AsyncGenerator<OpenedFile> {
  for await (const file of filesBelow(path)) {
    if (await isZip(file)) yield* openArchive(file)
    else yield await peeked(file, unpacked(bytesOf(file)))
  }
}

/** An archive that cannot be read, or not to its end, shows as one more file that cannot. */
async function* openArchive(file: string): AsyncGenerator<OpenedFile> {
  const entries = zipEntries(file)
  try {
    for (;;) {
      const next = await nextEntry(entries)
      if (next instanceof Error) {
        yield await peeked(file, failing([], next))
        return
      }
      if (next === undefined) return
      yield await peeked(`${file}/${next.name}`, unpacked(next.bytes))
    }
  } finally {
    await entries.return(undefined)
  }
}

async function nextEntry(entries: AsyncGenerator<ZipEntry>): Promise<ZipEntry | Error | undefined> {
  try {
    const next = await entries.next()
    return next.done === true ? undefined : next.value
  } catch (error) {
    return errorOf(error)
  }
}

async function* filesBelow(path: string): AsyncGenerator<string> {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory()
  if (isFolder === undefined)
    throw new AppError('invalid', 'import-path-not-found', `There is no file or folder ${path}.`)
  if (isFolder) yield* filesIn(path)
  else yield path
}

/** Links are followed to files only, as one to a folder may lead back. */
async function* filesIn(folder: string): AsyncGenerator<string> {
  const entries = await readdir(folder, { withFileTypes: true })
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.name.startsWith('.')) continue
    if (entry.isDirectory()) yield* filesIn(path)
    else if (entry.isFile() || isLinkToFile(entry, path)) yield path
  }
}

function isLinkToFile(entry: Dirent, path: string): boolean {
  return entry.isSymbolicLink() && statSync(path, { throwIfNoEntry: false })?.isFile() === true
}

const SMALL = 1024 * 1024

/** The CVE List is 300,000 small files: read at once, one costs a tenth of what a stream costs. */
async function* bytesOf(file: string): AsyncGenerator<Uint8Array> {
  if (statSync(file).size <= SMALL) yield readFileSync(file)
  else yield* createReadStream(file, { highWaterMark: 256 * 1024 }) as Bytes
}

async function isZip(file: string): Promise<boolean> {
  if (!/\.zip$/i.test(file)) return false
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
    return bytesRead === 4 && buffer.readUInt32BE() === 0x504b0304
  } finally {
    await handle.close()
  }
}

interface ZipEntry {
  name: string
  bytes: Bytes
}

/** The files of a ZIP archive, in its own order, at constant memory. */
async function* zipEntries(path: string): AsyncGenerator<ZipEntry> {
  const zip = await openPromise(path)
  try {
    for await (const entry of zip.eachEntry())
      if (!entry.fileName.endsWith('/'))
        yield { name: entry.fileName, bytes: bytesOfEntry(zip, entry) }
  } finally {
    if (zip.isOpen) zip.close()
  }
}

/** Opened when it is read; an entry that cannot be unpacked fails there. */
async function* bytesOfEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  yield* (await zip.openReadStreamPromise(entry)) as Bytes
}

/** Gzip is told by its first bytes, whatever the name says. */
async function* unpacked(bytes: Bytes): AsyncGenerator<Uint8Array> {
  const iterator = bytes[Symbol.asyncIterator]()
  const first = await iterator.next()
  if (first.done === true) return
  const all = continued([first.value], iterator)
  if (first.value[0] !== 0x1f || first.value[1] !== 0x8b) {
    yield* all
    return
  }
  const gunzip = createGunzip({ chunkSize: 256 * 1024 })
  // A failure of either side reaches whoever reads the result.
  pipeline(Readable.from(all), gunzip, () => undefined)
  yield* gunzip as Bytes
}

async function peeked(name: string, bytes: Bytes): Promise<OpenedFile> {
  const iterator = bytes[Symbol.asyncIterator]()
  const first: Uint8Array[] = []
  let length = 0
  let failure: Error | undefined
  try {
    while (length < FEED_HEAD_BYTES) {
      const next = await iterator.next()
      if (next.done === true) break
      first.push(next.value)
      length += next.value.length
    }
  } catch (error) {
    failure = errorOf(error)
  }
  const head = (first.length === 1 ? first[0] : Buffer.concat(first)) ?? new Uint8Array()
  const chunks = failure ? failing(first, failure) : continued(first, iterator)
  const close = async () => void (await iterator.return?.())
  return { name, head: head.subarray(0, FEED_HEAD_BYTES), chunks, failure, close }
}

function errorOf(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

async function* continued(
  first: readonly Uint8Array[],
  rest: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    yield* first
    for (let next = await rest.next(); next.done !== true; next = await rest.next())
      yield next.value
  } finally {
    // Whoever stops early lets go of the file, too.
    await rest.return?.()
  }
}

// eslint-disable-next-line require-await
async function* failing(first: readonly Uint8Array[], failure: Error): AsyncGenerator<Uint8Array> {
  yield* first
  throw failure
}
