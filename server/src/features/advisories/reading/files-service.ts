/** The files of an import as streams: those of a folder, and those in ZIP and tar archives; gzip and zstd are decompressed. */
import {
  accessSync,
  constants,
  createReadStream,
  createWriteStream,
  readdirSync,
  statSync,
  type Dirent,
} from 'node:fs'
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { FEED_HEAD_BYTES } from '../../../formats/feed-files.ts'
import { isTar, TAR_BLOCK } from '../../../formats/tar.ts'
import { AppError } from '../../../platform/errors.ts'
import {
  type Bytes,
  chainBytes,
  limitBytes,
  unpackBytes,
} from '../../../platform/unpacked-bytes.ts'
import { SmallFiles } from './small-files-service.ts'
import { readTarEntries } from './tar-entries.ts'

export interface OpenedFile {
  name: string
  /** All bytes at once, if the file is small and not packed; until the next file is opened. */
  whole?: Uint8Array
  /** The first bytes, unpacked. */
  head: Uint8Array
  /** All bytes, including the first ones. Fails where the file cannot be read. */
  chunks: Bytes
  /** The error of reading the first bytes. */
  failure: Error | undefined
  /** Must always be called. */
  close: () => Promise<void>
}

/**
 * Every file at or below the path in the order of names; one is open at a time. An archive inside an archive is unpacked
 * to the scratch folder, since the directory of a ZIP file is at its end.
 */
export async function* openFiles(path: string, scratch = tmpdir()): AsyncGenerator<OpenedFile> {
  const small = new SmallFiles()
  let group: string[] = []
  for (const next of groupFiles(filesBelow(path))) {
    await small.begin(group, next)
    for (const file of group) yield* openFile(file, { small, scratch })
    group = next
  }
}

async function* openFile(
  file: string,
  { small, scratch }: { small: SmallFiles; scratch: string },
): AsyncGenerator<OpenedFile> {
  const whole = small.read(file)
  if (whole && isJsonText(whole)) yield openWhole(file, whole)
  else if (await isZip(file)) yield* openArchive({ file, name: file, scratch, depth: 0 })
  else yield* openPlain(await peeked(file, unpackBytes(readBytes(file))))
}

/** The file itself, or the files of a tar archive. */
async function* openPlain(file: OpenedFile): AsyncGenerator<OpenedFile> {
  if (file.failure || !isTar(file.head)) {
    yield file
    return
  }
  const entries = readTarEntries(file.chunks)
  try {
    for (;;) {
      const next = await nextEntry(entries)
      if (next === undefined) return
      if (next instanceof Error) {
        yield await peeked(file.name, failing([], next))
        return
      }
      yield await peeked(`${file.name}/${next.name}`, unpackBytes(next.bytes))
    }
  } finally {
    await entries.return(undefined)
    await file.close()
  }
}

interface Archive {
  file: string
  name: string
  scratch: string
  depth: number
}

/** The baseline of the CVE List is an archive inside an archive; no source has more levels. */
const MAX_NESTED = 1

/** An archive that cannot be read to its end yields a file that fails. */
async function* openArchive(archive: Archive): AsyncGenerator<OpenedFile> {
  const { file, name, depth } = archive
  const entries = zipEntries(file)
  try {
    for (;;) {
      const next = await nextEntry(entries)
      if (next instanceof Error) {
        yield await peeked(name, failing([], next))
        return
      }
      if (next === undefined) return
      const within = `${name}/${next.name}`
      if (/\.zip$/i.test(next.name) && depth < MAX_NESTED)
        yield* openNested({ ...archive, name: within, depth: depth + 1 }, next.bytes)
      else yield await peeked(within, unpackBytes(next.bytes))
    }
  } finally {
    await entries.return(undefined)
  }
}

async function* openNested(archive: Archive, bytes: Bytes): AsyncGenerator<OpenedFile> {
  const folder = await mkdtemp(join(archive.scratch, 'plimsoll-archive-'))
  try {
    const file = join(folder, 'archive.zip')
    const failure = await extracted(bytes, file)
    if (failure) yield await peeked(archive.name, failing([], failure))
    else yield* openArchive({ ...archive, file })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The archive in the CVE List's baseline has less than 1 GiB; the limit stops zip bombs. */
const MAX_NESTED_BYTES = 16 * 1024 ** 3

async function extracted(bytes: Bytes, file: string): Promise<Error | undefined> {
  try {
    await pipeline(limitBytes(bytes, MAX_NESTED_BYTES), createWriteStream(file))
    return undefined
  } catch (error) {
    return toError(error)
  }
}

async function nextEntry(entries: AsyncGenerator<ZipEntry>): Promise<ZipEntry | Error | undefined> {
  try {
    const next = await entries.next()
    return next.done === true ? undefined : next.value
  } catch (error) {
    return toError(error)
  }
}

function* filesBelow(path: string): Generator<string> {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory()
  if (isFolder === undefined)
    throw new AppError('invalid', 'import-path-not-found', `There is no file or folder ${path}.`)
  if (isFolder) yield* filesIn(path)
  else {
    accessSync(path, constants.R_OK)
    yield path
  }
}

/** Follows links to files only: a link to a folder may form a circle. */
function* filesIn(folder: string): Generator<string> {
  const entries = readdirSync(folder, { withFileTypes: true })
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

const GROUP = 64

function* groupFiles(files: Iterable<string>): Generator<string[]> {
  let group: string[] = []
  for (const file of files) {
    group.push(file)
    if (group.length < GROUP) continue
    yield group
    group = []
  }
  yield group
  yield []
}

const CHUNK_BYTES = 256 * 1024

/** Not packed, and no archive: headers of tar archives have zero bytes. */
function isJsonText(bytes: Uint8Array): boolean {
  const isOpened = bytes[0] === 0x7b || bytes[0] === 0x5b
  return isOpened && !bytes.subarray(0, TAR_BLOCK).includes(0)
}

function openWhole(name: string, whole: Uint8Array): OpenedFile {
  const close = () => Promise.resolve()
  const head = whole.subarray(0, FEED_HEAD_BYTES)
  return { name, whole, head, chunks: inOneChunk(whole), failure: undefined, close }
}

// eslint-disable-next-line require-await
async function* inOneChunk(whole: Uint8Array): AsyncGenerator<Uint8Array> {
  yield whole
}

function readBytes(file: string): Bytes {
  return createReadStream(file, { highWaterMark: CHUNK_BYTES }) as Bytes
}

/** A local file header, or the end record of an empty archive (PKWARE APPNOTE 4.3). */
const ZIP_STARTS = new Set([0x504b0304, 0x504b0506])

async function isZip(file: string): Promise<boolean> {
  if (!/\.zip$/i.test(file)) return false
  const handle = await open(file)
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(4), 0, 4, 0)
    return bytesRead === 4 && ZIP_STARTS.has(buffer.readUInt32BE())
  } finally {
    await handle.close()
  }
}

interface ZipEntry {
  name: string
  bytes: Bytes
}

/** The files of a ZIP archive in its own order, with constant memory. */
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

/** Opens the entry when it is read, so that an entry that cannot be unpacked fails then. */
async function* bytesOfEntry(zip: ZipFile, entry: Entry): AsyncGenerator<Uint8Array> {
  yield* (await zip.openReadStreamPromise(entry)) as Bytes
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
    failure = toError(error)
  }
  const head = (first.length === 1 ? first[0] : Buffer.concat(first)) ?? new Uint8Array()
  const chunks = failure ? failing(first, failure) : chainBytes(first, iterator)
  const close = async () => void (await iterator.return?.())
  return { name, head: head.subarray(0, FEED_HEAD_BYTES), chunks, failure, close }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}

// eslint-disable-next-line require-await
async function* failing(first: readonly Uint8Array[], failure: Error): AsyncGenerator<Uint8Array> {
  yield* first
  throw failure
}
